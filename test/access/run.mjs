// The built server with the tokens of an authorization server of another maker.
// Usage: node test/access/run.mjs [--cli path/to/parley.js]

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install } from '../../scripts/install.mjs';
import { ROOT } from '../../scripts/run.mjs';

const START_MS = 20_000;
const CHECK_MS = 30_000;
const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Starts the server on every address of this machine, which it does only because it checks who asks. */
async function openServer(cli, args, { folder, env }) {
  const log = join(folder, 'log');
  const child = spawn(
    process.execPath,
    [cli, 'serve', '--host', '0.0.0.0', '--port', '0', '--module', here('fixture.mjs'), '--log-file', log, ...args],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH, ...env } },
  );
  const port = await new Promise((settle, fail) => {
    let said = '';
    const late = setTimeout(() => fail(new Error(`The server does not say where it is:\n${said}`)), START_MS);
    child.on('exit', (code) => fail(new Error(`The server ended with code ${code}:\n${said}`)));
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
      const [, found] = /^Serving at http:\/\/0\.0\.0\.0:(\d+)/m.exec(said) ?? [];
      if (found === undefined) return;
      clearTimeout(late);
      settle(found);
    });
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    log: () => readFileSync(log, 'utf8'),
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      const [code] = await ended;
      clearTimeout(timer);
      return code;
    },
  };
}

const bearer = (token) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/** A request of 2026-07-28, which says everything about itself. */
function ask(server, token, { method, name, params = {} }) {
  return fetch(`${server.origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': CLAIM['io.modelcontextprotocol/protocolVersion'],
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
      ...bearer(token),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: CLAIM } }),
  });
}

const list = (server, token) => ask(server, token, { method: 'tools/list' });
const call = (server, token, name) =>
  ask(server, token, { method: 'tools/call', name, params: { name, arguments: {} } });

/** A message of the session era. */
function say(server, token, { session, message, method = 'POST' }) {
  return fetch(`${server.origin}/mcp`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...bearer(token),
    },
    ...(message === undefined ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  });
}

const HELLO = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'check', version: '1' } },
};

const challengeOf = (response) => response.headers.get('www-authenticate') ?? '';
const namesIn = async (response) => (await response.json()).result.tools.map(({ name }) => name);

/** Everything that is checked, in this order, since some of it changes the issuer. */
const CHECKS = ({ issuer, server, resources: { SIGNED, OPAQUE, OTHER } }) => ({
  'who has no token is led to the authorization server': async () => {
    const refused = await list(server);
    assert.equal(refused.status, 401);
    const [, url] = /resource_metadata="([^"]+)"/.exec(challengeOf(refused));
    assert.match(challengeOf(refused), /scope="use"/);
    const metadata = await (await fetch(url)).json();
    assert.equal(metadata.resource, `${server.origin}/mcp`);
    const [as] = metadata.authorization_servers;
    const found = await (await fetch(`${as}/.well-known/oauth-authorization-server`)).json();
    assert.equal(found.token_endpoint, `${issuer.url}/token`);
  },
  'a signed token is let in, and a tool learns whose it is': async () => {
    const response = await call(server, await issuer.token('ada', SIGNED), 'who');
    assert.equal(response.status, 200);
    assert.match(await response.text(), new RegExp(`${issuer.url}#client:ada`));
  },
  'a token that is not signed is asked about, and is the same principal': async () => {
    const response = await call(server, await issuer.token('ada', OPAQUE), 'who');
    assert.equal(response.status, 200);
    assert.match(await response.text(), new RegExp(`${issuer.url}#client:ada`));
  },
  'a token for another server is refused': async () => {
    const response = await list(server, await issuer.token('ada', OTHER));
    assert.equal(response.status, 401);
    assert.match(challengeOf(response), /error="invalid_token"/);
  },
  'a token whose text was changed is refused': async () => {
    const [head, body, signature] = (await issuer.token('ada', SIGNED)).split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url'));
    const changed = Buffer.from(JSON.stringify({ ...claims, scope: 'use admin' })).toString('base64url');
    assert.equal((await list(server, `${head}.${changed}.${signature}`)).status, 401);
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    assert.equal((await list(server, `${none}.${changed}.${signature}`)).status, 401);
  },
  'a token that was taken back is refused': async () => {
    const token = await issuer.token('ada', OPAQUE);
    await issuer.revoke('ada', token);
    assert.equal((await list(server, token)).status, 401);
  },
  'a token without the scope is told which it needs': async () => {
    for (const resource of [SIGNED, OPAQUE]) {
      const response = await list(server, await issuer.token('ada', resource, 'admin'));
      assert.equal(response.status, 403);
      assert.match(challengeOf(response), /error="insufficient_scope".*scope="use"/);
    }
  },
  'scopes decide what is listed and what can be called': async () => {
    const [narrow, wide] = [await issuer.token('ada', SIGNED), await issuer.token('ada', SIGNED, 'use admin')];
    assert.deepEqual(await namesIn(await list(server, narrow)), ['who']);
    assert.deepEqual(await namesIn(await list(server, wide)), ['who', 'wipe']);
    assert.match(await (await call(server, narrow, 'wipe')).text(), /Unknown tool/);
    assert.match(await (await call(server, wide, 'wipe')).text(), /wiped/);
  },
  'a session belongs to its principal, with any token of theirs': async () => {
    const ada = await issuer.token('ada', SIGNED);
    const session = (await say(server, ada, { message: HELLO })).headers.get('mcp-session-id');
    const message = { id: 2, method: 'tools/list' };
    const bob = await issuer.token('bob', SIGNED);
    for (const method of ['POST', 'GET', 'DELETE']) {
      const sent = { session, method, ...(method === 'POST' ? { message } : {}) };
      assert.equal((await say(server, bob, sent)).status, 404, method);
      assert.equal((await say(server, undefined, sent)).status, 401, method);
    }
    assert.equal((await say(server, await issuer.token('ada', OPAQUE), { session, message })).status, 200);
  },
  'a token ends when the issuer said': async () => {
    issuer.live(1);
    const token = await issuer.token('bob', SIGNED);
    issuer.live(300);
    assert.equal((await list(server, token)).status, 200);
    await pause(7500);
    const response = await list(server, token);
    assert.equal(response.status, 401);
    assert.match(challengeOf(response), /expired/);
  },
  'a new key of the issuer is found when it is used': async () => {
    issuer.useKey('second');
    const token = await issuer.token('ada', SIGNED);
    for (let left = 12; left > 0; left -= 1) {
      if ((await list(server, token)).status === 200) return;
      // A refusal is remembered for a moment, and the issuer is asked now and then only.
      await pause(1500);
    }
    assert.fail('the new key was never found');
  },
  'nobody gets in while the issuer is away, but who is known already': async () => {
    const known = await issuer.token('ada', SIGNED);
    const fresh = await issuer.token('ada', OPAQUE);
    assert.equal((await list(server, known)).status, 200);
    issuer.close();
    assert.equal((await list(server, known)).status, 200);
    const response = await list(server, fresh);
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get('retry-after')) > 0);
  },
  'the log says why tokens were refused, and holds none of them': async () => {
    const log = server.log();
    assert.match(log, /another audience/);
    assert.match(log, /signature is wrong/);
    for (const token of issuer.given) assert.ok(!log.includes(token.slice(-20)));
    assert.ok(!log.includes('the-secret-of'));
  },
});

