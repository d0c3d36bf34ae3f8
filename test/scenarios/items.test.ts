import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from '../../src/catalog/server.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { createFiles } from '../../src/providers/packs/files/files.ts';
import { calling } from './dialogue.ts';
import { obligation, scenario } from './obligation.ts';
import type { Peer } from './peer.ts';
import { ALL, CODE, isModern, KEY, since } from './revisions.ts';

const FIXED = { 'tools/list': 'tools', 'prompts/list': 'prompts', 'resources/list': 'resources' } as const;

async function listAll(peer: Peer, method: keyof typeof FIXED): Promise<{ items: JsonObject[]; pages: JsonObject[] }> {
  const pages: JsonObject[] = [];
  let cursor: string | undefined;
  do {
    const page: JsonObject = await peer.result(method, cursor === undefined ? {} : { cursor });
    pages.push(page);
    cursor = page['nextCursor'] as string | undefined;
  } while (cursor !== undefined);
  return { pages, items: pages.flatMap((page) => page[FIXED[method]] as JsonObject[]) };
}

const named = async (peer: Peer, name: string): Promise<JsonObject> => {
  const { items } = await listAll(peer, 'tools/list');
  return items.find((item) => item['name'] === name) as JsonObject;
};

obligation(
  'PAGE-1',
  'gives every item once, page by page, and the same page for the same cursor',
  { limits: { pageSize: 3 } },
  async (_, peer) => {
    for (const method of Object.keys(FIXED) as (keyof typeof FIXED)[]) {
      const { items, pages } = await listAll(peer, method);
      assert.ok(pages.length > 1, method);
      const names = items.map((item) => item['uri'] ?? item['name']);
      assert.equal(new Set(names).size, names.length);
      const cursor = pages[0]?.['nextCursor'] as string;
      assert.deepEqual(await peer.result(method, { cursor }), pages[1]);
      assert.deepEqual(await peer.result(method, { cursor }), pages[1]);
    }
  },
);

obligation(
  'PAGE-1',
  'refuses a cursor it never gave, or gave for another list',
  { limits: { pageSize: 3 } },
  async (_, peer) => {
    const { pages } = await listAll(peer, 'tools/list');
    const cursor = pages[0]?.['nextCursor'] as string;
    for (const wrong of ['', 'x', '0', '3', `${cursor}A`, cursor.slice(1), cursor.toUpperCase()])
      await peer.refused(CODE.badParams, ['tools/list', { cursor: wrong }]);
    await peer.refused(CODE.badParams, ['prompts/list', { cursor }]);
    for (const wrong of [3, null, {}, []])
      await peer.refused(CODE.badParams, ['tools/list', { cursor: wrong as never }]);
  },
);

const completion = (ref: JsonObject, name: string, value: string): [string, JsonObject] => [
  'completion/complete',
  { ref, argument: { name, value } },
];
const ITEM = { type: 'ref/resource', uri: 'test://items/{id}' };
const WELCOME = { type: 'ref/prompt', name: 'welcome' };

obligation(
  'COMP-1',
  'declares completion, and has it only where something completes',
  { bareShelves: true },
  async (_, peer) => {
    await peer.refused(CODE.unknownMethod, completion(WELCOME, 'who', ''));
  },
);

obligation('COMP-2', 'gives at most a hundred values and says how many there are', async (revision, peer) => {
  const { completion: all } = (await peer.result(...completion(ITEM, 'id', 'item-'))) as { completion: JsonObject };
  assert.equal((all['values'] as string[]).length, 100);
  assert.deepEqual({ total: all['total'], hasMore: all['hasMore'] }, { total: 150, hasMore: true });
  const { completion: few } = (await peer.result(...completion(WELCOME, 'who', 'An'))) as { completion: JsonObject };
  assert.deepEqual(few, { values: ['An!'], total: 1, hasMore: false });
  const [method, params] = completion(ITEM, 'id', 'item-149');
  const known = (await peer.result(method, { ...params, context: { arguments: { suffix: '?' } } })) as {
    completion: JsonObject;
  };
  assert.deepEqual(known.completion['values'], [since(revision, '2025-06-18') ? 'item-149?' : 'item-149']);
});

