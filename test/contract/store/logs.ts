import assert from 'node:assert/strict';
import { type Case, LONG_MS, ODD_KEYS, SHORT_MS, settle } from './world.ts';

const wide = { entries: 1000, bytes: 1_000_000, ttlMs: LONG_MS };

const texts = (page: { entries: readonly { text: string }[] }) => page.entries.map(({ text }) => text);

export const logCases: readonly Case[] = [
  [
    'an unknown log reads as empty, and tells a reader who had got further that it lost something',
    async ({ store, name }) => {
      assert.deepEqual(await store.logs.read(name, 0), { entries: [], first: 1, next: 1, lost: false, ended: false });
      assert.equal((await store.logs.read(name, 3)).lost, true);
      assert.equal(await store.logs.touch(name, LONG_MS), false);
      assert.equal(await store.logs.remove(name), false);
    },
  ],
  [
    'positions start at 1 and rise by one',
    async ({ store, name }) => {
      for (const position of [1, 2, 3]) assert.equal(await store.logs.append(name, `t${position}`, wide), position);
      assert.deepEqual(await store.logs.read(name, 0), {
        entries: [
          { position: 1, text: 't1' },
          { position: 2, text: 't2' },
          { position: 3, text: 't3' },
        ],
        first: 1,
        next: 4,
        lost: false,
        ended: false,
      });
    },
  ],
  [
    'appends at the same time get different positions without a hole',
    async ({ store, name }) => {
      const appends = Array.from({ length: 50 }, (_, index) => settle(() => store.logs.append(name, `${index}`, wide)));
      const positions = await Promise.all(appends);
      assert.deepEqual(
        positions.toSorted((a, b) => a! - b!),
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
      for (const { position, text } of (await store.logs.read(name, 0)).entries) {
        assert.equal(positions[Number(text)], position);
      }
    },
  ],
  [
    'a reader gets what came after its position, in pages if it likes',
    async ({ store, name }) => {
      for (const text of ['a', 'b', 'c', 'd']) await store.logs.append(name, text, wide);
      assert.deepEqual(texts(await store.logs.read(name, 1)), ['b', 'c', 'd']);
      const page = await store.logs.read(name, 1, 2);
      assert.deepEqual(texts(page), ['b', 'c']);
      assert.equal(page.next, 5);
      assert.equal(page.lost, false);
      assert.deepEqual(texts(await store.logs.read(name, page.entries.at(-1)!.position, 2)), ['d']);
    },
  ],
  [
    'a reader at the end gets nothing and has lost nothing; one beyond the end has',
    async ({ store, name }) => {
      await store.logs.append(name, 'a', wide);
      assert.deepEqual(await store.logs.read(name, 1), { entries: [], first: 1, next: 2, lost: false, ended: false });
      assert.equal((await store.logs.read(name, 2)).lost, true);
    },
  ],
  [
    'the oldest entries fall out beyond the bound of entries, and positions go on',
    async ({ store, name }) => {
      for (let index = 1; index <= 10; index += 1) {
        assert.equal(await store.logs.append(name, `t${index}`, { ...wide, entries: 3 }), index);
      }
      const page = await store.logs.read(name, 7);
      assert.deepEqual(page, {
        entries: [8, 9, 10].map((position) => ({ position, text: `t${position}` })),
        first: 8,
        next: 11,
        lost: false,
        ended: false,
      });
    },
  ],
  [
    'a reader whose next entry fell out is told so and still gets the rest',
    async ({ store, name }) => {
      for (let index = 1; index <= 10; index += 1) await store.logs.append(name, `t${index}`, { ...wide, entries: 3 });
      for (const after of [0, 3, 6]) {
        const page = await store.logs.read(name, after);
        assert.equal(page.lost, true, `after ${after}`);
        assert.deepEqual(texts(page), ['t8', 't9', 't10']);
      }
    },
  ],
  [
    'the oldest entries fall out beyond the bound of bytes, counted in UTF-8',
    async ({ store, name }) => {
      const bounds = { ...wide, bytes: 10 };
      for (const text of ['ääää', 'b', 'c']) await store.logs.append(name, text, bounds);
      assert.equal((await store.logs.read(name, 0)).first, 1);
      await store.logs.append(name, 'd', bounds);
      const page = await store.logs.read(name, 0);
      assert.deepEqual(texts(page), ['b', 'c', 'd']);
      assert.equal(page.lost, true);
    },
  ],
  [
    'a text longer than the bound gets its position and is told as lost, and the log goes on',
    async ({ store, name }) => {
      const bounds = { ...wide, bytes: 10 };
      await store.logs.append(name, 'short', bounds);
      assert.equal(await store.logs.append(name, 'x'.repeat(11), bounds), 2);
      assert.deepEqual(await store.logs.read(name, 1), { entries: [], first: 3, next: 3, lost: true, ended: false });
      assert.equal((await store.logs.read(name, 2)).lost, false);
      assert.equal(await store.logs.append(name, 'again', bounds), 3);
      assert.deepEqual(texts(await store.logs.read(name, 2)), ['again']);
    },
  ],
  [
    'narrower bounds in a later append cut down what is held',
    async ({ store, name }) => {
      for (const text of ['a', 'b', 'c', 'd']) await store.logs.append(name, text, wide);
      await store.logs.append(name, 'e', { ...wide, entries: 2 });
      assert.deepEqual(texts(await store.logs.read(name, 0)), ['d', 'e']);
    },
  ],
  [
    'every append and touch prolongs the life of a log, reading does not, and then it is gone',
    async ({ store, name, pass }) => {
      const bounds = { ...wide, ttlMs: SHORT_MS };
      await store.logs.append(name, 'a', bounds);
      await pass(SHORT_MS * 0.6);
      await store.logs.append(name, 'b', bounds);
      await pass(SHORT_MS * 0.6);
      assert.equal(await store.logs.touch(name, SHORT_MS), true);
      await pass(SHORT_MS * 0.6);
      assert.deepEqual(texts(await store.logs.read(name, 0)), ['a', 'b']);
      await pass(SHORT_MS * 0.6);
      assert.deepEqual(await store.logs.read(name, 0), { entries: [], first: 1, next: 1, lost: false, ended: false });
      assert.equal((await store.logs.read(name, 2)).lost, true);
    },
  ],
  [
    'a removed log is gone and its removal is told once',
    async ({ store, name }) => {
      await store.logs.append(name, 'a', wide);
      assert.equal(await store.logs.remove(name), true);
      assert.equal(await store.logs.remove(name), false);
      assert.deepEqual(texts(await store.logs.read(name, 0)), []);
    },
  ],
  [
    'odd names and odd texts are kept apart and come back unchanged',
    async ({ store, name }) => {
      for (const key of ODD_KEYS) await store.logs.append(name + key, key, wide);
      for (const key of ODD_KEYS) assert.deepEqual(texts(await store.logs.read(name + key, 0)), [key]);
    },
  ],
  [
    'a log and a record of the same name do not know each other',
    async ({ store, name }) => {
      await store.records.put(name, 1, { ttlMs: LONG_MS });
      await store.logs.append(name, 'a', wide);
      assert.equal(await store.records.remove(name), true);
      assert.deepEqual(texts(await store.logs.read(name, 0)), ['a']);
      assert.deepEqual((await store.records.list(name, { limit: 10 })).keys, []);
    },
  ],
  [
    'a text of one megabyte comes back whole',
    async ({ store, name }) => {
      const text = 'x'.repeat(1024 * 1024);
      await store.logs.append(name, text, { ...wide, bytes: text.length });
      assert.equal((await store.logs.read(name, 0)).entries[0]?.text, text);
    },
  ],
  [
    'bounds, positions and limits that make no sense are refused',
    async ({ store, name }) => {
      for (const bad of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        for (const bound of ['entries', 'bytes', 'ttlMs'] as const) {
          await assert.rejects(
            settle(() => store.logs.append(name, 'a', { ...wide, [bound]: bad })),
            RangeError,
          );
        }
        await assert.rejects(
          settle(() => store.logs.read(name, 0, bad)),
          RangeError,
        );
        await assert.rejects(
          settle(() => store.logs.touch(name, bad)),
          RangeError,
        );
      }
      for (const bad of [-1, 1.5, Number.NaN])
        await assert.rejects(
          settle(() => store.logs.read(name, bad)),
          RangeError,
        );
      assert.equal((await store.logs.read(name, 0)).next, 1);
    },
  ],
];
