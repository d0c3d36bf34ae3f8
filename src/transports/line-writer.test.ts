import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Framed, KeptText } from '../rpc/framed.ts';
import { LineWriter } from './line-writer.ts';

/** Keeps what each write, or several that left together, brought; `release` ends a write that is held. */
class Pipe extends Writable {
  readonly writes: string[][] = [];
  held: (() => void) | undefined;
  #holds: boolean;

  constructor(holds = false) {
    super({ decodeStrings: false, highWaterMark: 16 * 1024 });
    this.#holds = holds;
  }

  get text(): string {
    return this.writes.flat().join('');
  }

  release(): void {
    this.#holds = false;
    this.held?.();
  }

  override _writev(chunks: { chunk: string | Buffer }[], done: () => void): void {
    this.writes.push(chunks.map(({ chunk }) => chunk.toString()));
    if (this.#holds) this.held = done;
    else done();
  }
}

const long = new Framed({ head: '{"id":1,"list":', tail: '}' }, new KeptText('k'.repeat(20_000)));
const LONG_LINE = `${long.text}\n`;

function writerOn(output: Writable, highWater = 1024 * 1024) {
  const events: string[] = [];
  const writer = new LineWriter(output, {
    highWater,
    onDrain: () => events.push('drain'),
    onBroken: () => events.push('broken'),
  });
  return { writer, events };
}

test('A long line leaves at once and together with the short ones before it, in their order', async () => {
  const pipe = new Pipe();
  const { writer } = writerOn(pipe);
  writer.write('first');
  assert.equal(writer.write(long), true);
  assert.equal(pipe.writes.length, 1);
  writer.write('last');
  assert.equal(pipe.text, `first\n${LONG_LINE}`);
  await turn();
  assert.equal(pipe.text, `first\n${LONG_LINE}last\n`);
});

test('A long line in a batch does not wait for the end of the batch, and keeps its place', () => {
  const pipe = new Pipe();
  const { writer } = writerOn(pipe);
  writer.batch(() => {
    for (const line of ['a', long, 'b', long, 'c']) writer.write(line);
  });
  assert.equal(pipe.text, `a\n${LONG_LINE}b\n${LONG_LINE}c\n`);
});

test('A long line that nobody reads makes the writer full until it is read', async () => {
  const pipe = new Pipe(true);
  const { writer, events } = writerOn(pipe, LONG_LINE.length + 1);
  assert.equal(writer.write(long), true, 'one is below the mark');
  assert.equal(writer.write(long), false);
  assert.equal(writer.full, true);
  pipe.release();
  while (events.length === 0) await turn();
  assert.deepEqual([events, writer.full, pipe.text], [['drain'], false, LONG_LINE.repeat(2)]);
});

test('A long line the reader takes at once never makes the writer full', () => {
  const { writer } = writerOn(new Pipe(), 1);
  assert.equal(writer.write(long), true);
  assert.equal(writer.full, false);
});

test('Nothing is written to an output that is gone', async () => {
  const pipe = new Pipe();
  const { writer, events } = writerOn(pipe);
  pipe.destroy();
  await turn();
  assert.equal(writer.write(long), false);
  assert.deepEqual([events, pipe.writes], [['broken'], []]);
});
