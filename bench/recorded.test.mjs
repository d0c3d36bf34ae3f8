import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lossesOf, ratiosOf } from './recorded.mjs';

const rows = (parley, floor) => [
  { id: 'floor', samples: [floor] },
  { id: 'parley', samples: [parley] },
  { id: 'sdk-2', samples: [floor] },
];

test('ratiosOf keeps what is ours, as ratios to the floor', () => {
  const result = { work: { id: 'calls' }, rows: rows({ perSecond: 80, cpu: 12 }, { perSecond: 100, cpu: 10 }) };
  assert.deepEqual(ratiosOf([result]), { 'calls/parley/perSecond': 0.8, 'calls/parley/cpu': 1.2 });
});

test('ratiosOf keeps every variant of a work that compares Parley with itself', () => {
  const work = { id: 'by-tools', baseline: '10', variants: [] };
  const result = {
    work,
    rows: [
      { id: '10', samples: [{ cpu: 2 }] },
      { id: '1000', samples: [{ cpu: 3 }] },
    ],
  };
  assert.deepEqual(ratiosOf([result]), { 'by-tools/1000/cpu': 1.5 });
});

test('ratiosOf keeps memory as it is, since the floor has next to none', () => {
  const work = { id: 'idle', kind: 'memory', guards: 'heap' };
  assert.deepEqual(ratiosOf([{ work, rows: rows({ heap: 3.7 }, { heap: 0.3 }) }]), { 'idle/parley/heap': 3.7 });
});

test('ratiosOf keeps nothing of a work whose floor failed', () => {
  const result = { work: { id: 'calls' }, rows: [{ id: 'parley', samples: [{ cpu: 1, perSecond: 1 }] }] };
  assert.deepEqual(ratiosOf([result]), {});
});

test('lossesOf finds throughput that fell and cost that rose by more than is tolerated', () => {
  const before = { 'a/parley/perSecond': 1, 'b/parley/perSecond': 1, 'a/parley/cpu': 1, 'b/parley/cpu': 1 };
  const now = { 'a/parley/perSecond': 0.8, 'b/parley/perSecond': 0.9, 'a/parley/cpu': 1.3, 'b/parley/cpu': 1.1 };
  assert.deepEqual(
    lossesOf(before, now).map(({ key }) => key),
    ['a/parley/perSecond', 'a/parley/cpu'],
  );
});

test('lossesOf takes no win for a loss, and asks nothing about what was not measured', () => {
  assert.deepEqual(lossesOf({ 'a/parley/perSecond': 1, 'a/parley/cpu': 1 }, { 'a/parley/perSecond': 3 }), []);
  assert.deepEqual(lossesOf({ 'a/parley/cpu': 1 }, { 'a/parley/cpu': 0.2 }), []);
});
