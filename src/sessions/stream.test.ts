import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Eventually } from '../model/json.ts';
import { limitsWith } from '../model/limits.ts';
import { silent } from '../model/log.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { Replica } from './replica.ts';
import { MAIN, readEventId, type Sink, Stream } from './stream.ts';

class Reader implements Sink {
  open = true;
  readonly events: { id: string; data: string; retryMs?: number }[] = [];

  get texts(): string[] {
    return this.events.map(({ data }) => data);
  }

  send(event: { id: string; data: string; retryMs?: number }): void {
    this.events.push(event);
  }

  end(): void {
    this.open = false;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** An engine that takes its time: writing takes less and less, so that what comes later is done sooner. */
function slowly(store: Store, delays: number[] = [20, 10, 1]): Store {
  const { logs } = store;
  const slow = {
    ...logs,
    append: async (...args: Parameters<typeof logs.append>) => {
      await pause(delays.shift() ?? 1);
      return logs.append(...args);
    },
    read: async (...args: Parameters<typeof logs.read>) => {
      const slice = await logs.read(...args);
      await pause(5);
      return slice;
    },
  };
  return { ...store, logs: slow as unknown as Store['logs'] };
}

function createStream(store: Eventually<Store> = createMemoryStore(), reports: unknown[] = []): Stream {
  const report = (...entry: unknown[]): void => void reports.push(entry);
  const limits = limitsWith();
  const replica = new Replica(store as Store, { limits, log: silent });
  return new Stream({ replica, limits, report, obituary: () => 'gone' }, MAIN, 'outbox');
}

describe('Stream', () => {
  it('tells events in order, each under an id that names the stream', async () => {
    const stream = createStream();
    const reader = new Reader();
    await stream.attach(reader);
    for (const text of ['a', 'b']) await stream.push(text);
    assert.deepEqual(reader.events, [
      { id: '0.1', data: 'a' },
      { id: '0.2', data: 'b' },
    ]);
    assert.equal(stream.read, true);
  });

  it('keeps what nobody reads, and gives it once to who comes', async () => {
    const stream = createStream();
    await stream.push('a');
    const first = new Reader();
    await stream.attach(first);
    const second = new Reader();
    await stream.attach(second);
    await stream.push('b');
    assert.deepEqual(first.texts, ['a']);
    assert.equal(first.open, false);
    assert.deepEqual(second.texts, ['b']);
  });

  it('gives everything after a position to who comes back, and nothing twice', async () => {
    for (const after of [0, 1, 2, 3]) {
      const stream = createStream();
      for (const text of ['a', 'b', 'c']) await stream.push(text);
      const reader = new Reader();
      await stream.attach(reader, after);
      await stream.push('d');
      assert.deepEqual(reader.texts, ['a', 'b', 'c', 'd'].slice(after));
    }
  });

  it('primes with the id of the beginning, and with when to come back', async () => {
    const stream = createStream();
    const reader = new Reader();
    stream.prime(reader, 30);
    assert.deepEqual(reader.events, [{ id: '0.0', data: '', retryMs: 30 }]);
    await stream.push('a');
    assert.deepEqual(reader.texts, ['', 'a']);
  });

  it('lets its reader go and goes on; once ended it gives what is left and ends the reader', async () => {
    const stream = createStream();
    const reader = new Reader();
    stream.prime(reader, 30);
    stream.detach();
    stream.detach();
    assert.equal(reader.open, false);
    await stream.push('a');
    await stream.finish();
    assert.equal(stream.ended, true);
    const late = new Reader();
    await stream.attach(late, 0);
    assert.deepEqual(late.texts, ['a']);
    assert.equal(late.open, false);
    assert.equal(stream.read, false);
  });

  it('says nothing to a reader that is gone', async () => {
    const stream = createStream();
    const reader = new Reader();
    await stream.attach(reader);
    reader.open = false;
    await stream.push('a');
    assert.equal(stream.read, false);
    assert.deepEqual(reader.texts, []);
    const late = new Reader();
    await stream.attach(late);
    assert.deepEqual(late.texts, ['a']);
  });

  it('keeps the order of events over a store that takes its time', async () => {
    const stream = createStream(slowly(createMemoryStore()));
    const reader = new Reader();
    await stream.attach(reader);
    await Promise.all([stream.push('a'), stream.push('b'), stream.push('c')]);
    assert.deepEqual(reader.texts, ['a', 'b', 'c']);
    assert.deepEqual(
      reader.events.map(({ id }) => id),
      ['0.1', '0.2', '0.3'],
    );
  });

  it('misses nothing that is written while a reader is catching up', async () => {
    const stream = createStream(slowly(createMemoryStore(), [1, 1, 1, 1]));
    await stream.push('a');
    const reader = new Reader();
    const attaching = stream.attach(reader, 0);
    await Promise.all([stream.push('b'), stream.push('c')]);
    await attaching;
    await stream.push('d');
    assert.deepEqual(reader.texts, ['a', 'b', 'c', 'd']);
  });

  it('has one reader, however many come at once: the last', async () => {
    const stream = createStream(slowly(createMemoryStore(), [1]));
    await stream.push('a');
    const readers = [new Reader(), new Reader(), new Reader()];
    await Promise.all(readers.map((reader) => stream.attach(reader, 0)));
    await stream.push('b');
    assert.deepEqual(
      readers.map(({ open }) => open),
      [false, false, true],
    );
    assert.deepEqual(readers[2]?.texts, ['a', 'b']);
  });

  for (const [how, append] of [
    ['at once', () => assert.fail('full')],
    ['later', () => Promise.reject(new Error('away'))],
  ] as const) {
    it(`lets its reader go when the store fails ${how}, so that no gap is hidden`, async () => {
      const reports: unknown[] = [];
      const store = createMemoryStore();
      const { logs } = store;
      const failing = { append, read: logs.read.bind(logs) } as unknown as Store['logs'];
      const stream = createStream({ ...store, logs: failing }, reports);
      const reader = new Reader();
      await stream.attach(reader);
      await stream.push('a');
      assert.equal(reader.open, false);
      assert.equal(reports.length, 1);
      await stream.push('b');
      assert.deepEqual(reader.texts, []);
    });
  }
});

describe('readEventId', () => {
  it('reads the stream and the position', () => {
    assert.deepEqual(readEventId('s12.345'), { stream: 's12', event: 345 });
    assert.deepEqual(readEventId('0.0'), { stream: '0', event: 0 });
  });

  it('reads nothing else', () => {
    const strange = [
      '',
      '.',
      's1',
      's1.',
      '.1',
      's1.x',
      's1.-1',
      's1.1.1',
      's1.1 ',
      ' s1.1',
      's1.1\n',
      's_1.1',
      'S1.1',
    ];
    for (const id of [...strange, `${'s'.repeat(17)}.1`, `s.${'1'.repeat(16)}`])
      assert.equal(readEventId(id), undefined, id);
  });
});
