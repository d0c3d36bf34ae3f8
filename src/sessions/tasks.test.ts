import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../catalog/server.ts';
import { createHost } from '../host/host.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';

// Two hosts that share a store stand for two processes.

const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

async function open(store: Store, limits = {}) {
  const server = createServer({ name: 'x', version: '1' });
  const gate: { open(): void; signal?: AbortSignal } = { open() {} };
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  server.tool('wait', { task: 'optional' }, async (_, call) => {
    gate.signal = call.signal;
    await opened;
    return 'waited';
  });
  server.tool('ask', { task: 'optional' }, async (_, { ask }) => {
    const { content } = await ask.elicit({ key: 'k', message: '?', schema: { type: 'object', properties: {} } });
    return JSON.stringify(content);
  });
  const host = await createHost({ server: server.info, mounts: [{ provider: server }], store, limits });
  let id = 0;
  const request = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const conversation = host.converse({ outlet: () => {} });
    const message = { jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: META } };
    const reply = await conversation.receive(message as Json);
    const { result, error } = JSON.parse(reply?.text ?? '{}') as { result?: JsonObject; error?: JsonObject };
    return (result ?? error) as JsonObject;
  };
  const until = async (taskId: Json, status: string): Promise<JsonObject> => {
    for (let round = 0; round < 500; round += 1) {
      const task = await request('tasks/get', { taskId });
      if (task['status'] === status) return task;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new assert.AssertionError({ message: `never ${status}` });
  };
  return { host, gate, request, until };
}

test('a task that runs in one process is read, answered and cancelled in another', async () => {
  const store = createMemoryStore();
  const [here, there] = [await open(store), await open(store)];
  const { taskId } = (await here.request('tools/call', { name: 'ask' })) as { taskId: string };
  const asking = await there.until(taskId, 'input_required');
  assert.deepEqual(Object.keys(asking['inputRequests'] as JsonObject), ['k']);
  await there.request('tasks/update', { taskId, inputResponses: { k: { action: 'accept', content: { a: 'b' } } } });
  const { result } = (await there.until(taskId, 'completed')) as { result: JsonObject };
  assert.match(JSON.stringify(result), /\\"a\\":\\"b\\"/);
  const long = (await here.request('tools/call', { name: 'wait' })) as { taskId: string };
  await new Promise((resolve) => setImmediate(resolve));
  await there.request('tasks/cancel', { taskId: long.taskId });
  await here.until(long.taskId, 'cancelled');
  assert.equal(here.gate.signal?.aborted, true);
  here.gate.open();
  here.host.close();
  there.host.close();
});

test('a task whose process is silent for too long has failed, and no sooner', async () => {
  const store = createMemoryStore();
  const [here, there] = [await open(store, { taskLeaseMs: 300 }), await open(store, { taskLeaseMs: 300 })];
  const { taskId } = (await here.request('tools/call', { name: 'wait' })) as { taskId: string };
  await pause(700);
  assert.equal((await there.request('tasks/get', { taskId }))['status'], 'working');
  // The process is gone without a word: nothing touches its leases any more.
  const keys = store.records.list('lease/', { limit: 10 }) as { keys: string[] };
  for (const key of keys.keys) await store.records.remove(key);
  const lost = await there.request('tasks/get', { taskId });
  assert.equal(lost['status'], 'failed');
  assert.ok(isObject(lost['error']) && lost['result'] === undefined);
  here.gate.open();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal((await here.request('tasks/get', { taskId }))['status'], 'failed');
  here.host.close();
  there.host.close();
});

test('a host that closes ends its tasks', async () => {
  const store = createMemoryStore();
  const [here, there] = [await open(store), await open(store)];
  const { taskId } = (await here.request('tools/call', { name: 'wait' })) as { taskId: string };
  await new Promise((resolve) => setImmediate(resolve));
  here.host.close();
  assert.equal(here.gate.signal?.aborted, true);
  here.gate.open();
  await there.until(taskId, 'completed');
  there.host.close();
});

