import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Limits } from '../../../src/model/limits.ts';
import { MODERN, NEWEST_LEGACY } from '../revisions.ts';
import { type Heard, send } from './heard.ts';
import type { HttpPeer } from './http-peer.ts';
import { type HttpScene, stageHttp } from './http-scene.ts';

interface Driven {
  readonly scene: HttpScene;
  readonly peer: HttpPeer;
}

interface Row {
  readonly limit: keyof Limits;
  readonly value: number;
  /** Does what comes up to the limit, or passes it by one. */
  drive(driven: Driven, size: number): Promise<Heard>;
  readonly status: number;
  readonly says: RegExp;
  /** The status of what is within the limit. */
  readonly within?: number;
}

/** A message of exactly so many bytes. */
function sized({ peer }: Driven, bytes: number): string {
  const message = peer.message('tools/call', { name: 'echo', arguments: { text: '' } });
  const empty = JSON.stringify(message).length;
  const text = 'x'.repeat(bytes - empty);
  return JSON.stringify({ ...message, params: { ...(message['params'] as object), arguments: { text } } });
}

function posted({ scene, peer }: Driven, body: string, headers: Record<string, string> = {}): Promise<Heard> {
  const message = peer.message('tools/call', { name: 'echo' });
  return send(scene.port, { method: 'POST', path: '/mcp', headers: { ...peer.headersFor(message), ...headers }, body });
}

function callWith({ peer }: Driven, data: unknown): Promise<Heard> {
  return peer.call('echo', { text: 'x', data } as never);
}

const nested = (depth: number): unknown => (depth === 0 ? 0 : [nested(depth - 1)]);

const listening: Heard[] = [];

/** Opens so many streams that listen, and gives what came of the last. */
async function streams({ scene }: Driven, count: number, principal: string | undefined): Promise<Heard> {
  const who = principal === undefined ? {} : { principal };
  let last: Heard | undefined;
  // A session has one such stream: each is of another session.
  for (let opened = 0; opened < count; opened += 1) {
    const peer = await scene.peer(NEWEST_LEGACY, who).open();
    last = await peer.listen();
    listening.push(last);
  }
  return last as Heard;
}

const ROWS: readonly Row[] = [
  {
    limit: 'messageBytes',
    value: 2000,
    drive: (driven, size) => posted(driven, sized(driven, size)),
    status: 413,
    says: /E_TOO_LARGE/,
  },
  {
    limit: 'jsonDepth',
    value: 20,
    // The message, its params and its arguments are the first three levels.
    drive: (driven, size) => callWith(driven, nested(size - 3)),
    status: 400,
    says: /E_TOO_DEEP/,
  },
  {
    limit: 'urlBytes',
    value: 100,
    drive: ({ scene }, size) => send(scene.port, { method: 'GET', path: `/${'x'.repeat(size - 1)}` }),
    within: 404,
    status: 414,
    says: /longer than 100 bytes/,
  },
  {
    limit: 'headerCount',
    value: 30,
    drive: ({ scene, peer }, size) => {
      // Host and Connection are sent as well.
      const extra = Object.fromEntries(Array.from({ length: size - 2 }, (_, at) => [`x-${at}`, '1']));
      return send(peer.port, { method: 'GET', path: `/nothing-${scene.port}`, headers: extra });
    },
    within: 404,
    status: 431,
    says: /more than 30 headers/,
  },
  {
    limit: 'batchLength',
    value: 3,
    drive: async ({ scene }, count) => {
      const peer = await scene.peer('2025-03-26').open();
      return peer.post(Array.from({ length: count }, () => peer.message('ping')));
    },
    status: 400,
    says: /E_BATCH/,
  },
  {
    limit: 'sessions',
    value: 2,
    drive: async ({ scene }, count) => {
      const fresh = count - scene.endpoint.sessions.size;
      for (let opened = 1; opened < fresh; opened += 1) await scene.peer(NEWEST_LEGACY).open();
      return scene.peer(NEWEST_LEGACY).initialize();
    },
    status: 503,
    says: /E_BUSY/,
  },
  {
    limit: 'streams',
    value: 2,
    drive: (driven, count) => streams(driven, count, undefined),
    status: 503,
    says: /"code":"E_BUSY","limit":"streams"/,
  },
  {
    limit: 'streamsPerPrincipal',
    value: 1,
    drive: (driven, count) => streams(driven, count, 'ada'),
    status: 429,
    says: /"code":"E_BUSY","limit":"streamsPerPrincipal"/,
  },
];

