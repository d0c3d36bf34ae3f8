import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Few } from './few.ts';

const KEYS = [1, 2, 3, '1', '2', 'a'];
const step = fc.record({
  does: fc.constantFrom('add', 'add', 'delete', 'clear'),
  key: fc.constantFrom(...KEYS),
  value: fc.nat(),
});

interface Both {
  readonly few: Few<string | number, number>;
  readonly map: Map<string | number, number>;
}

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Does the same with both. */
function take({ few, map }: Both, { does, key, value }: Step): void {
  if (does === 'clear') {
    few.clear();
    map.clear();
  } else if (does === 'delete') assert.equal(few.delete(key), map.delete(key));
  else if (!map.has(key)) {
    few.add(key, value);
    map.set(key, value);
  }
}

test('a few things are held as a map holds them, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const few = new Few<string | number, number>();
      const map = new Map<string | number, number>();
      for (const one of steps) {
        take({ few, map }, one);
        assert.equal(few.size, map.size);
        assert.deepEqual(
          KEYS.map((key) => [few.has(key), few.get(key)]),
          KEYS.map((key) => [map.has(key), map.get(key)]),
        );
        assert.deepEqual(few.values().sort(), [...map.values()].sort());
      }
    }),
  );
});

test('what is given out does not change with what is held', () => {
  const few = new Few<string, number>();
  few.add('a', 1);
  const values = few.values();
  few.delete('a');
  assert.deepEqual(values, [1]);
});
