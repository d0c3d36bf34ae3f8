import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { createMemoryStore, type MemoryOptions, type MemoryStore } from './memory.ts';
import { StoreError } from './store.ts';

const EMPTY = { records: 0, logs: 0, counters: 0, subscriptions: 0, bytes: 0 };
const bounds = { entries: 10, bytes: 1000, ttlMs: 1000 };

interface Clocked {
  readonly store: MemoryStore;
  time: number;
}

function clocked(options: MemoryOptions = {}): Clocked {
  const world: Clocked = { time: 0, store: createMemoryStore({ ...options, now: () => world.time }) };
  return world;
}

const isFull = (error: unknown) => error instanceof StoreError && error.trouble === 'full';

async function until(claim: () => boolean): Promise<void> {
  for (let tries = 0; !claim(); tries += 1) {
    assert.ok(tries < 2000, `Waited in vain for ${claim}`);
    await sleep(1);
  }
}

test('The memory store answers at once, never with a promise', () => {
  const { records, logs, topics, counters, inboxes, close } = createMemoryStore();
  const answers = [
    records.put('a', 1, { ttlMs: 1000 }),
    records.get('a'),
    records.get('a', 1000),
    records.touch('a', 1000),
    records.list('', { limit: 1 }),
    records.remove('a'),
    logs.append('a', 'text', bounds),
    logs.read('a', 0),
    logs.touch('a', 1000),
    logs.follow('a', () => {}),
    logs.end('a', 'text', bounds),
    logs.remove('a'),
    topics.publish('a', 1),
    topics.subscribe('a', () => {}),
    counters.take('a', { capacity: 1, refillPerSecond: 1 }),
    inboxes.open('a', () => {}),
    inboxes.send('a', 1),
    close(),
  ];
  assert.deepEqual(
    answers.filter((answer) => answer instanceof Promise),
    [],
  );
});

test('Ten thousand abandoned sessions are gone after their time and nothing of them is held', async () => {
  const world = clocked({ sweepMs: 1 });
  const { records, logs, counters } = world.store;
  for (let index = 0; index < 10_000; index += 1) {
    await records.put(`session/${index}`, { client: 'abandoned', index }, { ttlMs: 1000 });
    await logs.append(`outbox/${index}`, 'event', bounds);
    await counters.take(`rate/${index}`, { capacity: 10, refillPerSecond: 10 });
  }
  const { bytes, ...counts } = world.store.usage();
  assert.deepEqual(counts, { records: 10_000, logs: 10_000, counters: 10_000, subscriptions: 0 });
  assert.ok(bytes > 10_000 * 600);
  world.time = 1001;
  await until(() => world.store.usage().bytes === 0);
  assert.deepEqual(world.store.usage(), EMPTY);
});

test('A sweep leaves what lives, and comes round to it again', async () => {
  const world = clocked({ sweepMs: 1 });
  for (let index = 0; index < 1000; index += 1)
    await world.store.records.put(`${index}`, index, { ttlMs: index % 2 === 0 ? 100 : 200 });
  world.time = 150;
  await until(() => world.store.usage().records === 500);
  assert.equal(await world.store.records.touch('1', 1000), true);
  world.time = 300;
  await until(() => world.store.usage().records === 1);
  assert.equal((await world.store.records.get('1'))?.value, 1);
  await world.store.close();
});

test('The sweep keeps no process alive and stops when there is nothing to sweep', async (t) => {
  const started = t.mock.method(globalThis, 'setInterval').mock;
  const stopped = t.mock.method(globalThis, 'clearInterval').mock;
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const world = clocked({ sweepMs: 1 });
  await world.store.records.put('a', 1, { ttlMs: 10 });
  await world.store.records.put('b', 1, { ttlMs: 10 });
  assert.equal(timers(), before);
  assert.equal(started.callCount(), 1);
  world.time = 20;
  await until(() => world.store.usage().records === 0);
  assert.equal(stopped.callCount(), 1);
  await world.store.records.put('c', 1, { ttlMs: 10 });
  assert.equal(started.callCount(), 2);
  await world.store.close();
  assert.equal(stopped.callCount(), 2);
});

test('Everything removed, trimmed or replaced is given back to the last byte', async () => {
  const { store } = clocked();
  for (let round = 0; round < 50; round += 1) {
    await store.records.put('ä', 'x'.repeat(round * 7), { ttlMs: 1000 });
    await store.logs.append('log', 'ü'.repeat(round * 11), { ...bounds, entries: 3 });
    await store.logs.append('log', 'y'.repeat(round * 11), { ...bounds, bytes: 300 });
  }
  const leave = await store.topics.subscribe('topic', () => {});
  assert.equal(store.usage().subscriptions, 1);
  leave();
  const leaves = [await store.logs.follow('log', () => {}), await store.inboxes.open('box', () => {})];
  assert.equal(store.usage().subscriptions, 2);
  for (const left of leaves) left();
  await store.records.remove('ä');
  await store.logs.remove('log');
  assert.deepEqual(store.usage(), EMPTY);
});

