import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const run = promisify(execFile);
const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector-cli/build/index.js');

const pairs = (values) => Object.entries(values).map(([name, value]) => `${name}=${value}`);

/** The command line of the Inspector: a process, a connection and one request a time. */
export async function openInspector({ url }, way) {
  const ask = async (method, ...options) => {
    const argv = [program, url.href, '--transport', way, '--method', method, ...options];
    try {
      return JSON.parse((await run(process.execPath, argv)).stdout);
    } catch (error) {
      throw new Error(error.stderr || error.message);
    }
  };
  const given = (flag, values) => (Object.keys(values).length === 0 ? [] : [flag, ...pairs(values)]);
  return {
    tools: async () => (await ask('tools/list')).tools,
    resources: async () => (await ask('resources/list')).resources,
    templates: async () => (await ask('resources/templates/list')).resourceTemplates,
    prompts: async () => (await ask('prompts/list')).prompts,
    call: (tool, input) => ask('tools/call', '--tool-name', tool, ...given('--tool-arg', input)),
    read: async (uri) => (await ask('resources/read', '--uri', uri)).contents,
    prompt: (prompt, input) => ask('prompts/get', '--prompt-name', prompt, ...given('--prompt-args', input)),
    close: () => {},
  };
}
