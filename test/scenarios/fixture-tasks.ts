import assert from 'node:assert/strict';
import { Fault, ToolError } from '../../src/model/fault.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Fixture } from './fixture-behind.ts';
import type { Peer } from './peer.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';
export const RELATED = 'io.modelcontextprotocol/related-task';
const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const form = (field: string) => ({
  type: 'object',
  properties: { [field]: { type: 'string', minLength: 2 } },
  required: [field],
});

/** Tools that may run as tasks. They are not part of the common fixture: tasks are announced only where there are some. */
export async function addTaskTools({ server, signals, waitAt, count }: Fixture): Promise<void> {
  server.tool('job', { input: name, task: 'optional' }, async (input, call) => {
    signals.set(input.name, call.signal);
    count(input.name);
    call.progress(1, 2, 'begun');
    call.log('error', 'at work');
    await waitAt(input.name);
    call.progress(2, 2, 'done');
    return { content: [{ type: 'text', text: `did ${input.name}` }], _meta: { 'example.org/kept': true } };
  });
  server.tool('only-job', { task: 'required' }, () => 'done');
  server.tool('no-job', {}, () => 'at once');
  server.tool('fails', { task: 'optional' }, () => {
    throw new ToolError('It cannot be done');
  });
  server.tool('crashes', { task: 'optional' }, () => {
    throw new TypeError('at /secret/path');
  });
  server.tool('breaks', { task: 'optional' }, () => {
    throw new Fault('E_BAD_PARAMS', 'Invalid params: not like this');
  });
  server.tool('asks', { task: 'optional' }, async (_, { ask }) => {
    const { action, content } = await ask.elicit({ key: 'who', message: 'Who?', schema: form('name') });
    return `${action} ${content?.['name']}`;
  });
  server.tool('asks-twice', { task: 'optional' }, async (_, { ask }) => {
    const [left, right] = await Promise.all(
      ['left', 'right'].map((key) => ask.elicit({ key, message: key, schema: form('value') })),
    );
    return `${left?.content?.['value']} and ${right?.content?.['value']}`;
  });
  server.tool('asks-first', { task: { support: 'required', starts: 'released' } }, async (_, call) => {
    const { content } = await call.ask.elicit({ key: 'who', message: 'Who?', schema: form('name') });
    call.release();
    await waitAt('released');
    const more = await call.ask.elicit({ key: 'more', message: 'More?', schema: form('name') });
    return `${content?.['name']} and ${more.content?.['name']}`;
  });
  // The catalog follows a moment later.
  await new Promise((resolve) => setImmediate(resolve));
}

export interface TaskShown extends JsonObject {
  taskId: string;
  status: string;
}

/** Begins a task in the way of the core protocol. */
export async function begin(peer: Peer, tool: string, params: JsonObject = {}): Promise<TaskShown> {
  const { task } = await peer.result('tools/call', { name: tool, task: {}, ...params });
  return task as TaskShown;
}

/** What a peer that knows the extension sends along. */
export const DECLARED = { capabilities: { elicitation: {}, extensions: { [TASKS]: {} } } };

/** Begins a task in the way of the extension. */
export async function call(peer: Peer, tool: string, params: JsonObject = {}): Promise<TaskShown> {
  const ticket = await peer.result('tools/call', { name: tool, ...params }, DECLARED);
  assert.equal(ticket['resultType'], 'task', JSON.stringify(ticket));
  return ticket as TaskShown;
}

/** Asks for a task until it has one of these statuses. */
export async function until(peer: Peer, taskId: string, ...statuses: string[]): Promise<TaskShown> {
  for (let round = 0; round < 500; round += 1) {
    const task = (await peer.result('tasks/get', { taskId }, DECLARED)) as TaskShown;
    if (statuses.includes(task.status)) return task;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new assert.AssertionError({ message: `the task never was ${statuses}` });
}
