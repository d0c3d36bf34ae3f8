import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRate, waitText } from './rate.ts';

test('checkRate takes what a bucket can keep', () => {
  for (const [perSecond, burst] of [
    [0.5, 1],
    [10, 60],
    [1000, 1],
    [1, 86_400],
  ] as const) {
    checkRate({ perSecond, burst }, 'Cannot limit');
  }
});

for (const [perSecond, burst, why] of [
  [0, 1, /rate must be/],
  [-1, 1, /rate must be/],
  [Number.NaN, 1, /rate must be/],
  [Number.POSITIVE_INFINITY, 1, /rate must be/],
  ['1', 1, /rate must be/],
  [1, 0, /burst must be/],
  [1, 1.5, /burst must be/],
  [1, Number.NaN, /burst must be/],
  [1, undefined, /burst must be/],
  [0.001, 100_000, /over a day/],
] as const) {
  test(`checkRate refuses ${burst} at once and ${perSecond} a second`, () => {
    const rate = { perSecond, burst } as { perSecond: number; burst: number };
    assert.throws(() => checkRate(rate, 'Cannot limit'), { name: 'RangeError', message: why });
  });
}

test('waitText rounds up to whole seconds', () => {
  assert.equal(waitText(0), '1 second');
  assert.equal(waitText(1000), '1 second');
  assert.equal(waitText(1001), '2 seconds');
});
