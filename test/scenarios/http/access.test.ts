import assert from 'node:assert/strict';
import { createAuthenticator } from '../../../src/auth/auth.ts';
import { createStaticTokens } from '../../../src/auth/static-tokens.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { addTaskTools, DECLARED } from '../fixture-tasks.ts';
import { ALL, LEGACY, MODERN, NEWEST_LEGACY, type RevisionId } from '../revisions.ts';
import { type Heard, send } from './heard.ts';
import { BOTH, HttpPeer, JSON_TYPE } from './http-peer.ts';
import { obligation, scenario } from './obligation.ts';

const TOKEN = {
  ada: 'the-token-of-ada-is-secret',
  adaNarrow: 'another-token-of-ada-also-secret',
  bob: 'the-token-of-bob-is-secret',
  stranger: 'the-token-of-a-stranger',
} as const;

const tokens = createStaticTokens([
  { id: 'ada', token: TOKEN.ada, scopes: ['use', 'admin'] },
  { id: 'ada', token: TOKEN.adaNarrow, scopes: ['use'] },
  { id: 'bob', token: TOKEN.bob, scopes: ['use', 'admin'] },
  { id: 'stranger', token: TOKEN.stranger, scopes: ['admin'] },
]);

const access = {
  authenticator: createAuthenticator({ verifiers: [tokens], tokenBytes: 1000 }),
  scopes: ['use'],
  issuers: ['https://as.example'],
  endpoint: '/mcp',
};
const rules = [
  { tools: ['counted'], prompts: ['*'], scopes: ['admin'] },
  { resources: ['*'], scopes: ['admin'] },
];
const GUARDED = { access, unopened: true };
const OPEN = { access, token: TOKEN.ada };
const METADATA = '/.well-known/oauth-protected-resource';

/** Every way into the server, and what a client would send there. */
function ways(
  revision: RevisionId,
): readonly { method: string; path: string; headers: Record<string, string>; body?: string }[] {
  const peer = new HttpPeer(revision, 0);
  const message = peer.message('ping');
  const headers = { ...peer.headersFor(message), 'mcp-session-id': 'x' };
  const body = JSON.stringify(message);
  return [
    { method: 'POST', path: '/mcp', headers, body },
    { method: 'GET', path: '/mcp', headers: { accept: 'text/event-stream', 'mcp-session-id': 'x' } },
    { method: 'GET', path: '/mcp', headers: { accept: 'text/event-stream' } },
    { method: 'DELETE', path: '/mcp', headers: { 'mcp-session-id': 'x' } },
    { method: 'PUT', path: '/mcp', headers: {} },
    { method: 'OPTIONS', path: '/mcp', headers: {} },
    { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } },
    { method: 'POST', path: '/messages?sessionId=x', headers: JSON_TYPE, body },
    { method: 'POST', path: '/mcp', headers: { ...headers, 'x-sse-client-id': 'x' }, body },
    { method: 'GET', path: '/nothing', headers: {} },
    { method: 'POST', path: '/mcp', headers, body: 'not JSON' },
  ];
}

obligation('AUTH-1', 'no way in is open without a good token', GUARDED, async (revision, peer) => {
  for (const way of ways(revision)) {
    for (const authorization of [undefined, 'Bearer a-token-nobody-has', 'Basic YTpi']) {
      const headers = authorization === undefined ? way.headers : { ...way.headers, authorization };
      const heard = await send(peer.port, { ...way, headers });
      assert.equal(heard.status, 401, `${way.method} ${way.path}`);
      assert.match(String(heard.headers['www-authenticate']), /^Bearer /);
    }
    const query = `${way.path}${way.path.includes('?') ? '&' : '?'}access_token=${TOKEN.ada}`;
    const inAddress = await send(peer.port, { ...way, path: query });
    assert.equal(inAddress.status, 400, 'a token in the address is not taken');
    assert.doesNotMatch(await inAddress.text(), /token-of-ada/);
  }
});

