import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createAuthenticator, invalid } from './auth.ts';
import { digestBytes, matching } from './digests.ts';
import { remembering } from './remember.ts';
import { createStaticTokens } from './static-tokens.ts';

const TOKEN = 'a-token-that-is-long-enough';
const sha256 = createHash('sha256').update(TOKEN).digest('hex');

test('a token is found by itself and by its digest, and gives its id and scopes', () => {
  for (const secret of [{ token: TOKEN }, { sha256 }, { sha256: sha256.toUpperCase() }]) {
    const verdict = createStaticTokens([{ id: 'ci', scopes: ['read'], ...secret }]).verify(TOKEN);
    assert.deepEqual(verdict, { kind: 'principal', principal: { id: 'token#ci', scopes: ['read'] } });
  }
});

test('a token nobody has is not known, whatever it resembles', () => {
  const tokens = createStaticTokens([{ id: 'ci', token: TOKEN }]);
  for (const other of ['', TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase(), sha256])
    assert.equal(tokens.verify(other), undefined, other);
});

test('a token ends when it was said to', () => {
  let now = Date.parse('2026-01-01');
  const tokens = createStaticTokens([{ id: 'ci', token: TOKEN, expires: '2026-01-02' }], () => now);
  const verdict = tokens.verify(TOKEN);
  assert.ok(verdict !== undefined && !(verdict instanceof Promise) && verdict.kind === 'principal');
  assert.deepEqual([verdict.until, verdict.principal.expires], [Date.parse('2026-01-02'), Date.parse('2026-01-02')]);
  now = Date.parse('2026-01-02');
  assert.deepEqual(tokens.verify(TOKEN), { kind: 'expired' });
});

test('every digest is compared to its last byte, wherever the right one stands', () => {
  const digests = ['one', 'two', 'three'].map((name) => ({ name, digest: digestBytes(name) }));
  const looked: string[] = [];
  const watched = digests.map(({ name, digest }) => ({
    name,
    get digest() {
      looked.push(name);
      return digest;
    },
  }));
  assert.equal(matching(watched, digestBytes('one'))?.name, 'one');
  assert.deepEqual(looked, ['one', 'two', 'three']);
  assert.equal(matching(digests, digestBytes('four')), undefined);
});

test('tokens that cannot be used are refused at the start, without being repeated', () => {
  const bad: [object, RegExp][] = [
    [{ id: '', token: TOKEN }, /without an id/],
    [{ id: 'x' }, /either "token" or "sha256"/],
    [{ id: 'x', token: TOKEN, sha256 }, /either "token" or "sha256"/],
    [{ id: 'x', token: 'short' }, /shorter than 16/],
    [{ id: 'x', token: 'with spaces in the middle' }, /characters/],
    [{ id: 'x', token: 1234567890123456 }, /characters/],
    [{ id: 'x', sha256: 'abc' }, /64 hexadecimal/],
    [{ id: 'x', token: TOKEN, expires: 'some day' }, /a date/],
    [{ id: 'x', token: TOKEN, scopes: ['two words'] }, /list of words/],
    [{ id: 'x', token: TOKEN, scopes: 'read' }, /list of words/],
  ];
  for (const [token, message] of bad) {
    assert.throws(
      () => createStaticTokens([token as { id: string }]),
      (error: Error) => error instanceof TypeError && message.test(error.message) && !error.message.includes(TOKEN),
    );
  }
  assert.throws(
    () =>
      createStaticTokens([
        { id: 'a', token: TOKEN },
        { id: 'b', sha256 },
      ]),
    /given twice/,
  );
});

test('an authenticator tells no token from a wrong one and from one that is too long', async () => {
  const verifiers = [createStaticTokens([{ id: 'ci', token: TOKEN }])];
  const authenticator = createAuthenticator({ verifiers, tokenBytes: 64 });
  assert.deepEqual(await authenticator.authenticate(undefined), { kind: 'missing' });
  assert.deepEqual(await authenticator.authenticate('wrong'), { kind: 'invalid', reason: 'no such token' });
  assert.deepEqual(await authenticator.authenticate('x'.repeat(65)), {
    kind: 'invalid',
    reason: 'longer than 64 bytes',
  });
});

test('an authenticator gives the scopes that others hold within them, circles and all', async () => {
  const verifiers = [createStaticTokens([{ id: 'ci', token: TOKEN, scopes: ['admin'] }])];
  const implies = { admin: ['write'], write: ['read', 'admin'], toString: ['never'] };
  const authenticator = createAuthenticator({ verifiers, tokenBytes: 64, implies });
  const [first, second] = [await authenticator.authenticate(TOKEN), await authenticator.authenticate(TOKEN)];
  assert.deepEqual(first, { kind: 'principal', principal: { id: 'token#ci', scopes: ['admin', 'write', 'read'] } });
  assert.ok(first.kind === 'principal' && second.kind === 'principal' && first.principal === second.principal);
});

test('an authenticator lets nobody in when a check breaks', async () => {
  const verifiers = [{ verify: () => Promise.reject(new Error('the disk is gone')) }];
  assert.deepEqual(await createAuthenticator({ verifiers, tokenBytes: 64 }).authenticate(TOKEN), {
    kind: 'unavailable',
    reason: 'the disk is gone',
  });
});

test('an authenticator recalls tokens it was given and tokens it checked, and asks nobody for it', async () => {
  let asked = 0;
  const signed = remembering(
    {
      verify: async (token) => {
        asked += 1;
        return token === 'good' ? { kind: 'principal', principal: { id: 'ada', scopes: ['admin'] } } : invalid('no');
      },
    },
    { tokensKept: 10, tokenKeptMs: 60_000 },
  );
  const tokens = createStaticTokens([{ id: 'ci', token: TOKEN }]);
  const authenticator = createAuthenticator({
    verifiers: [tokens, signed],
    tokenBytes: 100,
    implies: { admin: ['read'] },
  });
  assert.equal(authenticator.recall?.(TOKEN)?.kind, 'principal');
  assert.equal(authenticator.recall?.('good'), undefined);
  assert.equal(authenticator.recall?.('x'.repeat(101)), undefined);
  assert.equal(asked, 0);
  await authenticator.authenticate('good');
  await authenticator.authenticate('bad');
  const known = authenticator.recall?.('good');
  assert.deepEqual(known?.kind === 'principal' && known.principal.scopes, ['admin', 'read']);
  assert.equal(authenticator.recall?.('bad')?.kind, 'invalid');
  assert.equal(asked, 2);
});
