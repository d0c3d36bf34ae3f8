import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { createServer } from '../catalog/server.ts';
import { createHost } from '../host/host.ts';
import type { Limits } from '../model/limits.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { sessionEnded } from '../telemetry/signals.ts';
import { Replica } from './replica.ts';
import type { Session } from './session.ts';
import { Sessions } from './sessions.ts';
import type { Sink, Stream } from './stream.ts';

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};
const ALICE = { id: 'alice', scopes: [] };

function sink(): Sink & { open: boolean; texts: string[] } {
  const texts: string[] = [];
  return {
    open: true,
    texts,
    send: ({ data }) => void texts.push(data),
    end() {
      this.open = false;
    },
  };
}

async function opened(session: Session): Promise<Stream> {
  const stream = session.streams.open();
  assert.equal(await stream.begin({ ids: [1], revision: '2025-06-18' }), true);
  return stream;
}

interface Desk {
  readonly sessions: Sessions;
  readonly store: Store;
  shake(session: Session): Promise<Session>;
}

async function desk(limits: Partial<Limits> = {}): Promise<Desk> {
  const server = createServer({ name: 'x', version: '1' });
  const host = await createHost({ server: server.info, mounts: [{ provider: server }], limits });
  const store = createMemoryStore();
  const sessions = new Sessions(host.house, new Replica(store, host));
  return {
    sessions,
    store,
    async shake(session) {
      await session.conversation.receive(HELLO);
      await sessions.keep(session);
      return session;
    },
  };
}

describe('Sessions', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval', 'Date'] });
    mock.method(performance, 'now', () => Date.now());
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('are found by their id once they are kept, by their principal alone', async () => {
    const { sessions, shake } = await desk();
    const session = sessions.open(ALICE);
    assert.equal(await sessions.find(session.id, ALICE), undefined);
    await shake(session);
    assert.equal(await sessions.find(session.id, { id: 'alice', scopes: ['other'] }), session);
    assert.equal(await sessions.find(session.id, { id: 'bob', scopes: [] }), undefined);
    assert.equal(await sessions.find(session.id, undefined), undefined);
    assert.equal(await sessions.find(session.id.toLowerCase(), ALICE), undefined);
    const nobody = await shake(sessions.open(undefined));
    assert.equal(await sessions.find(nobody.id, ALICE), undefined);
    assert.equal(await sessions.find(nobody.id, undefined), nobody);
  });

  it('leave nothing in a store that ends with the process', async () => {
    const { sessions, store, shake } = await desk();
    const session = await shake(sessions.open(ALICE));
    assert.deepEqual((await store.records.list('session/', { limit: 10 })).keys, []);
    await sessions.end(session, 'deleted');
    assert.equal(sessions.size, 0);
  });

  it('of one principal make room for its next, the longest silent first, and those of others stay', async () => {
    const { sessions, shake } = await desk({ sessionsPerPrincipal: 2 });
    const ada = { id: 'ada', scopes: [] };
    const [first, second] = [await shake(sessions.open(ada)), await shake(sessions.open(ada))];
    const other = await shake(sessions.open({ id: 'bob', scopes: [] }));
    const nobody = [await shake(sessions.open(undefined)), await shake(sessions.open(undefined))];
    first.seen = performance.now() + 1000;
    const third = await shake(sessions.open(ada));
    assert.equal(sessions.find(second.id, ada), undefined, 'it was silent for longer than the first');
    assert.equal(sessions.find(first.id, ada), first);
    assert.equal(sessions.find(third.id, ada), third);
    assert.equal(sessions.find(other.id, { id: 'bob', scopes: [] }), other);
    for (const session of nobody) assert.equal(sessions.find(session.id, undefined), session);
    await sessions.end(first, 'deleted');
    await sessions.end(third, 'deleted');
    await shake(sessions.open(ada));
    await shake(sessions.open(ada));
    assert.equal(sessions.size, 5);
  });

  it('are refused over the limit, with when to come back', async () => {
    const { sessions, shake } = await desk({ sessions: 1 });
    const first = await shake(sessions.open(undefined));
    assert.throws(
      () => sessions.open(undefined),
      (error: { code: string; data: { retryAfterMs: number } }) => {
        assert.equal(error.code, 'E_BUSY');
        return error.data.retryAfterMs > 0;
      },
    );
    await sessions.end(first, 'deleted');
    sessions.open(undefined);
  });

  it('end after the idle time, unless somebody reads or was heard of since', async () => {
    const { sessions, shake } = await desk({ sessionIdleMs: 5000 });
    const idle = await shake(sessions.open(undefined));
    const read = await shake(sessions.open(undefined));
    const used = await shake(sessions.open(undefined));
    const reader = sink();
    await read.main.attach(reader);
    mock.timers.tick(3000);
    await sessions.find(used.id, undefined);
    mock.timers.tick(3000);
    assert.equal(await sessions.find(idle.id, undefined), undefined);
    assert.equal(sessions.size, 2);
    reader.open = false;
    mock.timers.tick(7000);
    assert.equal(sessions.size, 0);
  });

  it('say how they ended, also those that never shook hands', async () => {
    const { sessions, shake } = await desk();
    const heard: unknown[] = [];
    const deafen = sessionEnded.listen((ended) => heard.push(ended));
    await sessions.end(await shake(sessions.open(undefined)), 'deleted');
    await sessions.end(sessions.open(undefined), 'expired');
    deafen();
    assert.deepEqual(heard, [
      { dialect: 'mcp/2025-06-18', reason: 'deleted' },
      { dialect: 'unknown', reason: 'expired' },
    ]);
  });

  it('end their readers when all are drained', async () => {
    const { sessions, shake } = await desk();
    const session = await shake(sessions.open(undefined));
    const reader = sink();
    await session.main.attach(reader);
    await sessions.drain(10);
    assert.equal(reader.open, false);
    assert.equal(sessions.size, 0);
  });
});