obligation('COMP-2', 'gives nothing but strings, whatever a completer returns', async (_, peer) => {
  await peer.refused(CODE.internal, completion(WELCOME, 'how', ''));
  await peer.refused(CODE.internal, completion(WELCOME, 'how', 'x'));
});

obligation('COMP-2', 'refuses references and arguments that are not there', async (_, peer) => {
  await peer.refused(CODE.badParams, completion({ type: 'ref/prompt', name: 'gone' }, 'who', ''));
  await peer.refused(CODE.badParams, completion({ type: 'ref/resource', uri: 'test://gone/{id}' }, 'id', ''));
  await peer.refused(CODE.badParams, completion({ type: 'ref/tool', name: 'echo' }, 'text', ''));
  await peer.refused(CODE.badParams, completion({ type: 'ref/prompt' }, 'who', ''));
  await peer.refused(CODE.badParams, completion(WELCOME, 'unheard-of', ''));
  await peer.refused(CODE.badParams, completion(ITEM, 'unheard-of', ''));
  await peer.refused(CODE.badParams, ['completion/complete', { ref: WELCOME }]);
  await peer.refused(CODE.badParams, ['completion/complete', { ref: WELCOME, argument: { name: 'who' } }]);
  await peer.refused(CODE.badParams, ['completion/complete', {}]);
});

obligation(
  'CACHE-1',
  'says of the six results how long they keep, as they were told to',
  { cache: { ttlMs: 60_000, scope: 'public' } },
  async (_, peer) => {
    const list = { ttlMs: 60_000, cacheScope: 'public' };
    for (const method of [
      'server/discover',
      'tools/list',
      'prompts/list',
      'resources/list',
      'resources/templates/list',
    ]) {
      const { ttlMs, cacheScope } = await peer.result(method);
      assert.deepEqual({ ttlMs, cacheScope }, list, method);
    }
    const own = await peer.result('resources/read', { uri: 'test://text' });
    assert.deepEqual([own['ttlMs'], own['cacheScope']], [5000, 'public']);
    const none = await peer.result('resources/read', { uri: 'test://bytes' });
    assert.deepEqual([none['ttlMs'], none['cacheScope']], [0, 'private']);
    assert.equal('ttlMs' in (await peer.call('echo', { text: '' })), false);
  },
);

obligation(
  'CACHE-2',
  'says the same of every page of a list',
  { cache: { ttlMs: 7, scope: 'public' }, limits: { pageSize: 2 } },
  async (_, peer) => {
    const { pages } = await listAll(peer, 'tools/list');
    assert.ok(pages.length > 2);
    assert.deepEqual([...new Set(pages.map(({ cacheScope, ttlMs }) => `${cacheScope} ${ttlMs}`))], ['public 7']);
  },
);

obligation('CACHE-3', 'answers alike whoever may keep the answer', async (_, peer, scene) => {
  const other = scene.peer(peer.revision, {}, { id: 'somebody else', scopes: [] });
  for (const uri of ['test://text', 'test://bytes'])
    assert.deepEqual(await other.result('resources/read', { uri }), await peer.result('resources/read', { uri }));
  await other.end();
});

obligation('TOOL-1', 'answers with an empty list when the last tool is gone', async (_, peer, { fixture }) => {
  const empty = createServer({ name: 'empty', version: '1' });
  const tool = empty.tool('only', {}, () => '');
  const mount = fixture.server.mount('more', empty);
  await new Promise((resolve) => setImmediate(resolve));
  assert.notEqual(await named(peer, 'more__only'), undefined);
  tool.remove();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await named(peer, 'more__only'), undefined);
  mount.remove();
  await new Promise((resolve) => setImmediate(resolve));
  if (!isModern(peer.revision)) await drainNotices(peer);
});

async function drainNotices(peer: Peer): Promise<void> {
  for (;;) {
    try {
      await peer.quiet();
      return;
    } catch {
      await peer.next();
    }
  }
}

