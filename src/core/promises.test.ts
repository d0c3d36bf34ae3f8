import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../catalog/server.ts';
import { createHost } from '../host/host.ts';
import type { ServerCapabilities } from '../model/capabilities.ts';
import type { Json, JsonObject } from '../model/json.ts';

const HELLO = {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'client', version: '1' },
};

/** A server with one of everything, and a session with it. */
async function open(capabilities?: ServerCapabilities) {
  const server = createServer({ name: 'server', version: '1' });
  const tool = server.tool('talk', {}, (_, call) => {
    call.log('error', 'heard');
    return 'said';
  });
  server.resource('one', 'x:one', {}, () => 'one');
  server.prompt('ask', {}, () => 'ask');
  const told: JsonObject[] = [];
  const host = await createHost({ server: server.info, mounts: [{ provider: server }], capabilities });
  const conversation = host.converse({ outlet: (text) => told.push(JSON.parse(text)), shared: true });
  const send = async (message: JsonObject) => {
    const reply = await conversation.receive({ jsonrpc: '2.0', ...message } as Json);
    return reply === undefined ? undefined : (JSON.parse(reply.text) as JsonObject);
  };
  let id = 0;
  const ask = async (method: string, params: JsonObject = {}) => {
    const { result, error } = (await send({ id: ++id, method, params })) ?? {};
    return (error as JsonObject | undefined)?.['code'] ?? (result as JsonObject);
  };
  await ask('initialize', HELLO);
  await send({ method: 'notifications/initialized' });
  const change = async () => {
    tool.update({ description: 'new' });
    server.updated('x:one');
    await new Promise((resolve) => setTimeout(resolve, 10));
    return told.map(({ method }) => method);
  };
  return { ask, change, told, close: () => host.close() };
}

const NOT_FOUND = -32601;

test('what is declared is all there is, whatever the items would allow', async () => {
  const { ask, change, close } = await open({ tools: {} });
  for (const method of ['resources/list', 'prompts/list', 'resources/templates/list']) {
    assert.equal(await ask(method), NOT_FOUND, method);
  }
  assert.equal(await ask('logging/setLevel', { level: 'debug' }), NOT_FOUND);
  for (const method of ['resources/subscribe', 'resources/unsubscribe', 'resources/read'])
    assert.equal(await ask(method, { uri: 'x:one' }), NOT_FOUND, method);
  assert.deepEqual(await ask('tools/call', { name: 'talk' }), { content: [{ type: 'text', text: 'said' }] });
  assert.deepEqual(await change(), [], 'no log message, no change of a list, no update was told');
  close();
});

test('what is declared is answered even where there is nothing of it', async () => {
  const host = await createHost({
    server: { name: 'empty', version: '1' },
    mounts: [],
    capabilities: { tools: { listChanged: false }, prompts: {} },
  });
  const conversation = host.converse({ outlet: () => {} });
  const ask = async (id: number, method: string, params: JsonObject = {}) =>
    JSON.parse((await conversation.receive({ jsonrpc: '2.0', id, method, params }))?.text ?? '');
  await ask(1, 'initialize', HELLO);
  assert.deepEqual((await ask(2, 'tools/list')).result, { tools: [] });
  assert.deepEqual((await ask(3, 'prompts/list')).result, { prompts: [] });
  assert.equal((await ask(4, 'resources/list')).error.code, NOT_FOUND);
  host.close();
});

test('a resource can be read and not watched where that is what was declared', async () => {
  const { ask, change, close } = await open({ resources: { subscribe: false, listChanged: false }, logging: {} });
  assert.equal(await ask('resources/subscribe', { uri: 'x:one' }), NOT_FOUND);
  assert.notEqual(await ask('resources/read', { uri: 'x:one' }), NOT_FOUND);
  assert.deepEqual(await ask('logging/setLevel', { level: 'debug' }), {});
  assert.deepEqual(await change(), []);
  close();
});

test('without a declaration everything is answered and told', async () => {
  const { ask, change, told, close } = await open();
  assert.deepEqual(await ask('resources/subscribe', { uri: 'x:one' }), {});
  assert.deepEqual(await ask('logging/setLevel', { level: 'debug' }), {});
  await ask('tools/call', { name: 'talk' });
  assert.deepEqual(
    told.map(({ method }) => method),
    ['notifications/message'],
  );
  assert.deepEqual(
    new Set(await change()),
    new Set(['notifications/message', 'notifications/tools/list_changed', 'notifications/resources/updated']),
  );
  close();
});
