import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IsolateOptions, isolateOf } from './isolate.ts';

test('isolateOf reads a switch', () => {
  assert.equal(isolateOf(undefined, 'X'), undefined);
  assert.equal(isolateOf(false, 'X'), undefined);
  assert.deepEqual(isolateOf(true, 'X'), {});
  assert.deepEqual(isolateOf({ env: ['A'], processes: 2 }, 'X'), { env: ['A'], processes: 2 });
});

for (const [given, message] of [
  ['yes', /^X: isolate must be true or options$/],
  [null, /^X: isolate must be true or options$/],
  [{ memory: 1 }, /^X: isolate has no option "memory"$/],
  [{ env: 'PATH' }, /env must be a list of names/],
  [{ env: ['A=b'] }, /env must be a list of names/],
  [{ env: [''] }, /env must be a list of names/],
  [{ processes: 0 }, /processes must be a positive integer/],
  [{ calls: 1.5 }, /calls must be a positive integer/],
  [{ cpuMs: Number.NaN }, /cpuMs must be a positive integer/],
  [{ memoryBytes: 1024 }, /memoryBytes must be at least/],
] as const) {
  test(`isolateOf refuses ${JSON.stringify(given)}`, () => {
    assert.throws(() => isolateOf(given as unknown as IsolateOptions, 'X'), { message });
  });
}
