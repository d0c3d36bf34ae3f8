import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import type { ReadEvent } from '../../rpc/sse.ts';
import { type Following, follow } from './http-following.ts';
import { HttpFault } from './verdict.ts';

const stream = (text: string): Response => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
const LIMIT = 1000;

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

interface Run {
  readonly opened: (string | undefined)[];
  readonly events: ReadEvent[];
  readonly following: Promise<boolean>;
  readonly stop: AbortController;
}

/** Follows a stream; each time it is opened again, the next answer is given. */
function run(first: string, answers: readonly (string | Error)[], options: Partial<Following> = {}): Run {
  const opened: (string | undefined)[] = [];
  const events: ReadEvent[] = [];
  const stop = new AbortController();
  const following = follow(stream(first), {
    limit: LIMIT,
    pace: { retryMs: 1000, tries: 3 },
    signal: stop.signal,
    always: false,
    open: (lastId) => {
      const answer = answers[opened.push(lastId) - 1];
      return typeof answer === 'string' ? Promise.resolve(stream(answer)) : Promise.reject(answer);
    },
    take: (event) => {
      events.push(event);
      return event.data === 'done';
    },
    ...options,
  });
  following.catch(() => {});
  return { opened, events, following, stop };
}

/** Lets everything happen that needs no time. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
};

/** Lets time pass, and what it brings happen. */
async function pass(ms: number): Promise<void> {
  await settle();
  mock.timers.tick(ms);
  await settle();
}

test('a server that asks for more than the longest backoff is left alone for that long', async () => {
  const { opened, following } = run('id: a\nretry: 45000\ndata:\n\n', ['data: done\n\n']);
  await pass(44_999);
  assert.deepEqual(opened, []);
  await pass(5000);
  assert.deepEqual(opened, ['a']);
  await pass(1000);
  assert.equal(await following, true);
});

test('a server that asks for no time at all, or for ever, is neither flooded nor takes the timer apart', async () => {
  const hasty = run('id: a\nretry: 0\ndata:\n\n', ['data: done\n\n']);
  await pass(49);
  assert.deepEqual(hasty.opened, []);
  await pass(10);
  assert.deepEqual(hasty.opened, ['a']);
  const sleepy = run(`id: a\nretry: ${'9'.repeat(400)}\ndata:\n\n`, []);
  await pass(1_000_000_000);
  assert.deepEqual(sleepy.opened, []);
  sleepy.stop.abort(new Error('enough'));
  await assert.rejects(sleepy.following, /enough/);
});

test('every failure in a row doubles the wait, and an answer starts over', async () => {
  const down = new HttpFault('broken', 'down');
  const { opened, following } = run('id: a\ndata: 1\n\n', [down, down, 'id: b\ndata: 2\n\n', 'data: done\n\n']);
  await pass(999);
  assert.equal(opened.length, 0);
  await pass(102);
  assert.equal(opened.length, 1);
  await pass(1999);
  assert.equal(opened.length, 1);
  await pass(202);
  assert.equal(opened.length, 2);
  await pass(4401);
  assert.equal(opened.length, 3);
  await pass(1101);
  assert.deepEqual(opened, ['a', 'a', 'a', 'b']);
  await pass(1000);
  assert.equal(await following, true);
});

test('a server that refuses is not asked again', async () => {
  const { opened, following } = run('id: a\ndata: 1\n\n', [new HttpFault('gone', 'no such session')]);
  await pass(1101);
  await assert.rejects(following, /no such session/);
  assert.equal(opened.length, 1);
});

test('a stream without an id to come back to is over when it ends, unless it is always wanted', async () => {
  assert.equal(await run('data: 1\n\n', []).following, false);
  const { opened, stop } = run('data: 1\n\n', ['data: 2\n\n'], { always: true });
  await pass(1101);
  assert.deepEqual(opened, [undefined]);
  stop.abort();
});

test('an id counts also on an event without data, and half an event does not count', async () => {
  const { opened, events, following } = run('id: a\ndata: 1\n\nid: b\n\nid: c\ndata: 2\n', ['data: done\n\n']);
  await pass(1101);
  assert.deepEqual(opened, ['b']);
  await pass(1000);
  assert.equal(await following, true);
  assert.deepEqual(
    events.map(({ data }) => data),
    ['1', 'done'],
  );
});

test('an event over the limit ends the stream for good', async () => {
  const { opened, following } = run(`id: a\ndata: ${'x'.repeat(2 * LIMIT)}\n\n`, []);
  await assert.rejects(following, /too long an event/);
  assert.deepEqual(opened, []);
});
