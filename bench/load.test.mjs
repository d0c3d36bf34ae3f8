import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeat } from './load.mjs';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the bytes of all connections count, however they take turns', async () => {
  let units = 0;
  const unit = async () => {
    units += 1;
    await turn();
    return 100;
  };
  const { taken, bytes } = await repeat({ connections: ['a', 'b', 'c', 'd'], unit, ms: 0, least: 40 });
  assert.equal(taken.length, units);
  assert.equal(bytes, 100 * units);
  assert.ok(units >= 40);
});

test('what has no size has no bytes', async () => {
  const { taken, bytes } = await repeat({ connections: ['a'], unit: turn, ms: 0, least: 3 });
  assert.equal(taken.length, 3);
  assert.equal(bytes, undefined);
});
