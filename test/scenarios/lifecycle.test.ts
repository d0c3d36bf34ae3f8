import assert from 'node:assert/strict';
import { r20260728 } from '../../src/dialects/mcp/2026-07-28.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { calling } from './dialogue.ts';
import { obligation, scenario } from './obligation.ts';
import { ALL, CODE, isModern, KEY, LEGACY, MODERN, NEWEST_LEGACY, type RevisionId, since } from './revisions.ts';

const client = { name: 'peer', version: '1' };
const hello = (protocolVersion: string): JsonObject => ({ protocolVersion, capabilities: {}, clientInfo: client });

obligation(
  'LIFE-1',
  'answers the handshake with everything the revision knows',
  { unopened: true },
  async (revision, peer) => {
    const welcome = await peer.handshake();
    assert.equal(welcome['protocolVersion'], revision);
    assert.equal(welcome['instructions'], 'Ask for what you need');
    assert.deepEqual(welcome['capabilities'], {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      ...(since(revision, '2025-03-26') ? { completions: {} } : {}),
      logging: {},
    });
    const { name, version, title, icons } = welcome['serverInfo'] as JsonObject;
    assert.deepEqual({ name, version }, { name: 'fixture', version: '1.2.3' });
    assert.equal(title, since(revision, '2025-06-18') ? 'Fixture' : undefined);
    assert.equal(icons !== undefined, since(revision, '2025-11-25'));
  },
);

obligation(
  'LIFE-1',
  'refuses a handshake without its params, and takes the next',
  { unopened: true },
  async (revision, peer) => {
    const whole = hello(revision);
    const broken: (JsonObject | undefined)[] = [
      undefined,
      {},
      { ...whole, protocolVersion: undefined },
      { ...whole, protocolVersion: 1 },
      { ...whole, capabilities: undefined },
      { ...whole, capabilities: [] },
      { ...whole, clientInfo: undefined },
      { ...whole, clientInfo: { name: 'x' } },
      { ...whole, clientInfo: { name: 1, version: '1' } },
    ];
    for (const params of broken) await peer.refused(CODE.badParams, ['initialize', params]);
    await peer.refused(CODE.badMessage, ['tools/list']);
    await peer.handshake();
    await peer.result('tools/list');
  },
);

obligation(
  'LIFE-2',
  'echoes the version, and answers any other with the newest of the handshake',
  { unopened: true },
  async (revision, peer, scene) => {
    assert.equal((await peer.result('initialize', hello(revision)))['protocolVersion'], revision);
    for (const asked of ['1900-01-01', '2099-12-31', MODERN, '', 'latest', '__proto__']) {
      const other = scene.peer(NEWEST_LEGACY);
      const { protocolVersion } = await other.result('initialize', hello(asked));
      assert.equal(protocolVersion, NEWEST_LEGACY, asked);
      await other.end();
    }
  },
);

obligation(
  'LIFE-3',
  'asks nothing before the client is ready, and then asks',
  { unopened: true, declares: { roots: {} } },
  async (_, peer, { fixture }) => {
    await peer.handshake({ roots: {} }, false);
    const answer = peer.request(...calling('where'));
    fixture.server.tool('fresh', {}, () => '');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await peer.quiet().catch((error: Error) => assert.match(error.message, /without an answer/));
    assert.ok(
      peer.ledger.lines.every((line) => !line.includes('"method"')),
      'the server spoke before it may',
    );
    peer.notify('notifications/initialized');
    const question = await peer.next('roots/list');
    peer.reply(question, { roots: [] });
    await answer;
  },
);

const undeclared = (revision: RevisionId, tool: string): RegExp =>
  tool === 'greet' && !since(revision, '2025-06-18') ? /revision has no/ : /did not declare/;

obligation('LIFE-4', 'uses only what was negotiated', async (revision, peer) => {
  for (const tool of ['where', 'ponder', 'greet']) {
    const result = await peer.call(tool);
    assert.equal(result['isError'], true);
    assert.match(JSON.stringify(result), undeclared(revision, tool));
  }
});

