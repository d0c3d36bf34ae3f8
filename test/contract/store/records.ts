import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Case, LONG_MS, ODD_KEYS, SHORT_MS, settle } from './world.ts';

const ttlMs = LONG_MS;

const VALUES: readonly Json[] = [null, true, false, 0, -1.5, '', 'text', '\u2028🙂\0', [], {}, [[1], { a: [null] }]];

async function versionOf(store: Store, key: string): Promise<number> {
  const held = await store.records.get(key);
  assert.ok(held !== undefined);
  return held.version;
}

async function walk(store: Store, prefix: string, limit: number): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < 1000; pages += 1) {
    const page = await store.records.list(prefix, after === undefined ? { limit } : { limit, after });
    assert.ok(page.keys.length <= limit, `a page of ${page.keys.length} keys where ${limit} were asked for`);
    found.push(...page.keys);
    if (page.next === undefined) return found;
    after = page.next;
  }
  throw new Error('The walk over the keys does not end');
}

export const recordCases: readonly Case[] = [
  [
    'an unknown key has no record, cannot be touched and cannot be removed',
    async ({ store, name }) => {
      assert.equal(await store.records.get(name), undefined);
      assert.equal(await store.records.touch(name, ttlMs), false);
      assert.equal(await store.records.remove(name), false);
    },
  ],
  [
    'every kind of JSON value comes back equal, with the version its put answered',
    async ({ store, name }) => {
      for (const [index, value] of VALUES.entries()) {
        const version = await store.records.put(`${name}${index}`, value, { ttlMs });
        assert.ok(version !== undefined && version > 0);
        assert.deepEqual(await store.records.get(`${name}${index}`), { value, version });
      }
    },
  ],
  [
    'members that are undefined are gone after a round trip',
    async ({ store, name }) => {
      await store.records.put(name, { kept: 1, gone: undefined }, { ttlMs });
      assert.deepEqual(Object.keys((await store.records.get(name))?.value as JsonObject), ['kept']);
    },
  ],
  [
    'a writer who changes the object after the put does not change the record',
    async ({ store, name }) => {
      const value = { list: [1] };
      await store.records.put(name, value, { ttlMs });
      value.list.push(2);
      assert.deepEqual((await store.records.get(name))?.value, { list: [1] });
    },
  ],
  [
    'a reader who changes what it got, as far as it can, does not change the record',
    async ({ store, name }) => {
      for (const padding of ['', 'p'.repeat(10_000)]) {
        await store.records.put(name, { list: [1], padding }, { ttlMs });
        const { value } = (await store.records.get(name))!;
        await settle(() => ((value as JsonObject)['list'] as Json[]).push(2)).catch(() => {});
        assert.deepEqual((await store.records.get(name))?.value, { list: [1], padding });
      }
    },
  ],
  [
    'a put over a record replaces value and version',
    async ({ store, name }) => {
      const first = await store.records.put(name, 'old', { ttlMs });
      const second = await store.records.put(name, 'new', { ttlMs });
      assert.notEqual(first, second);
      assert.deepEqual(await store.records.get(name), { value: 'new', version: second });
    },
  ],
  [
    'a put with version 0 writes only where there is no record',
    async ({ store, name }) => {
      const version = await store.records.put(name, 'first', { ttlMs, ifVersion: 0 });
      assert.ok(version !== undefined);
      assert.equal(await store.records.put(name, 'second', { ttlMs, ifVersion: 0 }), undefined);
      assert.deepEqual(await store.records.get(name), { value: 'first', version });
    },
  ],
  [
    'a put with a version that was overtaken loses and leaves value, version and life as they are',
    async ({ store, name, pass }) => {
      const old = await store.records.put(name, 1, { ttlMs });
      const version = await store.records.put(name, 2, { ttlMs: SHORT_MS, ifVersion: old! });
      assert.equal(await store.records.put(name, 3, { ttlMs, ifVersion: old! }), undefined);
      assert.deepEqual(await store.records.get(name), { value: 2, version });
      await pass(SHORT_MS * 1.5);
      assert.equal(await store.records.get(name), undefined);
    },
  ],
  [
    'a put with a version where there is no record loses and makes none',
    async ({ store, name }) => {
      assert.equal(await store.records.put(name, 1, { ttlMs, ifVersion: 7 }), undefined);
      assert.equal(await store.records.get(name), undefined);
    },
  ],
  [
    'a version never comes back, not even after removal or expiry',
    async ({ store, name, pass }) => {
      const seen = new Set<number | undefined>();
      for (let round = 0; round < 3; round += 1) {
        seen.add(await store.records.put(name, round, { ttlMs }));
        await store.records.remove(name);
      }
      seen.add(await store.records.put(name, 3, { ttlMs: SHORT_MS }));
      await pass(SHORT_MS * 1.5);
      seen.add(await store.records.put(name, 4, { ttlMs }));
      assert.equal(seen.size, 5);
    },
  ],
  [
    'of many puts that race to create a record exactly one wins',
    async ({ store, name }) => {
      const racers = Array.from({ length: 100 }, (_, racer) =>
        settle(() => store.records.put(name, racer, { ttlMs, ifVersion: 0 })),
      );
      const wins = (await Promise.all(racers)).flatMap((version, racer) => (version === undefined ? [] : [racer]));
      assert.equal(wins.length, 1);
      assert.equal((await store.records.get(name))?.value, wins[0]);
    },
  ],
  [
    'no increment is lost when many writers compare and set one counter',
    async ({ store, name }) => {
      await store.records.put(name, 0, { ttlMs });
      const increment = async () => {
        for (;;) {
          const held = (await store.records.get(name))!;
          await Promise.resolve();
          const next = (held.value as number) + 1;
          if ((await store.records.put(name, next, { ttlMs, ifVersion: held.version })) !== undefined) return;
        }
      };
      await Promise.all(Array.from({ length: 20 }, increment));
      assert.equal((await store.records.get(name))?.value, 20);
    },
  ],
  [
    'an expired record is an absent one in every way',
    async ({ store, name, pass }) => {
      const version = await store.records.put(name, 1, { ttlMs: SHORT_MS });
      assert.deepEqual(await store.records.get(name), { value: 1, version });
      await pass(SHORT_MS * 1.5);
      assert.deepEqual((await store.records.list(name, { limit: 10 })).keys, []);
      assert.equal(await store.records.touch(name, ttlMs), false);
      assert.equal(await store.records.remove(name), false);
      assert.equal(await store.records.put(name, 2, { ttlMs, ifVersion: version! }), undefined);
      assert.equal(await store.records.get(name), undefined);
      assert.ok((await store.records.put(name, 3, { ttlMs, ifVersion: 0 })) !== undefined);
    },
  ],
  [
    'a touch prolongs the life of a record and keeps its version; reading does not prolong it',
    async ({ store, name, pass }) => {
      await store.records.put(`${name}touched`, 1, { ttlMs: SHORT_MS });
      await store.records.put(`${name}read`, 1, { ttlMs: SHORT_MS });
      const version = await versionOf(store, `${name}touched`);
      await pass(SHORT_MS / 2);
      assert.equal(await store.records.touch(`${name}touched`, ttlMs), true);
      await store.records.get(`${name}read`);
      await pass(SHORT_MS);
      assert.equal(await versionOf(store, `${name}touched`), version);
      assert.equal(await store.records.get(`${name}read`), undefined);
    },
  ],
  [
    'a read that prolongs lets the record live on, its version unchanged, and makes none where there is none',
    async ({ store, name, pass }) => {
      const version = await store.records.put(name, 1, { ttlMs: SHORT_MS });
      await pass(SHORT_MS / 2);
      assert.deepEqual(await store.records.get(name, ttlMs), { value: 1, version });
      await pass(SHORT_MS);
      assert.deepEqual(await store.records.get(name, SHORT_MS), { value: 1, version });
      await pass(SHORT_MS * 1.5);
      assert.equal(await store.records.get(name, ttlMs), undefined);
      assert.equal(await store.records.get(name), undefined);
      for (const bad of [0, -1, 1.5, Number.NaN])
        await assert.rejects(
          settle(() => store.records.get(name, bad)),
          RangeError,
        );
    },
  ],
  [
    'a removed record is gone and its removal is told once',
    async ({ store, name }) => {
      await store.records.put(name, 1, { ttlMs });
      assert.equal(await store.records.remove(name), true);
      assert.equal(await store.records.remove(name), false);
      assert.equal(await store.records.get(name), undefined);
    },
  ],
  [
    'a walk in pages finds every key with the prefix and no other',
    async ({ store, name }) => {
      const wanted = Array.from({ length: 25 }, (_, index) => `${name}in/${index}`);
      for (const key of wanted) await store.records.put(key, 1, { ttlMs });
      await store.records.put(`${name}in`, 1, { ttlMs });
      await store.records.put(`${name}inn/1`, 1, { ttlMs });
      for (const limit of [1, 7, 25, 1000]) {
        assert.deepEqual([...new Set(await walk(store, `${name}in/`, limit))].sort(), [...wanted].sort());
      }
    },
  ],
  [
    'a walk finds the keys that live through it while others come, change and go',
    async ({ store, name }) => {
      const stays = Array.from({ length: 12 }, (_, index) => `${name}stays${index}`);
      for (const [index, key] of stays.entries()) {
        await store.records.put(key, 1, { ttlMs });
        await store.records.put(`${name}goes${index}`, 1, { ttlMs });
      }
      const page = await store.records.list(name, { limit: 5 });
      const found = new Set(page.keys);
      let { next } = page;
      for (let round = 0; next !== undefined; round += 1) {
        assert.ok(round < 100);
        await store.records.remove(`${name}goes${round}`);
        await store.records.put(stays[round % stays.length]!, round, { ttlMs });
        if (round < 5) await store.records.put(`${name}comes${round}`, 1, { ttlMs });
        const more = await store.records.list(name, { limit: 5, after: next });
        for (const key of more.keys) found.add(key);
        next = more.next;
      }
      assert.deepEqual(
        stays.filter((key) => !found.has(key)),
        [],
      );
    },
  ],
  [
    'a prefix with pattern characters matches only itself',
    async ({ store, name }) => {
      await store.records.put(`${name}a*b`, 1, { ttlMs });
      await store.records.put(`${name}axb`, 1, { ttlMs });
      assert.deepEqual(await walk(store, `${name}a*`, 10), [`${name}a*b`]);
      assert.deepEqual(await walk(store, `${name}a?`, 10), []);
      assert.deepEqual(await walk(store, `${name}[a]`, 10), []);
    },
  ],
  [
    'odd keys are kept apart and listed unchanged',
    async ({ store, name }) => {
      for (const key of ODD_KEYS) await store.records.put(name + key, key, { ttlMs });
      for (const key of ODD_KEYS) assert.equal((await store.records.get(name + key))?.value, key);
      assert.deepEqual((await walk(store, name, 4)).sort(), ODD_KEYS.map((key) => name + key).sort());
    },
  ],
  [
    'a value of four megabytes comes back whole',
    async ({ store, name }) => {
      const value = {
        text: 'ä'.repeat(2 * 1024 * 1024),
        list: Array.from({ length: 1000 }, (_, index) => ({ index })),
      };
      await store.records.put(name, value, { ttlMs });
      assert.deepEqual((await store.records.get(name))?.value, value);
    },
  ],
  [
    'lives, versions, limits and places that make no sense are refused',
    async ({ store, name }) => {
      const refused = (call: () => unknown) => assert.rejects(settle(call), RangeError);
      for (const bad of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await refused(() => store.records.put(name, 1, { ttlMs: bad }));
        await refused(() => store.records.touch(name, bad));
        await refused(() => store.records.list(name, { limit: bad }));
      }
      for (const after of ['forged', '{}', '[1]', 'null'])
        await refused(() => store.records.list(name, { limit: 1, after }));
      await refused(() => store.records.put(name, 1, { ttlMs, ifVersion: -1 }));
      assert.equal(await store.records.get(name), undefined);
    },
  ],
];
