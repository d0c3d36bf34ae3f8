import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../model/fault.ts';
import type { ToolResult } from '../model/items.ts';
import type { Json } from '../model/json.ts';
import { textOf } from '../rpc/framed.ts';
import { createBare } from './bare.ts';
import { createMcp } from './mcp/mcp.ts';
import { REVISIONS } from './mcp/revisions.ts';

const base = createMcp(REVISIONS.at(-1)!, { name: 's', version: '1' });
const bare = createBare(base);
const request = (method: string, params: Json = {}): Json => ({ jsonrpc: '2.0', id: 2, method, params });
const result = (given: ToolResult): unknown =>
  (
    JSON.parse(textOf(bare.answer(2, { verb: 'tools.call', ask: { name: '', input: {} } }, given))) as {
      result: unknown;
    }
  ).result;

test('it reads what it has words for, and refuses the rest as unknown', () => {
  for (const method of ['tools/list', 'ping']) assert.equal(bare.read(request(method)).kind, 'call');
  assert.equal(bare.read(request('tools/call', { name: 'x' })).kind, 'call');
  for (const [method, params] of [
    ['resources/list', {}],
    ['prompts/list', {}],
    ['nope', {}],
  ] as const) {
    const read = bare.read(request(method, params)) as { kind: string; fault: Fault };
    assert.deepEqual([read.kind, read.fault.code], ['refused', 'E_UNKNOWN_METHOD']);
  }
  assert.equal(bare.read({ jsonrpc: '2.0', method: 'x' }).kind, 'notice');
  assert.equal(bare.read(5).kind, 'refused');
});

test('a list is an array whose members have a schema', () => {
  const tools = [{ name: 'a', title: 'T', description: 'd', inputSchema: { type: 'object' } }];
  assert.equal(
    bare.answer(1, { verb: 'tools.list', ask: {} }, { tools }),
    '{"jsonrpc":"2.0","id":1,"result":[{"name":"a","description":"d","schema":{"type":"object"}}]}',
  );
});

test('a result is the bare value where it is an object, and content where it is not or failed', () => {
  assert.deepEqual(result({ content: [], structured: { message: 'x' } }), { message: 'x' });
  assert.deepEqual(result({ content: [], structured: [1] }), { content: [], isError: false });
  assert.deepEqual(result({ content: [], structured: { message: 'x' }, failed: true }), { content: [], isError: true });
  assert.deepEqual(JSON.parse(textOf(bare.answer(1, { verb: 'ping', ask: {} }, {}))), {
    jsonrpc: '2.0',
    id: 1,
    result: {},
  });
});

test('it asks nothing and tells nothing', () => {
  assert.equal(bare.tell({ kind: 'progress', token: 1, done: 1 }), undefined);
  assert.equal(bare.mayAsk('tools.call'), false);
  assert.deepEqual([bare.opens, bare.asksBy, bare.pushes], ['never', 'never', 'never']);
});