for (const { limit, value, drive, within = 200, status, says } of ROWS) {
  test(`${limit} holds at its value and refuses one more`, async () => {
    const scene = await stageHttp({ limits: { [limit]: value } });
    try {
      const driven = { scene, peer: scene.peer(MODERN) };
      const inside = await drive(driven, value);
      assert.equal(inside.status, within, `at ${value}`);
      for (const stream of listening.splice(0)) stream.cut();
      if (!inside.streams) await inside.text();
      const outside = await drive({ scene, peer: scene.peer(MODERN) }, value + 1);
      assert.equal(outside.status, status, `at ${value + 1}`);
      assert.match(await outside.text(), says);
      if (status === 429 || status === 503) assert.ok(Number(outside.headers['retry-after']) > 0);
      const ping = scene.peer(MODERN);
      assert.equal((await ping.request('tools/list')).status, 200, 'and the server serves on');
    } finally {
      await scene.close();
    }
  });
}

test('requestsPerPrincipal counts a principal over all its sessions, and lets others in', async () => {
  const scene = await stageHttp({ limits: { requestsPerPrincipal: 2 } });
  try {
    const first = await scene.peer(NEWEST_LEGACY, { principal: 'ada' }).open();
    const second = await scene.peer(NEWEST_LEGACY, { principal: 'ada' }).open();
    const held = [first.call('leave', { gate: 'one' }), second.call('leave', { gate: 'two' })];
    await Promise.all(held);
    const refused = await scene.peer(MODERN, { principal: 'ada' }).call('echo', { text: 'x' });
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /"limit":"requestsPerPrincipal"/);
    assert.equal((await scene.peer(MODERN, { principal: 'bob' }).call('echo', { text: 'x' })).status, 200);
    scene.fixture.releaseAll();
  } finally {
    await scene.close();
  }
});

test('headerBytes refuses a longer head, and tokens in it change nothing', async () => {
  const scene = await stageHttp({ limits: { headerBytes: 1000 } });
  try {
    const sent = (length: number) =>
      send(scene.port, { method: 'GET', path: '/nothing', headers: { authorization: `Bearer ${'x'.repeat(length)}` } });
    assert.equal((await sent(500)).status, 404);
    const refused = await sent(1100);
    assert.equal(refused.status, 431);
  } finally {
    await scene.close();
  }
});

test('headerMs and requestMs end a connection that sends its head or its body too slowly', async () => {
  const scene = await stageHttp({ limits: { headerMs: 200, requestMs: 400 } });
  try {
    for (const begun of [
      'POST /mcp HTTP/1.1\r\nHost: loc',
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
    ]) {
      const socket = connect(scene.port, '127.0.0.1');
      socket.write(begun);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 408 /);
    }
  } finally {
    await scene.close();
  }
});

test('sessionsPerPrincipal lets the longest silent go, and refuses where all are in use', async () => {
  const scene = await stageHttp({ limits: { sessionsPerPrincipal: 2 } });
  try {
    const [first, second, third] = await opened(scene, 'ada', 3);
    assert.equal((await first.request('tools/list')).status, 404, 'it makes room');
    for (const peer of [second, third]) assert.equal((await peer.request('tools/list')).status, 200);
    const [other] = await opened(scene, 'bob', 1);
    assert.equal((await other.request('tools/list')).status, 200);
    const streams = [await second.listen(), await third.listen()];
    const refused = await scene.peer(NEWEST_LEGACY, { principal: 'ada' }).initialize();
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.match(await refused.text(), /"limit":"sessionsPerPrincipal"/);
    await second.delete();
    await opened(scene, 'ada', 1);
    for (const stream of streams) stream.cut();
  } finally {
    await scene.close();
  }
});

/** So many sessions of a principal, each a moment older than the next. */
async function opened(scene: HttpScene, principal: string, count: number): Promise<[HttpPeer, HttpPeer, HttpPeer]> {
  const peers: HttpPeer[] = [];
  for (let at = 0; at < count; at += 1) {
    peers.push(await scene.peer(NEWEST_LEGACY, { principal }).open());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return peers as [HttpPeer, HttpPeer, HttpPeer];
}

test('jsonKeys of a message are counted before anything is made of it', async () => {
  const scene = await stageHttp({ limits: { jsonKeys: 200 } });
  try {
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0]));
    const driven = { scene, peer: scene.peer(MODERN) };
    assert.equal((await callWith(driven, members(150))).status, 200);
    const refused = await callWith(driven, members(200));
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /E_TOO_WIDE/);
    const stream = await send(scene.port, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } });
    const where = String((await stream.event()).data);
    const older = (count: number) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: members(count) });
      const headers = { 'content-type': 'application/json' };
      return send(scene.port, { method: 'POST', path: where, headers, body });
    };
    assert.equal((await older(196)).status, 202);
    assert.match(await (await older(197)).text(), /E_TOO_WIDE/);
    stream.cut();
  } finally {
    await scene.close();
  }
});
