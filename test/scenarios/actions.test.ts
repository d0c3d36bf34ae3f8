import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../src/catalog/server.ts';
import { createHost, type HostOptions } from '../../src/host/host.ts';
import { ToolError } from '../../src/model/fault.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import { pipes } from './peer.ts';

const server = createServer({ name: 'actions', version: '1' });
server.tool(
  'hello',
  {
    description: 'Return greeting',
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    output: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  },
  ({ name }) => ({ message: `Hello, ${name}!` }),
);
server.tool('slow', { description: 'Takes its time' }, async ({ ms }) => {
  await new Promise((resolve) => setTimeout(resolve, Number(ms)));
  return { waited: Number(ms) };
});
server.tool('fails', {}, () => {
  throw new ToolError('No more milk');
});
server.tool('throws', {}, () => {
  throw new Error('secret');
});

/** Everything the server says to these bytes, line by line. */
async function say(bytes: string | Buffer, options: Partial<HostOptions> = {}): Promise<string[]> {
  const host = await createHost({ server: server.info, mounts: [{ provider: server }], ...options });
  const { input, output } = pipes();
  const { closed } = serveStdio({
    input,
    output,
    limits: host.limits,
    log: host.log,
    converse: (outlet) => host.converse({ outlet, shared: true }),
  });
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  input.end(bytes);
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  host.close();
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

const lines = (...messages: unknown[]): string => messages.map((message) => `${JSON.stringify(message)}\n`).join('');
const LIST = '{"type":"list_actions"}';
const MALFORMED = '{"ok":false,"error":"Malformed JSON request"}';
const TOO_LARGE = '{"ok":false,"error":"Request exceeds maximum size (512 KB)"}';
const invoke = (payload: unknown, id: unknown = 'a') => ({ id, type: 'invoke', payload });

/** The reply to one line, after a line that makes the pipe one of actions. */
async function reply(line: string | Buffer): Promise<string | undefined> {
  const [, answer] = await say(Buffer.concat([Buffer.from(`${LIST}\n`), Buffer.from(line), Buffer.from('\n')]));
  return answer;
}

const issue = (expected: string, received: string, path: string[]) =>
  `{"code":"invalid_type","expected":"${expected}","received":"${received}","path":${JSON.stringify(path)},"message":"${received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`}"}`;
const envelope = (...issues: string[]) =>
  `{"ok":false,"error":"Invalid request envelope","issues":[${issues.join(',')}]}`;
const payload = (...issues: string[]) =>
  `{"id":"a","ok":false,"error":"Invalid invoke payload","issues":[${issues.join(',')}]}`;
const ENUM = "'list_actions' | 'invoke'";
const noType = `{"expected":"${ENUM}","received":"undefined","code":"invalid_type","path":["type"],"message":"Required"}`;
const badType = (received: string) =>
  `{"received":"${received}","code":"invalid_enum_value","options":["list_actions","invoke"],"path":["type"],"message":"Invalid enum value. Expected ${ENUM}, received '${received}'"}`;

