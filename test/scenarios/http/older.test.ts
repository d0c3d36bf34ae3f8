import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '../../../src/model/json.ts';
import { LEGACY } from '../revisions.ts';
import { type Heard, send } from './heard.ts';
import { HttpPeer, JSON_TYPE, PRINCIPAL_HEADER, textIn } from './http-peer.ts';
import { type HttpScene, stageHttp } from './http-scene.ts';

// The transport of 2024-11-05, at addresses of its own and, in HyperServe's form, at the endpoint itself.

const EVENTS = { accept: 'text/event-stream' };
const HANDSHAKE = { capabilities: { roots: {} }, clientInfo: { name: 'peer', version: '1' } };

let scene: HttpScene;
before(async () => {
  scene = await stageHttp({ limits: { keepAliveMs: 20, messageBytes: 2000, jsonDepth: 8 } });
});
after(() => scene.close());

/** A client that hears everything on its stream. */
class Channel {
  readonly peer: HttpPeer;
  readonly stream: Heard;
  readonly path: string;
  readonly headers: Record<string, string>;

  constructor(peer: HttpPeer, stream: Heard, way: { path: string; headers?: Record<string, string> }) {
    this.peer = peer;
    this.stream = stream;
    this.path = way.path;
    this.headers = { 'mcp-protocol-version': '', 'mcp-session-id': '', ...way.headers };
  }

  post(message: JsonObject): Promise<Heard> {
    return this.peer.post(message, this.headers, this.path);
  }

  /** Posts a request and gives what the stream says next. */
  async ask(method: string, params?: JsonObject): Promise<JsonObject> {
    const heard = await this.post(this.peer.message(method, params));
    assert.equal(heard.status, 202);
    return this.stream.message();
  }

  async open(): Promise<this> {
    await this.ask('initialize', { protocolVersion: this.peer.revision, ...HANDSHAKE });
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return this;
  }
}

async function atSse(revision: HttpPeer['revision']): Promise<Channel> {
  const peer = new HttpPeer(revision, scene.port);
  const stream = await peer.send({ method: 'GET', path: '/sse', headers: EVENTS });
  const { data = '' } = await stream.event();
  return new Channel(peer, stream, { path: data });
}

async function atEndpoint(revision: HttpPeer['revision'], headers: Record<string, string> = {}): Promise<Channel> {
  const peer = new HttpPeer(revision, scene.port);
  const stream = await peer.send({ method: 'GET', path: '/mcp', headers: { ...EVENTS, ...headers } });
  await stream.event();
  const { event, data = '' } = await stream.event();
  assert.equal(event, 'connection');
  const { clientId } = JSON.parse(data) as { clientId: string };
  return new Channel(peer, stream, { path: '/mcp', headers: { ...headers, 'x-sse-client-id': clientId } });
}

for (const [where, open] of [
  ['/sse', atSse],
  ['the endpoint', atEndpoint],
] as const) {
  for (const revision of LEGACY) {
    test(`a client of ${revision} hears answers, notices and questions on its stream at ${where}`, async () => {
      const channel = await (await open(revision)).open();
      const { stream, peer } = channel;
      assert.equal(textIn(await channel.ask('tools/call', { name: 'echo', arguments: { text: 'hi' } })), 'hi');
      const march = { name: 'march', arguments: { steps: 2 }, _meta: { progressToken: 1 } };
      assert.equal((await channel.ask('tools/call', march))['method'], 'notifications/progress');
      await stream.message('notifications/progress');
      assert.equal(textIn(await stream.message()), 'there');
      const question = await channel.ask('tools/call', { name: 'where' });
      assert.equal(question['method'], 'roots/list');
      await channel.post({ jsonrpc: '2.0', id: question['id'] as number, result: { roots: [{ uri: 'file:///x' }] } });
      assert.equal(textIn(await stream.message()), 'file:///x');
      assert.equal(((await channel.ask('no/such'))['error'] as JsonObject)['code'], -32601);
      await stream.until(() => stream.comments.length > 1, 'signs of life');
      stream.cut();
      peer.assertSound();
    });
  }

  test(`a client that closes its stream at ${where} ends its calls, and cannot be posted to any more`, async () => {
    const channel = await (await open('2024-11-05')).open();
    const name = `w at ${where}`;
    await channel.post(channel.peer.message('tools/call', { name: 'wait', arguments: { name } }));
    await scene.fixture.gate(name).entered;
    channel.stream.cut();
    await until(() => scene.fixture.signals.get(name)?.aborted === true);
    const late = await channel.post(channel.peer.message('ping'));
    assert.equal(late.status, where === '/sse' ? 404 : 400);
    assert.equal(((await late.json())['error'] as JsonObject)['code'], -32600);
  });

  test(`what cannot be read is refused at ${where}, and the stream goes on`, async () => {
    const channel = await (await open('2024-11-05')).open();
    const { path, headers } = channel;
    const cases: readonly [string | Buffer, number, Record<string, string>?][] = [
      ['{', 400],
      [Buffer.from([0x22, 0xff, 0x22]), 400],
      [`${'['.repeat(9)}${']'.repeat(9)}`, 400],
      ['x'.repeat(2001), 413],
      ['{}', 415, { 'content-type': 'text/plain' }],
    ];
    for (const [body, status, extra] of cases) {
      const { 'x-sse-client-id': id } = headers;
      const beside = { ...JSON_TYPE, ...(id === undefined ? {} : { 'x-sse-client-id': id }), ...extra };
      const heard = await send(scene.port, { method: 'POST', path, headers: beside, body });
      assert.equal(heard.status, status, String(body).slice(0, 20));
      assert.equal((await heard.json())['jsonrpc'], '2.0');
    }
    assert.deepEqual((await channel.ask('ping'))['result'], {});
    channel.stream.cut();
  });
}

