import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshId } from './fresh-id.ts';

test('a fresh id has as many bytes as are asked for, and nobody else has it', () => {
  const ids = Array.from({ length: 2000 }, () => freshId(24));
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{32}$/);
  assert.ok(
    ids.every((id) => !/A{12}/.test(id)),
    'no id is made of bytes that were used before',
  );
});

test('ids of different lengths share no bytes', () => {
  const text = Array.from({ length: 900 }, (_, at) => freshId(at % 2 === 0 ? 24 : 6)).join(' ');
  assert.ok(!text.includes('AAAAAA '), 'a short id is never what is left of a pool that was emptied');
});