describe('Session', () => {
  it('sends what belongs to a request its way, and everything else on the main stream', async () => {
    const { sessions } = await desk();
    const session = sessions.open(undefined);
    const reader = sink();
    await session.main.attach(reader);
    const said: string[] = [];
    const route = {
      send: (text: string) => void said.push(text),
      release: () => void said.push('released'),
      carries: () => true,
    };
    const other = { send: () => assert.fail(), release: () => assert.fail(), carries: () => true };
    session.routes.add([1, '1'], route);
    session.routes.add([1], other);
    session.outlet('a', 1);
    session.outlet('b', '1');
    session.outlet('c', 2);
    session.outlet('d');
    session.release(1);
    session.release(2);
    session.routes.remove([1], other);
    session.outlet('e', 1);
    session.routes.remove([1, '1'], route);
    session.outlet('f', 1);
    assert.deepEqual(said, ['a', 'b', 'released', 'e']);
    assert.deepEqual(reader.texts, ['c', 'd', 'f']);
  });

  it('takes up its own streams alone, and only from where everything is kept', async () => {
    const { sessions } = await desk({ outboxEvents: 2 });
    const session = sessions.open(undefined);
    const stream = await opened(session);
    for (const text of ['a', 'b', 'c']) await stream.push(text);
    await stream.finish();
    assert.equal(await session.admit(`${stream.name}.2`), undefined);
    assert.equal(await session.admit(`${stream.name}.3`), undefined);
    for (const id of [`${stream.name}.0`, `${stream.name}.9`, 's9.0', 'x', ''])
      assert.equal((await session.admit(id))?.code, 'E_BAD_PARAMS', id);
    const reader = sink();
    await session.listen(`${stream.name}.2`, reader);
    assert.deepEqual(reader.texts, ['c']);
    assert.equal(reader.open, false);
  });

  it('forgets the oldest stream that is over, and none that is not', async () => {
    const { sessions } = await desk({ streamsKept: 2 });
    const session = sessions.open(undefined);
    const names: string[] = [];
    for (let count = 0; count < 4; count += 1) names.push((await opened(session)).name);
    for (const name of names) assert.equal((await session.admit(`${name}.0`))?.code, undefined, name);
    const over = await opened(session);
    await over.finish();
    const newest = await opened(session);
    assert.equal((await session.admit(`${over.name}.0`))?.code, 'E_BAD_PARAMS');
    assert.equal(await session.admit(`${newest.name}.0`), undefined);
  });
});