test('the seed: a stream at the endpoint says who its client is, and a header brings answers to it', async () => {
  const stream = await send(scene.port, { method: 'GET', path: '/mcp', headers: { Accept: 'text/event-stream' } });
  assert.equal(stream.status, 200);
  assert.equal(stream.headers['content-type'], 'text/event-stream');
  assert.equal(stream.headers['x-accel-buffering'], 'no');
  const endpoint = await stream.event();
  const connection = await stream.event();
  const greeting = JSON.parse(connection.data ?? '') as JsonObject;
  assert.equal(connection.event, 'connection');
  assert.equal(greeting['type'], 'connection');
  assert.equal(typeof greeting['message'], 'string');
  assert.equal(new URLSearchParams(endpoint.data?.split('?')[1]).get('sessionId'), greeting['clientId']);
  assert.match(String(greeting['clientId']), /^[\w.-]{32,}$/);
  const headers = { 'Content-Type': 'application/json', 'X-SSE-Client-ID': String(greeting['clientId']) };
  const initialize = {
    jsonrpc: '2.0',
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'client', version: '1.0.0' } },
    id: 1,
  };
  const heard = await send(scene.port, { method: 'POST', path: '/mcp', headers, body: JSON.stringify(initialize) });
  assert.equal(heard.status, 202);
  assert.equal(((await heard.json()) as JsonObject)['status'], 'accepted');
  const answer = await stream.message();
  assert.equal(answer['id'], 1);
  assert.equal((answer['result'] as JsonObject)['protocolVersion'], '2024-11-05');
  const initialized = { jsonrpc: '2.0', method: 'initialized', params: {}, id: 2 };
  await send(scene.port, { method: 'POST', path: '/mcp', headers, body: JSON.stringify(initialized) });
  assert.deepEqual(await stream.message(), { jsonrpc: '2.0', id: 2, result: {} });
  stream.cut();
});

test('the seed: a client without a stream is answered in the response', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'tools/list', id: 2 });
  const headers = { 'Content-Type': 'application/json' };
  const heard = await send(scene.port, { method: 'POST', path: '/mcp', headers, body });
  assert.equal(heard.status, 200);
  const { result, id } = await heard.json();
  assert.equal(id, 2);
  assert.ok(Array.isArray((result as JsonObject)['tools']));
});

test('the stream of somebody else is answered as one that never was', async () => {
  const alice = await atEndpoint('2024-11-05', { [PRINCIPAL_HEADER]: 'alice' });
  await alice.open();
  const id = String(alice.headers['x-sse-client-id']);
  const bodies: string[] = [];
  for (const [principal, client] of [
    ['bob', id],
    ['bob', 'x'.repeat(32)],
    ['', id],
  ] as const) {
    const headers = {
      ...JSON_TYPE,
      'x-sse-client-id': client,
      ...(principal === '' ? {} : { [PRINCIPAL_HEADER]: principal }),
    };
    const heard = await send(scene.port, { method: 'POST', path: '/mcp', headers, body: '{}' });
    assert.equal(heard.status, 400);
    bodies.push(await heard.text());
    const path = `/messages?sessionId=${client}`;
    const other = await send(scene.port, { method: 'POST', path, headers, body: '{}' });
    assert.equal(other.status, 404);
  }
  assert.equal(new Set(bodies).size, 1);
  assert.deepEqual((await alice.ask('ping'))['result'], {});
  alice.stream.cut();
});

test('a GET that names a session or a revision opens no older stream', async () => {
  for (const headers of [{ 'mcp-session-id': 'x' }, { 'mcp-protocol-version': '2025-11-25' }]) {
    const heard = await send(scene.port, { method: 'GET', path: '/mcp', headers: { ...EVENTS, ...headers } });
    assert.notEqual(heard.status, 200);
  }
  for (const accept of ['application/json', '*/*', 'text/*', 'text/html', 'text/event-stream;q=0']) {
    const heard = await send(scene.port, { method: 'GET', path: '/mcp', headers: { accept } });
    assert.equal(heard.status, 405, accept);
  }
});

test('at shutdown the work of older clients finishes before their streams end', async () => {
  const own = await stageHttp();
  try {
    const peer = new HttpPeer('2024-11-05', own.port);
    const stream = await peer.send({ method: 'GET', path: '/sse', headers: EVENTS });
    const { data = '' } = await stream.event();
    const channel = await new Channel(peer, stream, { path: data }).open();
    await channel.post(peer.message('tools/call', { name: 'wait', arguments: { name: 'w' } }));
    await own.fixture.gate('w').entered;
    const closing = own.shutdown();
    await new Promise((resolve) => setTimeout(resolve, 30));
    own.fixture.gate('w').open();
    assert.equal(textIn(await stream.message()), 'done');
    await stream.ended();
    await closing;
  } finally {
    await own.close();
  }
});

async function until(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 5000;
  while (!done()) {
    assert(performance.now() < deadline, 'it never happened');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
