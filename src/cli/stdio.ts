import { launch } from '../host/launch.ts';
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
    const code = settings.modules.length > 0 ? await launch() : undefined;
    if (code !== undefined) return code;
    const [{ servePipe }, { openHost }] = await Promise.all([import('../host/pipe.ts'), import('../host/settings.ts')]);
    await servePipe({
      keepsRunning: true,
      open: () => openHost({ ...settings, trusting: true, bare: values['bare'] === true }),
    });
    return EXIT.ok;
  },
};