test('A full store refuses what is new and keeps what it has', async () => {
  const world = clocked({ maxBytes: 1000 });
  const { records, logs, counters } = world.store;
  await records.put('kept', 'x'.repeat(300), { ttlMs: 1000 });
  await logs.append('log', 'first', bounds);
  assert.throws(() => records.put('more', 'x'.repeat(300), { ttlMs: 1000 }), isFull);
  assert.throws(() => records.put('kept', 'x'.repeat(900), { ttlMs: 1000 }), isFull);
  assert.throws(() => logs.append('log', 'x'.repeat(300), bounds), isFull);
  for (const key of ['one', 'two'])
    assert.throws(() => counters.take(key.repeat(60), { capacity: 1, refillPerSecond: 1 }), isFull);
  assert.equal((await records.get('more'))?.value, undefined);
  assert.equal((await records.get('kept'))?.value, 'x'.repeat(300));
  assert.deepEqual((await logs.read('log', 0)).entries, [{ position: 1, text: 'first' }]);
  assert.equal((await logs.read('log', 0)).next, 2);
});

test('A full store still lets a record shrink and a log at its own bounds go on', async () => {
  const { store } = clocked({ maxBytes: 1000 });
  const one = { ...bounds, entries: 1 };
  await store.logs.append('log', 'a'.repeat(100), one);
  const room = 1000 - store.usage().bytes;
  await store.records.put('r', 'x'.repeat(room - 203), { ttlMs: 1000 });
  assert.equal(store.usage().bytes, 1000);
  assert.equal(await store.logs.append('log', 'b'.repeat(100), one), 2);
  assert.ok((await store.records.put('r', 'smaller', { ttlMs: 1000 })) !== undefined);
});

test('A full store takes new records again after the old ones have expired', async () => {
  const world = clocked({ maxBytes: 1000, sweepMs: 1 });
  await world.store.records.put('old', 'x'.repeat(700), { ttlMs: 100 });
  assert.throws(() => world.store.records.put('new', 'x'.repeat(700), { ttlMs: 100 }), isFull);
  world.time = 101;
  await until(() => world.store.usage().bytes === 0);
  assert.ok((await world.store.records.put('new', 'x'.repeat(700), { ttlMs: 100 })) !== undefined);
});

test('A second read of a small value costs no parsing, and the shared value is frozen to its depth', async () => {
  const { store } = clocked();
  await store.records.put('a', { deep: [{ er: 1 }] }, { ttlMs: 1000 });
  const held = (await store.records.get('a'))!;
  assert.equal(await store.records.get('a'), held);
  assert.throws(() => {
    (held.value as { deep: { er: number }[] }).deep[0]!.er = 2;
  }, TypeError);
});

test('A listener that fails is told to the log', async () => {
  const told: unknown[] = [];
  const store = createMemoryStore({ log: (severity, message, fields) => told.push([severity, message, fields]) });
  const thrown = new Error('thrown');
  const rejected = new Error('rejected');
  await store.topics.subscribe('t', () => {
    throw thrown;
  });
  await store.topics.subscribe('t', async () => {
    throw rejected;
  });
  await store.topics.publish('t', 1);
  await until(() => told.length === 2);
  assert.deepEqual(told, [
    ['error', 'Topic listener failed', { error: thrown }],
    ['error', 'Topic listener failed', { error: rejected }],
  ]);
});

test('A message on its way when the store closes is not heard', async () => {
  const { store } = clocked();
  const heard: unknown[] = [];
  await store.topics.subscribe('t', (message) => heard.push(message));
  const published = store.topics.publish('t', 1);
  const closed = store.close();
  await published;
  await closed;
  await sleep(1);
  assert.deepEqual(heard, []);
  assert.deepEqual(store.usage(), EMPTY);
});

test('A record is there until its time is up, and gone on the millisecond', async () => {
  const world = clocked();
  await world.store.records.put('a', 1, { ttlMs: 100 });
  world.time = 99;
  assert.equal((await world.store.records.get('a'))?.value, 1);
  world.time = 100;
  assert.equal(await world.store.records.get('a'), undefined);
});

test('A listener that comes while a message is on its way does not hear it', async () => {
  const { store } = clocked();
  const heard: unknown[] = [];
  await store.topics.subscribe('t', () => {});
  const published = store.topics.publish('t', 'before');
  const subscribed = store.topics.subscribe('t', (message) => heard.push(message));
  await Promise.all([published, subscribed]);
  await store.topics.publish('t', 'after');
  await until(() => heard.length > 0);
  assert.deepEqual(heard, ['after']);
});