obligation('LIFE-5', 'uses only what was negotiated', async (revision, peer) => {
  for (const tool of ['where', 'ponder', 'greet']) {
    const result = await peer.call(tool);
    assert.equal(result['isError'], true);
    assert.match(JSON.stringify(result), undeclared(revision, tool));
  }
});

obligation('LIFE-5', 'has no method of a capability it did not declare', { bareShelves: true }, async (_, peer) => {
  const methods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
  for (const method of methods) await peer.refused(CODE.unknownMethod, [method]);
  await peer.refused(CODE.unknownMethod, ['tools/call', { name: 'echo' }]);
  await peer.refused(CODE.unknownMethod, ['resources/subscribe', { uri: 'test://text' }]);
});

obligation(
  'LIFE-6',
  'gives up on a question after its deadline, and cancels it',
  { declares: { roots: {} }, limits: { askDeadlineMs: 20 } },
  async (_, peer) => {
    const answer = peer.call('where');
    const question = await peer.next('roots/list');
    const { params } = (await peer.next('notifications/cancelled')) as { params: JsonObject };
    assert.equal(params['requestId'], question['id']);
    assert.equal((await answer)['isError'], true);
    peer.reply(question, { roots: [] });
    await peer.quiet();
  },
);

obligation('VER-1', 'can be discovered, at any time', { unopened: true }, async (_, peer) => {
  const found = await peer.result('server/discover');
  assert.deepEqual(found['supportedVersions'], [MODERN]);
  assert.equal(found['instructions'], 'Ask for what you need');
  assert.deepEqual((found['capabilities'] as JsonObject)['tools'], { listChanged: true });
});

obligation('VER-2', 'refuses other versions, naming what it speaks, whatever the method', async (_, peer) => {
  for (const revision of ['2099-01-01', '1900-01-01', '2025-11-25', '', 'x']) {
    for (const method of ['tools/list', 'server/discover', 'no/such/method', 'initialize']) {
      const claim = { [KEY.revision]: revision, [KEY.capabilities]: {} };
      const { data } = await peer.refused(CODE.unsupportedRevision, [method, { _meta: claim }, { unclaimed: true }]);
      const { supported, requested } = data as JsonObject;
      assert.deepEqual({ supported, requested }, { supported: [MODERN], requested: revision });
    }
  }
});

obligation('VER-3', 'refuses a request whose metadata is not whole, naming the keys', async (_, peer) => {
  const bad: [JsonObject, string][] = [
    [{ [KEY.revision]: MODERN }, KEY.capabilities],
    [{ [KEY.revision]: MODERN, [KEY.capabilities]: [] }, KEY.capabilities],
    [{ [KEY.revision]: MODERN, [KEY.capabilities]: 'x' }, KEY.capabilities],
    [{ [KEY.revision]: 5, [KEY.capabilities]: {} }, KEY.revision],
    [{ [KEY.revision]: null, [KEY.capabilities]: {} }, KEY.revision],
  ];
  for (const [_meta, key] of bad) {
    const error = await peer.refused(CODE.badParams, ['tools/list', { _meta }, { unclaimed: true }]);
    assert.match(JSON.stringify(error), new RegExp(key));
  }
  await peer.refused(CODE.badParams, ['server/discover', undefined, { unclaimed: true }]);
  await peer.refused(CODE.badParams, ['server/discover', { _meta: {} }, { unclaimed: true }]);
  await peer.refused(CODE.badMessage, ['tools/list', { _meta: {} }, { unclaimed: true }]);
  await peer.refused(CODE.badMessage, ['tools/list', { _meta: { [KEY.capabilities]: {} } }, { unclaimed: true }]);
});

obligation('VER-4', 'remembers nothing of a client from one request to the next', async (_, peer) => {
  const meta = { [KEY.client]: { name: 'first', version: '1' }, [KEY.level]: 'debug' };
  await peer.call('about', {}, { capabilities: { elicitation: {} }, meta });
  assert.equal(JSON.parse(await peer.said('about'))['client'], null);
  await peer.refused(CODE.missingCapability, calling('greet'));
  await peer.call('chatter');
  await peer.quiet();
});

