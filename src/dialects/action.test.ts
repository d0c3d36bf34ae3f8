import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '../model/fault.ts';
import type { Tool, ToolResult } from '../model/items.ts';
import type { JsonObject } from '../model/json.ts';
import { textOf } from '../rpc/framed.ts';
import { ACTION_LIMIT, action } from './action.ts';

const call = { verb: 'tools.call', ask: { name: 'a', input: {} } } as const;
const answer = (result: ToolResult, id: string | number = 'i'): string => textOf(action.answer(id, call, result));
const told = (code: FaultCode, data: JsonObject = {}, message = 'said'): unknown =>
  JSON.parse(action.fault('i', { fault: new Fault(code, message, { data }), errorId: 'e' }));

test('a request is an operation under its own id, or under none', () => {
  const listing = action.read({ id: 'x', type: 'list_actions' });
  assert.deepEqual([listing.kind, (listing as { id: unknown }).id], ['call', 'x']);
  const invoking = action.read({ type: 'invoke', payload: { action: 'a', input: { b: 1 } } });
  assert.deepEqual((invoking as { operation: unknown }).operation, {
    verb: 'tools.call',
    ask: { name: 'a', input: { b: 1 } },
  });
  assert.equal(answer({ content: [] }, (invoking as { id: number }).id).includes('"id"'), false);
});

test('an envelope that is wrong is refused without its id, a payload with it', () => {
  const envelope = action.read({ id: 'x', type: 'y' });
  assert.deepEqual([envelope.kind, (envelope as { id: unknown }).id], ['refused', undefined]);
  const payload = action.read({ id: 'x', type: 'invoke' });
  assert.deepEqual([payload.kind, (payload as { id: unknown }).id], ['refused', 'x']);
});

test('a result is its structure, or its content where it has none', () => {
  assert.equal(answer({ content: [], structured: { a: 1 } }), '{"id":"i","ok":true,"data":{"a":1}}');
  assert.equal(answer({ content: [], structured: [] }), '{"id":"i","ok":true,"data":[]}');
  assert.equal(answer({ content: [], structured: null }), '{"id":"i","ok":true,"data":null}');
  const content = [{ type: 'text', text: 't' }] as const;
  assert.equal(
    answer({ content: [...content] }),
    '{"id":"i","ok":true,"data":{"content":[{"type":"text","text":"t"}]}}',
  );
});

test('a failure is its text', () => {
  const content = [
    { type: 'text', text: 'one' },
    { type: 'image', data: '', mimeType: '' },
    { type: 'text', text: 'two' },
  ] as const;
  assert.equal(answer({ content: [...content], failed: true }), '{"id":"i","ok":false,"error":"one\\ntwo"}');
});

test('a tool is listed as its own contract where it has one, and as what it is otherwise', () => {
  const tool: Tool = { name: 'a', inputSchema: { type: 'object' } };
  const list = (...tools: Tool[]): unknown =>
    (JSON.parse(textOf(action.answer('i', { verb: 'tools.list', ask: {} }, { tools }))) as { data: unknown }).data;
  assert.deepEqual(list({ ...tool, _meta: { action: { action: 'a', skill: 's' } } }), [{ action: 'a', skill: 's' }]);
  assert.deepEqual(list({ ...tool, title: 'T', description: 'd', outputSchema: {} }), [
    { action: 'a', title: 'T', description: 'd', inputSchema: { type: 'object' }, outputSchema: {} },
  ]);
  assert.deepEqual(list(tool), [{ action: 'a', description: '', inputSchema: { type: 'object' } }]);
});

test('faults are told in the words the clients of the protocol know', () => {
  const error = (text: string): unknown => ({ id: 'i', ok: false, error: text });
  assert.deepEqual(told('E_PARSE'), error('Malformed JSON request'));
  assert.deepEqual(told('E_TOO_DEEP'), error('Malformed JSON request'));
  assert.deepEqual(told('E_TOO_LARGE'), error('Request exceeds maximum size (512 KB)'));
  assert.deepEqual(
    told('E_UNKNOWN_TOOL', { name: 'x' }),
    error("Unknown action: 'x'. Call list_actions to see available actions."),
  );
  assert.deepEqual(
    told('E_BAD_ARGUMENTS', { name: 'x', issues: ['a', 'b'] }),
    error("Input validation failed for action 'x': a; b"),
  );
  assert.deepEqual(told('E_DEADLINE'), error('said'));
});

test('nothing is asked, told or ended in a protocol without words for it', () => {
  assert.equal(action.tell({ kind: 'changed', list: 'tools' }), undefined);
  assert.equal(action.mayAsk('tools.call'), false);
  for (const verb of ['permit', 'ask', 'heard', 'unanswered', 'ended'] as const) {
    assert.throws(() => (action[verb] as () => unknown)(), { code: 'E_CANNOT_ASK' });
  }
  assert.equal(ACTION_LIMIT, 524_288);
});
