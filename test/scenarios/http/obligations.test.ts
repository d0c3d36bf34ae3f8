import assert from 'node:assert/strict';
import { serveHttp } from '../../../src/host/http.ts';
import { listen } from '../../../src/transports/http/server.ts';
import { LEGACY, MODERN } from '../revisions.ts';
import { send } from './heard.ts';
import { BOTH, JSON_TYPE, textIn } from './http-peer.ts';
import { obligation } from './obligation.ts';

const METHODS = ['GET', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'HEAD'];
const PATHS = ['/mcp', '/sse', '/messages?sessionId=x'];

const STRANGE: readonly Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://127.0.0.1.evil.example' },
  { origin: 'http://localhost:1, https://evil.example' },
  { host: 'evil.example' },
  { host: 'localhost.evil.example:80' },
  { host: '127.0.0.1:1@evil.example' },
];

obligation('HTTP-1', 'no method of any path serves a page of a strange origin, or a strange name', async (_, peer) => {
  const cases = PATHS.flatMap((path) =>
    METHODS.flatMap((method) => STRANGE.map((strange) => ({ path, method, strange }))),
  );
  for (const { path, method, strange } of cases) {
    const headers = { ...peer.headersFor(null), ...strange };
    const heard = await send(peer.port, { method, path, headers, ...(method === 'POST' ? { body: '{}' } : {}) });
    assert.equal(heard.status, 403, `${method} ${path} ${JSON.stringify(strange)}`);
    assert.equal(heard.headers['access-control-allow-origin'], undefined);
    const text = await heard.text();
    assert.match(method === 'HEAD' ? '--allowed-hosts' : JSON.parse(text).error.message, /--allowed-(?:hosts|origins)/);
  }
});

obligation('HTTP-1', 'pages and names of this machine are served', async (revision, peer, scene) => {
  const message = peer.message(revision === MODERN ? 'server/discover' : 'ping');
  for (const known of [
    { origin: `http://127.0.0.1:${scene.port}` },
    { origin: 'http://localhost:3000' },
    { origin: 'http://[::1]:3000', host: 'localhost' },
  ]) {
    const heard = await peer.post(message, known);
    assert.equal(heard.status, 200, JSON.stringify(known));
    assert.equal(heard.headers['access-control-allow-origin'], undefined);
  }
});

obligation(
  'HTTP-1',
  'pages of a configured origin may send and read what the protocol needs',
  { allowedOrigins: ['https://app.example'] },
  async (revision, peer) => {
    const origin = 'https://app.example';
    const asked = 'content-type, mcp-session-id, mcp-param-region';
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    };
    const preflight = await send(peer.port, { method: 'OPTIONS', path: '/mcp', headers });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], origin);
    const allowed = String(preflight.headers['access-control-allow-headers']).toLowerCase().split(', ');
    for (const name of [...asked.split(', '), 'last-event-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'])
      assert.ok(allowed.includes(name), name);
    const heard = await peer.post(peer.message(revision === MODERN ? 'server/discover' : 'ping'), { origin });
    assert.equal(heard.status, 200);
    assert.equal(heard.headers['access-control-allow-origin'], origin);
    assert.match(String(heard.headers['access-control-expose-headers']), /Mcp-Session-Id/);
    assert.match(String(heard.headers.vary), /origin/);
  },
);

obligation('HTTP-2', 'listening beyond this machine needs access control or a word', async (_, __, scene) => {
  const { limits, log } = scene.host;
  for (const host of ['0.0.0.0', '::', 'example.org'])
    await assert.rejects(serveHttp(scene.host, { host, port: 0, routes: [] }), /--allow-unauthenticated/);
  const said = await listen({ handler: () => {}, host: '0.0.0.0', port: 0, limits, log, allowUnauthenticated: true });
  await said.close();
});

obligation('HTTP-5', 'one path takes POST and GET', async (_, peer) => {
  assert.equal((await peer.request('ping')).status, 200);
  const stream = await peer.listen();
  assert.equal(stream.status, 200);
  stream.cut();
  const other = await peer.send({ method: 'PUT', path: '/mcp', headers: peer.headersFor(null) });
  assert.equal(other.status, 405);
  assert.equal(other.headers.allow, 'GET, POST, DELETE');
});

