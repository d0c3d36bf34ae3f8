import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silent } from '../model/log.ts';
import { createRedact } from '../model/redact.ts';
import { createLogRing } from './log-ring.ts';

test('a ring passes everything on and keeps the last entries, oldest first', () => {
  const passed: string[] = [];
  const ring = createLogRing((severity, message) => passed.push(`${severity} ${message}`), { most: 3 });
  for (const n of [1, 2, 3, 4]) ring.log('info', `entry ${n}`);
  ring.log('debug', 'too small to keep');
  assert.equal(passed.length, 5);
  assert.deepEqual(
    ring.lines().map((line) => line.replace(/^\S+ /, '')),
    ['INFO entry 2', 'INFO entry 3', 'INFO entry 4'],
  );
  assert.match(ring.lines()[0] ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO/);
});

test('a ring keeps no secret, no message of an error, no word of another client and no second line', () => {
  const ring = createLogRing(silent, { redact: createRedact(['known-value']) });
  ring.log('error', 'one\ntwo\u2028three\u202e token=hunter2 known-value', {
    cause: new TypeError('the password is hunter2'),
    reason: 'hunter2',
    apiKey: 'hunter2',
    nested: { token: 'hunter2' },
    path: '/home/hunter2',
    remote: '192.0.2.1',
    huge: 10n,
    count: 3,
    gone: undefined,
  });
  ring.log('info', 'Tool "x" said: hunter2 is wrong', { code: 'E_TOOL_ERROR', errorId: 'abc', verb: 'tools.call' });
  const [line = '', fault = ''] = ring.lines();
  assert.doesNotMatch(line + fault, /hunter2|known-value|192|[\p{Cc}\p{Cf}\p{Zl}]/u);
  assert.match(line, / cause="TypeError" count=3$/);
  assert.match(
    fault,
    /INFO The tool reported a failure in its own words code="E_TOOL_ERROR" errorId="abc" verb="tools.call"$/,
  );
});

test('a ring cuts what is too long', () => {
  const ring = createLogRing(silent);
  ring.log('warn', 'x'.repeat(5000));
  assert.ok((ring.lines()[0] ?? '').length <= 1001);
});
