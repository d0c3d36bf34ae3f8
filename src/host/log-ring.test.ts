import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silent } from '../model/log.ts';
import { createLogRing } from './log-ring.ts';

test('a ring passes everything on and keeps the last entries, oldest first', () => {
  const passed: string[] = [];
  const ring = createLogRing((severity, message) => passed.push(`${severity} ${message}`), 3);
  for (const n of [1, 2, 3, 4]) ring.log('info', `entry ${n}`);
  ring.log('debug', 'too small to keep');
  assert.equal(passed.length, 5);
  assert.deepEqual(
    ring.lines().map((line) => line.replace(/^\S+ /, '')),
    ['INFO entry 2', 'INFO entry 3', 'INFO entry 4'],
  );
  assert.match(ring.lines()[0] ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO/);
});

test('a ring keeps no secret, no message of an error and no second line', () => {
  const ring = createLogRing(silent);
  ring.log('error', 'one\ntwo\u2028three', {
    cause: new TypeError('the password is hunter2'),
    apiKey: 'hunter2',
    Authorization: 'Bearer hunter2',
    nested: { token: 'hunter2' },
    count: 3,
    gone: undefined,
  });
  const [line = ''] = ring.lines();
  assert.doesNotMatch(line, /hunter2|[\n\u2028]/);
  assert.match(
    line,
    /cause="TypeError" apiKey="\[redacted\]" Authorization="\[redacted\]" nested="\[object\]" count=3$/,
  );
});

test('a ring cuts what is too long', () => {
  const ring = createLogRing(silent);
  ring.log('warn', 'x'.repeat(5000));
  assert.ok((ring.lines()[0] ?? '').length <= 1001);
});
