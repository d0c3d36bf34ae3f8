import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, mock, test } from 'node:test';
import { type Issuer, type Keys, makeKeys, openIssuer } from '../../test/auth/issuer.ts';
import { silent } from '../model/log.ts';
import { askIssuer, issuerUrl } from './ask-issuer.ts';
import { createKeySet, keysUrl, locateKeys } from './key-set.ts';

const limits = { issuerBytes: 4096, issuerMs: 500 };
let issuer: Issuer;

afterEach(() => issuer.close());

async function open(keys: readonly Keys[]) {
  issuer = await openIssuer(keys);
  const clock = { now: 1_000_000 };
  const locate = locateKeys(issuer.url, limits);
  return { clock, set: createKeySet({ locate, limits, log: silent, now: () => clock.now }) };
}

const fetches = (): number => issuer.requests.filter((request) => request === 'GET /jwks').length;

test('a key nobody knows has the keys fetched once for all who ask, and not again for a while', async () => {
  const { clock, set } = await open([makeKeys('old')]);
  assert.equal((await set.keys('old')).length, 1);
  issuer.keys = [makeKeys('new')];
  clock.now += 10_000;
  const found = await Promise.all(Array.from({ length: 20 }, () => set.keys('new')));
  assert.ok(found.every((keys) => keys.length === 1));
  assert.equal(fetches(), 2);
  for (let id = 0; id < 50; id += 1) assert.deepEqual(await set.keys(`made-up-${id}`), []);
  assert.equal(fetches(), 2);
  assert.deepEqual(await set.keys('old'), [], 'a key that was taken back is gone');
});

test('keys outlive an issuer that does not answer for a while, and not for ever', async () => {
  const { clock, set } = await open([makeKeys('a')]);
  assert.equal((await set.keys('a')).length, 1);
  issuer.instead.set('/jwks', (_, response) => response.writeHead(500).end());
  clock.now += 3_599_000;
  assert.equal((await set.keys('a')).length, 1);
  clock.now += 10_000;
  await assert.rejects(set.keys('a'), /status 500/);
  issuer.instead.clear();
  await assert.rejects(set.keys('a'), /status 500/, 'the issuer is not asked again at once');
  clock.now += 10_000;
  assert.equal((await set.keys('a')).length, 1);
});

test('an issuer that was down at the start is asked again later', async () => {
  const { clock, set } = await open([makeKeys('a')]);
  issuer.instead.set('/.well-known/oauth-authorization-server', (_, response) => response.writeHead(503).end());
  await assert.rejects(set.keys('a'));
  issuer.instead.clear();
  clock.now += 10_000;
  assert.equal((await set.keys('a')).length, 1);
});

test('keys that are not for signatures, too weak, or not keys at all are left out', async () => {
  const good = makeKeys('good');
  const jwks = [
    good.jwk,
    makeKeys('weak', 'RS256', 1024).jwk,
    { ...makeKeys('enc').jwk, use: 'enc' },
    { ...makeKeys('ops').jwk, key_ops: ['sign'] },
    { kty: 'oct', k: 'c2VjcmV0', kid: 'shared' },
    { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'broken' },
    null,
    'text',
  ];
  const { set } = await open([]);
  issuer.instead.set('/jwks', (_, response) => response.end(JSON.stringify({ keys: jwks })));
  assert.deepEqual(
    (await set.keys(undefined)).map(({ id }) => id),
    ['good'],
  );
});

test('the metadata must be of the issuer, and name keys at a safe address', async () => {
  const well = '/.well-known/oauth-authorization-server';
  for (const [document, message] of [
    [{ issuer: 'https://other.example', jwks_uri: 'https://other.example/jwks' }, /status 404|another issuer/],
    [{ jwks_uri: 'http://evil.example/jwks' }, /status 404|https/],
    [{ jwks_uri: 'file:///etc/passwd' }, /status 404|https/],
  ] as const) {
    const { set } = await open([makeKeys('a')]);
    issuer.instead.set(well, (_, response) => response.end(JSON.stringify({ issuer: issuer.url, ...document })));
    await assert.rejects(set.keys('a'), message);
    await issuer.close();
  }
  const { set } = await open([makeKeys('a')]);
  issuer.instead.set(well, (_, response) => response.writeHead(404).end());
  const openid = { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` };
  issuer.instead.set('/.well-known/openid-configuration', (_, response) => response.end(JSON.stringify(openid)));
  assert.equal((await set.keys('a')).length, 1, 'the other place for metadata is looked at too');
});

test('an issuer elsewhere cannot name a key set on this machine, or in clear text anywhere', () => {
  const secure = new URL('https://issuer.invalid');
  for (const text of ['http://127.0.0.1:6379/', 'http://localhost/keys', 'http://[::1]/keys', 'http://10.0.0.1/keys'])
    assert.throws(() => keysUrl(text, secure), TypeError, text);
  assert.equal(keysUrl('https://keys.invalid/jwks', secure).hostname, 'keys.invalid');
  const near = new URL('http://127.0.0.1:9');
  assert.equal(keysUrl('http://127.0.0.1:1/jwks', near).port, '1', 'one on this machine may');
  assert.throws(() => keysUrl('http://10.0.0.1/jwks', near), TypeError);
});

test('an answer that is too long, too slow, broken off, elsewhere or no object is not taken', async () => {
  await open([]);
  const url = new URL(`${issuer.url}/x`);
  const answers: [Parameters<Issuer['instead']['set']>[1], RegExp][] = [
    [(_, response) => response.end(`{"a":"${'x'.repeat(5000)}"}`), /longer than 4096/],
    [() => {}, /too long/],
    [breakOff, /broke off/],
    [(_, response) => response.writeHead(302, { location: `${issuer.url}/jwks` }).end(), /status 302/],
    [(_, response) => response.end('[]'), /not a JSON object/],
    [(_, response) => response.end(Buffer.from([0x7b, 0xff, 0x7d])), /not a JSON object/],
    [(_, response) => response.end(''), /not a JSON object/],
  ];
  for (const [answer, message] of answers) {
    issuer.instead.set('/x', answer);
    await assert.rejects(askIssuer({ url, limits }), message);
  }
  assert.ok(!issuer.requests.includes('GET /jwks'), 'a redirect is not followed');
  await assert.rejects(askIssuer({ url: new URL('http://127.0.0.1:1/'), limits }), /ECONNREFUSED/);
});

function breakOff(_: IncomingMessage, response: ServerResponse): void {
  response.write('{');
  setTimeout(() => response.destroy(), 20);
}

test('only https is spoken to an issuer, and http on this machine', async () => {
  await open([]);
  for (const bad of [
    'http://as.example',
    'ftp://as.example',
    'as.example',
    '',
    'https://user:pass@as.example',
    'http://127.0.0.1.evil.example',
  ])
    assert.throws(() => issuerUrl(bad, 'the issuer'), TypeError, bad);
  for (const good of ['https://as.example/tenant', 'http://localhost:8080', 'http://127.0.0.1:1', 'http://[::1]:1'])
    assert.equal(issuerUrl(good, 'the issuer').origin, new URL(good).origin);
});

test('keys grow old by the time that passes, whatever the clock on the wall is set to', async () => {
  issuer = await openIssuer([makeKeys('a')]);
  const set = createKeySet({ locate: locateKeys(issuer.url, limits), limits, log: silent });
  assert.equal((await set.keys('a')).length, 1);
  mock.method(Date, 'now', () => 8_640_000_000_000_000);
  try {
    await set.keys('a');
    assert.equal(fetches(), 1);
  } finally {
    mock.restoreAll();
  }
});
