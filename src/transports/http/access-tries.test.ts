import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { BadTokens } from './access-tries.ts';

const LIMITS = { badTokens: 3, badTokensPerMinute: 60, badAddressesKept: 2 };

test('an address waits after its bad tokens, and gets a try back every so often', () => {
  let now = 0;
  const tries = new BadTokens(LIMITS, () => now);
  assert.equal(tries.none, true);
  assert.deepEqual([tries.blame('a'), tries.blame('a'), tries.waitMs('a'), tries.blame('a')], [false, false, 0, true]);
  assert.equal(tries.waitMs('a'), 1000);
  assert.equal(tries.waitMs('b'), 0, 'another address does not wait');
  now = 500;
  assert.equal(tries.waitMs('a'), 500);
  now = 1000;
  assert.equal(tries.waitMs('a'), 0);
  tries.blame('a');
  assert.equal(tries.waitMs('a'), 1000);
});

test('an address that was quiet is forgotten, and one whose token was good too', () => {
  let now = 0;
  const tries = new BadTokens(LIMITS, () => now);
  tries.blame('a');
  now = 60_000;
  assert.equal(tries.waitMs('a'), 0);
  assert.equal(tries.none, true);
  tries.blame('b');
  tries.restore('b');
  tries.restore('never seen');
  assert.equal(tries.none, true);
});

test('no more addresses are kept than may be, and a limit of none is one too', () => {
  const tries = new BadTokens(LIMITS, () => 0);
  for (const address of ['a', 'b', 'c']) for (let count = 0; count < 3; count += 1) tries.blame(address);
  assert.deepEqual(
    ['a', 'b', 'c'].map((address) => tries.waitMs(address) > 0),
    [false, true, true],
  );
  const strict = new BadTokens({ ...LIMITS, badTokens: 0, badTokensPerMinute: 0 }, () => 0);
  strict.blame('a');
  assert.equal(strict.waitMs('a'), 60_000);
});

test('nobody waits longer because the clock on the wall was set back', () => {
  const tries = new BadTokens({ ...LIMITS, badTokens: 1, badTokensPerMinute: 60 });
  tries.blame('a');
  mock.method(Date, 'now', () => 0);
  try {
    assert.ok(tries.waitMs('a') <= 1000);
  } finally {
    mock.restoreAll();
  }
});
