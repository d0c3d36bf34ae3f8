import { type Command, EXIT, UsageError } from './command.ts';
import { showContent, showJson } from './showing.ts';
import { readTarget, TARGET_HELP, withClient } from './target.ts';
import { readPairs } from './values.ts';

/** Fills in a prompt. */
export const prompt: Command = {
  summary: 'Fill in a prompt of a server',
  help: `Usage: parley prompt <url> <name> [key=value …] [options]
       parley prompt <name> [key=value …] [options] -- command args…

Reaches a server by its URL, or starts one, fills in one prompt, prints its messages with who says them, and ends
what it started.

${TARGET_HELP}

Example: parley prompt http://127.0.0.1:8808/mcp introduce name=Ada
Example: parley prompt introduce name=Ada -- npx parley stdio`,
  async run(args, terminal) {
    const pointed = readTarget(args);
    const [name, ...words] = pointed.words;
    if (name === undefined) throw new UsageError('Say which prompt to fill in');
    const input = readPairs(words);
    return withClient(pointed, terminal, async (client) => {
      const { description, messages, _meta } = await client.prompt(name, input);
      const shown = messages.map(({ role, content }) => `${role}: ${showContent(content)}`).join('\n');
      terminal.print(pointed.json ? showJson({ description, messages, _meta }) : shown);
      return EXIT.ok;
    });
  },
};
