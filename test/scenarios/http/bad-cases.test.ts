import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/model/json.ts';
import { ALL, LEGACY, MODERN, since } from '../revisions.ts';
import { send } from './heard.ts';
import { type HttpPeer, JSON_TYPE } from './http-peer.ts';
import { scenario } from './obligation.ts';

// What goes wrong, and the status and number it is answered with.

function raw(peer: HttpPeer, body: string | Buffer, headers: Record<string, string> = {}) {
  const own = peer.modern ? { 'mcp-protocol-version': peer.revision } : {};
  const all = { ...peer.headersFor(null), ...own, ...headers };
  return peer.send({ method: 'POST', path: '/mcp', headers: all, body });
}

async function assertError(
  heard: Awaited<ReturnType<HttpPeer['send']>>,
  status: number,
  code: number,
): Promise<JsonObject> {
  const text = await heard.text();
  assert.equal(heard.status, status, text);
  const { error } = JSON.parse(text) as { error: JsonObject };
  assert.equal(error?.['code'], code, text);
  return error;
}

scenario(ALL, 'bytes that are not JSON, or not UTF-8, are refused with 400 and -32700', async (revision, peer) => {
  for (const body of ['', '{', 'nonsense', '{"jsonrpc":"2.0",}', Buffer.from([0x22, 0xff, 0x22]), '[1', '\ufeff{}x']) {
    const heard = await raw(peer, body);
    await assertError(heard, 400, -32700);
    const answer = JSON.parse(await heard.text()) as JsonObject;
    assert.equal('id' in answer, !since(revision, '2025-11-25') && answer['id'] === null, JSON.stringify(answer));
  }
});

scenario(
  ALL,
  'bytes that are too many are refused with 413, too deep ones with 400',
  { limits: { messageBytes: 1000, jsonDepth: 8 } },
  async (_, peer) => {
    await assertError(await raw(peer, ' '.repeat(1001)), 413, -32600);
    const deep = `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(9)}${']'.repeat(9)}}`;
    await assertError(await raw(peer, deep), 400, -32600);
    const limit = JSON.stringify(peer.message(peer.modern ? 'server/discover' : 'ping')).padEnd(1000);
    const heard = await raw(peer, limit, peer.modern ? { 'mcp-method': 'server/discover' } : {});
    assert.equal(heard.status, 200);
  },
);

scenario(ALL, 'a body that is not JSON by its type is refused with 415', async (_, peer) => {
  const message = JSON.stringify(peer.message('tools/list', {}));
  for (const type of [
    'text/plain',
    'application/jsonp',
    'application/json-patch+json',
    'x',
    'application/x-www-form-urlencoded',
  ])
    await assertError(await raw(peer, message, { 'content-type': type }), 415, -32600);
  const { 'content-type': _type, ...typeless } = peer.headersFor(null);
  await assertError(await peer.send({ method: 'POST', path: '/mcp', headers: typeless, body: message }), 415, -32600);
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8']) {
    const heard = await raw(peer, message, { 'content-type': type, 'mcp-method': 'tools/list' });
    assert.equal(heard.status, 200, type);
  }
});

scenario(ALL, 'a client that takes neither JSON nor a stream is refused with 406', async (_, peer) => {
  for (const accept of [
    'text/html',
    'image/*',
    'application/json;q=0, text/event-stream;q=0',
    'application/xml, text/plain',
  ])
    await assertError(await raw(peer, JSON.stringify(peer.message('tools/list', {})), { accept }), 406, -32600);
  for (const accept of ['*/*', 'application/*', 'application/json', 'text/event-stream', 'text/html, */*;q=0.1']) {
    const heard = await peer.request('tools/list', {}, { headers: { accept } });
    assert.equal(heard.status, 200, accept);
  }
  const { accept: _accept, ...headers } = peer.headersFor(peer.message('tools/list', {}));
  const heard = await peer.send({
    method: 'POST',
    path: '/mcp',
    headers,
    body: JSON.stringify(peer.message('tools/list', {})),
  });
  assert.equal(heard.status, 200);
});

scenario(ALL, 'a method nobody knows gets -32601', async (revision, peer) => {
  const status = revision === MODERN ? 404 : 200;
  for (const method of ['no/such', 'tasks/unheard', 'tools/List'])
    await assertError(await peer.request(method, {}), status, -32601);
});

scenario(ALL, 'parameters that are wrong ride on 200 with -32602', async (_, peer) => {
  for (const [method, params] of [
    ['tools/call', { name: 'no-such' }],
    ['tools/call', { name: 7 }],
    ['tools/call', {}],
    ['prompts/get', { name: 'no-such' }],
    ['tools/list', { cursor: 'forged' }],
    ['completion/complete', { ref: { type: 'ref/nothing' }, argument: { name: 'x', value: '' } }],
  ] as [string, JsonObject][])
    await assertError(await peer.request(method, params), 200, -32602);
});

