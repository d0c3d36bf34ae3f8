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
  const [here, there] = [await open(store, { taskLeaseMs: 60 }), await open(store, { taskLeaseMs: 60 })];
  const { taskId } = (await here.request('tools/call', { name: 'wait' })) as { taskId: string };
  await new Promise((resolve) => setTimeout(resolve, 150));
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
