import { type Command, EXIT } from './command.ts';

/** Serves many clients over HTTP. */
export const serve: Command = {
  summary: 'Serve many clients over HTTP (not in this version: says how to use stdio)',
  help: `Usage: parley serve

Serving over HTTP is not part of this version. It prints how to connect a client over stdio.`,
  run(_args, { print }) {
    print(CONNECT);
    return Promise.resolve(EXIT.ok);
  },
};

const CONNECT = `Parley serves over stdio in this version; HTTP comes next.

Connect a client by letting it start the server:

  Claude Code      claude mcp add parley -- npx parley stdio
  Other clients    { "mcpServers": { "parley": { "command": "npx", "args": ["parley", "stdio"] } } }

Or look for yourself:

  npx parley list -- npx parley stdio
  npx parley call -- npx parley stdio                   (see: npx parley help call)

Serve your own tools:

  npx parley stdio --module ./my-tools.ts               (see: npx parley help stdio)`;