scenario(ALL, 'a resource nobody has rides on 200 and names itself', async (revision, peer) => {
  const heard = await peer.request('resources/read', { uri: 'test://no-such' });
  const { data } = await assertError(heard, 200, revision === MODERN ? -32602 : -32002);
  assert.equal((data as JsonObject)['uri'], 'test://no-such');
});

scenario(ALL, 'a tool that fails, or is called wrongly, answers with a result on 200', async (_, peer) => {
  for (const [name, input] of [
    ['throws', {}],
    ['refuses', {}],
    ['echo', { text: 7 }],
    ['unwritable', {}],
  ] as [string, JsonObject][]) {
    const heard = await peer.call(name, input);
    assert.equal(heard.status, 200);
    const { result } = await heard.json();
    assert.equal((result as JsonObject)['isError'], true, name);
    assert.equal(JSON.stringify(result).includes('hunter2'), false);
  }
});

scenario(ALL, 'a handler that fails otherwise rides on 200 with -32603 and no secret', async (_, peer) => {
  for (const [method, params] of [
    ['prompts/get', { name: 'failing' }],
    ['resources/read', { uri: 'test://broken' }],
  ] as [string, JsonObject][]) {
    const heard = await peer.request(method, params);
    await assertError(heard, 200, -32603);
    assert.equal((await heard.text()).includes('hunter2'), false);
  }
});

scenario(LEGACY, 'a second handshake in a session is refused with 400', async (_, peer) => {
  await assertError(await peer.initialize(), 400, -32600);
  assert.equal((await peer.request('ping')).status, 200);
});

scenario([MODERN], 'a capability the client did not declare is named under 400 and -32021', async (_, peer) => {
  const heard = await peer.call('greet');
  const { data } = await assertError(heard, 400, -32021);
  assert.deepEqual((data as JsonObject)['requiredCapabilities'], { elicitation: {} });
});

scenario([MODERN], 'a forged state rides on 200 with -32602', { declares: { elicitation: {} } }, async (_, peer) => {
  const first = (await peer.answer(peer.call('greet')))['result'] as JsonObject;
  const state = first['requestState'] as string;
  const inputResponses = { 'elicit-1': { action: 'decline' } };
  const other = `${state.slice(0, -2)}${state.endsWith('AA') ? 'BB' : 'AA'}`;
  const retry = (requestState: string, name = 'greet') =>
    peer.request('tools/call', { name, requestState, inputResponses });
  await assertError(await retry(other), 200, -32602);
  await assertError(await retry('x'), 200, -32602);
  await assertError(await retry(state, 'swallows'), 200, -32602);
  assert.equal(((await peer.answer(retry(state)))['result'] as JsonObject)['resultType'], 'complete');
});

scenario(
  [MODERN],
  'a state belongs to its principal',
  { declares: { elicitation: {} }, principal: 'alice' },
  async (revision, alice, scene) => {
    const first = (await alice.answer(alice.call('greet')))['result'] as JsonObject;
    const params = {
      name: 'greet',
      requestState: first['requestState'] as string,
      inputResponses: { 'elicit-1': { action: 'decline' } },
    };
    const bob = scene.peer(revision, { capabilities: { elicitation: {} }, principal: 'bob' });
    await assertError(await bob.request('tools/call', params), 200, -32602);
    assert.equal((await alice.answer(alice.request('tools/call', params)))['error'], undefined);
  },
);

scenario(
  LEGACY,
  'a client without a session is not asked: the tool is told so',
  { unopened: true },
  async (revision, peer) => {
    const heard = await peer.call('where', undefined, { headers: { 'mcp-protocol-version': revision } });
    assert.equal(heard.status, 200);
    const { result } = await heard.json();
    assert.equal((result as JsonObject)['isError'], true);
  },
);

scenario(
  ALL,
  'an address that is too long is refused with 414, a head that is with 431',
  { limits: { urlBytes: 100, headerBytes: 2000 } },
  async (_, peer) => {
    const long = await send(peer.port, {
      method: 'POST',
      path: `/mcp?${'x'.repeat(100)}`,
      headers: JSON_TYPE,
      body: '{}',
    });
    assert.equal(long.status, 414);
    const heavy = await send(peer.port, { method: 'GET', path: '/mcp', headers: { 'x-much': 'x'.repeat(4000) } });
    assert.equal(heavy.status, 431);
  },
);
