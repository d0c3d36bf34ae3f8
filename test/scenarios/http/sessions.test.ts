import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/model/json.ts';
import { LEGACY, MODERN, type RevisionId } from '../revisions.ts';
import type { Heard } from './heard.ts';
import { type HttpPeer, textIn } from './http-peer.ts';
import { obligation, scenario } from './obligation.ts';

const SESSIONS: readonly RevisionId[] = LEGACY.slice(1);

function codeIn({ error }: JsonObject): unknown {
  return (error as JsonObject)['code'];
}

/** Everything a response says, but for what differs from one response to the next by design. */
async function bytesOf(heard: Heard): Promise<unknown> {
  const { date: _, ...headers } = heard.headers;
  const text = (await heard.text()).replace(/"errorId":"[0-9a-f]{12}"/, '"errorId":""');
  return { status: heard.status, headers, text };
}

obligation(
  'HTTP-21',
  'session ids are visible ASCII, long, and never twice the same',
  { unopened: true },
  async (_, peer) => {
    const ids = new Set<string>();
    for (let at = 0; at < 50; at += 1) {
      const heard = await peer.initialize();
      const id = heard.headers['mcp-session-id'] as string;
      assert.match(id, /^[\x21-\x7e]{32,}$/);
      ids.add(id);
    }
    assert.equal(ids.size, 50);
  },
);

obligation('HTTP-22', 'an answer without the session it belongs to is refused with 400', async (_, peer) => {
  const heard = await peer.post({ jsonrpc: '2.0', id: 1, result: {} }, { 'mcp-session-id': '' });
  assert.equal(heard.status, 400);
  assert.equal(codeIn(await heard.json()), -32600);
});

obligation('HTTP-22', 'what only a session can keep is refused with 400 where there is none', async (_, peer) => {
  const heard = await peer.request(
    'resources/subscribe',
    { uri: 'test://text' },
    { headers: { 'mcp-session-id': '' } },
  );
  assert.equal(heard.status, 400);
  const answer = await heard.json();
  assert.equal(codeIn(answer), -32600);
  assert.match(String((answer['error'] as JsonObject)['message']), /initialize/);
});

obligation('HTTP-23', 'a session that was ended is not found any more, by any method', async (_, peer) => {
  const standing = await peer.listen();
  assert.equal((await peer.delete()).status, 204);
  await standing.ended();
  for (const heard of [
    await peer.request('ping'),
    await peer.notify('notifications/initialized'),
    await peer.post({ jsonrpc: '2.0', id: 1, result: {} }),
    await peer.listen(),
    await peer.listen('0.0'),
    await peer.delete(),
    await peer.initialize(),
  ]) {
    assert.equal(heard.status, 404);
    assert.equal(codeIn(await heard.json()), -32600);
  }
});

obligation(
  'HTTP-23',
  'the session of somebody else is answered as one that never was, byte for byte',
  { principal: 'alice' },
  async (revision, alice, scene) => {
    const strangers = [scene.peer(revision, { principal: 'bob' }), scene.peer(revision)];
    const ways: ((peer: HttpPeer) => Promise<Heard>)[] = [
      (peer) => peer.request('ping', undefined, { id: 1 }),
      (peer) => peer.call('about', {}, { id: 1 }),
      (peer) => peer.notify('notifications/cancelled', { requestId: 1 }),
      (peer) => peer.post({ jsonrpc: '2.0', id: 1, result: {} }),
      (peer) => peer.listen(),
      (peer) => peer.listen('0.0'),
      (peer) => peer.delete(),
    ];
    for (const stranger of strangers) {
      for (const way of ways) {
        stranger.session = alice.session;
        const foreign = await bytesOf(await way(stranger));
        stranger.session = 'x'.repeat(32);
        const unknown = await bytesOf(await way(stranger));
        assert.deepEqual(foreign, unknown);
        assert.equal((foreign as { status: number }).status, 404);
      }
    }
    assert.equal((await alice.request('ping')).status, 200);
    const about = JSON.parse(await alice.said('about')) as JsonObject;
    assert.equal(about['principal'], 'alice');
  },
);

obligation(
  'HTTP-24',
  'a version header nobody knows is refused with 400, with and without a session',
  async (_, peer) => {
    for (const version of ['1999-01-01', 'latest', '2025-06-18, 2025-11-25', '2027-01-01']) {
      for (const headers of [
        { 'mcp-protocol-version': version },
        { 'mcp-protocol-version': version, 'mcp-session-id': '' },
      ]) {
        const heard = await peer.request('tools/list', {}, { headers });
        assert.equal(heard.status, 400, version);
        const { error } = await heard.json();
        assert.equal((error as JsonObject)['code'], -32022);
        const data = (error as JsonObject)['data'] as JsonObject;
        assert.deepEqual(data['supported'], [MODERN]);
        assert.equal(data['requested'], version);
      }
    }
  },
);

