import { parseArgs } from 'node:util';
import { blame, type OpenClient, openClient, type Place, SPOKEN, type Target } from '../host/client.ts';
import { createAnswerers } from './asking.ts';
import { EXIT, type Terminal, UsageError } from './command.ts';

/** The options every client command takes. */
export const TARGET_HELP = `Options:
  --json             Print one JSON document on stdout, for programs
  --revision DATE    Speak this MCP revision and no other (default: the newest both sides know)
  --timeout SECONDS  Longest wait for an answer (default: 60)
  --header "K: V"    With a URL: send this header with every request (repeatable)
  -- COMMAND ARGS    The server, in place of a URL: the program to start, never through a shell

Exit codes: 0 ok, 1 the tool failed, 2 usage, 3 the server cannot be reached, 4 the server refused.`;

const OPTIONS = {
  json: { type: 'boolean' },
  revision: { type: 'string' },
  timeout: { type: 'string' },
  header: { type: 'string', multiple: true },
} as const;

type Given = string | boolean | readonly string[] | undefined;

/** What a client command was called with. */
export interface Pointed {
  readonly target: Target;
  readonly json: boolean;
  /** What is neither an option nor the server. */
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, Given>>;
}

/** Reads a client command's arguments: the server is the command after `--`, or the URL that is the first word. */
export function readTarget(
  args: readonly string[],
  extra: Readonly<Record<string, { type: 'string' | 'boolean' }>> = {},
): Pointed {
  const split = args.indexOf('--');
  const own = split === -1 ? args : args.slice(0, split);
  const command = split === -1 ? [] : args.slice(split + 1);
  const { values, positionals } = parseArgs({
    args: [...own],
    options: { ...OPTIONS, ...extra },
    allowPositionals: true,
    strict: true,
  });
  const given = values as Record<string, Given>;
  const headers = (given['header'] ?? []) as readonly string[];
  const started = command.length > 0;
  return {
    target: {
      place: started ? readCommand(command, headers) : { url: readUrl(positionals), headers: readHeaders(headers) },
      revision: readRevision(given['revision'] as string | undefined),
      timeoutMs: readTimeout(given['timeout'] as string | undefined),
    },
    json: given['json'] === true,
    words: started ? positionals : positionals.slice(1),
    values: given,
  };
}

/** Opens a client on the target, does the work and closes it; what goes wrong becomes an exit code. */
export async function withClient(
  { target }: Pointed,
  terminal: Terminal,
  work: (client: OpenClient) => Promise<number>,
): Promise<number> {
  let client: OpenClient | undefined;
  try {
    const onQuestion = createAnswerers(terminal, () => client?.server.info.name ?? 'The server');
    client = await openClient(target, {
      onQuestion,
      onStderr: (text) => terminal.say(text.replace(/\n$/, '')),
      onRemark: (text) => terminal.say(text),
    });
    return await work(client);
  } catch (error) {
    const kind = blame(error);
    if (kind === undefined) throw error;
    const { message } = error as Error;
    if (kind === 'forbidden') terminal.say(`${message}\nGive credentials with --header "Authorization: Bearer …"`);
    else terminal.say(kind === 'refused' ? `The server refused: ${message}` : message);
    return kind === 'unreachable' ? EXIT.unreachable : EXIT.refused;
  } finally {
    await client?.close();
  }
}

function readCommand(command: readonly string[], headers: readonly string[]): Place {
  if (headers.length > 0) throw new UsageError('--header goes with a URL, not with a command');
  return { command };
}

function readUrl([word]: readonly string[]): string {
  if (word === undefined || !/^[a-z][a-z\d+.-]*:\/\//i.test(word)) {
    throw new UsageError('Say which server: give its URL as the first word, or put its command after "--"');
  }
  if (!/^https?:/i.test(word) || !URL.canParse(word)) {
    throw new UsageError(`Cannot connect to "${word}": the URL of a server begins with http:// or https://`);
  }
  return word;
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    try {
      if (colon < 1) throw new TypeError('there is no colon after a name');
      headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    } catch {
      // The value may be a secret, so it is not repeated.
      throw new UsageError(`Cannot send the header "${line.slice(0, Math.max(colon, 0))}": write it as "Name: value"`);
    }
  }
  return Object.fromEntries(headers);
}

function readRevision(text: string | undefined): string | undefined {
  if (text === undefined || SPOKEN.includes(text)) return text;
  throw new UsageError(`Unknown revision: "${text}". There are: ${SPOKEN.join(', ')}`);
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!(seconds > 0) || seconds > 86_400) throw new UsageError(`--timeout must be a number of seconds: "${text}"`);
  return Math.ceil(seconds * 1000);
}
