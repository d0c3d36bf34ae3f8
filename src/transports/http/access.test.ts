import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchanged, type FakeExchange } from '../../../test/http/fake-exchange.ts';
import type { Authenticator, Verdict } from '../../auth/auth.ts';
import { silent } from '../../model/log.ts';
import { type AccessOptions, createAccess } from './access.ts';
import type { Handler } from './exchange.ts';

const KNOWN: Readonly<Record<string, Verdict>> = {
  good: { kind: 'principal', principal: { id: 'ada', scopes: ['read', 'write'] } },
  narrow: { kind: 'principal', principal: { id: 'bob', scopes: ['write'] } },
  old: { kind: 'expired' },
  bad: { kind: 'invalid', reason: 'its signature is wrong' },
  unsure: { kind: 'unavailable', reason: 'the issuer is down' },
};

const authenticator: Authenticator = {
  authenticate: (token) => (token === undefined ? { kind: 'missing' } : (KNOWN[token] as Verdict)),
};
const late: Authenticator = { authenticate: async (token) => authenticator.authenticate(token) };
const issuers = ['https://as.example'];
const answers: Handler = (exchange) => exchange.reply(200, exchange.principal?.id ?? 'nobody');

function access(options: Partial<AccessOptions> = {}) {
  return createAccess({ authenticator, scopes: ['read'], issuers, endpoint: '/mcp', log: silent, ...options });
}

function ask(authorization: string | undefined, options: Partial<AccessOptions> = {}): Promise<FakeExchange> {
  const headers = { host: 'mcp.example', ...(authorization === undefined ? {} : { authorization }) };
  return exchanged(access(options).demanding(answers), { method: 'POST', path: '/mcp', headers });
}

const METADATA = 'resource_metadata="http://mcp.example/.well-known/oauth-protected-resource/mcp"';

test('a good token is let in, and says for whom the request is', async () => {
  for (const [given, header] of [
    [authenticator, 'Bearer good'],
    [late, 'bearer   good '],
  ] as const) {
    const { status, text } = await ask(header, { authenticator: given });
    assert.deepEqual([status, text], [200, 'ada']);
  }
});

test('every method is refused without a token, and told where to get one and for what', async () => {
  for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS']) {
    const { status, sent } = await exchanged(access().demanding(answers), { method, headers: { host: 'mcp.example' } });
    assert.equal(status, 401, method);
    assert.equal(sent['www-authenticate'], `Bearer ${METADATA}, scope="read"`);
  }
  assert.equal((await ask('Basic Zm9vOmJhcg==')).sent['www-authenticate'], `Bearer ${METADATA}, scope="read"`);
});