test('A bucket whose capacity is lowered holds no more than the new one', async () => {
  const { store } = clocked();
  await store.counters.take('k', { capacity: 10, refillPerSecond: 1 });
  assert.deepEqual(await store.counters.take('k', { capacity: 3, refillPerSecond: 1 }), { ok: true, left: 2 });
});

test('A refusal names whole milliseconds, rounded up', async () => {
  const { store } = clocked();
  await store.counters.take('k', { capacity: 1, refillPerSecond: 3 });
  assert.deepEqual(await store.counters.take('k', { capacity: 1, refillPerSecond: 3 }), {
    ok: false,
    retryAfterMs: 334,
  });
});

test('Fractions that do not add up in binary cost nobody a token', async () => {
  const { store } = clocked();
  const take = (key: string, capacity: number) => store.counters.take(key, { capacity, refillPerSecond: 1, cost: 0.1 });
  for (let takes = 0; takes < 3; takes += 1) assert.equal((await take('third', 0.3)).ok, true);
  for (let takes = 0; takes < 2; takes += 1) await take('whole', 1.3);
  assert.deepEqual(await take('whole', 1.3), { ok: true, left: 1 });
});

test('A cursor that is none is refused', () => {
  const { store } = clocked();
  assert.throws(() => store.records.list('', { limit: 1, after: 'forged' }), RangeError);
});

test('Bounds of the engine that make no sense are refused', () => {
  assert.throws(() => createMemoryStore({ maxBytes: 0 }), RangeError);
  assert.throws(() => createMemoryStore({ sweepMs: 0.5 }), RangeError);
});

test('A bucket never gives more than its capacity and what flowed in, and keeps its word on when to retry', () => {
  const step = fc.record({ wait: fc.integer({ min: 0, max: 3000 }), cost: fc.double({ min: 0, max: 1, noNaN: true }) });
  fc.assert(
    fc.property(
      fc.double({ min: 0.5, max: 100, noNaN: true }),
      fc.double({ min: 0.01, max: 1000, noNaN: true }),
      fc.array(step, { maxLength: 40 }),
      (capacity, refillPerSecond, steps) => {
        const world = clocked();
        let given = 0;
        for (const { wait, cost: share } of steps) {
          const options = { capacity, refillPerSecond, cost: share * capacity };
          world.time += wait;
          let taken = world.store.counters.take('k', options);
          assert.ok(!(taken instanceof Promise));
          if (!taken.ok) {
            world.time += taken.retryAfterMs;
            taken = world.store.counters.take('k', options);
          }
          assert.ok('ok' in taken && taken.ok, 'refused after the time it named');
          given += options.cost;
          assert.ok(given <= capacity + (world.time * refillPerSecond) / 1000 + 1e-6);
        }
      },
    ),
  );
});

test('A log agrees with a list that is cut from the left, whatever is appended under whatever bounds', () => {
  const append = fc.record({
    text: fc.string({ unit: 'grapheme', maxLength: 12 }),
    entries: fc.integer({ min: 1, max: 6 }),
    bytes: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(append, { maxLength: 60 }), fc.nat(70), (appends, after) => {
      const { store } = clocked();
      let model: { position: number; text: string }[] = [];
      for (const [index, { text, ...rest }] of appends.entries()) {
        const position = index + 1;
        assert.equal(store.logs.append('log', text, { ...rest, ttlMs: 1000 }), position);
        model.push({ position, text });
        const size = () => model.reduce((sum, entry) => sum + Buffer.byteLength(entry.text), 0);
        while (model.length > rest.entries || size() > rest.bytes) model = model.slice(1);
      }
      const next = appends.length + 1;
      const first = model[0]?.position ?? next;
      const entries = model.filter(({ position }) => position > after);
      const lost = after >= next || after + 1 < first;
      assert.deepEqual(store.logs.read('log', after), { entries, first, next, lost, ended: false });
    }),
  );
});

test('The memory store is of this process alone, does not outlive it and is always awake', () => {
  const { shared, lasting, awake } = createMemoryStore();
  assert.deepEqual([shared, lasting, awake()], [false, false, true]);
});

test('A follower is woken once for all that was appended before it could run', async () => {
  const { store } = clocked();
  let wakes = 0;
  await store.logs.follow('log', () => {
    wakes += 1;
  });
  for (let index = 0; index < 100; index += 1) void store.logs.append('log', 'text', bounds);
  await Promise.resolve();
  assert.equal(wakes, 1);
});

test('A follower and a holder of an inbox that fail are told to the log', async () => {
  const told: string[] = [];
  const store = createMemoryStore({ log: (_, message) => told.push(message) });
  const fail = () => {
    throw new Error('thrown');
  };
  await store.logs.follow('log', fail);
  await store.inboxes.open('box', fail);
  await store.logs.append('log', 'text', bounds);
  await store.inboxes.send('box', 1);
  await until(() => told.length === 2);
  assert.deepEqual(told, ['Follower of a log failed', 'Inbox listener failed']);
});
