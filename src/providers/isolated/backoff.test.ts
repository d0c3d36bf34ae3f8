import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Backoff } from './backoff.ts';

function make(mostMs = 1000) {
  let overs = 0;
  const backoff = new Backoff(mostMs, () => {
    overs += 1;
  });
  return { backoff, overs: () => overs };
}

test('Backoff lets two failures in a row pass', () => {
  const { backoff } = make();
  assert.ok(backoff.passed());
  backoff.failed();
  backoff.failed();
  assert.ok(backoff.passed());
});

test('Backoff waits after the third, and says once when the wait is over', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { backoff, overs } = make();
    for (let n = 0; n < 3; n += 1) backoff.failed();
    assert.ok(!backoff.passed());
    assert.ok(!backoff.passed());
    mock.timers.tick(100);
    assert.equal(overs(), 1);
  } finally {
    mock.timers.reset();
  }
});

test('Backoff forgets failures after a success', () => {
  const { backoff } = make();
  for (let n = 0; n < 9; n += 1) backoff.failed();
  assert.ok(!backoff.passed());
  backoff.succeeded();
  assert.ok(backoff.passed());
  backoff.stop();
});

test('Backoff never waits longer than it may', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { backoff, overs } = make(300);
    for (let n = 0; n < 100; n += 1) backoff.failed();
    assert.ok(!backoff.passed());
    mock.timers.tick(300);
    assert.equal(overs(), 1);
  } finally {
    mock.timers.reset();
  }
});