obligation('HTTP-6', 'one path takes POST and nothing else', async (revision, peer) => {
  assert.equal((await peer.request('server/discover')).status, 200);
  for (const method of ['GET', 'DELETE']) {
    const headers = { 'mcp-protocol-version': revision, accept: BOTH };
    const heard = await peer.send({ method, path: '/mcp', headers });
    assert.equal(heard.status, 405, method);
    assert.equal(heard.headers.allow, 'POST');
    assert.equal(await heard.text(), '');
  }
});

obligation('HTTP-7', 'notifications and answers are accepted with 202 and no body', async (_, peer) => {
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'nobody' } },
    { jsonrpc: '2.0', method: 'notifications/unheard_of', params: { x: 1 } },
    { jsonrpc: '2.0', id: 12345, result: {} },
    { jsonrpc: '2.0', id: 'late', error: { code: -1, message: 'no' } },
  ]) {
    const heard = await peer.post(message);
    assert.equal(heard.status, 202, JSON.stringify(message));
    assert.equal(await heard.text(), '');
  }
});

obligation('HTTP-7', 'what cannot be accepted gets a status that says so', async (_, peer) => {
  for (const message of [
    { method: 'notifications/initialized' },
    { jsonrpc: '1.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 7 },
    { jsonrpc: '2.0', id: 1 },
  ]) {
    for (const headers of [{}, { 'mcp-session-id': '' }]) {
      const heard = await peer.post(message as never, headers as Record<string, string>);
      assert.equal(heard.status, 400, JSON.stringify({ message, headers }));
      assert.equal(((await heard.json())['error'] as { code: number }).code, -32600);
    }
  }
  const lost = await peer.notify('notifications/initialized', undefined, { 'mcp-session-id': 'unknown' });
  assert.equal(lost.status, 404);
});

obligation('HTTP-8', 'notifications are accepted with 202 and no body; answers are refused', async (revision, peer) => {
  for (const beside of [{}, { 'mcp-protocol-version': '', 'mcp-method': '' }]) {
    const heard = await peer.notify('notifications/cancelled', { requestId: 1 }, beside as Record<string, string>);
    assert.equal(heard.status, 202);
    assert.equal(await heard.text(), '');
  }
  for (const message of [
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } },
  ]) {
    const heard = await peer.post(message, { 'mcp-protocol-version': revision });
    assert.equal(heard.status, 400);
    assert.equal(((await heard.json())['error'] as { code: number }).code, -32600);
  }
});

obligation(
  'HTTP-9',
  'a request is answered with one JSON object, or with a stream where more is said',
  async (_, peer) => {
    const plain = await peer.call('echo', { text: 'hi' });
    assert.equal(plain.status, 200);
    assert.equal(plain.headers['content-type'], 'application/json');
    assert.equal(Buffer.byteLength(await plain.text()), Number(plain.headers['content-length']));
    const told = await peer.call('march', { steps: 3 }, { meta: { progressToken: 'p' } });
    assert.equal(told.headers['content-type'], 'text/event-stream');
    await told.ended();
    assert.deepEqual(
      told.messages.map(({ method }) => method),
      ['notifications/progress', 'notifications/progress', 'notifications/progress', undefined],
    );
  },
);

obligation('HTTP-9', 'a client that takes JSON alone gets JSON', async (_, peer) => {
  const headers = { accept: 'application/json' };
  const heard = await peer.call('march', { steps: 3 }, { meta: { progressToken: 'p' }, headers });
  assert.equal(heard.headers['content-type'], 'application/json');
  assert.equal(textIn(await heard.json()), 'there');
});

obligation('HTTP-10', 'GET opens an event stream, or is refused with 405 or 406', async (revision, peer) => {
  const stream = await peer.listen();
  assert.equal(stream.status, 200);
  assert.equal(stream.headers['content-type'], 'text/event-stream');
  stream.cut();
  assert.equal((await peer.listen(undefined, { accept: 'application/json' })).status, 406);
  const stranger = { 'mcp-protocol-version': revision, accept: 'text/event-stream' };
  const refused = await send(peer.port, { method: 'GET', path: '/mcp', headers: stranger });
  assert.equal(refused.status, 405);
});

obligation('HTTP-11', 'the stream of a request ends right after its answer', async (_, peer) => {
  const heard = await peer.call('march', { steps: 2 }, { meta: { progressToken: 1 } });
  await heard.ended();
  assert.equal(heard.messages.at(-1)?.['method'], undefined);
  assert.equal(heard.messages.filter(({ method }) => method === undefined).length, 1);
});

