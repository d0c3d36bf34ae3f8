import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AUDIENCE, makeKeys, makeToken, openIssuer } from '../../test/auth/issuer.ts';
import { limitsWith } from '../model/limits.ts';
import { silent } from '../model/log.ts';
import { type AccessSettings, openAccess } from './access.ts';
import { expand } from './expand.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-access-'));
after(() => rmSync(folder, { recursive: true }));

const parts = { limits: limitsWith(), log: silent, endpoint: '/mcp', publicUrl: undefined };
const TOKENS = ['first-token-of-three', 'second-token-of-three', 'third-token-of-three'] as const;

/** A reference as it stands in a file. */
function ref(name: string): string {
  return ['$', '{', name, '}'].join('');
}

function file(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

const open = (settings: Partial<AccessSettings>, given = parts) => openAccess({ env: {}, ...settings }, given);

test('tokens come from a file, as digests, from the environment and from other files', async () => {
  file('secret', `${TOKENS[2]}\n`);
  const sha256 = createHash('sha256').update(TOKENS[0]).digest('hex');
  const tokens = [
    { id: 'a', sha256, scopes: ['read'] },
    { id: 'b', token: ref('SECRET') },
    { id: 'c', token: ref('file:secret') },
  ];
  const { authenticator, issuers } = open({
    tokensFile: file('tokens.json', { tokens }),
    env: { SECRET: TOKENS[1] },
    implies: { read: ['look'] },
  });
  const verdicts = await Promise.all(TOKENS.map((token) => authenticator.authenticate(token)));
  assert.deepEqual(
    verdicts.map((verdict) => (verdict.kind === 'principal' ? verdict.principal : verdict)),
    [
      { id: 'token#a', scopes: ['read', 'look'] },
      { id: 'token#b', scopes: [] },
      { id: 'token#c', scopes: [] },
    ],
  );
  assert.deepEqual(issuers, []);
});

test('a file that cannot be used stops the start, and is not repeated', () => {
  for (const [content, message] of [
    ['secret-not-json', /not JSON/],
    [[], /a JSON object/],
    [{}, /"tokens"/],
    [{ tokens: [] }, /"tokens"/],
    [{ tokens: ['secret'] }, /"tokens"/],
    [{ tokens: [{ id: 'a', token: TOKENS[0], scope: 'admin' }] }, /nobody knows "scope"/],
    [{ tokens: [{ id: 'a', token: ref('MISSING') }] }, /"tokens\[0\].token": the environment has no MISSING/],
    [{ tokens: [{ id: 'a', token: ref('file:missing') }] }, /no readable file/],
  ] as const) {
    assert.throws(
      () => open({ tokensFile: file('bad.json', content) }),
      (error: Error) => message.test(error.message) && !/secret/.test(error.message),
    );
  }
  assert.throws(() => open({ tokensFile: join(folder, 'none.json') }), /ENOENT/);
});

test('an issuer needs an audience: one that is given, or the public address of the endpoint', async () => {
  const issuer = await openIssuer([makeKeys('k')]);
  assert.throws(() => open({ issuer: issuer.url }), /--auth-audience/);
  assert.throws(() => open({ issuer: 'http://as.example', audiences: ['x'] }), /https/);
  assert.throws(() => open({}), /neither tokens nor an issuer/);
  const introspection = { url: 'https://as.example/ask', client: { id: 'a', secret: 'b' } };
  assert.throws(() => open({ introspection }), /issuer/);
  issuer.keys = [makeKeys('k')];
  const [keys] = issuer.keys;
  assert.ok(keys !== undefined);
  const { authenticator, issuers } = openAccess(
    { env: {}, issuer: issuer.url, scopes: ['read'] },
    { ...parts, publicUrl: 'https://mcp.example' },
  );
  const verdict = await authenticator.authenticate(makeToken(keys, issuer.claims({ aud: AUDIENCE })));
  assert.equal(verdict.kind, 'principal');
  assert.deepEqual(issuers, [issuer.url]);
  await issuer.close();
});

test('references are put in wherever a string stands, and only there', () => {
  const options = { env: { A: 'x', EMPTY: '' }, folder };
  const tree = { a: [`${ref('A')}-${ref('A')}`, 1, null, true], b: { c: ref('B:-y'), d: ref('EMPTY:-z') } };
  assert.deepEqual(expand(tree, options), { a: ['x-x', 1, null, true], b: { c: 'y', d: 'z' } });
  for (const text of ['$A', ref(''), ref('1'), ref('A B'), '\\']) assert.equal(expand(text, options), text);
});
