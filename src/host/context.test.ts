import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../catalog/server.ts';
import { ToolError } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import { createContext } from '../providers/packs/context/context.ts';
import { CONTEXT_LIMITS, ContextShelf } from '../providers/packs/context/shelf.ts';
import { createMemoryStore } from '../store/memory.ts';
import { context } from './context.ts';
import { createHost } from './host.ts';

const store = createMemoryStore();
const shelf = new ContextShelf(store.records);
const echo = createServer({ name: 'echo', version: '1' });
echo.tool('echo', {}, (input) => ({ got: input }));
echo.tool('text', {}, () => 'plain');
echo.tool('json', {}, () => '{"a":[1]}');
echo.tool('fails', {}, () => {
  throw new ToolError('no');
});
echo.tool('large', {}, () => ({ text: 'x'.repeat(CONTEXT_LIMITS.characters) }));
echo.tool(
  'strict',
  { input: { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false } },
  ({ n }) => ({ n }),
);
const host = await createHost({
  server: { name: 'a', version: '1' },
  mounts: [{ provider: echo }, { provider: createContext(shelf) }],
  policies: [context(shelf)],
  bare: true,
});

interface Heard {
  readonly content?: readonly { readonly text: string }[];
  readonly isError?: boolean;
}

/** One client: everything it calls answers with the bare result. */
function createClient(options: { principal?: { id: string; scopes: string[] }; shared?: boolean } = {}) {
  const conversation = host.converse({ outlet: () => {}, shared: true, ...options });
  let id = 0;
  return async (name: string, input: JsonObject = {}): Promise<JsonObject & Heard> => {
    const message = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: input } };
    const reply = await conversation.receive(message);
    return (JSON.parse(reply?.text ?? '{}') as { result: JsonObject & Heard }).result;
  };
}
const textOf = (heard: Heard): string => heard.content?.[0]?.text ?? '';

test('what is stored stands for its name in any argument, at any depth', async () => {
  const call = createClient();
  const added = await call('context_add', { name: 'who', data: { first: 'Alice' }, description: 'a person' });
  assert.deepEqual(added, { success: true, message: "Context 'who' is stored", contextName: 'who' });
  assert.deepEqual(await call('echo', { a: ['@who', { b: '@who' }], c: '@@who' }), {
    got: { a: [{ first: 'Alice' }, { b: { first: 'Alice' } }], c: '@who' },
  });
  const got = await call('context_get', { name: 'who' });
  assert.deepEqual(
    [got['success'], got['name'], got['data'], got['description']],
    [true, 'who', { first: 'Alice' }, 'a person'],
  );
});

test('references are replaced before the arguments are checked', async () => {
  const call = createClient();
  await call('context_add', { name: 'n', data: 5 });
  assert.deepEqual(await call('strict', { n: '@n', saveAs: 'five' }), { n: 5 });
  assert.deepEqual(await call('echo', { five: '@five' }), { got: { five: { n: 5 } } });
});

test('a name nobody stored is an error that says how to mean the text', async () => {
  const heard = await createClient()('echo', { a: '@nobody' });
  assert.equal(heard.isError, true);
  assert.match(textOf(heard), /nothing is stored as "@nobody"; write "@@nobody" for the text itself/);
});

test('a cycle cannot be made: what is stored is the value, not the reference', async () => {
  const call = createClient();
  assert.match(textOf(await call('context_add', { name: 'a', data: '@b' })), /nothing is stored as "@b"/);
  await call('context_add', { name: 'a', data: 'first' });
  await call('context_add', { name: 'b', data: ['@a'] });
  await call('context_add', { name: 'a', data: ['@b'] });
  assert.deepEqual(await call('echo', { a: '@a', b: '@b' }), { got: { a: [['first']], b: ['first'] } });
});

test('text that looks like a reference is not one once it is stored', async () => {
  const call = createClient();
  await call('context_add', { name: 'secret', data: 'hidden' });
  await call('context_add', { name: 'text', data: '@@secret' });
  assert.deepEqual(await call('echo', { a: '@text' }), { got: { a: '@secret' } });
});

test('results are saved as their value, and failures are not', async () => {
  const call = createClient();
  await call('text', { saveAs: 'text' });
  await call('json', { saveAs: 'json' });
  await call('echo', { a: 1, saveAs: 'echoed' });
  assert.equal((await call('fails', { saveAs: 'failed' })).isError, true);
  assert.deepEqual(await call('echo', { t: '@text', j: '@json', e: '@echoed' }), {
    got: { t: 'plain', j: { a: [1] }, e: { got: { a: 1 } } },
  });
  const { total, contexts } = await call('context_list');
  assert.equal(total, 3);
  assert.deepEqual(
    (contexts as JsonObject[]).map(({ name, dataType }) => [name, dataType]),
    [
      ['echoed', 'object'],
      ['json', 'object'],
      ['text', 'string'],
    ],
  );
});

