import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Crowd } from './crowd.ts';

test('a crowd counts each key and all together, and forgets a key that has none', () => {
  const crowd = new Crowd();
  crowd.enter('ada');
  crowd.enter('ada');
  crowd.enter('bob');
  assert.deepEqual([crowd.of('ada'), crowd.of('bob'), crowd.of('eve'), crowd.size], [2, 1, 0, 3]);
  crowd.leave('ada');
  crowd.leave('bob');
  assert.deepEqual([crowd.of('ada'), crowd.of('bob'), crowd.size], [1, 0, 1]);
});

test('whoever leaves without having come in changes nothing, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__'), fc.boolean())), (steps) => {
      const crowd = new Crowd();
      const model = new Map<string, number>();
      for (const [key, enters] of steps) {
        if (enters) crowd.enter(key);
        else crowd.leave(key);
        model.set(key, Math.max(0, (model.get(key) ?? 0) + (enters ? 1 : -1)));
      }
      for (const [key, count] of model) assert.equal(crowd.of(key), count);
      assert.equal(
        crowd.size,
        [...model.values()].reduce((sum, count) => sum + count, 0),
      );
    }),
  );
});
