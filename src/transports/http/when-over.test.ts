import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whenOver } from './when-over.ts';

/** What was done, in order. */
function told() {
  const order: string[] = [];
  return { order, over: () => void order.push('over') };
}

test('work that ends at once is over at once, without a promise', () => {
  const { order, over } = told();
  assert.equal(
    whenOver(() => void order.push('work'), over),
    undefined,
  );
  assert.deepEqual(order, ['work', 'over']);
});

test('work that takes its time is over when it is done', async () => {
  const { order, over } = told();
  const done = whenOver(async () => {
    await null;
    order.push('work');
  }, over);
  assert.deepEqual(order, []);
  await done;
  assert.deepEqual(order, ['work', 'over']);
});

test('work that fails is over too, and fails all the same', async () => {
  const { order, over } = told();
  const fail = () => {
    throw new Error('broken');
  };
  assert.throws(() => whenOver(fail, over), /broken/);
  await assert.rejects(async () => whenOver(async () => fail(), over), /broken/);
  assert.deepEqual(order, ['over', 'over']);
});