test('a saved result tells where it is, beside what it says', async () => {
  const heard = await createClient()('text', { saveAs: 'here' });
  assert.deepEqual(
    heard.content?.map(({ text }) => text),
    ['plain', '{"savedToContext":{"contextName":"here","message":"Saved as \\"@here\\""}}'],
  );
});

test('a result too large to store is still given, with a warning', async () => {
  const call = createClient();
  assert.equal((await call('large', { saveAs: 'large' }))['isError'], undefined);
  assert.equal((await call('context_list'))['total'], 0);
});

for (const name of ['', '@a', 'a b', '1a', 'ä', 'a/b', 'x'.repeat(65), '__proto__ ', 5, null, {}, []]) {
  test(`${JSON.stringify(name)} is no name`, async () => {
    const call = createClient();
    for (const heard of [await call('echo', { saveAs: name }), await call('context_add', { name, data: 1 })]) {
      assert.equal(heard.isError, true);
    }
    assert.equal((await call('context_list'))['total'], 0);
  });
}

test('names every object inherits are names like others', async () => {
  const call = createClient();
  assert.equal((await call('context_get', { name: 'constructor' })).isError, true);
  await call('context_add', { name: '__proto__', data: { a: 1 } });
  assert.deepEqual(await call('echo', { a: '@__proto__' }), { got: { a: { a: 1 } } });
});

test('what is too long, too deep or too much is refused', async () => {
  const call = createClient();
  let deep: JsonObject = {};
  for (let level = 0; level < 70; level++) deep = { deep };
  const long = 'x'.repeat(CONTEXT_LIMITS.characters);
  await assert.rejects(
    shelf.put({ principal: undefined, session: 'x' }, 'deep', { data: deep }),
    /nested over 64 levels/,
  );
  assert.match(textOf(await call('context_add', { name: 'long', data: long })), /longer than 262144 characters/);
  for (let n = 0; n < CONTEXT_LIMITS.names; n++) await call('context_add', { name: `n${n}`, data: n });
  assert.match(textOf(await call('context_add', { name: 'more', data: 1 })), /100 names are in use/);
  assert.equal((await call('context_add', { name: 'n7', data: 'again' }))['success'], true);
  assert.equal((await call('context_list', { filter: 'N9' }))['total'], 11);
});

test('references to large values cannot multiply without bound', async () => {
  const call = createClient();
  await call('context_add', { name: 'big', data: 'x'.repeat(200_000) });
  const heard = await call('echo', { all: Array.from({ length: 30 }, () => '@big') });
  assert.match(textOf(heard), /bring in more than 4194304 characters/);
});

test('a filter is plain text, never a pattern', async () => {
  const call = createClient();
  await call('context_add', { name: 'a.b', data: 1 });
  assert.equal((await call('context_list', { filter: 'a+b' }))['total'], 0);
  assert.equal((await call('context_list', { filter: '.' }))['total'], 1);
});

test('nobody sees what another client stored, and a principal keeps it across connections', async () => {
  const [one, other] = [createClient(), createClient()];
  await one('context_add', { name: 'mine', data: 1 });
  assert.equal((await other('context_get', { name: 'mine' })).isError, true);
  const alice = { id: 'alice', scopes: [] };
  await createClient({ principal: alice })('context_add', { name: 'hers', data: 2 });
  assert.equal((await createClient({ principal: alice })('context_get', { name: 'hers' }))['data'], 2);
  for (const id of ['bob', 'alice/', 'alic', 'alice%2F']) {
    assert.equal((await createClient({ principal: { id, scopes: [] } })('context_list'))['total'], 0);
  }
});

test('without a session there is no context, and it says so', async () => {
  const alone = createClient({ shared: false });
  assert.match(textOf(await alone('context_add', { name: 'a', data: 1 })), /needs a session or a signed-in client/);
  assert.deepEqual(await alone('echo', { a: '@@b' }), { got: { a: '@b' } });
});

test('what is stored goes away when it is not used', async () => {
  let ttl = 0;
  const kept = new ContextShelf({
    ...store.records,
    get: (key) => store.records.get(key),
    list: (prefix, options) => store.records.list(prefix, options),
    put: (key, value, { ttlMs }) => store.records.put(key, value, { ttlMs: Math.min(ttlMs, 30) }),
    touch(key, ttlMs) {
      ttl = ttlMs;
      return store.records.touch(key, 30);
    },
  });
  const whose = { principal: undefined, session: 'short' };
  await kept.put(whose, 'a', { data: 1 });
  assert.equal((await kept.get(whose, 'a'))?.data, 1);
  assert.equal(ttl, CONTEXT_LIMITS.ttlMs);
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(await kept.get(whose, 'a'), undefined);
  assert.deepEqual(await kept.names(whose), []);
});
