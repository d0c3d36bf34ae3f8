import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../model/call.ts';
import { Fault } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import { silent } from '../model/log.ts';
import { buildCatalog, type CatalogOptions } from './catalog.ts';
import type { Mount, Offer, Provider, ToolEntry } from './provider.ts';
import { createTemplate } from './template.ts';

const call = {} as Call;
const tool = (name: string, inputSchema: JsonObject = { type: 'object' }): ToolEntry => ({
  tool: { name, inputSchema },
  run: () => ({ content: [{ type: 'text', text: name }] }),
});
const resource = (uri: string, name = uri) => ({
  resource: { uri, name },
  read: (read: string) => [{ uri: read, text: name }],
});
const template = (uriTemplate: string, name = uriTemplate) => {
  const { variables, match } = createTemplate(uriTemplate);
  return {
    template: { uriTemplate, name },
    variables,
    match,
    read: (uri: string, values: object) => [{ uri, text: `${name} ${JSON.stringify(values)}` }],
  };
};
const prompt = (name: string) => ({ prompt: { name }, get: () => ({ messages: [] }) });
const provider = (name: string, offer: Offer): Provider => ({ name, load: () => offer });
const build = (mounts: readonly Mount[], options: Partial<CatalogOptions> = {}) =>
  buildCatalog(mounts, { pageSize: 100, log: silent, ...options });
const mounted = (offer: Offer, namespace?: string): Mount =>
  namespace === undefined ? { provider: provider('home', offer) } : { provider: provider('home', offer), namespace };

test('items of nested mounts are listed under their joined names in the order they were mounted', async () => {
  const inner = mounted({ tools: [tool('t')], prompts: [prompt('p')], resources: [resource('x:in', 'r')] }, 'b');
  const outer = mounted({ tools: [tool('z'), tool('a')], mounts: [inner], templates: [template('y:{v}', 'tpl')] }, 'a');
  const catalog = await build([mounted({ tools: [tool('plain')] }), outer, mounted({ tools: [tool('last')] })]);
  assert.deepEqual(
    catalog.tools().tools.map(({ name }) => name),
    ['plain', 'a__z', 'a__a', 'a__b__t', 'last'],
  );
  assert.deepEqual(catalog.prompts().prompts, [{ name: 'a__b__p' }]);
  assert.deepEqual(catalog.resources().resources, [{ uri: 'x:in', name: 'a__b__r' }]);
  assert.deepEqual(catalog.templates().templates, [{ uriTemplate: 'y:{v}', name: 'a__tpl' }]);
  assert.deepEqual(catalog.counts, { tools: 5, resources: 1, templates: 1, prompts: 1 });
});

test('a tool keeps its deadline and when it becomes a task under the name it is mounted by', async () => {
  const catalog = await build([mounted({ tools: [{ ...tool('t'), deadlineMs: 7, startsReleased: true }] }, 'ns')]);
  const { deadlineMs, startsReleased } = catalog.findTool('ns__t') ?? {};
  assert.deepEqual({ deadlineMs, startsReleased }, { deadlineMs: 7, startsReleased: true });
});

test('a mount without a namespace adds nothing to the names of those inside it', async () => {
  const catalog = await build([mounted({ mounts: [mounted({ tools: [tool('t')] }, 'b')] })]);
  assert.notEqual(catalog.findTool('b__t'), undefined);
});

test('a tool or prompt is found by its listed name and its long form and by nothing else', async () => {
  const catalog = await build([
    mounted({ tools: [tool('t')], prompts: [prompt('p')] }, 'ns'),
    mounted({ tools: [tool('root')] }),
  ]);
  for (const name of ['ns__t', 'mcp__ns__t']) assert.equal(catalog.findTool(name)?.tool.name, 'ns__t');
  for (const name of ['ns__p', 'mcp__ns__p']) assert.equal(catalog.findPrompt(name)?.prompt.name, 'ns__p');
  for (const name of ['t', 'mcp__t', 'mcp__root', 'ns__T', 'mcp__mcp__ns__t', '', '__proto__', 'constructor']) {
    assert.equal(catalog.findTool(name), undefined, name);
    assert.equal(catalog.findPrompt(name), undefined, name);
  }
});