async function passes(name, check) {
  const started = performance.now();
  const late = pause(CHECK_MS, undefined, { ref: false }).then(() => {
    throw new Error(`Took longer than ${CHECK_MS} ms`);
  });
  try {
    await Promise.race([check(), late]);
    console.log(`✔ ${name} (${Math.round(performance.now() - started)} ms)`);
    return true;
  } catch (error) {
    console.log(`✖ ${name}\n  ${error.stack ?? error}`);
    return false;
  }
}

async function main() {
  const { values } = parseArgs({
    options: { cli: { type: 'string', default: join(ROOT, 'dist', 'src', 'cli', 'parley.js') } },
  });
  install('test/access');
  const { openIssuer, CHECKER, ...resources } = await import('./issuer.mjs');
  const issuer = await openIssuer();
  const folder = mkdtempSync(join(tmpdir(), 'parley-access-'));
  const args = [
    ...['--auth-issuer', issuer.url, '--auth-scopes', 'use'],
    ...['--auth-audience', `${resources.SIGNED},${resources.OPAQUE}`],
    ...['--auth-introspection', `${issuer.url}/token/introspection`],
  ];
  const env = { PARLEY_AUTH_CLIENT_ID: CHECKER.id, PARLEY_AUTH_CLIENT_SECRET: CHECKER.secret };
  const server = await openServer(values.cli, args, { folder, env });
  const outcomes = [];
  for (const [name, check] of Object.entries(CHECKS({ issuer, server, resources }))) {
    outcomes.push(await passes(name, check));
  }
  const code = await server.close();
  outcomes.push(await passes('the server ends as it should', () => assert.equal(code, 0)));
  rmSync(folder, { recursive: true });
  const failed = outcomes.filter((passed) => !passed).length;
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

await main();
