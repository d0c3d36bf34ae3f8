import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from './command.ts';
import { readRate } from './rate.ts';

test('readRate says nothing where nothing was said', () => {
  assert.equal(readRate(undefined, undefined), undefined);
});

test('readRate reads a rate with and without its unit, and a burst', () => {
  assert.deepEqual(readRate('10', undefined), { perSecond: 10 });
  assert.deepEqual(readRate('10/s', '60'), { perSecond: 10, burst: 60 });
  assert.deepEqual(readRate('0.5/s', undefined), { perSecond: 0.5 });
  assert.deepEqual(readRate(undefined, '60'), { burst: 60 });
});

test('readRate turns the limit off, whatever the burst', () => {
  assert.equal(readRate('off', undefined), 'off');
  assert.equal(readRate('0', '10'), 'off');
});

for (const [rate, burst] of [
  ['', undefined],
  ['-1', undefined],
  ['0.0', undefined],
  ['1/m', undefined],
  ['1e3', undefined],
  ['Infinity', undefined],
  ['many', undefined],
  ['1', '0'],
  ['1', '1.5'],
  ['1', '-3'],
  ['1', ''],
] as const) {
  test(`readRate refuses "${rate}" with a burst of "${burst}"`, () => {
    assert.throws(() => readRate(rate, burst), UsageError);
  });
}