obligation(
  'TOOL-1',
  'declares no tools and has no methods of them where there are none',
  { bareShelves: true, unopened: true },
  async (revision, peer) => {
    const { capabilities } = isModern(revision) ? await peer.result('server/discover') : await peer.handshake();
    assert.deepEqual(capabilities, { logging: {} });
    await peer.refused(CODE.unknownMethod, ['tools/list']);
  },
);

obligation('TOOL-3', 'refuses a tool it does not have, and params of the wrong shape', async (_, peer) => {
  for (const name of ['gone', '', 'toString', '__proto__']) await peer.refused(CODE.badParams, calling(name));
  await peer.refused(CODE.badParams, ['tools/call', {}]);
  await peer.refused(CODE.badParams, ['tools/call', { name: 5 }]);
  for (const wrong of [[], 'x', null, 5])
    await peer.refused(CODE.badParams, ['tools/call', { name: 'echo', arguments: wrong as never }]);
});

obligation('TOOL-3', 'checks arguments before the tool runs', async (_, peer) => {
  for (const input of [{}, { text: 5 }, { text: null }, { text: ['x'] }]) {
    const result = await peer.call('echo', input as JsonObject);
    assert.equal(result['isError'], true);
    assert.match(JSON.stringify(result), /Invalid arguments for tool \\"echo\\"/);
  }
});

obligation('TOOL-4', 'reports the failure of a tool in its result', async (_, peer) => {
  const refused = await peer.call('refuses');
  assert.equal(refused['isError'], true);
  assert.match(JSON.stringify(refused), /There is no more milk/);
  for (const name of ['throws', 'rejects', 'unwritable', 'unfit', 'huge']) {
    const result = await peer.call(name);
    assert.equal(result['isError'], true, name);
  }
});

obligation('TOOL-5', 'reports arguments that do not fit in the result, saying what is wrong', async (_, peer) => {
  const result = await peer.call('add', { a: 'one' });
  assert.equal(result['isError'], true);
  assert.match(JSON.stringify(result), /a.*number|number.*a/);
  assert.match(JSON.stringify(result), /b/);
});

obligation('TOOL-6', 'gives structured results that fit, and repeats them as text', async (revision, peer) => {
  const sum = await peer.call('add', { a: 1, b: 2 });
  assert.deepEqual(sum['structuredContent'], { sum: 3 });
  assert.deepEqual(sum['content'], [{ type: 'text', text: '{"sum":3}' }]);
  const primes = await peer.call('primes');
  assert.deepEqual(primes['structuredContent'], isModern(revision) ? [2, 3, 5] : { result: [2, 3, 5] });
  const unfit = await peer.call('unfit');
  assert.equal(unfit['isError'], true);
  assert.equal(unfit['structuredContent'], undefined);
});

obligation('TOOL-6', 'describes the structured result it gives', async (revision, peer) => {
  const { outputSchema } = (await named(peer, 'primes')) as { outputSchema: JsonObject };
  const array = { $defs: { prime: { type: 'integer', minimum: 2 } }, type: 'array' };
  if (isModern(revision)) assert.deepEqual(outputSchema, { ...array, items: { $ref: '#/$defs/prime' } });
  else {
    const result = { ...array, items: { $ref: '#/properties/result/$defs/prime' } };
    assert.deepEqual(outputSchema, { type: 'object', properties: { result }, required: ['result'] });
  }
});

obligation(
  'TOOL-7',
  'describes the input of every tool as an object, and offers no tool that does not',
  async (_, peer) => {
    const { items } = await listAll(peer, 'tools/list');
    for (const { inputSchema } of items) assert.equal((inputSchema as JsonObject)['type'], 'object');
    const server = createServer({ name: 'x', version: '1' });
    for (const input of [{ type: 'string' }, {}, { oneOf: [{ type: 'object' }] }])
      await assert.rejects(async () => {
        server.tool('bad', { input }, () => '');
        await server.load();
      }, TypeError);
  },
);