test('two items of one name or URI are refused with the mount and the item', async () => {
  const cases: readonly [readonly Mount[], string][] = [
    [
      [mounted({ tools: [tool('far__add')] }), mounted({ tools: [tool('add')] }, 'far')],
      'Cannot mount "far": tool "far__add" is already mounted',
    ],
    [
      [mounted({ tools: [tool('add')] }), mounted({ tools: [tool('add')] })],
      'Cannot mount "home": tool "add" is already mounted',
    ],
    [[mounted({ tools: [tool('a'), tool('a')] }, 'n')], 'Cannot mount "n": tool "n__a" is already mounted'],
    [
      [mounted({ prompts: [prompt('p')] }), mounted({ prompts: [prompt('p')] })],
      'Cannot mount "home": prompt "p" is already mounted',
    ],
    [
      [mounted({ resources: [resource('x:1')] }), mounted({ resources: [resource('x:1')] }, 'n')],
      'Cannot mount "n": resource "x:1" is already mounted',
    ],
    [
      [mounted({ templates: [template('x:{a}')] }), mounted({ templates: [template('x:{a}')] }, 'n')],
      'Cannot mount "n": resource template "x:{a}" is already mounted',
    ],
  ];
  for (const [mounts, message] of cases) await assert.rejects(build(mounts), new TypeError(message));
});

test('a provider inside itself is refused instead of loading for ever', async () => {
  const loop: Provider = { name: 'loop', load: () => ({ mounts: [{ namespace: 'again', provider: loop }] }) };
  await assert.rejects(build([{ provider: loop }]), new TypeError('Cannot mount "again": it is mounted inside itself'));
});

test('the same provider may be mounted twice side by side', async () => {
  const twice = provider('twice', { tools: [tool('t')] });
  const catalog = await build([
    { provider: twice, namespace: 'a' },
    { provider: twice, namespace: 'b' },
  ]);
  assert.equal(catalog.counts.tools, 2);
});

test('a bad namespace is refused even when nothing is in it', async () => {
  await assert.rejects(build([mounted({}, 'a__b')]), TypeError);
  await assert.rejects(build([mounted({}, 'mcp')]), TypeError);
});

test('a URI is looked for among resources first, then templates in order', async () => {
  const catalog = await build([
    mounted({
      templates: [template('x:{a}'), template('x:{+b}'), template('y:{c}')],
      resources: [resource('x:1', 'exact')],
    }),
  ]);
  const read = async (uri: string) => {
    const found = catalog.findResource(uri);
    if (found === undefined) return undefined;
    const contents =
      found.kind === 'resource' ? found.entry.read(uri, call) : found.entry.read(uri, found.variables, call);
    return (await contents)[0]?.text;
  };
  assert.equal(await read('x:1'), 'exact');
  assert.equal(await read('x:2'), 'x:{a} {"a":"2"}');
  assert.equal(await read('x:2/3'), 'x:{+b} {"b":"2/3"}');
  assert.equal(await read('z:1'), undefined);
  assert.equal(catalog.findTemplate('y:{c}')?.template.uriTemplate, 'y:{c}');
  assert.equal(catalog.findTemplate('y:1'), undefined);
});

test('freshness of an entry is told with what is found and that of the lists with every page', async () => {
  const fresh = { ttlMs: 5, scope: 'public' } as const;
  const catalog = await build([mounted({ resources: [{ ...resource('x:1'), fresh }, resource('x:2')] })], { fresh });
  assert.equal(catalog.findResource('x:1')?.entry.fresh, fresh);
  assert.equal(catalog.findResource('x:2')?.entry.fresh, undefined);
  for (const page of [catalog.tools(), catalog.resources(), catalog.templates(), catalog.prompts()]) {
    assert.deepEqual(page.fresh, fresh);
  }
  assert.equal('fresh' in (await build([])).tools(), false);
});

test('pages are the same frozen objects every time and end without a cursor', async () => {
  const catalog = await build([mounted({ tools: [tool('a'), tool('b'), tool('c')] })], { pageSize: 2 });
  const first = catalog.tools();
  assert.equal(catalog.tools(), first);
  assert.ok(Object.isFrozen(first) && Object.isFrozen(first.tools) && Object.isFrozen(first.tools[0]));
  const second = catalog.tools(first.next);
  assert.equal(catalog.tools(first.next), second);
  assert.deepEqual(second, { tools: [{ name: 'c', inputSchema: { type: 'object' } }] });
  const badCursor = (error: unknown) => error instanceof Fault && error.code === 'E_BAD_CURSOR';
  assert.throws(() => catalog.resources(first.next), badCursor);
  assert.throws(() => catalog.templates(first.next), badCursor);
  assert.throws(() => catalog.prompts(first.next), badCursor);
});

