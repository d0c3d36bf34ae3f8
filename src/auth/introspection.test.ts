import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { AUDIENCE, type Issuer, openIssuer } from '../../test/auth/issuer.ts';
import type { JsonObject } from '../model/json.ts';
import { createIntrospection } from './introspection.ts';
import { remembering } from './remember.ts';

let issuer: Issuer;

afterEach(() => issuer.close());

async function open(answer: () => JsonObject | undefined) {
  issuer = await openIssuer();
  const heard: { authorization: string | undefined; form: URLSearchParams }[] = [];
  issuer.instead.set('/introspect', (request, response, body) => {
    heard.push({ authorization: request.headers.authorization, form: new URLSearchParams(body) });
    const said = answer();
    if (said === undefined) response.writeHead(500).end();
    else response.end(JSON.stringify(said));
  });
  const verifier = createIntrospection({
    url: new URL(`${issuer.url}/introspect`),
    client: { id: 'parley:1', secret: 'p@ss word' },
    limits: { issuerBytes: 4096, issuerMs: 500, issuerAsks: 3 },
    issuer: issuer.url,
    audiences: [AUDIENCE],
    now: Date.now,
  });
  return { verifier, heard };
}

test('an active token gives its subject and scopes, and the issuer learns who asks', async () => {
  const { verifier, heard } = await open(() => ({ ...issuer.claims(), active: true, token_type: 'Bearer' }));
  const verdict = await verifier.verify('opaque');
  assert.ok(verdict?.kind === 'principal');
  const { until: expires } = verdict;
  assert.ok(expires !== undefined && expires > Date.now());
  assert.deepEqual(verdict.principal, { id: `${issuer.url}#ada`, scopes: ['read', 'write'], expires });
  assert.equal(heard[0]?.form.get('token'), 'opaque');
  assert.equal(Buffer.from(heard[0]?.authorization?.slice(6) ?? '', 'base64').toString(), 'parley%3A1:p%40ss%20word');
});

test('a token that is not active, not for this server, of another issuer or another kind is refused', async () => {
  let said: JsonObject = {};
  const { verifier } = await open(() => said);
  for (const changes of [
    { active: false },
    { active: 'true' },
    { active: undefined },
    { aud: 'https://other.example' },
    { aud: undefined },
    { iss: 'https://other.example' },
    { token_type: 'DPoP' },
    { exp: undefined },
    { cnf: { jkt: 'x' } },
  ]) {
    said = { ...issuer.claims(), active: true, ...changes };
    assert.equal((await verifier.verify('opaque'))?.kind, 'invalid', JSON.stringify(changes));
  }
  said = issuer.claims({ active: true, exp: 1 });
  assert.equal((await verifier.verify('opaque'))?.kind, 'expired');
  said = { ...issuer.claims(), active: true, iss: undefined };
  assert.equal((await verifier.verify('opaque'))?.kind, 'principal', 'who was asked need not name itself');
});

test('nobody gets in when the issuer cannot be asked, or too much is asked of it', async () => {
  const { verifier, heard } = await open(() => undefined);
  const verdicts = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((token) => verifier.verify(token)));
  assert.ok(verdicts.every((verdict) => verdict?.kind === 'unavailable'));
  assert.equal(heard.length, 3);
  assert.equal((await verifier.verify('f'))?.kind, 'unavailable');
  assert.equal(heard.length, 4, 'those who asked made room');
});

test('what came of a token is remembered no longer than it is good, and never that nobody could tell', async () => {
  let said: JsonObject | undefined;
  const { verifier, heard } = await open(() => said);
  const clock = { now: Date.now() };
  const kept = remembering(verifier, { tokensKept: 2, tokenKeptMs: 60_000, now: () => clock.now });
  assert.equal((await kept.verify('a'))?.kind, 'unavailable');
  said = { ...issuer.claims(), active: true };
  const [first, second] = await Promise.all([kept.verify('a'), kept.verify('a')]);
  assert.equal(heard.length, 2, 'two who come together are one question');
  assert.ok(first?.kind === 'principal' && first === second);
  assert.equal(kept.verify('a'), first, 'a remembered token is answered at once');
  clock.now += 60_001;
  await kept.verify('a');
  assert.equal(heard.length, 3);
  said = { ...issuer.claims(), active: true, exp: Math.floor(clock.now / 1000) + 1 };
  await kept.verify('short');
  clock.now += 7_000;
  await kept.verify('short');
  assert.equal(heard.length, 5, 'a token is not remembered beyond its end');
  said = { active: false };
  await kept.verify('bad');
  await kept.verify('bad');
  assert.equal(heard.length, 6);
  clock.now += 5_001;
  await kept.verify('bad');
  assert.equal(heard.length, 7, 'a refusal is forgotten soon');
});

test('what was kept before the clock was set back is not believed', async () => {
  const { verifier, heard } = await open(() => ({ ...issuer.claims(), active: true }));
  const clock = { now: Date.now() };
  const kept = remembering(verifier, { tokensKept: 2, tokenKeptMs: 60_000, now: () => clock.now });
  await kept.verify('a');
  clock.now -= 1000;
  assert.equal(kept.recall('a'), undefined);
  await kept.verify('a');
  assert.equal(heard.length, 2);
});

test('the token that was not used for longest makes room', async () => {
  const { verifier, heard } = await open(() => ({ ...issuer.claims(), active: true }));
  const kept = remembering(verifier, { tokensKept: 2, tokenKeptMs: 60_000 });
  for (const token of ['a', 'b', 'a', 'c', 'a', 'b']) await kept.verify(token);
  assert.deepEqual(
    heard.map(({ form }) => form.get('token')),
    ['a', 'b', 'c', 'b'],
  );
});
