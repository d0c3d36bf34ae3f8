import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Json } from '../model/json.ts';
import { silent } from '../model/log.ts';
import { createMemoryStore, type MemoryStore } from './memory.ts';
import { serveStore } from './relay/serve.ts';
import type { Port } from './relay/words.ts';
import { createRelayStore } from './relay.ts';
import { INBOX_MESSAGES, type Store, StoreError } from './store.ts';

const bounds = { entries: 10, bytes: 1000, ttlMs: 60_000 };
const isAway = (error: unknown) => error instanceof StoreError && error.trouble === 'away';

/** A client of a store in this process; `sent` counts messages to the store. */
function join(store: Store, log = silent) {
  const listeners: { near: (message: unknown) => void; far: (message: unknown) => void } = { near() {}, far() {} };
  const counts = { sent: 0, answered: 0 };
  let cut = () => {};
  const near: Port = {
    async send(message) {
      counts.sent += 1;
      const copy: unknown = JSON.parse(JSON.stringify(message));
      await turn();
      listeners.far(copy);
    },
    onMessage: (listener) => {
      listeners.near = listener;
    },
    onClose: (listener) => {
      cut = listener;
    },
  };
  const far: Port = {
    async send(message) {
      counts.answered += 1;
      const copy: unknown = JSON.parse(JSON.stringify(message));
      await turn();
      listeners.near(copy);
    },
    onMessage: (listener) => {
      listeners.far = listener;
    },
  };
  const end = serveStore(store, far, log);
  return {
    client: createRelayStore(near, log),
    counts,
    end,
    cut: () => cut(),
    say: (word: unknown) => listeners.far(word),
  };
}

async function settled(store: MemoryStore): Promise<number> {
  for (let turns = 0; turns < 5; turns += 1) await turn();
  return store.usage().subscriptions;
}

test('What is asked in one turn goes in one message and is answered in one', async () => {
  const { client, counts } = join(createMemoryStore());
  await Promise.all(Array.from({ length: 50 }, (_, index) => client.records.put(`${index}`, index, { ttlMs: 1000 })));
  assert.deepEqual(counts, { sent: 1, answered: 1 });
});

test('Two clients of one store see what the other one does', async () => {
  const store = createMemoryStore();
  const [one, other] = [join(store).client, join(store).client];
  const heard: Json[] = [];
  await one.topics.subscribe('t', (message) => heard.push(message));
  await one.inboxes.open('box', (message) => heard.push(message));
  await one.logs.follow('log', () => heard.push('woken'));
  await other.topics.publish('t', 'topic');
  assert.equal(await other.inboxes.send('box', 'box'), true);
  assert.equal(await other.logs.end('log', 'text', bounds), 1);
  for (let tries = 0; heard.length < 3; tries += 1) {
    assert.ok(tries < 100);
    await turn();
  }
  assert.deepEqual(heard, ['topic', 'box', 'woken']);
  assert.equal(await one.logs.append('log', 'text', bounds), undefined);
});

test('What a client held is let go when its channel ends, when it closes, and when it says so', async () => {
  const store = createMemoryStore();
  const hold = async (client: Store) => [
    await client.topics.subscribe('t', () => {}),
    await client.logs.follow('log', () => {}),
    await client.inboxes.open('box', () => {}),
  ];
  const ended = join(store);
  await hold(ended.client);
  assert.equal(store.usage().subscriptions, 3);
  ended.end();
  assert.equal(await settled(store), 0);

  const closed = join(store);
  await hold(closed.client);
  await closed.client.close();
  assert.equal(await settled(store), 0);

  const left = join(store);
  for (const leave of await hold(left.client)) leave();
  assert.equal(await settled(store), 0);
  assert.equal(await left.client.inboxes.send('box', 1), false);
});

test('A subscription that was asked for when the channel ended is let go too', async () => {
  const store = createMemoryStore();
  const { client, end } = join(store);
  void Promise.resolve(client.topics.subscribe('t', () => {})).catch(() => {});
  for (let turns = 0; turns < 2; turns += 1) await turn();
  end();
  assert.equal(await settled(store), 0);
});

test('A client whose channel is gone is away: what was under way fails, and all that follows', async () => {
  const { client, cut } = join(createMemoryStore());
  assert.equal(client.awake(), true);
  const underWay = assert.rejects(async () => client.records.get('a'), isAway);
  cut();
  await underWay;
  assert.equal(client.awake(), false);
  await assert.rejects(async () => client.records.get('a'), isAway);
  await assert.rejects(async () => client.topics.subscribe('t', () => {}), isAway);
  await client.close();
  await assert.rejects(
    async () => client.records.get('a'),
    (error) => error instanceof StoreError && error.trouble === 'closed',
  );
});

test('Errors keep their kind on the way; what nobody foresaw says nothing of the inside', async () => {
  const store = createMemoryStore({ maxBytes: 500 });
  const { client } = join(store);
  await assert.rejects(
    async () => client.records.put('a', 'x'.repeat(1000), { ttlMs: 1000 }),
    (error) => error instanceof StoreError && error.trouble === 'full',
  );
  await assert.rejects(async () => client.records.list('', { limit: 1, after: 'forged' }), RangeError);
  const broken = { ...store, records: { ...store.records, get: () => Promise.reject(new Error('/secret/path')) } };
  await assert.rejects(
    async () => join(broken as unknown as Store).client.records.get('a'),
    (error) => isAway(error) && !(error as Error).message.includes('secret'),
  );
});

test('A client hears when the engine goes away and when it is back', async () => {
  const store = createMemoryStore();
  let awake = true;
  const { client } = join({ ...store, awake: () => awake });
  for (const next of [false, true]) {
    awake = next;
    for (let tries = 0; client.awake() !== next; tries += 1) {
      assert.ok(tries < 500);
      await sleep(10);
    }
  }
});

test('What is no ask is let be, a property of every object among it', async () => {
  const { client, say } = join(createMemoryStore());
  for (const word of [undefined, null, 1, 'text', {}, [], [[1, 'constructor', 'a']], [[1, '__proto__', 'a']], [[1]]])
    say(word);
  assert.equal(await client.records.get('a'), undefined);
});

test('A client that hangs is told a bounded number of messages, and then that it missed some', async () => {
  const store = createMemoryStore();
  const { client } = join(store);
  let heard = 0;
  let missed = 0;
  await client.topics.subscribe(
    't',
    () => {
      heard += 1;
    },
    () => {
      missed += 1;
    },
  );
  for (let index = 0; index < INBOX_MESSAGES + 500; index += 1) await store.topics.publish('t', index);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.deepEqual([heard, missed], [INBOX_MESSAGES, 0]);
  await client.records.get('a');
  assert.equal(missed, 1);
  await client.topics.publish('t', 'again');
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.deepEqual([heard, missed], [INBOX_MESSAGES + 1, 1]);
});

test('A channel that throws when it is used hurts nobody but who waits', async () => {
  const port: Port = {
    send() {
      throw new Error('gone');
    },
    onMessage() {},
  };
  const client = createRelayStore(port, silent);
  await assert.rejects(async () => client.records.get('a'), isAway);
});
