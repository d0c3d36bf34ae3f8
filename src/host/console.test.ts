import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interceptConsole } from './console.ts';

function capture(work: () => void): [string, string][] {
  const entries: [string, string][] = [];
  const restore = interceptConsole((severity, message, fields) => {
    assert.deepEqual(fields, { source: 'console' });
    entries.push([severity, message]);
  });
  try {
    work();
  } finally {
    restore();
  }
  return entries;
}

test('what is printed with console becomes entries of the log, one for each call', () => {
  const entries = capture(() => {
    console.log('a %s', 'b', { c: 1 });
    console.error('bad');
    console.warn('odd\nindeed');
    console.info('info');
    console.debug('debug');
    console.table([1]);
    console.group('g');
    console.log('inside');
    console.groupEnd();
    console.assert(false, 'claim');
  });
  assert.deepEqual(entries.slice(0, 5), [
    ['info', 'a b { c: 1 }'],
    ['warn', 'bad'],
    ['warn', 'odd\nindeed'],
    ['info', 'info'],
    ['info', 'debug'],
  ]);
  assert.match(entries[5]?.[1] ?? '', /index/);
  assert.deepEqual(entries.slice(6), [
    ['info', 'g'],
    ['info', '  inside'],
    ['warn', 'Assertion failed: claim'],
  ]);
});

test('the console is itself again afterwards, unless somebody else took it since', () => {
  const { log, error } = console;
  capture(() => assert.notEqual(console.log, log));
  assert.equal(console.log, log);
  const theirs = () => {};
  capture(() => {
    console.error = theirs;
  });
  assert.equal(console.error, theirs);
  console.error = error;
});
