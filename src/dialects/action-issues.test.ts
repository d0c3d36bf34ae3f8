import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../model/json.ts';
import { type Issue, readInvoke, readRequest } from './action-issues.ts';

const said = (issues: unknown): string[] => (issues as Issue[]).map(({ message }) => String(message));

test('a request is read whole, with its id where it has one', () => {
  assert.deepEqual(readRequest({ type: 'invoke', payload: 5, x: 1 }), { type: 'invoke', payload: 5 });
  assert.deepEqual(readRequest({ id: '', type: 'list_actions' }), { id: '', type: 'list_actions', payload: undefined });
});

test('everything wrong with an envelope is said at once, id before type', () => {
  assert.deepEqual(said(readRequest({ id: 1, type: 'x' })), [
    'Expected string, received number',
    "Invalid enum value. Expected 'list_actions' | 'invoke', received 'x'",
  ]);
  assert.deepEqual(said(readRequest({ type: null })), ["Expected 'list_actions' | 'invoke', received null"]);
  assert.deepEqual(said(readRequest({})), ['Required']);
  for (const [value, name] of [
    [[], 'array'],
    [null, 'null'],
    ['x', 'string'],
    [1, 'number'],
    [true, 'boolean'],
  ] as [Json, string][])
    assert.deepEqual(said(readRequest(value)), [`Expected object, received ${name}`]);
});

test('the members of an issue come in the order its clients know', () => {
  const [mistyped] = readRequest({ id: 1, type: 'invoke' }) as Issue[];
  assert.deepEqual(Object.keys(mistyped as Issue), ['code', 'expected', 'received', 'path', 'message']);
  const [missing] = readRequest({}) as Issue[];
  assert.deepEqual(Object.keys(missing as Issue), ['expected', 'received', 'code', 'path', 'message']);
  const [unknown] = readRequest({ type: 'x' }) as Issue[];
  assert.deepEqual(Object.keys(unknown as Issue), ['received', 'code', 'options', 'path', 'message']);
});

test('an invocation needs an action with a name and an input that is an object', () => {
  assert.deepEqual(readInvoke({ action: 'a', input: {}, x: 1 }), { action: 'a', input: {} });
  assert.deepEqual(said(readInvoke(undefined)), ['Required']);
  assert.deepEqual(said(readInvoke([])), ['Expected object, received array']);
  assert.deepEqual(said(readInvoke({})), ['Required', 'Required']);
  assert.deepEqual(said(readInvoke({ action: '', input: null })), [
    'String must contain at least 1 character(s)',
    'Expected object, received null',
  ]);
});