test('a token that is not good is refused without a word about why', async () => {
  const { status, sent, text } = await ask('Bearer bad');
  assert.equal(status, 401);
  assert.match(sent['www-authenticate'] ?? '', /^Bearer error="invalid_token", /);
  assert.match(sent['www-authenticate'] ?? '', /resource_metadata=".*", scope="read"$/);
  assert.doesNotMatch(`${text}${JSON.stringify(sent)}`.replace(/"errorId":"[^"]*"/, ''), /signature|bad/);
  assert.match((await ask('Bearer old')).sent['www-authenticate'] ?? '', /error="invalid_token".*expired/);
});

test('a token without a scope is refused with every scope it needs', async () => {
  const { status, sent } = await ask('Bearer narrow', { scopes: ['read', 'write', 'admin'] });
  assert.equal(status, 403);
  assert.match(
    sent['www-authenticate'] ?? '',
    /error="insufficient_scope".*resource_metadata=".*scope="read write admin"$/,
  );
});

test('nobody gets in while tokens cannot be checked, and is told to come back', async () => {
  const { status, sent } = await ask('Bearer unsure', { authenticator: late });
  assert.equal(status, 503);
  assert.equal(sent['retry-after'], '5');
  assert.equal(sent['www-authenticate'], undefined);
});

test('a malformed header is refused as such', async () => {
  for (const header of [
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer good, Bearer bad',
    'bearer\tgood',
    'Bearer é',
    'Bearer "good"',
  ]) {
    const { status, sent } = await ask(header);
    assert.equal(status, 400, header);
    assert.match(sent['www-authenticate'] ?? '', /error="invalid_request"/);
  }
});

test('a token in the address is not taken, however it is spelled, not even beside a good one', async () => {
  for (const query of [
    'access_token=good',
    'a=b&access_token=good',
    'access%5Ftoken=good',
    '%61ccess_token=x',
    'access_token',
  ]) {
    const headers = { authorization: 'Bearer good' };
    for (const handler of [access().demanding(answers), access().lenient(answers)]) {
      const { status, text, sent } = await exchanged(handler, { query, headers });
      assert.equal(status, 400, query);
      assert.match(text ?? '', /"reason":"tokenInAddress"/);
      assert.match(sent['www-authenticate'] ?? '', /error="invalid_request"/);
      assert.doesNotMatch(text ?? '', /good/);
    }
  }
  const harmless = await exchanged(access().demanding(answers), {
    query: 'sessionId=access_token%20',
    headers: { authorization: 'Bearer good' },
  });
  assert.equal(harmless.status, 200);
});

test('where a token is not demanded, none is no trouble and a bad one is', async () => {
  const lenient = access().lenient(answers);
  assert.equal((await exchanged(lenient, {})).text, 'nobody');
  assert.equal((await exchanged(lenient, { headers: { authorization: 'Bearer good' } })).text, 'ada');
  assert.equal((await exchanged(lenient, { headers: { authorization: 'Bearer bad' } })).status, 401);
});

test('the log learns why a token was refused, and never the token or the query', async () => {
  const lines: string[] = [];
  const log: AccessOptions['log'] = (...entry) => lines.push(JSON.stringify(entry));
  const secret = 'secret-token-of-somebody';
  const refusing: Authenticator = { authenticate: () => ({ kind: 'invalid', reason: 'its signature is wrong' }) };
  const { text } = await exchanged(access({ log, authenticator: refusing }).demanding(answers), {
    query: `x=${secret}`,
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(lines.length, 1);
  const [, errorId = 'none'] = /"errorId":"([\da-f]{12})"/.exec(text ?? '') ?? [];
  assert.ok(lines[0]?.includes(errorId), 'and the client has the id of the line');
  assert.match(lines[0] ?? '', /its signature is wrong/);
  assert.doesNotMatch(lines[0] ?? '', /secret-token/);
});

test('the metadata is at the root and at the path of the endpoint, and names the resource and its issuers', async () => {
  const routes = access().metadata;
  assert.deepEqual(
    routes.map(({ path }) => path),
    ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'],
  );
  for (const { handler, path } of routes) {
    const { status, text } = await exchanged(handler, { path, headers: { host: 'mcp.example' } });
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text ?? ''), {
      resource: 'http://mcp.example/mcp',
      authorization_servers: issuers,
      scopes_supported: ['read'],
      bearer_methods_supported: ['header'],
    });
    assert.equal((await exchanged(handler, { method: 'POST' })).status, 405);
  }
});

test('behind a proxy the metadata is where the public address says, whatever the Host is', async () => {
  const options = { publicUrl: 'https://public.example/team' };
  assert.deepEqual(
    access(options).metadata.map(({ path }) => path.slice('/.well-known/oauth-protected-resource'.length)),
    ['', '/mcp', '/team/mcp'],
  );
  const { sent } = await ask(undefined, options);
  const expected = 'resource_metadata="https://public.example/.well-known/oauth-protected-resource/team/mcp"';
  assert.ok(sent['www-authenticate']?.includes(expected));
  const odd = await exchanged(access().demanding(answers), { headers: { host: 'a"b, error="x' } });
  assert.ok(odd.sent['www-authenticate']?.includes('"http://localhost/.well-known/'));
});

test('a server without an authorization server points to none', async () => {
  assert.deepEqual(access({ issuers: [] }).metadata, []);
  assert.equal((await ask(undefined, { issuers: [], scopes: [] })).sent['www-authenticate'], 'Bearer realm="mcp"');
});

test('an address that sent too many bad tokens waits, and those behind it who are known to be good do not', async () => {
  const limits = { badTokens: 2, badTokensPerMinute: 1, badAddressesKept: 10 };
  let checked = 0;
  const counting: Authenticator = {
    authenticate: (token) => {
      checked += 1;
      return authenticator.authenticate(token);
    },
    recall: (token) => (token === 'good' ? KNOWN['good'] : undefined),
  };
  const handler = access({ authenticator: counting, limits }).demanding(answers);
  const send = (token: string, remote = '1.2.3.4') =>
    exchanged(handler, { method: 'POST', remote, headers: { host: 'a', authorization: `Bearer ${token}` } });
  assert.deepEqual([(await send('bad')).status, (await send('bad')).status], [401, 401]);
  const before = checked;
  const refused = await send('bad');
  assert.equal(refused.status, 429);
  assert.equal(refused.sent['www-authenticate'], undefined);
  assert.ok(Number(refused.sent['retry-after']) > 0);
  assert.match(refused.text ?? '', /"reason":"tries","code":"E_RATE","retryAfterMs":\d+/);
  assert.equal((await send('old')).status, 429, 'a token nobody knows is not looked at');
  assert.equal((await send('good')).status, 200);
  assert.equal(checked, before, 'nothing that costs was checked');
  assert.equal((await send('good', '1.2.3.5')).status, 200);
  assert.equal((await send('bad', '::ffff:1.2.3.4')).status, 429, 'the same address in another spelling');
  assert.equal(
    (await exchanged(handler, { remote: '1.2.3.4', headers: { host: 'a' } })).status,
    401,
    'no token is no try',
  );
});

test('tokens that are still being checked count as tries, and are given back when they were good', async () => {
  const limits = { badTokens: 2, badTokensPerMinute: 1, badAddressesKept: 10 };
  const ends: ((verdict: Verdict) => void)[] = [];
  const slow: Authenticator = { authenticate: () => new Promise((resolve) => ends.push(resolve)) };
  const handler = access({ authenticator: slow, limits }).demanding(answers);
  let count = 0;
  const send = (token = `x${count++}`) =>
    exchanged(handler, { method: 'POST', remote: '1.2.3.4', headers: { host: 'a', authorization: `Bearer ${token}` } });
  const open = [send('same'), send('same'), send('same'), send('same'), send('other')];
  assert.equal(ends.length, 2, 'one token is checked once, however often it comes');
  assert.equal((await send()).status, 429);
  for (const end of ends.splice(0)) end(KNOWN['good'] as Verdict);
  assert.deepEqual(
    (await Promise.all(open)).map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  const again = [send(), send()];
  for (const end of ends.splice(0)) end(KNOWN['bad'] as Verdict);
  assert.deepEqual(
    (await Promise.all(again)).map(({ status }) => status),
    [401, 401],
  );
  assert.equal((await send()).status, 429);
});

test('where addresses are not known nobody waits for the bad tokens of others', async () => {
  const handler = access({ limits: { badTokens: 1, badTokensPerMinute: 1, badAddressesKept: 10 } }).demanding(answers);
  for (const _ of [1, 2, 3]) {
    const { status } = await exchanged(handler, { remote: '', headers: { host: 'a', authorization: 'Bearer bad' } });
    assert.equal(status, 401);
  }
});

test('every path that clients know the server by is a resource with metadata of its own', async () => {
  const several = access({ others: ['/sse'] });
  const at = new Map(several.metadata.map(({ path, handler }) => [path, handler]));
  const resourceOf = async (path: string) => {
    const { text } = await exchanged(at.get(path) as Handler, { path, headers: { host: 'mcp.example' } });
    return JSON.parse(text ?? '').resource;
  };
  assert.equal(await resourceOf('/.well-known/oauth-protected-resource'), 'http://mcp.example/mcp');
  assert.equal(await resourceOf('/.well-known/oauth-protected-resource/sse'), 'http://mcp.example/sse');
  const refused = await exchanged(several.demanding(answers), { path: '/sse', headers: { host: 'mcp.example' } });
  assert.match(refused.sent['www-authenticate'] ?? '', /oauth-protected-resource\/sse"/);
  const elsewhere = await exchanged(several.demanding(answers), { path: '/metrics', headers: { host: 'mcp.example' } });
  assert.match(elsewhere.sent['www-authenticate'] ?? '', /oauth-protected-resource\/mcp"/);
  const outside = access({ others: ['/sse'], publicUrl: 'https://public.example/team/mcp' });
  assert.deepEqual(
    outside.metadata.map(({ path }) => path.slice('/.well-known/oauth-protected-resource'.length)),
    ['', '/mcp', '/team/mcp', '/sse', '/team/sse'],
  );
});

test('the challenge of an item is completed with what every request needs, and other refusals are left alone', async () => {
  const challenge = 'Bearer error="insufficient_scope", scope="admin read"';
  const says =
    (headers: Record<string, string>): Handler =>
    (exchange) =>
      exchange.reply(403, '', exchange.complete?.(exchange, headers) ?? headers);
  const send = (handler: Handler) =>
    exchanged(access().demanding(handler), {
      path: '/mcp',
      headers: { host: 'mcp.example', authorization: 'Bearer good' },
    });
  const completed = (await send(says({ 'www-authenticate': challenge }))).sent;
  const expected = `Bearer error="insufficient_scope", error_description="The token lacks a scope", ${METADATA}, scope="read admin"`;
  assert.equal(completed['www-authenticate'], expected);
  assert.equal(completed['cache-control'], 'no-store');
  assert.deepEqual((await send(says({ a: 'b' }))).sent, { a: 'b' });
});

test('a principal knows when its token ends, and is the same object every time', async () => {
  const principal = Object.freeze({ id: 'ada', scopes: Object.freeze(['read']) });
  const seen: unknown[] = [];
  const handler: Handler = (exchange) => {
    seen.push(exchange.principal);
    exchange.reply(200);
  };
  const dated: Authenticator = { authenticate: () => ({ kind: 'principal', principal, until: 5000 }) };
  const gate = access({ authenticator: dated }).demanding(handler);
  for (const _ of [1, 2]) await exchanged(gate, { headers: { authorization: 'Bearer x' } });
  assert.deepEqual(seen[0], { ...principal, expires: 5000 });
  assert.equal(seen[0], seen[1]);
});