obligation(
  'HTTP-25',
  'a request without a version header and a session is taken as 2025-03-26',
  { unopened: true },
  async (_, peer) => {
    const heard = await peer.call('about', {}, { headers: { 'mcp-protocol-version': '' } });
    assert.equal(heard.status, 200);
    assert.equal(JSON.parse(textIn(await heard.json())).dialect, 'mcp/2025-03-26');
    const batch = [peer.message('ping'), peer.message('ping')];
    assert.equal((await peer.post(batch)).status, 200);
  },
);

obligation('HTTP-25', 'a session keeps its revision when the header is missing', async (revision, peer) => {
  const heard = await peer.call('about', {}, { headers: { 'mcp-protocol-version': '' } });
  assert.equal(JSON.parse(textIn(await peer.answer(heard))).dialect, `mcp/${revision}`);
});

scenario(SESSIONS, 'two sessions know nothing of each other', async (revision, peer, scene) => {
  const other = await scene.peer(revision).open();
  assert.notEqual(other.session, peer.session);
  const first = peer.request('tools/call', { name: 'wait', arguments: { name: 'w' } }, { id: 1 });
  await scene.fixture.gate('w').entered;
  await other.notify('notifications/cancelled', { requestId: 1 });
  assert.equal(await other.said('echo', { text: 'x' }, { id: 1 }), 'x');
  assert.equal(scene.fixture.signals.get('w')?.aborted, false);
  scene.fixture.gate('w').open();
  assert.equal(textIn(await peer.answer(first)), 'done');
});

scenario(SESSIONS, 'the end of a session cancels its calls and ends their streams', async (_, peer, scene) => {
  const heard = await peer.call('march', { steps: 1, gate: 'g' }, { meta: { progressToken: 1 } });
  await heard.message('notifications/progress');
  await scene.fixture.gate('g').entered;
  await peer.delete();
  await heard.ended();
  assert.equal(scene.fixture.signals.get('g')?.aborted, true);
  assert.equal(scene.endpoint.sessions.size, 0);
});

scenario(
  SESSIONS,
  'a session nobody uses ends by itself, one that is listened to or at work does not',
  { limits: { sessionIdleMs: 100 } },
  async (revision, idle, scene) => {
    const reading = await scene.peer(revision).open();
    const stream = await reading.listen();
    const working = await scene.peer(revision).open();
    const call = working.call('wait', { name: 'w' });
    await scene.fixture.gate('w').entered;
    await until(() => scene.endpoint.sessions.size === 2);
    assert.equal((await idle.request('ping')).status, 404);
    assert.equal((await reading.request('ping')).status, 200);
    scene.fixture.gate('w').open();
    assert.equal(textIn(await working.answer(call)), 'done');
    stream.cut();
    await until(() => scene.endpoint.sessions.size === 0);
    assert.equal((await reading.request('ping')).status, 404);
  },
);

scenario(
  SESSIONS,
  'sessions over the limit are refused with 503 and when to retry; an ended one makes room',
  { limits: { sessions: 2 } },
  async (revision, first, scene) => {
    await scene.peer(revision).open();
    const third = scene.peer(revision);
    const refused = await third.initialize();
    assert.equal(refused.status, 503);
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
    assert.equal(refused.headers['mcp-session-id'], undefined);
    const { error } = await refused.json();
    assert.ok((error as { code: number }).code > -32000 || (error as { code: number }).code < -32768);
    await first.delete();
    await third.open();
  },
);

scenario(
  SESSIONS,
  'too many calls at once are refused with 503 and when to retry',
  { limits: { inFlight: 1 } },
  async (_, peer, scene) => {
    const first = peer.call('wait', { name: 'w' });
    await scene.fixture.gate('w').entered;
    const second = await peer.call('echo', { text: 'x' });
    assert.equal(second.status, 503);
    assert.equal(second.headers['retry-after'], '1');
    scene.fixture.gate('w').open();
    await first;
  },
);

scenario(LEGACY, 'a handshake that is refused leaves no session behind', { unopened: true }, async (_, peer, scene) => {
  for (const params of [undefined, {}, { protocolVersion: 7, capabilities: {}, clientInfo: {} }]) {
    const heard = await peer.request('initialize', params as JsonObject);
    assert.equal(heard.headers['mcp-session-id'], undefined);
    assert.equal(codeIn(await heard.json()), -32602);
  }
  assert.equal(scene.endpoint.sessions.size, 0);
});

scenario(
  LEGACY,
  'an unknown revision is answered with the newest of the handshake era',
  { unopened: true },
  async (_, peer) => {
    for (const protocolVersion of ['1999-01-01', MODERN, '2030-01-01']) {
      const clientInfo = { name: 'peer', version: '1' };
      const heard = await peer.request('initialize', { protocolVersion, capabilities: {}, clientInfo });
      assert.equal(heard.status, 200);
      const { result } = JSON.parse(await heard.text());
      assert.equal(result.protocolVersion, '2025-11-25');
    }
    peer.problems.length = 0;
  },
);

async function until(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 8000;
  while (!done()) {
    assert(performance.now() < deadline, 'it never happened');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
