import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../model/json.ts';
import { isWireId, readEnvelope } from './envelope.ts';

const base = { jsonrpc: '2.0' };

test('a message with a method and an id is a request, whatever legal id it has', () => {
  for (const id of [0, '', 1, -1, 'x', '0', Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    assert.deepEqual(readEnvelope({ ...base, id, method: 'm' }), { kind: 'request', id, method: 'm', params: {} });
  }
});

test('a message with a method and no id is a notification, whatever its params are', () => {
  assert.deepEqual(readEnvelope({ ...base, method: 'm', params: { a: 1 } }), {
    kind: 'notification',
    method: 'm',
    params: { a: 1 },
  });
  for (const params of [undefined, null, 1, 'x', [1]] as Json[])
    assert.deepEqual(readEnvelope({ ...base, method: 'm', params }), { kind: 'notification', method: 'm', params: {} });
});

test('an id that cannot be echoed is refused and not echoed', () => {
  for (const id of [null, 1.5, true, {}, [], 2 ** 53, -(2 ** 53), Number.MAX_VALUE] as Json[]) {
    const envelope = readEnvelope({ ...base, id, method: 'm' });
    assert.equal(envelope.kind, 'malformed');
    assert.equal((envelope as { id: unknown }).id, undefined);
  }
});

test('a wrong message with a legal id is refused under that id', () => {
  for (const wrong of [
    { jsonrpc: '1.0', method: 'm' },
    { method: 'm' },
    { ...base, method: 5 },
    { ...base },
    { ...base, result: 5 },
    { ...base, error: {} },
  ]) {
    const envelope = readEnvelope({ id: 7, ...wrong } as JsonObject);
    assert.deepEqual([envelope.kind, (envelope as { id: unknown }).id], ['malformed', 7], JSON.stringify(wrong));
  }
});

test('params that are a list are bad params, params that are a scalar are a bad message', () => {
  const code = (params: Json) =>
    (readEnvelope({ ...base, id: 1, method: 'm', params }) as { fault?: { code: string } }).fault?.code;
  assert.equal(code([]), 'E_BAD_PARAMS');
  for (const params of [null, 1, 'x', true] as Json[]) assert.equal(code(params), 'E_BAD_MESSAGE');
});

test('a result is a result, and an error is an error even without an id', () => {
  assert.deepEqual(readEnvelope({ ...base, id: 1, result: {} }), { kind: 'result', id: 1, result: {} });
  const error = { code: -1, message: 'no' };
  assert.deepEqual(readEnvelope({ ...base, id: 1, error }), { kind: 'error', id: 1, error });
  assert.deepEqual(readEnvelope({ ...base, error }), { kind: 'error', id: undefined, error });
  assert.deepEqual(readEnvelope({ ...base, id: null, error }), { kind: 'error', id: undefined, error });
});

test('a reply that says both or neither, or says it wrongly, is refused', () => {
  const error = { code: -1, message: 'no' };
  for (const wrong of [
    { result: {}, error },
    {},
    { result: [] },
    { result: null },
    { error: { code: 1.5, message: '' } },
    { error: { code: 1 } },
    { error: 'x' },
  ])
    assert.equal(readEnvelope({ ...base, id: 1, ...wrong } as JsonObject).kind, 'malformed', JSON.stringify(wrong));
});

test('any JSON value is exactly one kind of envelope, and none makes it throw', () => {
  const kinds = ['request', 'notification', 'result', 'error', 'malformed'];
  const member = fc.oneof(fc.jsonValue(), fc.constantFrom('2.0', 'm', 1, ''));
  const messages = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error'), member),
  );
  fc.assert(fc.property(messages, (value) => kinds.includes(readEnvelope(value as Json).kind)));
});

test('an id is a string or an integer that survives the journey', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.maxSafeInteger()), (id) => isWireId(id)));
  for (const id of [undefined, null, 0.5, Number.NaN, Number.POSITIVE_INFINITY, true, {}, []] as Json[])
    assert.equal(isWireId(id), false);
});

test('an id is at most 256 bytes long, and a longer one is refused and not echoed', () => {
  for (const id of ['x'.repeat(256), 'ä'.repeat(128), 'x'.repeat(85)]) {
    assert.equal(isWireId(id), true);
    assert.equal(readEnvelope({ jsonrpc: '2.0', id, method: 'm' }).kind, 'request');
  }
  for (const id of ['x'.repeat(257), 'ä'.repeat(129), '€'.repeat(86)]) {
    const envelope = readEnvelope({ jsonrpc: '2.0', id, method: 'm' });
    assert.ok(envelope.kind === 'malformed' && envelope.id === undefined);
    assert.match(envelope.fault.message, /at most 256 bytes/);
  }
});
