import assert from 'node:assert/strict';
import { createAuthenticator } from '../../../src/auth/auth.ts';
import { createStaticTokens } from '../../../src/auth/static-tokens.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { ALL, LEGACY } from '../revisions.ts';
import { send } from './heard.ts';
import { JSON_TYPE } from './http-peer.ts';
import type { HttpScene } from './http-scene.ts';
import { scenario } from './obligation.ts';

const NARROW = 'a-token-that-may-do-little';
const WIDE = 'a-token-that-may-do-more-of-it';
const tokens = createStaticTokens([
  { id: 'ada', token: NARROW, scopes: ['use'] },
  { id: 'ada', token: WIDE, scopes: ['use', 'admin'] },
]);
const access = {
  authenticator: createAuthenticator({ verifiers: [tokens], tokenBytes: 1000 }),
  scopes: ['use'],
  issuers: ['https://as.example'],
  endpoint: '/mcp',
};
const rules = [{ resources: ['vault://*'], prompts: ['raise'], scopes: ['admin', 'hr'], stepUp: true }];
const NARROWLY = { access, rules, token: NARROW };

function addItems({ fixture: { server } }: HttpScene): void {
  server.tool('wipe', { scopes: ['admin'], stepUp: true, task: 'optional' }, () => 'wiped');
  server.tool('secret', { scopes: ['admin'] }, () => 'secret');
  server.resource('vault', 'vault://1', {}, () => 'gold');
  server.prompt('raise', {}, () => 'more');
}

scenario(ALL, 'what is shown and needs more is refused with the scopes it takes', NARROWLY, async (_, peer, scene) => {
  addItems(scene);
  const { tools } = await peer.result('tools/list');
  const names = (tools as JsonObject[]).map(({ name }) => name);
  assert.ok(names.includes('wipe') && !names.includes('secret'));
  for (const [method, params, scope] of [
    ['tools/call', { name: 'wipe' }, 'use admin'],
    ['resources/read', { uri: 'vault://1' }, 'use admin hr'],
    ['prompts/get', { name: 'raise' }, 'use admin hr'],
  ] as const) {
    const heard = await peer.request(method, params);
    assert.equal(heard.status, 403, method);
    const challenge = String(heard.headers['www-authenticate']);
    assert.match(challenge, /^Bearer error="insufficient_scope", /);
    assert.match(
      challenge,
      /resource_metadata="http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource\/mcp"/,
    );
    assert.match(challenge, new RegExp(`scope="${scope}"$`));
    const { error } = await heard.json();
    assert.equal(((error as JsonObject)['data'] as JsonObject)['code'], 'E_SCOPE');
  }
  const hidden = await peer.call('secret');
  assert.equal(hidden.status, 200);
  assert.equal(hidden.headers['www-authenticate'], undefined);
});

scenario(ALL, 'a client that comes back with a wider token is served', NARROWLY, async (_, peer, scene) => {
  addItems(scene);
  assert.equal((await peer.call('wipe')).status, 403);
  const headers = { authorization: `Bearer ${WIDE}` };
  assert.equal(await peer.said('wipe', undefined, { headers }), 'wiped');
});

scenario(
  LEGACY.slice(0, 1),
  'on a stream that is open already the refusal is a message',
  NARROWLY,
  async (_, __, scene) => {
    addItems(scene);
    const authorization = `Bearer ${NARROW}`;
    const stream = await send(scene.port, { method: 'GET', path: '/sse', headers: { authorization } });
    const where = String((await stream.event()).data);
    const post = (message: JsonObject) =>
      send(scene.port, {
        method: 'POST',
        path: where,
        headers: { ...JSON_TYPE, authorization },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    assert.equal((await post({ id: 1, method: 'initialize', params })).status, 202);
    await stream.event();
    assert.equal((await post({ id: 2, method: 'tools/call', params: { name: 'wipe' } })).status, 202);
    assert.match(String((await stream.event()).data), /"id":2,"error":.*"E_SCOPE"/);
    stream.cut();
  },
);
