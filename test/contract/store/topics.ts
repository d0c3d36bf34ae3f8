import assert from 'node:assert/strict';
import type { Json } from '../../../src/model/json.ts';
import { type Case, ODD_KEYS } from './world.ts';

export const topicCases: readonly Case[] = [
  [
    'a message on a topic nobody listens to goes nowhere, also not to who comes later',
    async ({ store, name, until }) => {
      await store.topics.publish(name, 'early');
      const heard: Json[] = [];
      await store.topics.subscribe(name, (message) => heard.push(message));
      await store.topics.publish(name, 'late');
      await until(() => heard.length > 0);
      assert.deepEqual(heard, ['late']);
    },
  ],
  [
    'every listener hears every message in the order it was published',
    async ({ store, name, until }) => {
      const heard: [Json[], Json[]] = [[], []];
      await store.topics.subscribe(name, (message) => heard[0].push(message));
      await store.topics.subscribe(name, (message) => heard[1].push(message));
      const sent = Array.from({ length: 100 }, (_, index) => ({ index, deep: [index] }));
      for (const message of sent) await store.topics.publish(name, message);
      await until(() => heard.every(({ length }) => length >= sent.length));
      assert.deepEqual(heard, [sent, sent]);
    },
  ],
  [
    'order holds also when the publisher does not wait',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      await store.topics.subscribe(name, (message) => heard.push(message));
      await Promise.all(Array.from({ length: 50 }, (_, index) => store.topics.publish(name, index)));
      await until(() => heard.length >= 50);
      assert.deepEqual(
        heard,
        Array.from({ length: 50 }, (_, index) => index),
      );
    },
  ],
  [
    'publish returns before any listener runs',
    async ({ store, name, until }) => {
      let heard = false;
      await store.topics.subscribe(name, () => {
        heard = true;
      });
      const published = store.topics.publish(name, 1);
      assert.equal(heard, false);
      await published;
      await until(() => heard);
    },
  ],
  [
    'a listener hears its own topic only',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      for (const key of ODD_KEYS) await store.topics.subscribe(name + key, (message) => heard.push([key, message]));
      for (const key of ODD_KEYS) await store.topics.publish(name + key, key);
      await until(() => heard.length >= ODD_KEYS.length);
      assert.deepEqual(new Map(heard as [string, string][]), new Map(ODD_KEYS.map((key) => [key, key])));
      assert.equal(heard.length, ODD_KEYS.length);
    },
  ],
  [
    'a listener that left hears nothing more, not even what was on its way; the others do',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      const others: Json[] = [];
      const leave = await store.topics.subscribe(name, (message) => heard.push(message));
      await store.topics.subscribe(name, (message) => others.push(message));
      await store.topics.publish(name, 1);
      await until(() => heard.length === 1);
      const published = store.topics.publish(name, 2);
      leave();
      leave();
      await published;
      await store.topics.publish(name, 3);
      await until(() => others.length === 3);
      assert.deepEqual(heard, [1]);
    },
  ],
  [
    'the same function may listen twice and leave once',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      const listener = (message: Json) => {
        heard.push(message);
      };
      const leave = await store.topics.subscribe(name, listener);
      await store.topics.subscribe(name, listener);
      await store.topics.publish(name, 'both');
      await until(() => heard.length === 2);
      leave();
      await store.topics.publish(name, 'one');
      await store.topics.publish(name, 'end');
      await until(() => heard.includes('end'));
      assert.deepEqual(heard, ['both', 'both', 'one', 'end']);
    },
  ],
  [
    'a listener that throws or rejects hurts neither the others nor the publisher',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      await store.topics.subscribe(name, () => {
        throw new Error('thrown by a listener');
      });
      await store.topics.subscribe(name, async () => {
        throw new Error('rejected by a listener');
      });
      await store.topics.subscribe(name, (message) => heard.push(message));
      await store.topics.publish(name, 1);
      await store.topics.publish(name, 2);
      await until(() => heard.length === 2);
    },
  ],
  [
    'a listener may publish, subscribe and leave while it is called',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      const leave = await store.topics.subscribe(name, async (message) => {
        leave();
        await store.topics.subscribe(name, (later) => heard.push([later]));
        heard.push(message);
        await store.topics.publish(name, 'inner');
      });
      await store.topics.publish(name, 'outer');
      await until(() => heard.length === 2);
      assert.deepEqual(heard, ['outer', ['inner']]);
    },
  ],
  [
    'a publisher who changes the message afterwards, or a listener who tries, does not change what is heard',
    async ({ store, name, until }) => {
      const heard: Json[] = [];
      await store.topics.subscribe(name, (message) => (message as Json[]).push('changed'));
      await store.topics.subscribe(name, (message) => heard.push(message));
      const message = ['sent'];
      const published = store.topics.publish(name, message);
      message.push('changed');
      await published;
      await until(() => heard.length === 1);
      assert.deepEqual(heard, [['sent']]);
    },
  ],
];