obligation('VER-5', 'names the capability a question needs and the request did not declare', async (_, peer) => {
  const cases: [string, JsonObject, JsonObject][] = [
    ['greet', {}, { elicitation: {} }],
    ['greet', { elicitation: { url: {} } }, { elicitation: {} }],
    ['visit', { elicitation: {} }, { elicitation: { url: {} } }],
    ['ponder', {}, { sampling: {} }],
    ['ponder-with-tools', { sampling: {} }, { sampling: { tools: {} } }],
    ['where', {}, { roots: {} }],
  ];
  for (const [tool, capabilities, needed] of cases) {
    const [method, params] = calling(tool);
    const { data } = await peer.refused(CODE.missingCapability, [method, params, { capabilities }]);
    const { requiredCapabilities } = data as { requiredCapabilities: JsonObject };
    assert.deepEqual(requiredCapabilities, needed, tool);
  }
});

obligation('VER-6', 'names the server in every result', async (_, peer) => {
  for (const [method, params] of [
    ['server/discover', {}],
    ['tools/list', {}],
    ['tools/call', { name: 'echo', arguments: { text: '' } }],
    ['tools/call', { name: 'throws' }],
    ['resources/read', { uri: 'test://text' }],
  ] as const) {
    const { _meta } = (await peer.result(method, params)) as { _meta: JsonObject };
    assert.equal((_meta[KEY.server] as JsonObject)['name'], 'fixture');
  }
});

obligation('VER-7', 'answers alike whoever a client says it is, or says it wrongly', async (_, peer) => {
  const plain = JSON.stringify(await peer.result('tools/list'));
  for (const info of [{ name: 'root', version: '9' }, { name: 7 }, 'nobody', null, []]) {
    const found = await peer.result('tools/list', {}, { meta: { [KEY.client]: info as JsonObject } });
    assert.equal(JSON.stringify(found), plain);
  }
});

obligation(
  'VER-10',
  'names its versions when it has no handshake and is greeted with one',
  { unopened: true, revisions: [r20260728] },
  async (_, peer) => {
    for (const params of [hello('2025-11-25'), {}, undefined]) {
      const { data } = await peer.refused(CODE.unsupportedRevision, ['initialize', params, { unclaimed: true }]);
      assert.deepEqual((data as JsonObject)['supported'], [MODERN]);
    }
  },
);

obligation(
  'VER-11',
  'serves the core to clients with extensions it does not know, and to those without',
  async (_, peer) => {
    const extensions = { 'example.org/unheard-of': {}, 'io.modelcontextprotocol/tasks': {} };
    const plain = await peer.call('add', { a: 1, b: 2 });
    assert.deepEqual(await peer.call('add', { a: 1, b: 2 }, { capabilities: { extensions } }), plain);
    await peer.refused(CODE.unknownMethod, ['tasks/get', { taskId: 'x' }]);
  },
);

obligation(
  'VER-12',
  'announces only extensions whose names have a prefix',
  { capabilities: { tools: {}, extensions: { 'example.org/x': {} } } },
  async (_, peer) => {
    const { capabilities } = (await peer.result('server/discover')) as { capabilities: { extensions: JsonObject } };
    for (const name of Object.keys(capabilities.extensions)) assert.match(name, /^[a-z0-9.-]+\/./i);
  },
);

obligation(
  'PING-1',
  'answers a ping at once, before, during and after the handshake',
  { unopened: true },
  async (_, peer, { fixture }) => {
    assert.deepEqual(await peer.result('ping'), {});
    await peer.handshake({}, false);
    assert.deepEqual(await peer.result('ping', {}), {});
    peer.notify('notifications/initialized');
    const slow = peer.call('wait', { name: 'slow' });
    await fixture.gate('slow').entered;
    assert.deepEqual(await peer.result('ping', { _meta: { 'example.org/x': 1 } }), {});
    fixture.gate('slow').open();
    await slow;
  },
);

