import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '../../model/fault.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Verb } from '../../model/verbs.ts';
import { Framed, textOf } from '../../rpc/framed.ts';
import type { Incoming } from '../dialect.ts';
import { createMcp } from './mcp.ts';
import { REVISIONS } from './revisions.ts';

const server = { name: 's', version: '1' };
const dialects = new Map(REVISIONS.map((revision) => [revision.id, createMcp(revision, server)]));
const speak = (id: string) => dialects.get(id) as ReturnType<typeof createMcp>;
const [modern, legacy, old] = [speak('2026-07-28'), speak('2025-11-25'), speak('2024-11-05')];
const parsed = (text: string | undefined): JsonObject => JSON.parse(text as string) as JsonObject;
const request = (method: string, params: JsonObject = {}): Json => ({ jsonrpc: '2.0', id: 1, method, params });
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

test('a request is read as an operation with what rode along', () => {
  const read = legacy.read(
    request('tools/call', { name: 'n', arguments: { a: 1 }, _meta: { progressToken: 0, x: 1 } }),
  );
  assert.deepEqual(read, {
    kind: 'call',
    id: 1,
    operation: { verb: 'tools.call', ask: { name: 'n', input: { a: 1 } } },
    rider: { meta: { progressToken: 0, x: 1 }, progress: 0 },
  });
});

test('a modern request brings its peer, its level, its answers and its state', () => {
  const meta = { ...META, 'io.modelcontextprotocol/logLevel': 'error' };
  const read = modern.read(
    request('tools/call', { name: 'n', inputResponses: { q: {} }, requestState: 's', _meta: meta }),
  );
  assert.equal(read.kind, 'call');
  const { peer, level, answers, state } = (read as Extract<Incoming, { kind: 'call' }>).rider;
  assert.deepEqual([peer, level, answers, state], [{ client: undefined, capabilities: {} }, 'error', { q: {} }, 's']);
});

test('a modern request without its metadata is refused', () => {
  const read = modern.read(request('tools/list')) as { kind: string; fault: Fault };
  assert.deepEqual([read.kind, read.fault.code], ['refused', 'E_BAD_CLAIM']);
});

test('metadata of the wrong shape is refused', () => {
  for (const _meta of [5, [], 'x', { progressToken: {} }, { progressToken: 1.5 }])
    assert.equal(legacy.read(request('tools/list', { _meta: _meta as Json })).kind, 'refused');
  for (const wrong of [
    { inputResponses: [] },
    { requestState: 5 },
    { _meta: { ...META, 'io.modelcontextprotocol/logLevel': 'loud' } },
  ])
    assert.equal(
      modern.read(request('tools/list', { _meta: META, ...wrong } as JsonObject)).kind,
      'refused',
      JSON.stringify(wrong),
    );
});

test('a method no row has is unknown, by whatever name objects inherit', () => {
  for (const method of ['nope', '', 'toString', '__proto__', 'constructor', 'hasOwnProperty']) {
    const read = legacy.read(request(method)) as { fault: Fault };
    assert.equal(read.fault.code, 'E_UNKNOWN_METHOD', method);
    assert.deepEqual(legacy.read({ jsonrpc: '2.0', method }), { kind: 'notice', notice: undefined });
  }
});

test('every result of the modern era is stamped and signed, whatever its own metadata says', () => {
  const answer = { content: [], _meta: { own: 1, 'io.modelcontextprotocol/serverInfo': 'forged' } };
  const { result } = parsed(textOf(modern.answer(1, { verb: 'tools.call', ask: { name: '', input: {} } }, answer))) as {
    result: JsonObject;
  };
  assert.equal(result['resultType'], 'complete');
  assert.deepEqual(result['_meta'], { own: 1, 'io.modelcontextprotocol/serverInfo': server });
  const { result: plain } = parsed(
    textOf(legacy.answer(1, { verb: 'tools.call', ask: { name: '', input: {} } }, { content: [] })),
  ) as { result: JsonObject };
  assert.deepEqual(plain, { content: [] });
});

test('a list is written once for the same answer, and anew for another', () => {
  const operation = { verb: 'tools.list', ask: {} } as const;
  const answer = { tools: [{ name: 'a', inputSchema: { type: 'object' } }] };
  const first = legacy.answer(1, operation, answer);
  answer.tools[0]!.name = 'b';
  assert.equal(legacy.answer(1, operation, answer), first, 'a frozen answer is never looked at again');
  assert.match(textOf(legacy.answer('x', operation, { ...answer })), /"id":"x".*"name":"b"/);
});

test('a long list is kept as bytes for every id, and a long result is framed without being kept', () => {
  const operation = { verb: 'tools.list', ask: {} } as const;
  const description = 'ü'.repeat(20_000);
  const answer = { tools: [{ name: 'a', description, inputSchema: { type: 'object' } }] };
  for (const dialect of [modern, legacy]) {
    const [first, second] = [1, 'zwei ✓'].map((id) => dialect.answer(id, operation, answer)) as [Framed, Framed];
    assert.equal(first.pieces()[1], second.pieces()[1], 'the bytes of a kept list are made once');
    assert.deepEqual(parsed(second.text), JSON.parse(second.bytes.toString()));
    assert.equal(parsed(second.text)['id'], 'zwei ✓');
    assert.match(first.text, /^\{"jsonrpc":"2.0","id":1,"result":\{.*"ü+".*\}\}$/);
  }
  const call = { verb: 'tools.call', ask: { name: '', input: {} } } as const;
  const content = [{ type: 'text', text: description }] as const;
  const own = { 'io.modelcontextprotocol/serverInfo': server };
  const stamped = { resultType: 'complete', content, _meta: own };
  for (const [dialect, result] of [
    [legacy, { content }],
    [modern, stamped],
  ] as const) {
    const said = dialect.answer(0, call, { content: [...content] });
    assert.ok(said instanceof Framed);
    assert.equal(typeof said.pieces()[1], 'string');
    assert.equal(said.text, JSON.stringify({ jsonrpc: '2.0', id: 0, result }));
  }
});

