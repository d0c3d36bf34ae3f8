import assert from 'node:assert/strict';
import type { Taken } from '../../../src/store/store.ts';
import { type Case, ODD_KEYS, settle } from './world.ts';

// One token in half a second: slow enough for a slow engine not to refill between two takes.
const bucket = { capacity: 3, refillPerSecond: 2 };

function assertRefused(taken: Taken, least: number, most: number): void {
  assert.ok(!taken.ok, 'the take should have been refused');
  const { retryAfterMs } = taken;
  assert.ok(Number.isInteger(retryAfterMs) && retryAfterMs >= least && retryAfterMs <= most, `retry: ${retryAfterMs}`);
}

export const counterCases: readonly Case[] = [
  [
    'a new bucket is full, and empty after its capacity was taken',
    async ({ store, name }) => {
      for (const left of [2, 1, 0]) assert.deepEqual(await store.counters.take(name, bucket), { ok: true, left });
      assertRefused(await store.counters.take(name, bucket), 1, 500);
    },
  ],
  [
    'a take succeeds after the time its refusal named',
    async ({ store, name, pass }) => {
      await store.counters.take(name, { ...bucket, cost: 3 });
      const refused = await store.counters.take(name, bucket);
      assert.ok(!refused.ok);
      await pass(refused.retryAfterMs);
      assert.deepEqual(await store.counters.take(name, bucket), { ok: true, left: 0 });
      assertRefused(await store.counters.take(name, bucket), 1, 500);
    },
  ],
  [
    'a refused take costs nothing',
    async ({ store, name, pass }) => {
      await store.counters.take(name, { ...bucket, cost: 3 });
      for (let tries = 0; tries < 20; tries += 1) await store.counters.take(name, bucket);
      await pass(550);
      assert.equal((await store.counters.take(name, bucket)).ok, true);
    },
  ],
  [
    'a take gets its whole cost or nothing',
    async ({ store, name }) => {
      assert.deepEqual(await store.counters.take(name, { ...bucket, cost: 2 }), { ok: true, left: 1 });
      assertRefused(await store.counters.take(name, { ...bucket, cost: 2 }), 1, 500);
      assert.deepEqual(await store.counters.take(name, { ...bucket, cost: 1 }), { ok: true, left: 0 });
    },
  ],
  [
    'a take of nothing says what is there',
    async ({ store, name }) => {
      assert.deepEqual(await store.counters.take(name, { ...bucket, cost: 0 }), { ok: true, left: 3 });
      await store.counters.take(name, bucket);
      assert.deepEqual(await store.counters.take(name, { ...bucket, cost: 0 }), { ok: true, left: 2 });
    },
  ],
  [
    'a bucket does not fill beyond its capacity',
    async ({ store, name, pass }) => {
      const quick = { capacity: 3, refillPerSecond: 100 };
      await store.counters.take(name, quick);
      await pass(300);
      assert.deepEqual(await store.counters.take(name, { ...quick, cost: 0 }), { ok: true, left: 3 });
    },
  ],
  [
    'of many takes at the same time as many succeed as there are tokens',
    async ({ store, name }) => {
      const slow = { capacity: 10, refillPerSecond: 0.01 };
      const takes = await Promise.all(Array.from({ length: 50 }, () => settle(() => store.counters.take(name, slow))));
      assert.equal(takes.filter(({ ok }) => ok).length, 10);
    },
  ],
  [
    'buckets with odd names are kept apart',
    async ({ store, name }) => {
      const one = { capacity: 1, refillPerSecond: 0.01 };
      for (const key of ODD_KEYS) assert.equal((await store.counters.take(name + key, one)).ok, true);
      for (const key of ODD_KEYS) assert.equal((await store.counters.take(name + key, one)).ok, false);
    },
  ],
  [
    'a take that could never succeed and a bucket that never refills are refused',
    async ({ store, name }) => {
      for (const bad of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await assert.rejects(
          settle(() => store.counters.take(name, { ...bucket, capacity: bad })),
          RangeError,
        );
        await assert.rejects(
          settle(() => store.counters.take(name, { ...bucket, refillPerSecond: bad })),
          RangeError,
        );
      }
      for (const bad of [-1, 4, Number.NaN])
        await assert.rejects(
          settle(() => store.counters.take(name, { ...bucket, cost: bad })),
          RangeError,
        );
    },
  ],
];
