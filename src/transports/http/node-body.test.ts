import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { mock, test } from 'node:test';
import { readBody } from './node-body.ts';

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