test('a fault is told by its number in the revision, under the id the log has', () => {
  const code = (dialect: typeof modern, fault: FaultCode, verb?: Verb): unknown =>
    (
      parsed(dialect.fault(1, { fault: new Fault(fault, 'said', { data: { uri: 'u' } }), errorId: 'e', verb }))[
        'error'
      ] as JsonObject
    )?.['code'];
  assert.deepEqual([code(legacy, 'E_UNKNOWN_RESOURCE'), code(modern, 'E_UNKNOWN_RESOURCE')], [-32002, -32602]);
  assert.deepEqual(
    [code(legacy, 'E_UNKNOWN_METHOD'), code(legacy, 'E_PARSE'), code(legacy, 'E_BAD_MESSAGE')],
    [-32601, -32700, -32600],
  );
  assert.deepEqual([code(modern, 'E_UNSUPPORTED_REVISION'), code(modern, 'E_MISSING_CAPABILITY')], [-32022, -32021]);
  const { error } = parsed(
    legacy.fault(1, { fault: new Fault('E_UNKNOWN_RESOURCE', 'said', { data: { uri: 'u' } }), errorId: 'e' }),
  ) as { error: JsonObject };
  assert.deepEqual(error, {
    code: -32002,
    message: 'said',
    data: { uri: 'u', code: 'E_UNKNOWN_RESOURCE', errorId: 'e' },
  });
});

test('no code of any revision lies where the protocol keeps numbers for itself', () => {
  const defined = [-32700, -32600, -32601, -32602, -32603, -32002, -32020, -32021, -32022];
  for (const { id, codes } of REVISIONS) {
    for (const code of Object.values(codes))
      assert.ok(defined.includes(code) || code < -32768 || code > -32000, `${id} ${code}`);
  }
  assert.ok(!Object.values(REVISIONS[0]!.codes).includes(-32002));
});

test('a fault of a tool is told in its result, other faults of a call are not', () => {
  const told = (fault: FaultCode): JsonObject =>
    parsed(modern.fault(1, { fault: new Fault(fault, 'said'), errorId: 'e', verb: 'tools.call' }));
  for (const fault of ['E_INTERNAL', 'E_TOOL_ERROR', 'E_BAD_ARGUMENTS', 'E_DEADLINE', 'E_CANNOT_ASK'] as const)
    assert.equal((told(fault)['result'] as JsonObject)?.['isError'], true, fault);
  for (const fault of ['E_UNKNOWN_TOOL', 'E_BAD_STATE', 'E_MISSING_CAPABILITY', 'E_BUSY'] as const)
    assert.ok(told(fault)['error'], fault);
  assert.match(JSON.stringify(told('E_INTERNAL')), /said \(error id e\)/);
});

test('an error without an id has none or a null one, as the revision reads it', () => {
  const trouble = { fault: new Fault('E_PARSE', 'x'), errorId: 'e' };
  assert.equal(parsed(old.fault(undefined, trouble))['id'], null);
  assert.equal('id' in parsed(legacy.fault(undefined, trouble)), false);
  assert.equal(parsed(legacy.fault(0, trouble))['id'], 0);
  assert.equal(parsed(legacy.fault('', trouble))['id'], '');
});

test('a notice is told where the revision has a word for it, tagged for a listener', () => {
  assert.deepEqual(parsed(legacy.tell({ kind: 'changed', list: 'prompts' })), {
    jsonrpc: '2.0',
    method: 'notifications/prompts/list_changed',
  });
  const tagged = parsed(modern.tell({ kind: 'changed', list: 'tools' }, 0));
  assert.deepEqual(tagged['params'], { _meta: { 'io.modelcontextprotocol/subscriptionId': 0 } });
  assert.equal(legacy.tell({ kind: 'listening', filter: {} }), undefined);
  assert.equal(modern.tell({ kind: 'elicited', elicitation: 'e' }), undefined);
  assert.equal(old.tell({ kind: 'ready' }), undefined);
});

test('a question is a message of its own in one era and part of the reply in the other', () => {
  const question = { kind: 'roots', ask: {} } as const;
  assert.deepEqual(parsed(legacy.ask(5, question)), { jsonrpc: '2.0', id: 5, method: 'roots/list', params: {} });
  const { result } = parsed(modern.unanswered(1, new Map([['k', question]]), 'state')) as { result: JsonObject };
  assert.deepEqual(result['inputRequests'], { k: { method: 'roots/list', params: {} } });
  assert.deepEqual([result['resultType'], result['requestState']], ['input_required', 'state']);
});

test('an answer that is no object is no answer', () => {
  for (const answer of [undefined, null, 5, 'x', []] as Json[])
    assert.throws(() => modern.heard({ kind: 'roots', ask: {} }, answer), { code: 'E_BAD_PARAMS' });
  assert.deepEqual(modern.heard({ kind: 'roots', ask: {} }, { roots: [{ uri: 'file:///a' }] }), {
    roots: [{ uri: 'file:///a' }],
  });
});

test('only calls, reads and prompts may ask before they answer', () => {
  const verbs = REVISIONS[0] === undefined ? [] : Object.values(REVISIONS[0].methods).map(({ verb }) => verb);
  assert.deepEqual(verbs.filter((verb) => modern.mayAsk(verb)).sort(), ['prompts.get', 'resources.read', 'tools.call']);
});
