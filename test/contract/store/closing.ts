import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../../src/model/json.ts';
import { StoreError } from '../../../src/store/store.ts';
import { type Case, LONG_MS, settle } from './world.ts';

const isClosed = (error: unknown) => error instanceof StoreError && error.trouble === 'closed';

export const closingCases: readonly Case[] = [
  [
    'after closing every use is refused as closed, and closing again does nothing',
    async ({ store, name }) => {
      const { records, logs, topics, counters, inboxes } = store;
      await records.put(name, 1, { ttlMs: LONG_MS });
      await store.close();
      await store.close();
      const uses: (() => unknown)[] = [
        () => records.get(name),
        () => records.put(name, 1, { ttlMs: LONG_MS }),
        () => records.touch(name, LONG_MS),
        () => records.remove(name),
        () => records.list(name, { limit: 1 }),
        () => logs.append(name, 'a', { entries: 1, bytes: 1, ttlMs: LONG_MS }),
        () => logs.read(name, 0),
        () => logs.end(name, 'a', { entries: 1, bytes: 1, ttlMs: LONG_MS }),
        () => logs.follow(name, () => {}),
        () => logs.touch(name, LONG_MS),
        () => logs.remove(name),
        () => topics.publish(name, 1),
        () => topics.subscribe(name, () => {}),
        () => counters.take(name, { capacity: 1, refillPerSecond: 1 }),
        () => inboxes.open(name, () => {}),
        () => inboxes.send(name, 1),
      ];
      for (const use of uses) await assert.rejects(settle(use), isClosed, `${use}`);
    },
  ],
  [
    'closing ends subscriptions, followers and inboxes without a word, and leaving one afterwards is harmless',
    async ({ store, name }) => {
      const heard: Json[] = [];
      const leave = await store.topics.subscribe(
        name,
        (message) => heard.push(message),
        () => heard.push('missed'),
      );
      const unfollow = await store.logs.follow(name, () => heard.push('woken'));
      const shut = await store.inboxes.open(name, (message) => heard.push(message));
      const last = [
        store.topics.publish(name, 1),
        store.logs.append(name, 'a', { entries: 1, bytes: 1, ttlMs: LONG_MS }),
        store.inboxes.send(name, 1),
      ];
      const closed = store.close();
      await Promise.allSettled(last);
      await closed;
      heard.length = 0;
      await sleep(20);
      for (const end of [leave, unfollow, shut]) end();
      assert.deepEqual(heard, []);
    },
  ],
];
