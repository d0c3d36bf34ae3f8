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

test('a file of tokens that changes is read again, and a broken one changes nothing', async () => {
  const lines: string[] = [];
  const path = file('changing.json', { tokens: [{ id: 'a', token: TOKENS[0] }] });
  const limits = limitsWith({ tokensFileMs: 5 });
  const { authenticator } = open({ tokensFile: path }, {
    ...parts,
    limits,
    log: (_, message) => lines.push(message),
  } as typeof parts);
  const knows = async (token: string) => (await authenticator.authenticate(token)).kind === 'principal';
  const until = async (holds: () => Promise<boolean> | boolean) => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  assert.equal(await knows(TOKENS[0]), true);
  await new Promise((resolve) => setTimeout(resolve, 50));
  file('changing.json', { tokens: [{ id: 'b', token: TOKENS[1] }] });
  await until(() => knows(TOKENS[1]));
  assert.equal(await knows(TOKENS[0]), false, 'a token that was taken out is good no longer');
  file('changing.json', '{ "tokens": [');
  await until(() => lines.some((line) => line.includes('cannot be used')));
  assert.equal(await knows(TOKENS[1]), true);
  rmSync(path);
  await until(() => lines.filter((line) => line.includes('cannot be used')).length > 1);
  assert.equal(await knows(TOKENS[1]), true);
  file('changing.json', { tokens: [{ id: 'c', token: TOKENS[2] }] });
  await until(() => knows(TOKENS[2]));
});

test('what a token gave is good until the file gives it no more, or gives less', async () => {
  const [first, second] = TOKENS;
  const write = (...tokens: object[]) => file('taken-back.json', { tokens });
  const keeps = { id: 'b', token: second, scopes: ['read'] };
  const path = write({ id: 'a', token: first, scopes: ['read', 'admin'] }, keeps);
  const lines: string[] = [];
  const log = (_: string, message: string) => lines.push(message);
  const { authenticator } = open({ tokensFile: path, implies: { admin: ['write'] } }, {
    ...parts,
    limits: limitsWith({ tokensFileMs: 5 }),
    log,
  } as typeof parts);
  const goodOf = async (token: string) => {
    const verdict = await authenticator.authenticate(token);
    assert.ok(verdict.kind === 'principal');
    return verdict.good as () => boolean;
  };
  const [one, other] = [await goodOf(first), await goodOf(second)];
  const readAgain = async (...tokens: object[]) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    lines.length = 0;
    write(...tokens);
    while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await readAgain(keeps, { id: 'a', token: first, scopes: ['read', 'admin'] });
  assert.deepEqual([one(), other()], [true, true], 'the order of the file says nothing');
  await readAgain({ id: 'a', token: first, scopes: ['read'] }, keeps);
  assert.deepEqual([one(), other()], [false, true], 'a scope is gone');
  assert.equal((await goodOf(first))(), true);
  await readAgain({ id: 'a', token: first, scopes: ['read'] });
  assert.equal(other(), false);
});