scenario(LEGACY, 'does nothing but answer pings before the handshake', { unopened: true }, async (_, peer) => {
  for (const method of ['tools/list', 'resources/read', 'prompts/get', 'logging/setLevel', 'completion/complete']) {
    const error = await peer.refused(CODE.badMessage, [
      method,
      {
        name: 'echo',
        uri: 'test://text',
        level: 'info',
        ref: { type: 'ref/prompt', name: 'x' },
        argument: { name: 'a', value: '' },
      },
    ]);
    assert.match(String(error['message']), /"initialize".*"_meta"/);
  }
  peer.notify('notifications/initialized');
  await peer.refused(CODE.badMessage, ['tools/list']);
  await peer.handshake();
});

scenario(LEGACY, 'refuses a second handshake and stays as it was', async (revision, peer) => {
  for (const asked of LEGACY) await peer.refused(CODE.badMessage, ['initialize', hello(asked)]);
  await peer.refused(CODE.badMessage, ['initialize', {}]);
  const { tools } = (await peer.result('tools/list')) as { tools: JsonObject[] };
  assert.equal(
    tools.some(({ title }) => title !== undefined),
    since(revision, '2025-06-18'),
  );
});

scenario(
  LEGACY,
  'waits for the client to be ready where that is the gate',
  { unopened: true, gate: 'ready' },
  async (_, peer) => {
    await peer.handshake({}, false);
    await peer.refused(CODE.badMessage, ['tools/list']);
    assert.deepEqual(await peer.result('ping'), {});
    peer.notify('notifications/initialized');
    await peer.result('tools/list');
  },
);

scenario(LEGACY, 'serves the modern era on the same pipe, each by its own rules', async (revision, peer) => {
  for (let round = 0; round < 3; round += 1) {
    const modern = await peer.result('tools/list', {}, { revision: MODERN });
    assert.equal(modern['resultType'], 'complete');
    const legacy = await peer.result('tools/list');
    assert.equal(legacy['resultType'], undefined);
    assert.equal((await peer.result('server/discover', {}, { revision: MODERN }))['resultType'], 'complete');
    await peer.refused(CODE.unknownMethod, ['ping', {}, { revision: MODERN }]);
    await peer.refused(CODE.unknownMethod, ['initialize', hello(revision), { revision: MODERN }]);
    await peer.refused(CODE.unknownMethod, ['server/discover']);
    await peer.refused(since(revision, MODERN) ? CODE.badParams : CODE.notFound, [
      'resources/read',
      { uri: 'test://gone' },
    ]);
    await peer.refused(CODE.badParams, ['resources/read', { uri: 'test://gone' }, { revision: MODERN }]);
  }
});

scenario(LEGACY, 'takes a handshake after modern traffic', { unopened: true }, async (_, peer) => {
  await peer.result('server/discover', {}, { revision: MODERN });
  await peer.refused(CODE.badMessage, ['tools/list']);
  await peer.handshake();
  await peer.result('tools/list');
});

scenario([MODERN], 'has none of the methods of the handshake era', async (_, peer) => {
  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
  ]) {
    await peer.refused(CODE.unknownMethod, [method, { ...hello('2025-11-25'), level: 'info', uri: 'test://text' }]);
  }
});

scenario(ALL, 'has no method by a name objects inherit', async (_, peer) => {
  for (const method of ['toString', 'constructor', '__proto__', 'hasOwnProperty', ''])
    await peer.refused(CODE.unknownMethod, [method]);
});

scenario(ALL, 'ignores a claim of a version where it is not looked for', async (revision, peer) => {
  const top = { ...peer.message('tools/list', {}, { id: 'top' }), _meta: { [KEY.revision]: '2099-01-01' } };
  peer.send(top);
  assert.equal('result' in (await peer.ledger.answer('top')), true);
  if (!isModern(revision))
    await peer.refused(CODE.badParams, ['tools/list', { _meta: 'text' as unknown as JsonObject }]);
});