const EXACT: readonly (readonly [string, string])[] = [
  ['nonsense', MALFORMED],
  ['', MALFORMED],
  ['   ', MALFORMED],
  ['\ufeff{"type":"list_actions"}', MALFORMED],
  ['{"type":"list_actions"', MALFORMED],
  ['{}', envelope(noType)],
  ['{"type":"foo"}', envelope(badType('foo'))],
  ['{"id":"kept out","type":"foo"}', envelope(badType('foo'))],
  ['{"id":5,"type":"list_actions"}', envelope(issue('string', 'number', ['id']))],
  ['{"id":null,"type":"list_actions"}', envelope(issue('string', 'null', ['id']))],
  ['{"id":{},"type":"foo"}', envelope(issue('string', 'object', ['id']), badType('foo'))],
  [
    '{"type":7}',
    envelope(
      `{"expected":"${ENUM}","received":"number","code":"invalid_type","path":["type"],"message":"Expected ${ENUM}, received number"}`,
    ),
  ],
  ['[]', envelope(issue('object', 'array', []))],
  ['"text"', envelope(issue('object', 'string', []))],
  ['null', envelope(issue('object', 'null', []))],
  ['5', envelope(issue('object', 'number', []))],
  ['{"id":"a","type":"invoke"}', payload(issue('object', 'undefined', []))],
  ['{"id":"a","type":"invoke","payload":[]}', payload(issue('object', 'array', []))],
  [
    '{"id":"a","type":"invoke","payload":{}}',
    payload(issue('string', 'undefined', ['action']), issue('object', 'undefined', ['input'])),
  ],
  ['{"id":"a","type":"invoke","payload":{"action":5,"input":{}}}', payload(issue('string', 'number', ['action']))],
  ['{"id":"a","type":"invoke","payload":{"action":"hello","input":[]}}', payload(issue('object', 'array', ['input']))],
  ['{"id":"a","type":"invoke","payload":{"action":"hello","input":null}}', payload(issue('object', 'null', ['input']))],
  [
    '{"id":"a","type":"invoke","payload":{"action":"","input":{}}}',
    payload(
      '{"code":"too_small","minimum":1,"type":"string","inclusive":true,"exact":false,"message":"String must contain at least 1 character(s)","path":["action"]}',
    ),
  ],
  [
    '{"id":"a","type":"invoke","payload":{"action":"nope","input":{}}}',
    `{"id":"a","ok":false,"error":"Unknown action: 'nope'. Call list_actions to see available actions."}`,
  ],
  [
    '{"id":"a","type":"invoke","payload":{"action":"hello","input":{"name":"Al"}}}',
    '{"id":"a","ok":true,"data":{"message":"Hello, Al!"}}',
  ],
  [
    '{"id":"","type":"invoke","payload":{"action":"hello","input":{"name":"Al"}}}',
    '{"id":"","ok":true,"data":{"message":"Hello, Al!"}}',
  ],
  [
    '{"type":"invoke","payload":{"action":"hello","input":{"name":"Al"},"more":1},"x":2}',
    '{"ok":true,"data":{"message":"Hello, Al!"}}',
  ],
  [
    '{"id":"x","id":"a","type":"foo","type":"invoke","payload":{"action":"fails","input":{}}}',
    '{"id":"a","ok":false,"error":"No more milk"}',
  ],
  [
    '{"type":"invoke","payload":{"action":"hello","input":{"name":"\u2028"}}}',
    '{"ok":true,"data":{"message":"Hello, \u2028!"}}',
  ],
];

for (const [line, answer] of EXACT) {
  test(`the action protocol answers ${JSON.stringify(line).slice(0, 90)} to the byte`, async () => {
    assert.equal(await reply(line), answer);
  });
}

