import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { NodeStream } from './node-stream.ts';

/** A response that keeps what it is given, one entry a write, and reads nothing while `unread` is set. */
class FakeResponse extends EventEmitter {
  readonly writes: string[] = [];
  destroyed = false;
  ends = 0;
  heads = 0;
  unread = false;
  writableLength = 0;
  timeouts: number[] = [];

  write(text: string): boolean {
    this.writes.push(text);
    if (this.unread) this.writableLength += text.length;
    return !this.unread;
  }

  end(text?: string): void {
    if (text !== undefined) this.write(text);
    this.ends += 1;
  }

  flushHeaders(): void {
    this.heads += 1;
  }

  setTimeout(ms: number): void {
    this.timeouts.push(ms);
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function streamOn(response = new FakeResponse(), unreadBytes = 1024 * 1024) {
  const lost: string[] = [];
  const stream = new NodeStream(response as unknown as ServerResponse, { unreadBytes, readerMs: 5 }, () =>
    lost.push('lost'),
  );
  return { response, stream, lost };
}

const dataOf = (response: FakeResponse): string[] =>
  [...response.writes.join('').matchAll(/data: (.*)/g)].map((m) => m[1]!);

test('What is said in one turn leaves in one write, and what is said later in another', async () => {
  const { response, stream } = streamOn();
  stream.send({ data: '1', id: 'a' });
  await Promise.resolve();
  stream.send({ data: '2' });
  assert.deepEqual(response.writes, []);
  await turn();
  assert.deepEqual(response.writes, ['id: a\ndata: 1\n\ndata: 2\n\n']);
  stream.send({ data: '3' });
  stream.comment('alive');
  await turn();
  assert.deepEqual(response.writes.slice(1), ['data: 3\n\n: alive\n\n']);
});

test('The head of a stream that says nothing leaves all the same, once', async () => {
  const { response } = streamOn();
  await turn();
  await turn();
  assert.deepEqual([response.heads, response.writes], [1, []]);
});

test('What was gathered leaves with the end, and nothing after it', async () => {
  const { response, stream, lost } = streamOn();
  stream.send({ data: '1' });
  stream.end();
  stream.send({ data: '2' });
  stream.end();
  stream.cut();
  await turn();
  assert.deepEqual([response.writes, response.ends, stream.open, stream.ended], [['data: 1\n\n'], 1, false, true]);
  response.emit('close');
  assert.deepEqual(lost, [], 'a stream that was ended is not lost');
});

test('What was gathered leaves before a reader is let go, and whoever writes is told', async () => {
  const { response, stream, lost } = streamOn();
  stream.send({ data: '1' });
  stream.cut();
  assert.deepEqual([response.writes, response.ends, lost], [['data: 1\n\n'], 1, ['lost']]);
  assert.deepEqual([stream.open, stream.ended], [false, false]);
  response.emit('close');
  assert.deepEqual(lost, ['lost'], 'once');
});

test('A turn that says much sends it before it is over', () => {
  const { response, stream } = streamOn();
  for (let index = 0; index < 40; index += 1) stream.send({ data: 'x'.repeat(1000) });
  assert.equal(response.writes.length, 2);
  stream.end();
  assert.equal(dataOf(response).length, 40);
});

test('A reader too far behind is cut off without a gap before its end', async () => {
  const { response, stream, lost } = streamOn(new FakeResponse(), 50_000);
  response.unread = true;
  for (let index = 0; index < 100; index += 1) stream.send({ data: `${index} ${'x'.repeat(2000)}` });
  const numbers = dataOf(response).map((data) => Number(data.split(' ')[0]));
  assert.ok(numbers.length < 40, `${numbers.length} were sent`);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index),
  );
  assert.deepEqual([lost, stream.open, response.ends], [['lost'], false, 1]);
  assert.deepEqual(response.timeouts.at(-1), 5, 'what waits is waited for only so long');
});

test('A reader that stalls is watched until it reads again, and gets no signs of life meanwhile', async () => {
  const { response, stream } = streamOn();
  response.unread = true;
  stream.send({ data: '1' });
  await turn();
  stream.comment('alive');
  stream.send({ data: '2' });
  await turn();
  assert.deepEqual([response.timeouts, dataOf(response)], [[5], ['1', '2']]);
  assert.doesNotMatch(response.writes.join(''), /alive/);
  response.unread = false;
  response.emit('drain');
  assert.deepEqual(response.timeouts, [5, 0]);
  stream.comment('alive');
  response.unread = true;
  stream.end();
  assert.match(response.writes.join(''), /alive/);
});

test('A reader that goes away is told of once, and what was gathered for it is dropped', async () => {
  const { response, stream, lost } = streamOn();
  stream.send({ data: '1' });
  response.destroy();
  response.emit('error', new Error('Too late'));
  await turn();
  assert.deepEqual([response.writes, lost, stream.open], [[], ['lost'], false]);
});

test('A stream to a reader that is gone already is never open', async () => {
  const response = new FakeResponse();
  response.destroyed = true;
  const { stream } = streamOn(response);
  stream.send({ data: '1' });
  stream.end();
  await turn();
  assert.deepEqual([stream.open, response.writes, response.ends, response.heads], [false, [], 0, 0]);
});

test('An event that would break the stream is refused and leaves nothing behind', async () => {
  const { response, stream } = streamOn();
  assert.throws(() => stream.send({ data: 'a\nb' }), TypeError);
  assert.throws(() => stream.send({ data: 'a', id: 'x\0' }), TypeError);
  await turn();
  assert.deepEqual(response.writes, []);
});