obligation('AUTH-3', 'the metadata names the resource and who gives tokens for it', GUARDED, async (_, peer) => {
  for (const path of [METADATA, `${METADATA}/mcp`]) {
    const heard = await send(peer.port, { method: 'GET', path });
    assert.equal(heard.status, 200);
    const document = await heard.json();
    assert.deepEqual(document['authorization_servers'], ['https://as.example']);
    assert.equal(document['resource'], `http://127.0.0.1:${peer.port}/mcp`);
  }
});

obligation('AUTH-4', 'a refusal points to the metadata in its header', GUARDED, async (_, peer) => {
  await pointsToMetadata(peer);
});
obligation('AUTH-5', 'a refusal points to the metadata, and says which scopes to ask for', GUARDED, async (_, peer) => {
  assert.match(await pointsToMetadata(peer), /scope="use"/);
});

async function pointsToMetadata(peer: HttpPeer): Promise<string> {
  const heard = await send(peer.port, {
    method: 'POST',
    path: '/mcp',
    headers: { accept: BOTH, ...JSON_TYPE },
    body: '{}',
  });
  const challenge = String(heard.headers['www-authenticate']);
  const [, url = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  assert.equal((await send(peer.port, { method: 'GET', path: new URL(url).pathname })).status, 200);
  return challenge;
}

obligation(
  'AUTH-6',
  'a token of somebody else is not taken, and none is passed on',
  OPEN,
  async (revision, peer, scene) => {
    const other = scene.peer(revision, { token: 'a-token-for-another-server' });
    assert.equal((await other.request('tools/list')).status, 401);
    const about = JSON.stringify(await peer.answer(peer.call('about')));
    assert.match(about, /token#ada/, 'a tool learns who asks');
    assert.doesNotMatch(about + scene.logged.join(), /is-secret|another-server/, 'and not with what token');
  },
);

obligation(
  'AUTH-7',
  'a token that lacks a scope is refused with 403, a header nobody can read with 400',
  GUARDED,
  async (revision, _, scene) => {
    const peer = scene.peer(revision, { token: TOKEN.stranger });
    assert.equal((await peer.request('tools/list')).status, 403);
    const odd = scene.peer(revision, { token: 'two tokens' });
    assert.equal((await odd.request('tools/list')).status, 400);
  },
);

obligation(
  'AUTH-8',
  'a refusal for a missing scope names it, and where to get it',
  GUARDED,
  async (revision, _, scene) => {
    const peer = scene.peer(revision, { token: TOKEN.stranger });
    const challenge = String((await peer.request('tools/list')).headers['www-authenticate']);
    assert.match(challenge, /error="insufficient_scope"/);
    assert.match(challenge, /scope="use"/);
    assert.match(challenge, /resource_metadata="/);
  },
);

obligation(
  'AUTH-9',
  'all scopes are named at once, and a scope holds those within it',
  { access: { ...access, scopes: ['use', 'more', 'offline'] }, unopened: true },
  async (revision, _, scene) => {
    const peer = scene.peer(revision, { token: TOKEN.ada });
    const challenge = String((await peer.request('tools/list')).headers['www-authenticate']);
    assert.match(challenge, /scope="use more offline"/);
    const implies = { admin: ['more', 'offline'] };
    const wide = createAuthenticator({ verifiers: [tokens], tokenBytes: 1000, implies });
    const verdict = await wide.authenticate(TOKEN.ada);
    assert.ok(verdict.kind === 'principal');
    assert.deepEqual(verdict.principal.scopes, ['use', 'admin', 'more', 'offline']);
  },
);

/** Two answers that nobody can tell apart but by what they were asked. */
async function assertSame(theirs: Heard, unknown: Heard, [id, made]: readonly [string, string]): Promise<void> {
  assert.equal(theirs.status, unknown.status);
  assert.equal(
    (await theirs.text()).replaceAll(id, made).replace(ERROR_ID, ''),
    (await unknown.text()).replace(ERROR_ID, ''),
  );
  const { date: _, ...one } = theirs.headers;
  const { date: __, ...other } = unknown.headers;
  assert.deepEqual({ ...one, 'content-length': '' }, { ...other, 'content-length': '' });
}

obligation(
  'AUTH-10',
  'a session without its token, or with that of another, is not there',
  OPEN,
  async (revision, peer, scene) => {
    const session = peer.session as string;
    const made = 'x'.repeat(session.length);
    const nobody = scene.peer(revision);
    nobody.session = session;
    assert.equal((await nobody.request('tools/list')).status, 401, 'a session id is no token');
    const as = (id: string): HttpPeer => Object.assign(scene.peer(revision, { token: TOKEN.bob }), { session: id });
    const acts: ((of: HttpPeer) => Promise<Heard>)[] = [
      (of) => of.request('tools/list', {}, { id: 1 }),
      (of) => of.notify('notifications/initialized'),
      (of) => of.post({ jsonrpc: '2.0', id: 9, result: {} }),
      (of) => of.listen(),
      (of) => of.listen('0-1'),
      (of) => of.delete(),
    ];
    for (const act of acts) await assertSame(await act(as(session)), await act(as(made)), [session, made]);
    assert.equal((await peer.request('tools/list')).status, 200, 'the session goes on');
  },
);

obligation(
  'AUTH-11',
  'sealed state is worth nothing to another principal',
  { ...OPEN, declares: { elicitation: {} } },
  async (revision, peer, scene) => {
    const asked = await peer.answer(peer.call('greet'));
    const { requestState, inputRequests } = asked['result'] as { requestState: string; inputRequests: JsonObject };
    const [key = ''] = Object.keys(inputRequests);
    const answer = { action: 'accept', content: { name: 'Ada', age: 7 } };
    const params = { name: 'greet', arguments: {}, requestState, inputResponses: { [key]: answer } };
    const bob = scene.peer(revision, { token: TOKEN.bob, capabilities: { elicitation: {} } });
    const refused = await bob.answer(bob.request('tools/call', params));
    assert.equal((refused['error'] as JsonObject)['code'], -32602, JSON.stringify(refused));
    const taken = await peer.answer(peer.request('tools/call', params));
    assert.equal(taken['error'], undefined, JSON.stringify(taken));
  },
);

scenario([NEWEST_LEGACY, MODERN], 'a task is known to its principal alone', OPEN, async (revision, peer, scene) => {
  await addTaskTools(scene.fixture);
  const asked = revision === MODERN ? DECLARED : {};
  const named = (id: string) => (revision === MODERN ? { headers: { 'mcp-name': id } } : {});
  const params = { name: 'job', arguments: { name: 'one' }, ...(revision === MODERN ? {} : { task: {} }) };
  const result = await peer.result('tools/call', params, asked);
  const { taskId } = (result['task'] ?? result) as { taskId: string };
  const bob = await scene.peer(revision, { token: TOKEN.bob }).open();
  const made = 'x'.repeat(taskId.length);
  const verbs =
    revision === MODERN ? ['tasks/get', 'tasks/cancel', 'tasks/update'] : ['tasks/get', 'tasks/result', 'tasks/cancel'];
  for (const method of verbs) {
    const ask = (id: string) =>
      bob.request(
        method,
        { taskId: id, ...(method === 'tasks/update' ? { inputResponses: {} } : {}) },
        { ...asked, ...named(id), id: 7 },
      );
    const [theirs, unknown] = [await bob.answer(ask(taskId)), await bob.answer(ask(made))];
    assert.match(JSON.stringify(theirs), /E_UNKNOWN_TASK/, method);
    assert.equal(
      JSON.stringify(theirs).replaceAll(taskId, made).replace(ERROR_ID, ''),
      JSON.stringify(unknown).replace(ERROR_ID, ''),
    );
  }
  if (revision !== MODERN) assert.deepEqual((await bob.result('tasks/list'))['tasks'], []);
  const shown = await peer.result('tasks/get', { taskId }, { ...asked, ...named(taskId) });
  assert.equal(shown['taskId'], taskId);
  scene.fixture.releaseAll();
});

const ERROR_ID = /"errorId":"[^"]*",?/;

scenario(
  ALL,
  'what is hidden is in no list, and cannot be told from what is not there',
  { ...OPEN, rules },
  async (revision, peer, scene) => {
    const narrow = await scene.peer(revision, { token: TOKEN.adaNarrow }).open();
    const named = async (of: HttpPeer) =>
      ((await of.result('tools/list'))['tools'] as JsonObject[]).map(({ name }) => name);
    assert.ok((await named(peer)).includes('counted'));
    assert.ok(!(await named(narrow)).includes('counted'));
    assert.deepEqual((await narrow.result('resources/list'))['resources'], []);
    assert.deepEqual((await narrow.result('prompts/list'))['prompts'], []);
    assert.ok(((await peer.result('prompts/list'))['prompts'] as JsonObject[]).length > 0);
    const [resource] = (await peer.result('resources/list'))['resources'] as { uri: string }[];
    const [prompt] = (await peer.result('prompts/list'))['prompts'] as { name: string }[];
    const pairs: [string, (it: string) => JsonObject, string][] = [
      ['tools/call', (name) => ({ name, arguments: {} }), 'counted'],
      ['resources/read', (uri) => ({ uri }), resource?.uri ?? ''],
      ['prompts/get', (name) => ({ name }), prompt?.name ?? ''],
    ];
    for (const [method, params, hidden] of pairs) {
      const made = hidden.replace(/.{3}$/, 'zzz');
      const ask = async (it: string) =>
        JSON.stringify(await narrow.answer(narrow.request(method, params(it), { id: 5 })));
      const [theirs, unknown] = [await ask(hidden), await ask(made)];
      assert.match(theirs, /"error"/, method);
      assert.equal(theirs.replaceAll(hidden, made).replace(ERROR_ID, ''), unknown.replace(ERROR_ID, ''), method);
    }
    assert.equal(await peer.said('counted'), '1', 'the tool ran for nobody but who may see it');
  },
);

scenario(
  LEGACY,
  'inside a session the scopes are those of the token that comes with the request',
  { ...OPEN, rules },
  async (revision, peer, scene) => {
    const same = Object.assign(scene.peer(revision, { token: TOKEN.adaNarrow }), { session: peer.session });
    const refused = await same.answer(same.call('counted'));
    assert.ok(refused['error'] !== undefined, JSON.stringify(refused));
    assert.equal(await peer.said('counted'), '1');
    const again = await same.answer(same.call('counted'));
    assert.ok(again['error'] !== undefined, 'scopes do not stay behind in the session');
  },
);

scenario([NEWEST_LEGACY], 'the log never holds a token', GUARDED, async (revision, _, scene) => {
  for (const token of Object.values(TOKEN)) {
    const peer = scene.peer(revision, { token });
    await (await peer.initialize()).text();
    await (await send(peer.port, { method: 'GET', path: `/mcp?access_token=${token}` })).text();
    await (await scene.peer(revision, { token: `${token}x` }).initialize()).text();
  }
  assert.ok(scene.logged.length > 0);
  assert.doesNotMatch(scene.logged.join('\n'), /secret|of-a-stranger/);
});

scenario(
  ['2024-11-05'],
  'a channel of the older transport belongs to its principal',
  GUARDED,
  async (revision, _, scene) => {
    const ada = { authorization: `Bearer ${TOKEN.ada}` };
    const bob = { authorization: `Bearer ${TOKEN.bob}`, ...JSON_TYPE };
    const stream = await send(scene.port, {
      method: 'GET',
      path: '/sse',
      headers: { ...ada, accept: 'text/event-stream' },
    });
    const { data: path = '' } = await stream.event();
    const [, id = ''] = /sessionId=(.+)$/.exec(path) ?? [];
    const made = 'x'.repeat(id.length);
    const body = JSON.stringify(scene.peer(revision).message('ping'));
    const post = (to: string, headers: Record<string, string>) =>
      send(scene.port, { method: 'POST', path: to, headers, body });
    await assertSame(await post(path, bob), await post(path.replace(id, made), bob), [id, made]);
    const routed = (name: string) => post('/mcp', { ...bob, 'x-sse-client-id': name });
    await assertSame(await routed(id), await routed(made), [id, made]);
    assert.equal((await post(path, { ...ada, ...JSON_TYPE })).status, 202);
    stream.cut();
  },
);
