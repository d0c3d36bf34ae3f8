import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { mock, test } from 'node:test';
import type { Fault } from '../../model/fault.ts';
import type { Body } from './exchange.ts';
import { awaitBody, readBody } from './node-body.ts';

/** A request whose body comes as the test says. */
function begin(): { body: PassThrough; request: IncomingMessage } {
  const body = new PassThrough();
  return { body, request: Object.assign(body, { headers: {} }) as unknown as IncomingMessage };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a body that comes slower than it may is refused, after a head start', async () => {
  let now = 1000;
  const clock = mock.method(performance, 'now', () => now);
  try {
    const { body, request } = begin();
    const read = readBody(request, 100_000, 100);
    read.catch(() => {});
    let outcome = 'open';
    read.then(
      () => {
        outcome = 'read';
      },
      ({ code }: { code: string }) => {
        outcome = code;
      },
    );
    body.write('x');
    await settled();
    now += 5000;
    body.write('x');
    await settled();
    assert.equal(outcome, 'open', 'five seconds are free');
    now += 1;
    body.write('x'.repeat(500));
    await settled();
    assert.equal(outcome, 'open', 'what came is enough for the time it took');
    now += 1000;
    body.write('x');
    await settled();
    assert.equal(outcome, 'E_SLOW_BODY');
  } finally {
    clock.mock.restore();
  }
});

test('a body in one chunk is that chunk, one in several is all of them, and one over the limit is none', async () => {
  const one = begin();
  const chunk = Buffer.from('whole');
  const whole = readBody(one.request, 5);
  one.body.end(chunk);
  assert.equal(await whole, chunk);
  const several = begin();
  const joined = readBody(several.request, 5);
  several.body.write('ab');
  several.body.write('cd');
  several.body.end('e');
  assert.equal((await joined).toString(), 'abcde');
  const long = begin();
  const refused = assert.rejects(readBody(long.request, 5), { code: 'E_TOO_LARGE' });
  long.body.write('abc');
  long.body.write('def');
  await refused;
});

/** What came of a body whose length is told, in order. */
function awaited(length: number, bytesPerSecond = 0) {
  const { body, request } = begin();
  const told: (Body | Fault)[] = [];
  awaitBody(request, { length, bytesPerSecond, done: (outcome) => told.push(outcome) });
  return { body, told };
}

test('a body whose length is told is told once, and not before the request is complete', async () => {
  const one = awaited(5);
  one.body.write('whole');
  await settled();
  assert.deepEqual(one.told, [], 'the parser is still at work');
  one.body.end();
  await settled();
  assert.deepEqual(one.told, ['whole']);
  one.body.destroy();
  await settled();
  assert.equal(one.told.length, 1);
  const several = awaited(5);
  several.body.write('ab');
  several.body.write('cd');
  await settled();
  assert.deepEqual(several.told, []);
  several.body.end('e');
  await settled();
  assert.deepEqual(several.told.map(String), ['abcde']);
});

test('a body whose length is told and that is cut off is lost, once, with an error or without', async () => {
  for (const error of [undefined, new Error('cut')]) {
    const { body, told } = awaited(5);
    body.on('error', () => {});
    body.write('ab');
    await settled();
    body.destroy(error);
    await settled();
    await settled();
    assert.deepEqual(
      told.map((outcome) => (outcome as Fault).code),
      ['E_CLOSED'],
    );
  }
});

test('a body whose length is told is refused when it comes too slowly, and the rest of it is dropped', async () => {
  let now = 1000;
  const clock = mock.method(performance, 'now', () => now);
  try {
    const { body, told } = awaited(1000, 100);
    for (const wait of [0, 5001, 1, 1]) {
      now += wait;
      body.write('x');
      await settled();
    }
    assert.deepEqual(
      told.map((outcome) => (outcome as Fault).code),
      ['E_SLOW_BODY'],
    );
  } finally {
    clock.mock.restore();
  }
});

test('a body whose length is told may come in any pieces, however small the first is', async () => {
  const whole = Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 251));
  for (const ends of [
    [1, 2, 17, 300, 5000],
    [1, 4999, 5000],
    [4000, 5000],
    [1, 16, 17, 256, 257, 5000],
  ]) {
    const { body, told } = awaited(whole.length);
    let start = 0;
    for (const end of ends) {
      body.write(whole.subarray(start, end));
      await settled();
      start = end;
    }
    body.end();
    await settled();
    assert.deepEqual(told, [whole]);
  }
});