obligation('TOOL-8', 'offers no tool under a name clients may refuse', async (_, peer) => {
  const { items } = await listAll(peer, 'tools/list');
  for (const { name } of items) assert.match(String(name), /^[A-Za-z0-9_.-]{1,128}$/);
  const server = createServer({ name: 'x', version: '1' });
  for (const name of ['', 'a b', 'a/b', 'ü', 'x'.repeat(129), 'a\n'])
    assert.throws(() => server.tool(name, {}, () => ''), TypeError);
  server.tool('twice', {}, () => '');
  assert.throws(() => server.tool('twice', {}, () => ''), TypeError);
});

obligation(
  'TOOL-10',
  'lists the same in the same order on every connection, whatever happened before',
  async (_, peer, scene) => {
    const before = JSON.stringify(await peer.result('tools/list'));
    await peer.call('counted');
    await peer.call('throws');
    await peer.result('resources/read', { uri: 'test://text' });
    assert.equal(JSON.stringify(await peer.result('tools/list', {}, { capabilities: { sampling: {} } })), before);
    const other = scene.peer(peer.revision);
    assert.equal(JSON.stringify(await other.result('tools/list')), before);
    await other.end();
  },
);

obligation('TOOL-11', 'offers no tool whose header marks are wrong', async () => {
  const server = createServer({ name: 'x', version: '1' });
  const mark = (header: unknown, type = 'string') => ({ type, 'x-mcp-header': header }) as JsonObject;
  const wrong: JsonObject[] = [
    { a: mark('') },
    { a: mark('a b') },
    { a: mark(5) },
    { a: mark('A'), b: mark('a') },
    { a: mark('A', 'number') },
    { a: mark('A', 'object') },
    { a: { type: 'array', items: mark('A') } },
    { a: { anyOf: [mark('A')] } },
  ];
  for (const properties of wrong)
    await assert.rejects(
      async () => {
        server.tool(`bad-${wrong.indexOf(properties)}`, { input: { type: 'object', properties } as never }, () => '');
        await server.load();
      },
      TypeError,
      JSON.stringify(properties),
    );
  const good = createServer({ name: 'x', version: '1' });
  good.tool(
    'good',
    {
      input: {
        type: 'object',
        properties: { a: mark('Region'), b: { type: 'object', properties: { c: mark('Zone', 'integer') } } },
      } as never,
    },
    () => '',
  );
  await good.load();
});

obligation(
  'RES-1',
  'declares resources, and has no methods of them where there are none',
  { bareShelves: true },
  async (revision, peer) => {
    for (const method of ['resources/list', 'resources/templates/list'])
      await peer.refused(CODE.unknownMethod, [method]);
    await peer.refused(CODE.unknownMethod, ['resources/read', { uri: 'test://text' }]);
    if (!isModern(revision)) await peer.refused(CODE.unknownMethod, ['resources/subscribe', { uri: 'test://text' }]);
  },
);

obligation('RES-3', 'checks URIs and gives bytes as base64', async (_, peer) => {
  const read = async (uri: string) => ((await peer.result('resources/read', { uri }))['contents'] as JsonObject[])[0];
  assert.deepEqual(await read('test://bytes'), {
    uri: 'test://bytes',
    mimeType: 'application/octet-stream',
    blob: 'AP8B',
  });
  assert.deepEqual(await read('test://text'), { uri: 'test://text', mimeType: 'text/plain', text: 'hello' });
  assert.deepEqual(await read('test://items/a%20b'), {
    uri: 'test://items/a%20b',
    mimeType: 'text/plain',
    text: 'item a b',
  });
  for (const uri of [5, null, undefined, {}, []])
    await peer.refused(CODE.badParams, ['resources/read', { uri: uri as never }]);
});

const MISSING = [
  'test://gone',
  'test://items/',
  'test://items/a/b',
  'nonsense',
  '',
  'test://empty',
  'file:///etc/passwd',
];

obligation('RES-4', 'refuses what is not there as not found, with its URI', async (_, peer) => {
  for (const uri of MISSING) {
    const { data } = await peer.refused(CODE.notFound, ['resources/read', { uri }]);
    assert.equal((data as JsonObject)['uri'], uri);
  }
});

