import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../model/call.ts';
import type { Change, Offer } from './provider.ts';
import { createServer, type Server } from './server.ts';

const call = {} as Call;
const make = () => createServer({ name: 'home', version: '1.0.0' });
const loaded = (server: Server) => server.load() as Offer;
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

function record(server: Server): { changes: Change[]; stop: () => void } {
  const changes: Change[] = [];
  return { changes, stop: server.watch((change) => changes.push(change)) };
}

test('a server says who it is and needs a name and a version', () => {
  const server = createServer({
    name: 'home',
    version: '2',
    title: 'Home',
    instructions: 'Knock',
    cache: { ttlMs: 1, scope: 'private' },
  });
  assert.deepEqual(server.info, { name: 'home', version: '2', title: 'Home' });
  assert.equal(server.name, 'home');
  assert.equal(server.instructions, 'Knock');
  assert.deepEqual(server.cache, { ttlMs: 1, scope: 'private' });
  assert.throws(() => createServer({ name: '', version: '1' }), TypeError);
  assert.throws(() => createServer({ name: 'a', version: '' }), TypeError);
  assert.throws(() => createServer({ name: 'a' } as never), TypeError);
});

test('a tool is offered with what its spec says and nothing more', () => {
  const server = make();
  server.tool('bare', {}, () => 'x');
  server.tool(
    'full',
    {
      title: 'Full',
      description: 'Does it all',
      input: CITY,
      output: { type: 'string' },
      annotations: { readOnlyHint: true },
      icons: [{ src: 'x:' }],
      deadlineMs: 5,
      meta: { k: 1 },
    },
    ({ city }) => city,
  );
  const [bare, full] = loaded(server).tools ?? [];
  assert.deepEqual(bare?.tool, { name: 'bare', inputSchema: { type: 'object' } });
  assert.equal(bare?.checkInput, undefined);
  assert.equal(bare?.checkOutput, undefined);
  assert.deepEqual(full?.tool, {
    name: 'full',
    title: 'Full',
    description: 'Does it all',
    inputSchema: CITY,
    outputSchema: { type: 'string' },
    annotations: { readOnlyHint: true },
    icons: [{ src: 'x:' }],
    _meta: { k: 1 },
  });
  assert.equal(full?.deadlineMs, 5);
});

test('a declared input is checked, and the handler gets what the check gives', async () => {
  const server = make();
  server.tool('weather', { input: CITY }, ({ city }) => `Sun in ${city}`);
  const [entry] = loaded(server).tools ?? [];
  assert.equal((await entry?.checkInput?.({ city: 'Rome' }))?.ok, true);
  assert.equal((await entry?.checkInput?.({ city: 5 }))?.ok, false);
  assert.equal((await entry?.checkInput?.(undefined))?.ok, false);
  assert.deepEqual(entry?.run({ city: 'Rome' }, call), { content: [{ type: 'text', text: 'Sun in Rome' }] });
});

test('a synchronous handler answers at once and a promised value is awaited', async () => {
  const server = make();
  server.tool('now', {}, () => 'a');
  server.tool('later', {}, async () => ({ a: 1 }));
  server.tool('typed', { output: { type: 'string' } }, () => 'a');
  const [now, later, typed] = loaded(server).tools ?? [];
  assert.deepEqual(now?.run({}, call), { content: [{ type: 'text', text: 'a' }] });
  assert.ok(later?.run({}, call) instanceof Promise);
  assert.deepEqual(await later.run({}, call), { content: [{ type: 'text', text: '{"a":1}' }], structured: { a: 1 } });
  assert.deepEqual(typed?.run({}, call), { content: [{ type: 'text', text: '"a"' }], structured: 'a' });
});

test('what a handler throws comes through unchanged', async () => {
  const server = make();
  const error = new Error('mine');
  server.tool('throws', {}, () => {
    throw error;
  });
  server.tool('rejects', {}, () => Promise.reject(error));
  const [throws, rejects] = loaded(server).tools ?? [];
  assert.throws(() => throws?.run({}, call), error);
  await assert.rejects(async () => rejects?.run({}, call), error);
});

