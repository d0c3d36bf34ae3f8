import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, mediansOf, quantiles, ratioOf, spread } from './figures.mjs';

test('median takes the middle, and the mean of the two middle ones', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});

test('quantiles turns milliseconds into microseconds and never reads beyond the last', () => {
  assert.deepEqual(quantiles([1]), { p50: 1000, p99: 1000 });
  assert.equal(quantiles(Array.from({ length: 100 }, (_, index) => index + 1)).p99, 100_000);
});

test('mediansOf leaves out what a round did not measure', () => {
  assert.deepEqual(mediansOf([{ cpu: 1, peak: undefined }, { cpu: 3 }, { cpu: Number.NaN }]), { cpu: 2 });
});

test('ratioOf compares rounds with each other, so that a slow round cancels out', () => {
  const floor = [{ cpu: 10 }, { cpu: 100 }, { cpu: 10 }];
  const ours = [{ cpu: 20 }, { cpu: 200 }, { cpu: 20 }];
  assert.equal(ratioOf(ours, floor, 'cpu'), 2);
});

test('ratioOf has nothing to say where the other was not measured', () => {
  assert.equal(ratioOf([{ cpu: 1 }], [], 'cpu'), undefined);
  assert.equal(ratioOf([{ cpu: 1 }], [{ ms: 1 }], 'cpu'), undefined);
});

test('spread is half the distance of the outermost as a share of the middle', () => {
  assert.equal(spread([8, 10, 12]), 0.2);
  assert.equal(spread([10]), 0);
});
