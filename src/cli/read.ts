import { type Command, EXIT, UsageError } from './command.ts';
import { showContents, showJson } from './showing.ts';
import { readTarget, TARGET_HELP, withClient } from './target.ts';

/** Reads what stands behind a URI. */
export const read: Command = {
  summary: 'Read a resource of a server',
  help: `Usage: parley read <url> <uri> [options]
       parley read <uri> [options] -- command args…

Reaches a server by its URL, or starts one, reads one resource, prints it, and ends what it started. Text is printed
as it is; of bytes only the size and type are shown, and --json has them in base64.

${TARGET_HELP}

Example: parley read http://127.0.0.1:8808/mcp hello://greeting
Example: parley read hello://greeting -- npx parley stdio`,
  async run(args, terminal) {
    const pointed = readTarget(args);
    const [uri, extra] = pointed.words;
    if (uri === undefined) throw new UsageError('Say which URI to read');
    if (extra !== undefined) throw new UsageError(`Too many words: "${extra}". One URI is read at a time`);
    return withClient(pointed, terminal, async (client) => {
      const { contents, _meta } = await client.read(uri);
      terminal.print(pointed.json ? showJson({ contents, _meta }) : contents.map(showContents).join('\n'));
      return EXIT.ok;
    });
  },
};