obligation('RES-5', 'refuses what is not there as a bad parameter, with its URI', async (_, peer) => {
  for (const uri of MISSING) {
    const { data } = await peer.refused(CODE.badParams, ['resources/read', { uri }]);
    assert.equal((data as JsonObject)['uri'], uri);
  }
});

obligation('RES-7', 'offers no resource whose URI has no proper scheme', async () => {
  const server = createServer({ name: 'x', version: '1' });
  for (const uri of ['', 'x', '1x://a', '://a', 'a b://c', 'te_st://x', 'test://a b'])
    assert.throws(() => server.resource('x', uri, {}, () => ''), TypeError, uri);
  for (const uri of ['a:b', 'my-app+v1.0://x/y', 'urn:isbn:1']) server.resource('x', uri, {}, () => '');
});

obligation('RES-8', 'lets no path climb out of the root of the files it serves', async (_, peer, { fixture }) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-root-'));
  try {
    await mkdir(join(folder, 'inside'));
    await writeFile(join(folder, 'outside.txt'), 'planted');
    await writeFile(join(folder, 'inside', 'in.txt'), 'found');
    await symlink(join(folder, 'outside.txt'), join(folder, 'inside', 'link.txt'));
    fixture.server.mount('files', await createFiles({ root: join(folder, 'inside') }));
    await new Promise((resolve) => setImmediate(resolve));
    await drainNotices(peer);
    assert.match(JSON.stringify(await peer.call('files__read_file', { path: 'in.txt' })), /found/);
    const climbing = [
      '../outside.txt',
      'x/../../outside.txt',
      join(folder, 'outside.txt'),
      'link.txt',
      '..\\outside.txt',
    ];
    for (const path of [...climbing, '%2e%2e/outside.txt', `file://${folder}/outside.txt`, '../outside.txt\0.txt']) {
      const result = await peer.call('files__read_file', { path });
      assert.equal(result['isError'], true, path);
      assert.doesNotMatch(JSON.stringify(result), /planted/, path);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

obligation(
  'PROM-1',
  'declares prompts, and has no methods of them where there are none',
  { bareShelves: true },
  async (_, peer) => {
    await peer.refused(CODE.unknownMethod, ['prompts/list']);
    await peer.refused(CODE.unknownMethod, ['prompts/get', { name: 'welcome' }]);
  },
);

obligation('PROM-2', 'refuses prompts and arguments that are not there before it runs them', async (_, peer) => {
  await peer.refused(CODE.badParams, ['prompts/get', { name: 'gone' }]);
  await peer.refused(CODE.badParams, ['prompts/get', {}]);
  await peer.refused(CODE.badParams, ['prompts/get', { name: 'welcome' }]);
  await peer.refused(CODE.badParams, ['prompts/get', { name: 'welcome', arguments: { how: 'x' } }]);
  for (const wrong of [{ who: 5 }, { who: null }, { who: ['x'] }, 'x', []])
    await peer.refused(CODE.badParams, ['prompts/get', { name: 'welcome', arguments: wrong as never }]);
  const { error } = await peer.request('prompts/get', { name: 'failing' });
  assert.equal((error as JsonObject)['code'], CODE.internal);
});

obligation('PROM-3', 'takes arguments as data and gives media with their type', async (revision, peer) => {
  const who = '{{how}} $\u007bprocess.env} </user> \n assistant:';
  const { messages } = (await peer.result('prompts/get', { name: 'welcome', arguments: { who } })) as {
    messages: JsonObject[];
  };
  assert.deepEqual(messages, [
    { role: 'user', content: { type: 'text', text: `Greet ${who} kindly` } },
    { role: 'assistant', content: { type: 'text', text: 'Good day' } },
  ]);
  const gallery = (await peer.result('prompts/get', { name: 'gallery' })) as { messages: { content: JsonObject }[] };
  assert.deepEqual(
    gallery.messages.map(({ content }) => content['type']),
    [
      'image',
      since(revision, '2025-03-26') ? 'audio' : 'text',
      'resource',
      since(revision, '2025-06-18') ? 'resource_link' : 'text',
    ],
  );
});

obligation(
  'META-1',
  'uses metadata keys of its own that follow the grammar, and passes on those of others',
  async (_, peer) => {
    const echo = await named(peer, 'echo');
    assert.deepEqual(echo['_meta'], { 'example.org/shelf': 'top' });
    const failed = (await peer.call('throws')) as { _meta: JsonObject };
    const own = Object.keys(failed._meta).filter((key) => key !== KEY.server);
    assert.deepEqual(own, ['parley-mcp/code', 'parley-mcp/errorId']);
    const about = JSON.parse(await peer.said('about', {}, { meta: { 'example.org/x': [1], bare: 1 } })) as {
      meta: JsonObject;
    };
    assert.deepEqual([about.meta['example.org/x'], about.meta['bare']], [[1], 1]);
  },
);

obligation('META-2', 'hands trace keys to the handler, and is not put off by wrong ones', async (_, peer) => {
  const trace = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'a=b',
    baggage: 'k=v',
  };
  const about = JSON.parse(await peer.said('about', {}, { meta: trace })) as { meta: JsonObject };
  for (const [key, value] of Object.entries(trace)) assert.equal(about.meta[key], value);
  for (const wrong of ['', 'x', 5, null, {}]) await peer.call('about', {}, { meta: { traceparent: wrong as never } });
});

obligation('SCH-1', 'reads 2020-12 by default and refuses a dialect it does not know', async (_, peer) => {
  const server = createServer({ name: 'x', version: '1' });
  const dialect = (uri: string) => ({ $schema: uri, type: 'object' }) as const;
  server.tool('known', { input: dialect('https://json-schema.org/draft/2020-12/schema') }, () => '');
  await server.load();
  await assert.rejects(async () => {
    server.tool('unknown', { input: dialect('https://example.org/my-schema') }, () => '');
    await server.load();
  }, /schema/i);
  const result = await peer.call('anything', { no: 1 });
  assert.equal(result['isError'], true, '2020-12 lets a property be described by false');
});

obligation('SCH-2', 'refuses references to the network instead of following them', async () => {
  const server = createServer({ name: 'x', version: '1' });
  for (const $ref of ['https://example.org/a.json', 'http://127.0.0.1:9/x', 'file:///etc/passwd', 'other.json#/a'])
    await assert.rejects(
      async () => {
        server.tool(`ref-${$ref.length}`, { input: { type: 'object', properties: { a: { $ref } } } }, () => '');
        await server.load();
      },
      Error,
      $ref,
    );
});

scenario(ALL, 'says what a revision cannot carry in words it can', async (revision, peer) => {
  const { content } = (await peer.call('media')) as { content: JsonObject[] };
  const kept = since(revision, '2025-06-18');
  assert.deepEqual(
    content.map(({ type }) => type),
    ['text', 'image', since(revision, '2025-03-26') ? 'audio' : 'text', 'resource', kept ? 'resource_link' : 'text'],
  );
  if (!kept) assert.equal(content[4]?.['text'], 'text: test://text');
  if (!since(revision, '2025-03-26')) assert.match(String(content[2]?.['text']), /audio\/wav/);
});

scenario(ALL, 'describes properties by objects where booleans are unknown', async (revision, peer) => {
  const { inputSchema } = (await named(peer, 'anything')) as { inputSchema: { properties: JsonObject } };
  const { yes, no } = inputSchema.properties;
  assert.deepEqual([yes, no], isModern(revision) ? [true, false] : [{}, { not: {} }]);
});

scenario(ALL, 'gives no structure where the revision has none', async (revision, peer) => {
  assert.equal('structuredContent' in (await peer.call('add', { a: 1, b: 2 })), since(revision, '2025-06-18'));
  assert.equal('outputSchema' in (await named(peer, 'add')), since(revision, '2025-06-18'));
});

scenario(ALL, 'refuses a result over the limit', { limits: { outputBytes: 5000 } }, async (_, peer) => {
  assert.equal((await peer.call('echo', { text: 'x'.repeat(6000) }))['isError'], true);
  assert.equal((await peer.call('echo', { text: 'x'.repeat(100) }))['isError'], undefined);
});