test('what is offered follows from what is mounted', async () => {
  const offers = async (offer: Offer) => (await build([mounted(offer)])).offers;
  const none = { tools: false, resources: false, prompts: false, completions: false, tasks: false };
  assert.deepEqual(await offers({}), none);
  assert.deepEqual(await offers({ tools: [tool('a')] }), { ...none, tools: true });
  assert.deepEqual(await offers({ templates: [template('x:{a}')] }), { ...none, resources: true });
  assert.deepEqual(await offers({ prompts: [{ ...prompt('p'), complete: {} }] }), { ...none, prompts: true });
  assert.deepEqual(await offers({ prompts: [{ ...prompt('p'), complete: { a: () => [] } }] }), {
    ...none,
    prompts: true,
    completions: true,
    tasks: false,
  });
});

test('long names are listed when asked for, and both forms are found', async () => {
  const home = mounted({ tools: [tool('t')], prompts: [prompt('p')], resources: [resource('x:1', 'r')] }, 'ns');
  const catalog = await build([home, mounted({ tools: [tool('root'), tool('a__b')] })], { longNames: true });
  assert.deepEqual(
    catalog.tools().tools.map(({ name }) => name),
    ['mcp__ns__t', 'root', 'a__b'],
  );
  assert.equal(catalog.prompts().prompts[0]?.name, 'mcp__ns__p');
  assert.equal(catalog.resources().resources[0]?.name, 'mcp__ns__r');
  for (const name of ['ns__t', 'mcp__ns__t']) assert.equal(catalog.findTool(name)?.tool.name, 'mcp__ns__t');
});

test('bare names find what is namespaced when asked for, and nothing otherwise', async () => {
  const home = mounted({ tools: [tool('t'), tool('_u')], prompts: [prompt('p')] }, 'ns');
  const catalog = await build([home, mounted({ tools: [tool('root')] })], { longNames: true, bareNames: true });
  for (const name of ['t', 'ns__t', 'mcp__ns__t']) assert.equal(catalog.findTool(name)?.tool.name, 'mcp__ns__t');
  assert.equal(catalog.findTool('_u')?.tool.name, 'mcp__ns___u');
  assert.equal(catalog.findPrompt('p')?.prompt.name, 'mcp__ns__p');
  assert.equal(catalog.findTool('root')?.tool.name, 'root');
  for (const name of ['', 'u', 'p', 'mcp__t']) assert.equal(catalog.findTool(name), undefined, name);
  const plain = await build([home], { longNames: true });
  assert.equal(plain.findTool('t'), undefined);
});

test('a bare name that would mean two things is refused', async () => {
  const one = mounted({ tools: [tool('t')] }, 'a');
  const twice = [one, mounted({ tools: [tool('t')] }, 'b')];
  await assert.rejects(build(twice, { bareNames: true }), /"t" means "a__t" already/);
  for (const order of [
    [one, mounted({ tools: [tool('t')] })],
    [mounted({ tools: [tool('t')] }), one],
  ]) {
    await assert.rejects(build(order, { bareNames: true }), /"t".*"a__t"/);
  }
  assert.ok(await build(twice, {}));
});

test('every listed long name is callable, a too long one keeps its short form', async () => {
  const catalog = await build(
    [mounted({ tools: [tool('t'.repeat(57)), tool('t'.repeat(60)), tool('t'.repeat(64))] }, 'ns')],
    { longNames: true },
  );
  for (const { name } of catalog.tools().tools) {
    assert.ok(name.length <= 64);
    assert.equal(catalog.findTool(name)?.tool.name, name);
  }
});

test('a name that is the long form of another is refused in either order', async () => {
  const [short, long] = [mounted({ tools: [tool('t')] }, 'ns'), mounted({ tools: [tool('mcp__ns__t')] })];
  await assert.rejects(
    build([short, long]),
    new TypeError('Cannot mount "home": tool "mcp__ns__t" also means "ns__t"'),
  );
  await assert.rejects(build([long, short]), new TypeError('Cannot mount "ns": tool "ns__t" also means "mcp__ns__t"'));
});

test('what was offered once stays offered', async () => {
  const before = await build([
    mounted({ tools: [tool('a')], prompts: [{ ...prompt('p'), complete: { a: () => [] } }] }),
  ]);
  const after = await build([mounted({ resources: [resource('x:1')] })], { offered: before.offers });
  assert.deepEqual(after.offers, { tools: true, resources: true, prompts: true, completions: true, tasks: false });
});

