import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitsWith } from '../model/limits.ts';
import { silent } from '../model/log.ts';
import { createMemoryStore } from '../store/memory.ts';
import { Outbox, type OutboxParts } from './outbox.ts';
import { Replica } from './replica.ts';

const LOG = 'outbox/s/stream';
const HEADER = { ids: [1], revision: '2025-11-25' };

function box(joint = false) {
  const store = createMemoryStore();
  const limits = limitsWith();
  const replica = new Replica(store, { limits, log: silent });
  const heard: unknown[] = [];
  const parts: OutboxParts = {
    room: { replica, limits, report: silent, obituary: ({ ids }) => `gone ${ids.join()}` },
    log: LOG,
    joint,
    added: (position, text, last) => void heard.push(['added', position, text, last]),
    adrift: (position, text, last) => void heard.push(['adrift', position, text, last]),
    lost: (cause) => void heard.push(cause),
  };
  const texts = async (): Promise<string[]> => (await store.logs.read(LOG, 0)).entries.map(({ text }) => text);
  return { outbox: new Outbox(parts), store, heard, texts };
}

describe('Outbox', () => {
  it('tells what the log took, where, and nothing after the end', async () => {
    const { outbox, heard } = box();
    await outbox.begin(HEADER);
    await outbox.add('append', 'a');
    await outbox.add('end', 'b');
    await outbox.add('append', 'c');
    assert.deepEqual(heard, [
      ['added', 2, 'a', false],
      ['added', 3, 'b', true],
    ]);
  });

  it('tells nothing where others ended the log first', async () => {
    const { outbox, heard, texts } = box();
    await outbox.begin(HEADER);
    await outbox.bury();
    await outbox.add('end', 'answer');
    assert.deepEqual(heard, [['added', undefined, 'answer', true]]);
    assert.equal((await texts()).at(-1), 'gone 1');
  });

  it('tells on in order when the engine lost the log, and leaves no other in its place', async () => {
    const { outbox, store, heard, texts } = box();
    await outbox.begin(HEADER);
    await outbox.add('append', 'a');
    await store.logs.remove(LOG);
    await outbox.add('append', 'b');
    await outbox.add('append', 'c');
    await outbox.add('end', 'd');
    await outbox.add('append', 'e');
    assert.deepEqual(heard, [
      ['added', 2, 'a', false],
      ['adrift', 3, 'b', false],
      ['adrift', 4, 'c', false],
      ['adrift', 5, 'd', true],
    ]);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await texts(), []);
    assert.equal(outbox.over, true);
  });

  it('buries nothing where there is no log, so that an owner that lives finds no end', async () => {
    const { outbox, store } = box();
    await outbox.bury();
    assert.equal((await store.logs.read(LOG, 0)).ended, false);
  });

  it('begins anew where several write and the engine lost the log', async () => {
    const { outbox, store, heard } = box(true);
    await outbox.add('append', 'a');
    await outbox.add('append', 'b');
    await store.logs.remove(LOG);
    await outbox.add('append', 'c');
    assert.deepEqual(heard.at(-1), ['added', 1, 'c', false]);
  });
});
