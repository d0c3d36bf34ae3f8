import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { afterEach, test } from 'node:test';
import {
  AUDIENCE,
  type Issuer,
  type Keys,
  makeForged,
  makeKeys,
  makeToken,
  makeUnsigned,
  openIssuer,
} from '../../test/auth/issuer.ts';
import type { JsonObject } from '../model/json.ts';
import { silent } from '../model/log.ts';
import type { Verdict } from './auth.ts';
import { ALGORITHM_NAMES, createJwtVerifier } from './jwt.ts';
import { createKeySet, locateKeys } from './key-set.ts';

const KEYS = makeKeys('k1');
const limits = { issuerBytes: 65_536, issuerMs: 1000 };
let issuer: Issuer;

afterEach(() => issuer.close());

interface Clock {
  now: number;
}

async function open(keys: readonly Keys[] = [KEYS], clock?: Clock) {
  issuer = await openIssuer(keys);
  const now = clock === undefined ? Date.now : () => clock.now;
  const keySet = createKeySet({ locate: locateKeys(issuer.url, limits), limits, log: silent, now });
  const verifier = createJwtVerifier({
    issuer: issuer.url,
    audiences: [AUDIENCE],
    now,
    keySet,
    algorithms: ALGORITHM_NAMES,
    types: ['at+jwt'],
  });
  return async (token: string): Promise<Verdict> => {
    const verdict = await verifier.verify(token);
    assert.ok(verdict !== undefined);
    return verdict;
  };
}

function isRefused(verdict: Verdict, reason: RegExp): void {
  assert.equal(verdict.kind, 'invalid');
  assert.match(verdict.kind === 'invalid' ? verdict.reason : '', reason);
}

test('a token of the issuer gives its subject and scopes, signed in any way that is taken', async () => {
  const pairs = ALGORITHM_NAMES.filter((alg) => alg !== 'Ed25519').map((alg) => makeKeys(alg, alg));
  const verify = await open(pairs);
  for (const keys of pairs) {
    const verdict = await verify(makeToken(keys, issuer.claims()));
    assert.ok(verdict.kind === 'principal', keys.alg);
    const { until: expires } = verdict;
    assert.deepEqual(verdict.principal, { id: `${issuer.url}#ada`, scopes: ['read', 'write'], expires });
  }
  assert.equal(issuer.requests.length, 2, 'the metadata and the keys are fetched once');
});

