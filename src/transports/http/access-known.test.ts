import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type Good, KnownHeaders } from './access-known.ts';

const principal = { id: 'a', scopes: [] };
const good: Good = { kind: 'principal', principal };

test('a header is known on the connection it was found good on, and on no other', () => {
  const known = new KnownHeaders(1000);
  const [one, other] = [{}, {}];
  known.keep(one, 'Bearer aaaa', good);
  assert.equal(known.recall(one, 'Bearer aaaa'), good);
  for (const header of ['Bearer aaab', 'Bearer aaa', 'Bearer aaaaa', 'bearer aaaa', ''])
    assert.equal(known.recall(one, header), undefined, header);
  assert.equal(known.recall(other, 'Bearer aaaa'), undefined);
  known.keep(one, 'Bearer bbbb', good);
  assert.equal(known.recall(one, 'Bearer aaaa'), undefined, 'only the last one is known');
});

test('a header is known for its time, however often it comes, and not at all where there is none', () => {
  let now = 5000;
  const clock = mock.method(performance, 'now', () => now);
  try {
    const known = new KnownHeaders(1000);
    const connection = {};
    known.keep(connection, 'Bearer a', good);
    for (const step of [0, 600, 400]) {
      now += step;
      assert.equal(known.recall(connection, 'Bearer a'), good);
    }
    now += 1;
    assert.equal(known.recall(connection, 'Bearer a'), undefined);
    const never = new KnownHeaders(0);
    never.keep(connection, 'Bearer a', good);
    assert.equal(never.recall(connection, 'Bearer a'), undefined);
  } finally {
    clock.mock.restore();
  }
});

test('a token that has ended or was taken back is not known, however fresh', () => {
  const known = new KnownHeaders(1000);
  const connection = {};
  known.keep(connection, 'Bearer a', { ...good, until: Date.now() - 1 });
  assert.equal(known.recall(connection, 'Bearer a'), undefined);
  let holds = true;
  const revocable: Good = { ...good, until: Date.now() + 60_000, good: () => holds };
  known.keep(connection, 'Bearer a', revocable);
  assert.equal(known.recall(connection, 'Bearer a'), revocable);
  holds = false;
  assert.equal(known.recall(connection, 'Bearer a'), undefined);
});
