import assert from 'node:assert/strict';
import { type Case, LONG_MS, ODD_KEYS, SHORT_MS, settle } from './world.ts';

const wide = { entries: 1000, bytes: 1_000_000, ttlMs: LONG_MS };

export const endingCases: readonly Case[] = [
  [
    'a log that was ended tells so with its last text and takes nothing more',
    async ({ store, name }) => {
      await store.logs.append(name, 'a', wide);
      assert.equal((await store.logs.read(name, 0)).ended, false);
      assert.equal(await store.logs.end(name, 'b', wide), 2);
      for (const again of ['append', 'end'] as const) assert.equal(await store.logs[again](name, 'c', wide), undefined);
      const entries = [
        { position: 1, text: 'a' },
        { position: 2, text: 'b' },
      ];
      assert.deepEqual(await store.logs.read(name, 0), { entries, first: 1, next: 3, lost: false, ended: true });
      assert.deepEqual(await store.logs.read(name, 2), { entries: [], first: 1, next: 3, lost: false, ended: true });
    },
  ],
  [
    'a page that stops short of the last entry tells that the log was ended, and where',
    async ({ store, name }) => {
      for (const text of ['a', 'b']) await store.logs.append(name, text, wide);
      await store.logs.end(name, 'c', wide);
      const page = await store.logs.read(name, 0, 1);
      assert.deepEqual([page.entries.length, page.next, page.ended], [1, 4, true]);
    },
  ],
  [
    'a log may begin with its end',
    async ({ store, name }) => {
      assert.equal(await store.logs.end(name, 'only', wide), 1);
      assert.deepEqual(await store.logs.read(name, 0), {
        entries: [{ position: 1, text: 'only' }],
        first: 1,
        next: 2,
        lost: false,
        ended: true,
      });
    },
  ],
  [
    'of many that end one log exactly one does, and none appends after it',
    async ({ store, name }) => {
      const racers = Array.from({ length: 60 }, (_, index) =>
        settle(() => store.logs[index % 2 === 0 ? 'end' : 'append'](name, `${index}`, wide)),
      );
      const positions = await Promise.all(racers);
      const page = await store.logs.read(name, 0);
      const written = positions.flatMap((position, index) => (position === undefined ? [] : [{ position, index }]));
      assert.deepEqual(
        page.entries.map(({ position, text }) => ({ position, index: Number(text) })),
        written.toSorted((one, other) => one.position - other.position),
      );
      const ends = written.filter(({ index }) => index % 2 === 0);
      assert.deepEqual(
        ends.map(({ position }) => position),
        [page.next - 1],
      );
    },
  ],
  [
    'a last text longer than the bound ends the log all the same, and is told as lost',
    async ({ store, name }) => {
      await store.logs.append(name, 'a', wide);
      assert.equal(await store.logs.end(name, 'x'.repeat(11), { ...wide, bytes: 10 }), 2);
      assert.deepEqual(await store.logs.read(name, 1), { entries: [], first: 3, next: 3, lost: true, ended: true });
      assert.equal(await store.logs.append(name, 'b', wide), undefined);
    },
  ],
  [
    'a refused append neither prolongs nor cuts the log',
    async ({ store, name, pass }) => {
      await store.logs.append(name, 'a', wide);
      await store.logs.end(name, 'b', { ...wide, ttlMs: SHORT_MS });
      await store.logs.append(name, 'c', { entries: 1, bytes: 1, ttlMs: LONG_MS });
      assert.equal((await store.logs.read(name, 0)).entries.length, 2);
      assert.equal(await store.logs.touch(name, SHORT_MS), true);
      await pass(SHORT_MS * 1.5);
      assert.deepEqual(await store.logs.read(name, 0), { entries: [], first: 1, next: 1, lost: false, ended: false });
    },
  ],
  [
    'an ended log that was removed begins anew',
    async ({ store, name }) => {
      await store.logs.end(name, 'a', wide);
      assert.equal(await store.logs.remove(name), true);
      assert.equal(await store.logs.append(name, 'b', wide), 1);
      assert.equal((await store.logs.read(name, 0)).ended, false);
    },
  ],
  [
    'bounds that make no sense are refused at the end too',
    async ({ store, name }) => {
      await assert.rejects(
        settle(() => store.logs.end(name, 'a', { ...wide, entries: 0 })),
        RangeError,
      );
      assert.equal((await store.logs.read(name, 0)).ended, false);
    },
  ],
  [
    'a follower is woken by append, end and removal, and finds what woke it',
    async ({ store, name, until }) => {
      let wakes = 0;
      await store.logs.follow(name, () => {
        wakes += 1;
      });
      const steps = [
        () => store.logs.append(name, 'a', wide),
        () => store.logs.end(name, 'b', wide),
        () => store.logs.remove(name),
      ];
      for (const step of steps) {
        const before = wakes;
        await step();
        await until(() => wakes > before);
      }
    },
  ],
  [
    'a follower that reads on when it is woken misses nothing',
    async ({ store, name, until }) => {
      const seen: string[] = [];
      let position = 0;
      let reading = Promise.resolve();
      let ended = false;
      const readOn = async () => {
        const page = await store.logs.read(name, position);
        for (const entry of page.entries) seen.push(entry.text);
        position = page.next - 1;
        ended = page.ended;
      };
      const leave = await store.logs.follow(name, () => {
        reading = reading.then(readOn);
      });
      for (let index = 0; index < 50; index += 1) await store.logs.append(name, `${index}`, wide);
      await store.logs.end(name, 'end', wide);
      await until(() => ended);
      leave();
      await reading;
      assert.deepEqual(seen, [...Array.from({ length: 50 }, (_, index) => `${index}`), 'end']);
    },
  ],
  [
    'followers of other logs are left alone, and one that left is not woken',
    async ({ store, name, until }) => {
      const woken = new Set<string>();
      for (const key of ODD_KEYS) await store.logs.follow(name + key, () => woken.add(key));
      const leave = await store.logs.follow(`${name}*`, () => woken.add('left'));
      leave();
      leave();
      await store.logs.append(`${name}*`, 'a', wide);
      await until(() => woken.size > 0);
      assert.deepEqual([...woken], ['*']);
      for (const key of ODD_KEYS) await store.logs.append(name + key, 'a', wide);
      await until(() => woken.size >= ODD_KEYS.length);
      assert.deepEqual(woken, new Set(ODD_KEYS));
    },
  ],
  [
    'a follower that throws hurts neither the other followers nor who appends',
    async ({ store, name, until }) => {
      let wakes = 0;
      await store.logs.follow(name, () => {
        throw new Error('thrown by a follower');
      });
      await store.logs.follow(name, () => {
        wakes += 1;
      });
      assert.equal(await store.logs.append(name, 'a', wide), 1);
      await until(() => wakes > 0);
    },
  ],
];