test('a bad registration is refused at once and leaves nothing behind', () => {
  const server = make();
  server.tool('taken', {}, () => '');
  server.resource('r', 'x:1', {}, () => '');
  server.template('t', 'x:{a}', {}, () => '');
  server.prompt('p', {}, () => '');
  const { changes } = record(server);
  const cases: readonly [() => unknown, RegExp][] = [
    [() => server.tool('taken', {}, () => ''), /Cannot add tool "taken": it is already there/],
    [() => server.tool('bad name', {}, () => ''), /Bad tool name/],
    [() => server.tool('a', { input: { type: 'string' } }, () => ''), /type "object" at its root/],
    [() => server.tool('a', { input: { type: 'nonsense' } }, () => ''), /./],
    [() => server.tool('a', { input: CITY, output: { type: 5 } }, () => ''), /./],
    [() => server.tool('a', {}, undefined as never), /handler is not a function/],
    [() => server.resource('r2', 'x:1', {}, () => ''), /Cannot add resource "x:1"/],
    [() => server.resource('r2', 'no scheme', {}, () => ''), /not a URI/],
    [() => server.resource('r2', '/path', {}, () => ''), /not a URI/],
    [() => server.resource('', 'x:2', {}, () => ''), /without a name/],
    [() => server.resource('r2', 'x:2', {}, 'text' as never), /handler is not a function/],
    [() => server.template('t2', 'x:{a}', {}, () => ''), /Cannot add resource template "x:\{a\}"/],
    [() => server.template('t2', 'x:{a', {}, () => ''), /Bad URI template/],
    [() => server.template('t2', 'x:{b}', { complete: { c: () => [] } as never }, () => ''), /no such variable/],
    [() => server.template('t2', 'x:{b}', {}, null as never), /handler is not a function/],
    [() => server.prompt('p', {}, () => ''), /Cannot add prompt "p"/],
    [() => server.prompt('', {}, () => ''), /without a name/],
    [() => server.prompt('q', {}, 1 as never), /handler is not a function/],
    [() => server.mount('a__b', make()), /may not hold "__"/],
    [() => server.mount('mcp', make()), /reserved/],
    [() => server.mount('me', server), /cannot hold itself/],
  ];
  for (const [run, says] of cases) {
    assert.throws(run, (error) => error instanceof TypeError && says.test(error.message), says.source);
  }
  assert.throws(() => server.tool('a', { deadlineMs: 0 }, () => ''), RangeError);
  const offer = loaded(server);
  assert.deepEqual(
    [offer.tools, offer.resources, offer.templates, offer.prompts, offer.mounts].map((list) => list?.length),
    [1, 1, 1, 1, 0],
  );
  assert.deepEqual(changes, []);
});

test('resources and templates are read with their URI, values and media type', async () => {
  const server = make();
  const cache = { ttlMs: 9, scope: 'public' } as const;
  server.resource('one', 'x:1', { mimeType: 'text/plain', size: 3, cache, description: 'One' }, (uri) => `<${uri}>`);
  server.template('many', 'y:{id}{?q}', { complete: { id: (value) => [`${value}!`] } }, (_uri, { id, q }) => ({
    text: `${id} ${q}`,
  }));
  const [one] = loaded(server).resources ?? [];
  const [many] = loaded(server).templates ?? [];
  assert.deepEqual(one?.resource, { uri: 'x:1', name: 'one', description: 'One', mimeType: 'text/plain', size: 3 });
  assert.equal(one?.fresh, cache);
  assert.deepEqual(one?.read('x:1', call), [{ uri: 'x:1', mimeType: 'text/plain', text: '<x:1>' }]);
  assert.deepEqual(many?.template, { uriTemplate: 'y:{id}{?q}', name: 'many' });
  assert.deepEqual(many?.match('y:7?q=a'), { id: '7', q: 'a' });
  assert.deepEqual(many?.read('y:7', { id: '7' }, call), [{ uri: 'y:7', text: '7 undefined' }]);
  assert.deepEqual(await many?.complete?.['id']?.('a', {}, call), ['a!']);
});

test('a prompt lists its arguments in order and completes those that can be', async () => {
  const server = make();
  server.prompt('plain', {}, () => 'hi');
  server.prompt(
    'greet',
    { title: 'Greet', arguments: { who: { required: true, complete: () => ['Ann'] }, tone: { description: 'How' } } },
    ({ who, tone }) => [`Greet ${who}`, { role: 'assistant', content: tone ?? 'ok' }],
  );
  const [plain, greet] = loaded(server).prompts ?? [];
  assert.deepEqual(plain?.prompt, { name: 'plain' });
  assert.equal(plain?.complete, undefined);
  assert.deepEqual(greet?.prompt, {
    name: 'greet',
    title: 'Greet',
    arguments: [
      { name: 'who', required: true },
      { name: 'tone', description: 'How' },
    ],
  });
  assert.deepEqual(Object.keys(greet?.complete ?? {}), ['who']);
  assert.deepEqual(
    (await greet?.get({ who: 'Ann' }, call))?.messages.map(({ content }) => content),
    [
      { type: 'text', text: 'Greet Ann' },
      { type: 'text', text: 'ok' },
    ],
  );
});

test('a tool says whether it may be a task, and when it becomes one', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('no', {}, () => 'x');
  server.tool('may', { task: 'optional' }, () => 'x');
  server.tool('must', { task: { support: 'required', starts: 'called' } }, () => 'x');
  server.tool('later', { task: { support: 'required', starts: 'released' } }, () => 'x');
  const { tools = [] } = await server.load();
  assert.deepEqual(
    tools.map(({ tool, startsReleased }) => [tool.execution?.taskSupport, startsReleased]),
    [
      [undefined, undefined],
      ['optional', undefined],
      ['required', undefined],
      ['required', true],
    ],
  );
  for (const task of ['forbidden', 'maybe', true, { support: 'never', starts: 'called' }] as never[])
    assert.throws(() => server.tool('bad', { task }, () => 'x'), TypeError);
});
