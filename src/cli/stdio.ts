import { servePipe } from '../host/pipe.ts';
import { loadsForeignCode, openHost } from '../host/settings.ts';
import { type Command, EXIT } from './command.ts';
import { readServing, SERVING_HELP } from './serving.ts';

/** Serves one client on stdin and stdout. */
export const stdio: Command = {
  summary: 'Serve one client on stdin and stdout: every MCP revision, and actions',
  help: `Usage: parley stdio [options]

Serves one client on stdin and stdout. Every MCP revision and the newline-delimited action protocol are
recognised message by message. Only protocol messages are ever written to stdout: whatever a module, a
dependency, a worker or a child process prints goes to stderr.

${SERVING_HELP}
  --bare             Also answer JSON-RPC without a handshake: "tools/list" gives an array, "tools/call" the bare value

Example: parley stdio --module ./my-tools.ts
In a client's configuration: { "command": "npx", "args": ["parley-mcp", "stdio", "--module", "/path/to/my-tools.ts"] }

stdin closed, Ctrl-C and SIGTERM end it: calls in flight finish first. Exit code 0.`,
  async run(args, { env }) {
    const { settings, values } = readServing(args, env, { bare: { type: 'boolean' } });
    const bare = values['bare'] === true;
    await servePipe({ open: () => openHost({ ...settings, bare }), foreign: loadsForeignCode(settings) });
    return EXIT.ok;
  },
};
