import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Heard, send } from './heard.ts';

const PARLEY = fileURLToPath(new URL('../../../src/cli/parley.js', import.meta.url));
const TOKEN = 'the-token-of-whoever-may';
const OTHER = 'the-token-of-another-one';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const folder = mkdtempSync(join(tmpdir(), 'parley-routes-'));
const file = join(folder, 'tokens.json');
const children: ChildProcess[] = [];
let port = 0;

function write(...tokens: readonly string[]): void {
  const list = tokens.map((token, at) => ({ id: `t${at}`, token, scopes: ['use'] }));
  writeFileSync(file, JSON.stringify({ tokens: list }));
}

/** Starts the command; resolves to its port. */
async function serve(...args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [PARLEY, 'serve', '--port', '0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PARLEY_LOG_LEVEL: 'info' },
  });
  children.push(child);
  let said = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(said)));
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
      const [, found] = /^Serving at \S+:(\d+)\/mcp$/m.exec(said) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
}

before(async () => {
  write(TOKEN);
  port = await serve(
    '--auth-tokens',
    file,
    '--auth-issuer',
    'http://127.0.0.1:9',
    '--auth-audience',
    'x',
    '--auth-scopes',
    'use',
  );
});

after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

async function statusOf(method: string, path: string, authorization?: string): Promise<number> {
  const headers: Record<string, string> = { accept: 'text/event-stream, application/json, text/html' };
  const heard: Heard = await send(port, {
    method,
    path,
    headers: authorization === undefined ? headers : { ...headers, authorization },
  });
  heard.cut();
  return heard.status;
}

/** `closed`: needs a good token. `lenient`: open, but not with a bad token. `open`: looks at no token. */
const ROUTES: Readonly<Record<string, 'closed' | 'lenient' | 'open'>> = {
  '/mcp': 'closed',
  '/mcp/': 'closed',
  '/sse': 'closed',
  '/messages': 'closed',
  '/messages?sessionId=x': 'closed',
  '/metrics': 'closed',
  '/nothing': 'closed',
  '/mcp/nothing': 'closed',
  '//mcp': 'closed',
  '/%6dcp': 'closed',
  '/admin': 'closed',
  '/.well-known/nothing': 'closed',
  '/': 'lenient',
  '/.well-known/mcp.json': 'lenient',
  '/mcp/discover': 'lenient',
  '/.well-known/oauth-protected-resource': 'open',
  '/.well-known/oauth-protected-resource/mcp': 'open',
  '/.well-known/oauth-protected-resource/sse': 'open',
  '/health': 'open',
  '/healthz': 'open',
  '/livez': 'open',
  '/readyz': 'open',
};

for (const [path, kind] of Object.entries(ROUTES)) {
  test(`${path} is ${kind}, whatever the method`, async () => {
    for (const method of METHODS) {
      const nobody = await statusOf(method, path);
      const stranger = await statusOf(method, path, 'Bearer a-token-nobody-ever-had');
      const known = await statusOf(method, path, `Bearer ${TOKEN}`);
      // A stranger who has come too often waits, which lets nobody in either.
      const refused = (status: number): boolean => status === 401 || status === 429;
      const where = `${method} ${path}: ${nobody} ${stranger} ${known}`;
      assert.deepEqual(
        [refused(nobody), refused(stranger), refused(known)],
        [kind === 'closed', kind !== 'open', false],
        where,
      );
      assert.ok(
        [nobody, known].every((status) => status < 500 && status !== 403 && status !== 429),
        where,
      );
    }
  });
}

test('a token in the address is refused on every route that knows tokens', async () => {
  for (const [path, kind] of Object.entries(ROUTES)) {
    if (kind === 'open') continue;
    const query = `${path}${path.includes('?') ? '&' : '?'}access_token=${TOKEN}`;
    assert.equal(await statusOf('GET', query), 400, query);
    assert.equal(await statusOf('GET', query, `Bearer ${TOKEN}`), 400, query);
  }
});

test('a change of the file of tokens holds without a restart', async () => {
  assert.notEqual(await statusOf('GET', '/metrics', `Bearer ${OTHER}`), 200);
  write(TOKEN, OTHER);
  while ((await statusOf('GET', '/metrics', `Bearer ${OTHER}`)) !== 200) await pause(100);
  write(TOKEN);
  while ((await statusOf('GET', '/metrics', `Bearer ${OTHER}`)) === 200) await pause(100);
  assert.equal(await statusOf('GET', '/metrics', `Bearer ${TOKEN}`), 200);
});

test('whoever sends bad tokens waits in the end, and the good token from the same address does not', async () => {
  let status = 0;
  for (let tries = 0; tries < 200 && status !== 429; tries += 1)
    status = await statusOf('GET', '/metrics', `Bearer guess-${tries}`);
  assert.equal(status, 429);
  assert.equal(await statusOf('GET', '/metrics', `Bearer ${TOKEN}`), 200);
});

async function limitedAt(at: number, forwarded: Record<string, string>): Promise<number> {
  const heard = await send(at, { method: 'GET', path: '/mcp', headers: forwarded });
  heard.cut();
  return heard.status;
}

test('without a trusted proxy nobody gets another bucket or another name by a header', async () => {
  const alone = await serve('--rate-limit', '0.01', '--rate-burst', '1');
  assert.equal(await limitedAt(alone, { 'x-forwarded-for': '1.1.1.1' }), 405);
  for (const headers of [{ 'x-forwarded-for': '2.2.2.2' }, { forwarded: 'for=3.3.3.3' }, { 'x-real-ip': '4.4.4.4' }])
    assert.equal(await limitedAt(alone, headers as Record<string, string>), 429);
  const page = await send(alone, {
    method: 'GET',
    path: '/',
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
  });
  assert.doesNotMatch(await page.text(), /evil|https:\/\/127/);
});

test('behind a trusted proxy each client has its own bucket, and cannot choose it', async () => {
  const behind = await serve('--rate-limit', '0.01', '--rate-burst', '1', '--trust-proxy', '127.0.0.1, 10.0.0.0/8');
  assert.equal(await limitedAt(behind, { 'x-forwarded-for': '1.1.1.1' }), 405);
  assert.equal(await limitedAt(behind, { 'x-forwarded-for': '1.1.1.1' }), 429);
  assert.equal(
    await limitedAt(behind, { 'x-forwarded-for': '9.9.9.9, 1.1.1.1' }),
    429,
    'what it wrote itself is not read',
  );
  assert.equal(
    await limitedAt(behind, { 'x-forwarded-for': '1.1.1.1, 10.1.1.1' }),
    429,
    'a second proxy is passed over',
  );
  assert.equal(await limitedAt(behind, { 'x-forwarded-for': '2.2.2.2' }), 405);
  const page = await send(behind, {
    method: 'GET',
    path: '/',
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'mcp.example' },
  });
  assert.match(await page.text(), /https:\/\/mcp\.example\/mcp/);
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
