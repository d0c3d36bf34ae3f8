import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../model/fault.ts';
import { paginate } from './page.ts';

const pages = (items: readonly string[], size: number, kind = 'tools') =>
  paginate(items, { kind, size, keyOf: (item) => item, page: (list, next) => ({ list, next }) });
const badCursor = (error: unknown) => error instanceof Fault && error.code === 'E_BAD_CURSOR';
const next = (list: ReturnType<typeof pages>) => list.pageOf().next as string;

test('following the cursors gives every item once and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 7 }), (items, size) => {
      const list = pages(items, size);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = list.pageOf(cursor);
        assert.ok(page.list.length <= size);
        seen.push(...page.list);
        cursor = page.next;
      } while (cursor !== undefined);
      assert.deepEqual(seen, items);
    }),
  );
});

test('a list that fits on one page has no cursor, an empty one has one empty page', () => {
  assert.equal(pages(['a', 'b'], 2).pageOf().next, undefined);
  assert.deepEqual(pages([], 2).pageOf().list, []);
});

test('the same cursor gives the same frozen object every time', () => {
  const list = pages(['a', 'b', 'c'], 2);
  assert.equal(list.pageOf(), list.pageOf());
  assert.equal(list.pageOf(next(list)), list.pageOf(next(list)));
  assert.ok(Object.isFrozen(list.pageOf()) && Object.isFrozen(list.pageOf().list));
});

test('a cursor this list never gave is refused', () => {
  const list = pages(['a', 'b', 'c', 'd', 'e'], 2);
  for (const cursor of [
    '',
    ' ',
    '0',
    '1',
    'null',
    btoa('tools:2:'),
    `${next(list)}=`,
    next(list).slice(1),
    '__proto__',
  ]) {
    assert.throws(() => list.pageOf(cursor), badCursor, cursor);
  }
  assert.throws(() => list.pageOf(null as unknown as string), badCursor);
});

test('a cursor of another list, order or page size is refused', () => {
  const list = pages(['a', 'b', 'c'], 2);
  for (const other of [pages(['a', 'b', 'x'], 2), pages(['b', 'a', 'c'], 2), pages(['a', 'b', 'c'], 2, 'prompts')]) {
    assert.throws(() => other.pageOf(next(list)), badCursor);
  }
  assert.throws(() => pages(['a', 'b', 'c'], 1).pageOf(next(pages(['a,b', 'c'], 1))), badCursor);
});

test('a cursor is good for an equal list made elsewhere', () => {
  assert.deepEqual(pages(['a', 'b', 'c'], 2).pageOf(next(pages(['a', 'b', 'c'], 2))).list, ['c']);
});

test('a page size that is no positive integer is refused', () => {
  for (const size of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => pages([], size), RangeError);
});