test('a store that cannot keep a task gives an error in place of a ticket, and the tool does not run', async () => {
  const memory = createMemoryStore();
  const put = (): never => {
    throw new Error('no room');
  };
  const store: Store = { ...memory, records: Object.assign(Object.create(memory.records), { put }) };
  const here = await open(store);
  const refused = await here.request('tools/call', { name: 'wait' });
  assert.match(JSON.stringify(refused), /"isError":true|"code"/);
  assert.doesNotMatch(JSON.stringify(refused), /no room|taskId/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(here.gate.signal, undefined);
  here.host.close();
});

interface Said {
  readonly about: string | number | undefined;
  readonly message: JsonObject;
}

/** A client of the handshake era whose main stream is read only when it says so. */
async function shake(host: Awaited<ReturnType<typeof open>>['host'], reads: () => boolean) {
  const said: Said[] = [];
  const outlet = (text: string, about?: string | number): void => {
    said.push({ about, message: JSON.parse(text) as JsonObject });
  };
  const conversation = host.converse({ outlet, reachable: reads, session: 'one' });
  const send = (message: JsonObject): Promise<JsonObject> =>
    Promise.resolve(conversation.receive({ jsonrpc: '2.0', ...message })).then((reply) =>
      JSON.parse(reply?.text ?? '{}'),
    );
  const protocolVersion = '2025-11-25';
  const clientInfo = { name: 'c', version: '1' };
  const capabilities = { elicitation: {} };
  await send({ id: 0, method: 'initialize', params: { protocolVersion, capabilities, clientInfo } });
  await send({ method: 'notifications/initialized' });
  const questions = (): Said[] => said.filter(({ message }) => message['id'] !== undefined);
  return { said, send, questions };
}

const pause = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));

test('a question waits until its client comes for the result, and goes that way', async () => {
  const { host } = await open(createMemoryStore());
  const { send, questions, said } = await shake(host, () => false);
  const { result } = await send({ id: 1, method: 'tools/call', params: { name: 'ask', task: {} } });
  const { taskId } = (result as { task: { taskId: string } }).task;
  await pause();
  assert.deepEqual(said, []);
  const waiting = send({ id: 2, method: 'tasks/result', params: { taskId } });
  await pause();
  const [question] = questions();
  assert.equal(question?.about, 2);
  await send({ id: question?.message['id'] as number, result: { action: 'accept', content: { a: 'b' } } });
  assert.match(JSON.stringify(await waiting), /\\"a\\":\\"b\\"/);
  host.close();
});

test('a question goes the way of the session where somebody reads that', async () => {
  const { host } = await open(createMemoryStore());
  const { send, questions } = await shake(host, () => true);
  await send({ id: 1, method: 'tools/call', params: { name: 'ask', task: {} } });
  await pause();
  assert.deepEqual(
    questions().map(({ about }) => about),
    [undefined],
  );
  host.close();
});

test('a question nobody comes for fails in time', async () => {
  const { host } = await open(createMemoryStore(), { askDeadlineMs: 10 });
  const { send } = await shake(host, () => false);
  const { result } = await send({ id: 1, method: 'tools/call', params: { name: 'ask', task: {} } });
  const { taskId } = (result as { task: { taskId: string } }).task;
  await pause(40);
  const got = await send({ id: 2, method: 'tasks/result', params: { taskId } });
  assert.match(JSON.stringify(got), /E_UNANSWERED/);
  host.close();
});

test('a result the store cannot hold is a task that failed', async () => {
  const memory = createMemoryStore();
  const put: Store['records']['put'] = (key, value, options) => {
    if (JSON.stringify(value).includes('waited')) throw new Error('too big');
    return memory.records.put(key, value, options);
  };
  const records = { ...bound(memory.records), put };
  const here = await open({ ...memory, records });
  const { taskId } = (await here.request('tools/call', { name: 'wait' })) as { taskId: string };
  here.gate.open();
  const failed = await here.until(taskId, 'completed');
  assert.equal((failed['result'] as JsonObject)['isError'], true);
  assert.doesNotMatch(JSON.stringify(failed), /too big/);
  here.host.close();
});

function bound(records: Store['records']): Store['records'] {
  return {
    get: (key) => records.get(key),
    put: (key, value, options) => records.put(key, value, options),
    touch: (key, ttlMs) => records.touch(key, ttlMs),
    remove: (key) => records.remove(key),
    list: (prefix, options) => records.list(prefix, options),
  };
}
