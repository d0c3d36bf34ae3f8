import { setTimeout as pause } from 'node:timers/promises';
import { type Call, Fault, type Server, ToolError } from 'parley-mcp';
import { NOTHING, textForm } from './content.ts';

const FAILS_AFTER_MS = 1000;

const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const filed = { type: 'object', properties: { filename: { type: 'string' } }, required: ['filename'] } as const;
const timed = {
  type: 'object',
  properties: { seconds: { type: 'number', minimum: 0 }, label: { type: 'string' } },
  required: ['seconds'],
} as const;
const confirmation = { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] };

async function sleep(ms: number, call: Call): Promise<void> {
  await pause(ms, undefined, { signal: call.signal });
}

async function confirms(call: Call, key: string, message: string): Promise<boolean> {
  const { action, content } = await call.ask.elicit<{ confirm: boolean }>({ key, message, schema: confirmation });
  return action === 'accept' && content.confirm;
}

/** Tools whose calls may become tasks, and one that never does. */
export function addTaskTools(server: Server): void {
  server.tool('greet', { description: 'Greets at once', input: named }, ({ name }) => `Hello, ${name}!`);
  server.tool(
    'slow_compute',
    { description: 'Takes as long as it is told', input: timed, task: 'optional' },
    async ({ seconds, label }, call) => {
      await sleep(seconds * 1000, call);
      return `Computed ${label ?? 'nothing'} in ${seconds} s`;
    },
  );
  server.tool(
    'failing_job',
    { description: 'Fails after a while', input: NOTHING, task: 'required' },
    async (_, call) => {
      await sleep(FAILS_AFTER_MS, call);
      throw new ToolError('This job always fails');
    },
  );
  server.tool('protocol_error_job', { description: 'Breaks the protocol', input: NOTHING, task: 'optional' }, () => {
    throw new Fault('E_BAD_PARAMS', 'This job ends with an error of the protocol');
  });
  addAskingTasks(server);
}

function addAskingTasks(server: Server): void {
  server.tool(
    'confirm_delete',
    { description: 'Asks before it deletes nothing', input: filed, task: 'optional' },
    async ({ filename }, call) =>
      (await confirms(call, 'confirm', `Delete ${filename}?`)) ? `Deleted ${filename}` : `Kept ${filename}`,
  );
  server.tool(
    'multi_input',
    { description: 'Asks two things at once', input: NOTHING, task: 'optional' },
    async (_, call) => {
      const answers = await Promise.all([
        confirms(call, 'first', 'The first?'),
        confirms(call, 'second', 'The second?'),
      ]);
      return `Answers: ${answers.join(', ')}`;
    },
  );
  server.tool(
    'test_tool_with_task',
    {
      description: 'Asks for a name, then goes on as a task',
      input: NOTHING,
      task: { support: 'required', starts: 'released' },
    },
    async (_, call) => {
      const { content } = await call.ask.elicit<{ name: string }>({
        key: 'user_name',
        message: 'What is your name?',
        schema: textForm('name'),
      });
      call.release();
      return `Hello, ${content?.name ?? 'nobody'}, from a task`;
    },
  );
}
