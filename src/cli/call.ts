import { readFileSync } from 'node:fs';
import type { CallResult, OpenClient, Values } from '../host/client.ts';
import { type Command, EXIT, type Terminal, UsageError } from './command.ts';
import { showContent, showJson } from './showing.ts';
import { readTarget, TARGET_HELP, withClient } from './target.ts';
import { readInput, readPairs } from './values.ts';

/** Calls one tool. */
export const call: Command = {
  summary: 'Call a tool of a server',
  help: `Usage: parley call <url> <tool> [key=value …] [options]
       parley call <tool> [key=value …] [options] -- command args…

Reaches a server by its URL, or starts one, calls one tool, prints what it returns, and ends what it started. Each
value is read as the tool's input schema says: a number, true or false, JSON for objects and arrays, and text
otherwise. A question of the server is put to you when you are at a terminal, and declined when you are not.

  --input JSON       The input as a JSON object; key=value words are added to it
  --input @FILE      The same, read from a file
${TARGET_HELP}

Example: parley call http://127.0.0.1:8808/mcp hello name=Ada
Example: parley call hello name=Ada -- npx parley stdio`,
  async run(args, terminal) {
    const pointed = readTarget(args, { input: { type: 'string' } });
    const [name, ...words] = pointed.words;
    if (name === undefined) throw new UsageError('Say which tool to call');
    const base = readBase(pointed.values['input'] as string | undefined);
    const pairs = readPairs(words);
    return withClient(pointed, terminal, async (client) => {
      const input = { ...base, ...readInput(pairs, await schemaOf(client, name, pairs)) };
      const result = await client.call(name, input, { onProgress: (step) => terminal.say(showProgress(step)) });
      show(result, pointed.json, terminal);
      return result.failed === true ? EXIT.failed : EXIT.ok;
    });
  },
};

function readBase(text: string | undefined): Values {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Values;
  } catch (error) {
    throw new UsageError(`Cannot read --input: ${(error as Error).message}`);
  }
  throw new UsageError('--input must be a JSON object');
}

/** The schema that says how to read the words; without words there is nothing to read. */
async function schemaOf(client: OpenClient, name: string, pairs: Readonly<Record<string, string>>): Promise<Values> {
  if (Object.keys(pairs).length === 0) return {};
  const tools = await client.listTools();
  return tools.find((tool) => tool.name === name)?.inputSchema ?? {};
}

function show(result: CallResult, json: boolean, { print, say }: Terminal): void {
  const { content, structured, failed = false, _meta } = result;
  if (json) {
    print(showJson({ content, structuredContent: structured, isError: failed, _meta }));
    return;
  }
  const shown =
    content.length === 0 && structured !== undefined ? showJson(structured) : content.map(showContent).join('\n');
  if (failed) say(`The tool failed: ${shown}`);
  else print(shown);
}

function showProgress({ done, total, message }: { done: number; total?: number; message?: string }): string {
  const share = total === undefined ? String(done) : `${done}/${total}`;
  return message === undefined ? `… ${share}` : `… ${share} ${message}`;
}