test('a completer is found by its own name only', async () => {
  const catalog = await build([mounted({ prompts: [{ ...prompt('p'), complete: { a: () => ['x'] } }] })]);
  const complete = catalog.findPrompt('p')?.complete;
  assert.deepEqual(Object.keys(complete ?? {}), ['a']);
  for (const name of ['constructor', 'toString', '__proto__']) assert.equal(complete?.[name], undefined, name);
});

test('an entry that is an object with private state still works', async () => {
  class Counter implements ToolEntry {
    readonly tool = { name: 'count', inputSchema: { type: 'object' } };
    #count = 0;
    run() {
      this.#count += 1;
      return { content: [], structured: this.#count };
    }
  }
  const catalog = await build([mounted({ tools: [new Counter()] }, 'n')]);
  await catalog.findTool('n__count')?.run({}, call);
  assert.deepEqual(await catalog.findTool('n__count')?.run({}, call), { content: [], structured: 2 });
});

test('a tool that breaks a naming or schema rule is refused', async () => {
  const refused = async (entry: ToolEntry, says: RegExp) =>
    assert.rejects(
      build([mounted({ tools: [entry] })]),
      (error) => error instanceof TypeError && says.test(error.message),
    );
  await refused(tool('has space'), /Bad tool name "has space"/);
  await refused(tool('x'.repeat(65)), /1 to 64/);
  await refused(tool('t', {}), /type "object"/);
  await refused(tool('t', { type: ['object'] }), /type "object"/);
  await refused(tool('t', { type: 'string' }), /type "object"/);
});

const property = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { p: schema } });

test('header marks are accepted on plain properties only, each name once', async () => {
  const good: readonly JsonObject[] = [
    property({ type: 'string', 'x-mcp-header': 'Region' }),
    property(property({ type: 'integer', 'x-mcp-header': "a!#$%&'*+-.^_`|~9" })),
    { type: 'object', properties: { 'x-mcp-header': { type: 'string' } } },
    property({ type: 'string', default: { 'x-mcp-header': 1 }, enum: [{ 'x-mcp-header': '' }] }),
  ];
  for (const schema of good) assert.equal((await build([mounted({ tools: [tool('t', schema)] })])).counts.tools, 1);
  const mark = { type: 'string', 'x-mcp-header': 'Region' };
  const bad: readonly [JsonObject, RegExp][] = [
    [property({ type: 'string', 'x-mcp-header': '' }), /must be a header name/],
    [property({ type: 'string', 'x-mcp-header': 'a b' }), /must be a header name/],
    [property({ type: 'string', 'x-mcp-header': 'a\r\nb' }), /must be a header name/],
    [property({ type: 'string', 'x-mcp-header': 5 }), /must be a header name/],
    [property({ type: 'number', 'x-mcp-header': 'N' }), /of type string, integer or boolean/],
    [property({ type: ['string', 'null'], 'x-mcp-header': 'N' }), /of type/],
    [property({ 'x-mcp-header': 'N' }), /of type/],
    [{ type: 'object', 'x-mcp-header': 'N' }, /of type/],
    [{ type: 'object', properties: { a: mark, b: { type: 'boolean', 'x-mcp-header': 'rEGION' } } }, /used twice/],
    [property({ type: 'array', items: mark }), /through "properties" only/],
    [property({ anyOf: [mark] }), /through "properties" only/],
    [{ type: 'object', $defs: { d: mark } }, /through "properties" only/],
    [{ type: 'object', patternProperties: { d: mark } }, /through "properties" only/],
    [{ type: 'object', additionalProperties: { properties: { d: mark } } }, /through "properties" only/],
  ];
  for (const [schema, says] of bad) {
    await assert.rejects(build([mounted({ tools: [tool('t', schema)] })]), says, JSON.stringify(schema));
  }
});

test('a long joined name is shortened, logged and callable', async () => {
  const lines: string[] = [];
  const catalog = await build([mounted({ tools: [tool('t'.repeat(60))] }, 'space')], {
    log: (_, line) => void lines.push(line),
  });
  const [listed] = catalog.tools().tools;
  assert.equal(listed?.name.length, 64);
  assert.notEqual(catalog.findTool(listed.name), undefined);
  assert.equal(lines.length, 1);
});

test('a mount that fails to load fails the catalog', async () => {
  const broken: Provider = { name: 'broken', load: () => Promise.reject(new Error('down')) };
  await assert.rejects(build([{ provider: broken }]), /down/);
});
