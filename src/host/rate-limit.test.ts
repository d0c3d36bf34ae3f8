import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateLimitOf } from './rate-limit.ts';

const preset = { perSecond: 10, burst: 60 };

test('rateLimitOf has no limit where nobody asked for one', () => {
  assert.equal(rateLimitOf(undefined, undefined), undefined);
  assert.equal(rateLimitOf({}, undefined), undefined);
});

test('rateLimitOf lets what was said replace what the preset says, part by part', () => {
  assert.deepEqual(rateLimitOf(undefined, preset), preset);
  assert.deepEqual(rateLimitOf({ perSecond: 1 }, preset), { perSecond: 1, burst: 60 });
  assert.deepEqual(rateLimitOf({ burst: 5 }, preset), { perSecond: 10, burst: 5 });
  assert.equal(rateLimitOf('off', preset), undefined);
});

test('rateLimitOf leaves room for a client that starts when no burst was said', () => {
  assert.deepEqual(rateLimitOf({ perSecond: 0.5 }, undefined), { perSecond: 0.5, burst: 20 });
  assert.deepEqual(rateLimitOf({ perSecond: 100 }, undefined), { perSecond: 100, burst: 200 });
});

test('rateLimitOf refuses a burst without a rate', () => {
  assert.throws(() => rateLimitOf({ burst: 5 }, undefined), /--rate-limit/);
});