obligation(
  'HTTP-12',
  'a handler that lets its client go keeps it: this revision has no early end',
  async (_, peer, scene) => {
    const heard = peer.call('leave', {}, { meta: { progressToken: 1 } });
    await scene.fixture.gate('leave').entered;
    await new Promise((resolve) => setTimeout(resolve, 30));
    scene.fixture.gate('leave').open();
    const response = await heard;
    await response.ended();
    assert.deepEqual(
      response.messages.map(({ method }) => method),
      ['notifications/progress', undefined],
    );
    assert.ok(response.events.every(({ data, retry }) => data !== '' && retry === undefined));
  },
);

obligation(
  'HTTP-13',
  'a stream begins with an id and no data, and says when to come back before it ends early',
  { limits: { retryMs: 40 } },
  async (_, peer, scene) => {
    const heard = await peer.call('leave', {}, { meta: { progressToken: 1 } });
    await heard.ended();
    assert.equal(heard.events.length, 1);
    const [first] = heard.events;
    assert.deepEqual({ ...first, id: '' }, { id: '', data: '', retry: '40' });
    const again = await peer.listen(first?.id);
    scene.fixture.gate('leave').open();
    await again.ended();
    assert.deepEqual(
      again.messages.map(({ method }) => method),
      ['notifications/progress', undefined],
    );
  },
);

obligation('HTTP-29', 'a method nobody knows is refused with 404', async (_, peer) => {
  for (const method of ['no/such', 'initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'tasks/result']) {
    const heard = await peer.request(method, {});
    assert.equal(heard.status, 404, method);
    assert.equal(((await heard.json())['error'] as { code: number }).code, -32601, method);
  }
});

obligation(
  'HTTP-30',
  'streams ask proxies not to buffer, and show signs of life',
  { limits: { keepAliveMs: 20 } },
  async (_, peer) => {
    const heard = await peer.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
    assert.equal(heard.headers['x-accel-buffering'], 'no');
    assert.match(String(heard.headers['cache-control']), /no-cache/);
    await heard.until(() => heard.comments.length > 2, 'signs of life');
    heard.cut();
  },
);

obligation('HTTP-31', 'session and resumption headers change nothing, and none is given', async (_, peer, scene) => {
  const legacy = await scene.peer('2025-11-25').open();
  for (const session of [legacy.session as string, 'unknown']) {
    const headers = { 'mcp-session-id': session, 'last-event-id': 's1.0' };
    const heard = await peer.call('about', undefined, { headers });
    assert.equal(heard.status, 200);
    assert.equal(heard.headers['mcp-session-id'], undefined);
    assert.equal(JSON.parse(JSON.stringify(await heard.json())).result.structuredContent?.client ?? null, null);
  }
  assert.equal((await legacy.request('ping')).status, 200);
});

obligation('HTTP-3', 'the stream and the messages have an address each', { unopened: true }, async (_, peer) => {
  const stream = await peer.send({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } });
  const { data = '' } = await stream.event();
  assert.notEqual(data.split('?')[0], '/sse');
  assert.equal((await peer.post(peer.message('ping'), {}, data)).status, 202);
  assert.equal((await stream.message())['id'], 1);
  assert.equal((await peer.send({ method: 'POST', path: '/sse', headers: JSON_TYPE, body: '{}' })).status, 405);
  assert.equal((await peer.send({ method: 'GET', path: data })).status, 405);
  stream.cut();
});

obligation(
  'HTTP-4',
  'the first event names the address for messages, all others are messages',
  { unopened: true },
  async (_, peer, scene) => {
    const stream = await peer.send({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } });
    const first = await stream.event();
    assert.equal(first.event, 'endpoint');
    const address = new URL(first.data ?? '', `http://127.0.0.1:${scene.port}/sse`);
    assert.equal(address.origin, `http://127.0.0.1:${scene.port}`);
    const path = address.pathname + address.search;
    const initialize = peer.message('initialize', {
      protocolVersion: LEGACY[0] as string,
      capabilities: {},
      clientInfo: { name: 'peer', version: '1' },
    });
    assert.equal((await peer.post(initialize, {}, path)).status, 202);
    await stream.message();
    await peer.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, {}, path);
    const call = peer.message('tools/call', { name: 'march', arguments: { steps: 2 } }, { meta: { progressToken: 1 } });
    await peer.post(call, {}, path);
    for (const method of ['notifications/progress', 'notifications/progress', undefined])
      assert.equal((await stream.message())['method'], method);
    assert.ok(stream.events.slice(1).every(({ event, id }) => event === 'message' && id === undefined));
    stream.cut();
  },
);