test('the action protocol lists every tool as an action, in an array', async () => {
  const [answer] = await say(lines({ id: 'l', type: 'list_actions', payload: { ignored: true } }));
  const { id, ok, data } = JSON.parse(answer as string) as { id: string; ok: boolean; data: { action: string }[] };
  assert.deepEqual({ id, ok }, { id: 'l', ok: true });
  assert.deepEqual(
    data.map(({ action }) => action),
    ['hello', 'slow', 'fails', 'throws'],
  );
  assert.match(answer as string, /^\{"id":"l","ok":true,"data":\[\{"action":"hello"/);
});

test('the action protocol reports input that does not fit, in one sentence and without issues', async () => {
  const answer = JSON.parse((await reply(JSON.stringify(invoke({ action: 'hello', input: {} })))) as string) as object;
  assert.deepEqual(Object.keys(answer), ['id', 'ok', 'error']);
  assert.match((answer as { error: string }).error, /^Input validation failed for action 'hello': .*name/);
});

test('the action protocol takes 524,288 bytes and refuses 524,289, before it reads them', async () => {
  const head = '{"type":"invoke","payload":{"action":"hello","input":{"name":"';
  const line = (bytes: number): string => `${head}${'x'.repeat(bytes - head.length - 4)}"}}}`;
  assert.equal(Buffer.byteLength(line(524_288)), 524_288);
  assert.match((await reply(line(524_288))) as string, /^\{"ok":true/);
  assert.equal(await reply(line(524_289)), TOO_LARGE);
  assert.equal(await reply('x'.repeat(524_289)), TOO_LARGE, 'size comes before syntax');
  assert.equal(await reply(`{"id":5,"x":"${'x'.repeat(524_289)}"}`), TOO_LARGE, 'size comes before the envelope');
  const wide = `${head}${'ü'.repeat(262_200)}"}}}`;
  assert.ok(wide.length < 524_288 && Buffer.byteLength(wide) > 524_288);
  assert.equal(await reply(wide), TOO_LARGE, 'bytes are counted, not characters');
});

test('the action protocol answers in the order of the requests, however long each takes', async () => {
  const answers = await say(
    lines(
      invoke({ action: 'slow', input: { ms: 60 } }, '1'),
      invoke({ action: 'slow', input: { ms: 1 } }, '2'),
      invoke({ action: 'nope', input: {} }, '3'),
      { id: '4', type: 'list_actions' },
      invoke({ action: 'slow', input: { ms: 20 } }, '1'),
    ) + 'nonsense\n',
  );
  const ids = answers.map((answer) => (JSON.parse(answer) as { id?: string }).id);
  assert.deepEqual(ids, ['1', '2', '3', '4', '1', undefined]);
});

test('the action protocol answers a last line without an end, CRLF and all', async () => {
  const answers = await say(`${LIST}\r\n${JSON.stringify(invoke({ action: 'hello', input: { name: 'Z' } }))}`);
  assert.equal(answers.length, 2);
  assert.equal(answers[1], '{"id":"a","ok":true,"data":{"message":"Hello, Z!"}}');
});

test('the action protocol lets no word of a foreign error out', async () => {
  const answer = (await reply(JSON.stringify(invoke({ action: 'throws', input: {} })))) as string;
  assert.match(answer, /^\{"id":"a","ok":false,"error":/);
  assert.doesNotMatch(answer, /secret/);
});

test('actions and messages share a pipe, each answered in its own words', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const answers = await say(
    lines(
      { type: 'list_actions' },
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { type: 'invoke', id: 'i', payload: { action: 'hello', input: { name: 'B' } } },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hello', arguments: { name: 'M' } } },
    ),
  );
  assert.deepEqual(
    answers.map((answer) => (JSON.parse(answer) as { id?: unknown }).id),
    [undefined, 1, 'i', 2],
  );
});

test('an object with a type is no action where actions are off', async () => {
  const [answer] = await say(lines({ type: 'list_actions' }), { actions: false });
  assert.equal((JSON.parse(answer as string) as { error: { code: number } }).error.code, -32600);
});

test('the bare form exchanges exactly what its document shows', async () => {
  const answers = await say(
    lines(
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hello', arguments: { name: 'Alice' } } },
    ),
    { bare: true },
  );
  const [list, call] = answers.map((answer) => JSON.parse(answer) as { result: unknown[] });
  assert.deepEqual(list?.result[0], {
    name: 'hello',
    description: 'Return greeting',
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  });
  assert.deepEqual(call, { jsonrpc: '2.0', id: 2, result: { message: 'Hello, Alice!' } });
});

test('the bare form refuses what it has no words for, and gives way to a handshake', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const [unknown, failed, , listed] = (
    await say(
      lines(
        { jsonrpc: '2.0', id: 1, method: 'resources/list' },
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'fails' } },
        { jsonrpc: '2.0', id: 3, method: 'initialize', params },
        { jsonrpc: '2.0', id: 4, method: 'tools/list' },
      ),
      { bare: true },
    )
  ).map(
    (answer) => JSON.parse(answer) as { error?: { code: number }; result: { isError?: boolean; tools?: unknown[] } },
  );
  assert.equal(unknown?.error?.code, -32601);
  assert.equal(failed?.result.isError, true);
  assert.ok(Array.isArray(listed?.result.tools));
});
