import assert from 'node:assert/strict';
import type { Json } from '../../../src/model/json.ts';
import { type Case, ODD_KEYS } from './world.ts';

export const inboxCases: readonly Case[] = [
  [
    'a message to an inbox nobody holds is refused and not kept',
    async ({ store, name, until }) => {
      assert.equal(await store.inboxes.send(name, 'early'), false);
      const heard: Json[] = [];
      await store.inboxes.open(name, (message) => heard.push(message));
      assert.equal(await store.inboxes.send(name, 'late'), true);
      await until(() => heard.length > 0);
      assert.deepEqual(heard, ['late']);
    },
  ],
  [
    'messages are heard once and in the order they were sent, also by who does not wait',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      await store.inboxes.open(name, (message) => heard.push(message));
      const sent = Array.from({ length: 200 }, (_, index) => ({ index, text: 'ä' }));
      for (const message of sent.slice(0, 100)) await store.inboxes.send(name, message);
      assert.ok(
        (await Promise.all(sent.slice(100).map((message) => store.inboxes.send(name, message)))).every(Boolean),
      );
      await until(() => heard.length >= sent.length);
      assert.deepEqual(heard, sent);
    },
  ],
  [
    'send returns before the holder hears the message',
    async ({ store, name, until }) => {
      let heard = false;
      await store.inboxes.open(name, () => {
        heard = true;
      });
      const sent = store.inboxes.send(name, 1);
      assert.equal(heard, false);
      await sent;
      await until(() => heard);
    },
  ],
  [
    'a holder hears its own inbox only, whatever its name, and no topic or log of that name',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      for (const key of ODD_KEYS) await store.inboxes.open(name + key, (message) => heard.push([key, message]));
      for (const key of ODD_KEYS) await store.topics.publish(name + key, 'topic');
      for (const key of ODD_KEYS) assert.equal(await store.inboxes.send(name + key, key), true);
      await until(() => heard.length >= ODD_KEYS.length);
      assert.deepEqual(heard.map(String).toSorted(), ODD_KEYS.map((key) => String([key, key])).toSorted());
    },
  ],
  [
    'an inbox that was let go takes nothing, and may be held again',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      const leave = await store.inboxes.open(name, () => heard.push('first'));
      leave();
      leave();
      let taken = true;
      for (let tries = 0; taken && tries < 100; tries += 1) taken = await store.inboxes.send(name, 'nobody');
      assert.equal(taken, false);
      await store.inboxes.open(name, (message) => heard.push(message));
      assert.equal(await store.inboxes.send(name, 'again'), true);
      await until(() => heard.length > 0);
      assert.deepEqual(heard, ['again']);
    },
  ],
  [
    'who opens an inbox takes it over, and the former holder letting go does not take it away',
    async ({ store, name, until }) => {
      const former: Json[] = [];
      const heard: Json[] = [];
      const leave = await store.inboxes.open(name, (message) => former.push(message));
      await store.inboxes.open(name, (message) => heard.push(message));
      await store.inboxes.send(name, 1);
      await until(() => heard.length === 1);
      leave();
      for (let message = 2; message <= 20; message += 1) assert.equal(await store.inboxes.send(name, message), true);
      await until(() => heard.length === 20);
      assert.deepEqual(former, []);
    },
  ],
  [
    'a holder that throws or rejects hears the next message all the same',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      await store.inboxes.open(name, (message) => {
        heard.push(message);
        if (message === 1) throw new Error('thrown by a holder');
        return message === 2 ? Promise.reject(new Error('rejected by a holder')) : undefined;
      });
      for (const message of [1, 2, 3]) await store.inboxes.send(name, message);
      await until(() => heard.length === 3);
      assert.deepEqual(heard, [1, 2, 3]);
    },
  ],
  [
    'a message of one megabyte comes whole, and changing it afterwards changes nothing',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      await store.inboxes.open(name, (message) => heard.push(message));
      const message = { text: 'x'.repeat(1024 * 1024), list: [1] };
      const sent = store.inboxes.send(name, message);
      message.list.push(2);
      assert.equal(await sent, true);
      await until(() => heard.length === 1);
      assert.deepEqual(heard, [{ text: 'x'.repeat(1024 * 1024), list: [1] }]);
    },
  ],
];