test('a token that is not signed, or with a secret everybody knows, is refused', async () => {
  const keys = makeKeys('k1', 'RS256');
  const verify = await open([keys]);
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
    isRefused(await verify(makeUnsigned(issuer.claims(), alg, 'x')), /kind not taken/);
  }
  const pem = createPublicKey({ key: keys.jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
  for (const secret of [pem, JSON.stringify(keys.jwk), ''])
    isRefused(await verify(makeForged(keys, issuer.claims(), secret)), /kind not taken/);
});

test('a token whose algorithm does not belong to its key is refused', async () => {
  const rsa = makeKeys('rsa', 'RS256');
  const verify = await open([rsa, KEYS]);
  isRefused(await verify(makeToken({ ...KEYS, id: 'rsa' }, issuer.claims())), /no key/);
  isRefused(await verify(makeToken(rsa, issuer.claims(), { alg: 'ES256' })), /no key/);
  isRefused(await verify(makeToken(KEYS, issuer.claims(), { alg: 'ES384' })), /no key/);
});

test('a token another key signed, or whose text was changed, is refused', async () => {
  const verify = await open();
  isRefused(await verify(makeToken(makeKeys('k1'), issuer.claims())), /signature/);
  const [head, , signature] = makeToken(KEYS, issuer.claims()).split('.');
  const claims = Buffer.from(JSON.stringify(issuer.claims({ sub: 'eve' }))).toString('base64url');
  isRefused(await verify(`${head}.${claims}.${signature}`), /signature/);
  isRefused(await verify(`${head}.${claims}.AA`), /signature/);
});

test('a signature spelled in another way than the one is refused, although it stands for the same bytes', async () => {
  const verify = await open();
  const token = makeToken(KEYS, issuer.claims());
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const [bytes] = [token.split('.')[2] ?? ''].map((part) => Buffer.from(part, 'base64url'));
  const twins = [...alphabet]
    .map((last) => token.slice(0, -1) + last)
    .filter((twin) => twin !== token && bytes?.equals(Buffer.from(twin.split('.')[2] ?? '', 'base64url')) === true);
  assert.ok(twins.length > 0);
  for (const twin of twins) isRefused(await verify(twin), /signature is wrong/);
  assert.equal((await verify(token)).kind, 'principal');
});

test('a token with a key inside it is checked with the keys of the issuer all the same', async () => {
  const verify = await open();
  const own = makeKeys('evil');
  for (const header of [
    { jwk: own.jwk, kid: 'k1' },
    { jku: 'https://evil.example/jwks', kid: 'k1' },
  ]) {
    isRefused(await verify(makeToken(own, issuer.claims(), header as JsonObject)), /signature/);
  }
});

test('a token must be for this server, from this issuer, of the right type, and say whose it is', async () => {
  const verify = await open();
  const bad: [JsonObject, JsonObject, RegExp][] = [
    [{ aud: 'https://other.example/mcp' }, {}, /audience/],
    [{ aud: [] }, {}, /audience/],
    [{ aud: undefined }, {}, /audience/],
    [{ aud: { a: AUDIENCE } }, {}, /audience/],
    [{ aud: `${AUDIENCE}/deeper` }, {}, /audience/],
    [{ aud: `${AUDIENCE}/` }, {}, /audience/],
    [{ aud: AUDIENCE.toUpperCase() }, {}, /audience/],
    [{ aud: new URL(AUDIENCE).origin }, {}, /audience/],
    [{ iss: 'https://other.example' }, {}, /issuer/],
    [{ iss: undefined }, {}, /issuer/],
    [{}, { typ: 'JWT' }, /type/],
    [{}, { typ: undefined }, /type/],
    [{}, { crit: ['exp'] }, /extension/],
    [{ sub: undefined }, {}, /neither a subject/],
    [{ sub: '' }, {}, /neither a subject/],
    [{ exp: undefined }, {}, /"exp"/],
    [{ exp: '9999999999' }, {}, /"exp"/],
    [{ nbf: 'soon' }, {}, /"nbf"/],
    [{ cnf: { jkt: 'x' } }, {}, /bound to a key/],
  ];
  for (const [claims, header, reason] of bad)
    isRefused(await verify(makeToken(KEYS, issuer.claims(claims), header)), reason);
  for (const aud of [AUDIENCE, ['https://other.example', AUDIENCE]])
    assert.equal((await verify(makeToken(KEYS, issuer.claims({ aud })))).kind, 'principal');
  assert.equal((await verify(makeToken(KEYS, issuer.claims(), { typ: 'application/AT+JWT' }))).kind, 'principal');
});

test('a client that acts for itself is somebody else than the user of its name', async () => {
  const verify = await open();
  const client = await verify(makeToken(KEYS, issuer.claims({ sub: 'ada', client_id: 'ada' })));
  const alone = await verify(makeToken(KEYS, issuer.claims({ sub: undefined, client_id: 'ada' })));
  for (const verdict of [client, alone]) {
    assert.ok(verdict.kind === 'principal');
    assert.equal(verdict.principal.id, `${issuer.url}#client:ada`);
  }
});

test('a token is good from its beginning to its end, give or take what clocks differ', async () => {
  const clock = { now: Date.now() };
  const verify = await open([KEYS], clock);
  const second = Math.floor(clock.now / 1000);
  const at = (exp: number, nbf: number) =>
    verify(makeToken(KEYS, issuer.claims({ exp: second + exp, nbf: second + nbf })));
  assert.equal((await at(60, 0)).kind, 'principal');
  assert.equal((await at(-2, -60)).kind, 'principal');
  assert.equal((await at(-7, -60)).kind, 'expired');
  assert.equal((await at(60, 3)).kind, 'principal');
  isRefused(await at(60, 8), /not good yet/);
});

test('a token says which key signed it where several could have', async () => {
  const verify = await open([KEYS, makeKeys('k2')]);
  isRefused(await verify(makeToken(KEYS, issuer.claims(), { kid: undefined })), /which key/);
  await issuer.close();
  const only = await open([KEYS]);
  assert.equal((await only(makeToken(KEYS, issuer.claims(), { kid: undefined }))).kind, 'principal');
});

test('what is not a signed token is left to others', async () => {
  await open();
  const verifier = createJwtVerifier({
    issuer: issuer.url,
    audiences: [AUDIENCE],
    now: Date.now,
    keySet: { keys: () => Promise.reject(new Error('nobody asks')) },
    algorithms: ['ES256'],
    types: ['at+jwt'],
  });
  for (const token of ['', 'opaque', 'a.b', 'a.b.c', 'a.b.c.d', '..', 'bm9wZQ.e30.x', '/w.e30.x', 'W10.e30.x'])
    assert.equal(await verifier.verify(token), undefined, token);
});

test('an algorithm nobody can check is refused at the start', async () => {
  await open();
  for (const algorithms of [['HS256'], ['none'], ['ES256K']]) {
    assert.throws(
      () =>
        createJwtVerifier({
          issuer: issuer.url,
          audiences: [AUDIENCE],
          now: Date.now,
          keySet: { keys: async () => [] },
          algorithms,
          types: [],
        }),
      /Unknown algorithm/,
    );
  }
});
