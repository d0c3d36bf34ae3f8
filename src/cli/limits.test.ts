import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from './command.ts';
import { readLimits } from './limits.ts';

test('readLimits says nothing where nothing was said', () => {
  assert.equal(readLimits([]), undefined);
});

test('readLimits reads limits by their names, the last of a name counts', () => {
  assert.deepEqual(readLimits(['sessions=50000', ' streams=0 ']), { sessions: 50_000, streams: 0 });
  assert.deepEqual(readLimits(['sessions=1', 'sessions=2']), { sessions: 2 });
});

for (const pair of [
  '',
  'sessions',
  'sessions=',
  '=5',
  'sessions=-1',
  'sessions=1.5',
  'sessions=1e6',
  'sessions=many',
]) {
  test(`readLimits refuses "${pair}"`, () => {
    assert.throws(() => readLimits([pair]), UsageError);
  });
}

test('readLimits refuses a limit that does not exist, and says which may be meant', () => {
  assert.throws(() => readLimits(['constructor=1']), { message: /^Unknown limit: "constructor"\. docs\/limits\.md/ });
  assert.throws(() => readLimits(['session=1']), { message: /Did you mean sessions or sessionsPerPrincipal/ });
  assert.throws(() => readLimits(['SESSION_IDLE_MS=1']), { message: /Did you mean .*sessionIdleMs\?/ });
});
