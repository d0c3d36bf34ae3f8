import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { type Heard, type Sent, send } from '../http/heard.ts';
import { HttpPeer } from '../http/http-peer.ts';
import { MODERN } from '../revisions.ts';
import { type Served, serveCommand } from './served.ts';

// What a page in a browser on this machine can try: another name for us, another origin, requests that ask nobody first.

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const GUARDED = [
  '/mcp',
  '/mcp/',
  '/sse',
  '/messages?sessionId=x',
  '/metrics',
  '/',
  '/.well-known/mcp.json',
  '/mcp/discover',
  '/.well-known/oauth-protected-resource',
  '/nothing',
  '//evil.example/',
];
const PROBES = ['/health', '/healthz', '/livez', '/readyz'];

let served: Served;

before(async () => {
  served = await serveCommand(['--audit', 'stderr']);
});

after(() => served.end());

async function ask(sent: Sent): Promise<Heard> {
  const heard = await send(served.port, sent);
  for (const name of Object.keys(heard.headers))
    assert.doesNotMatch(name, /^access-control-/, `${sent.method} ${sent.path} lets a page read`);
  assert.equal(heard.headers.location, undefined);
  return heard;
}

/** Asks for every route in every way, and expects to be refused. */
async function refusedEverywhere(headers: Record<string, string>): Promise<void> {
  for (const path of GUARDED)
    for (const method of METHODS) {
      const asks: Record<string, string> = method === 'OPTIONS' ? { 'access-control-request-method': 'POST' } : {};
      const heard = await ask({ method, path, headers: { accept: '*/*', ...asks, ...headers } });
      heard.cut();
      assert.equal(heard.status, 403, `${method} ${path} with ${JSON.stringify(headers)}`);
    }
}

const call = new HttpPeer(MODERN, 0);
const message = call.message('tools/call', { name: 'hello', arguments: { name: 'page' } });
const claims = call.headersFor(message);

/** Nothing that came before has run a tool. */
async function nothingRan(): Promise<void> {
  const clean = await send(served.port, {
    method: 'POST',
    path: '/mcp',
    headers: claims,
    body: JSON.stringify(message),
  });
  assert.equal(clean.status, 200, await clean.text());
  await served.said('"tools.call"');
  const ran = served.lines().filter((line) => line.includes('"tools.call"'));
  assert.equal(ran.length, 1, ran.join('\n'));
}

test('a name that leads here by a trick is refused on every route and for every method', async () => {
  const { port } = served;
  const hosts = [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `localhost.evil.example:${port}`,
    `localhost.:${port}`,
    `localhost:${port}, evil.example`,
    `localhost:${port}@evil.example`,
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0.0.0.0',
    ' ',
  ];
  for (const host of hosts) await refusedEverywhere({ host });
  for (const path of PROBES)
    assert.equal((await ask({ method: 'GET', path, headers: { host: 'evil.example' } })).status, 200, path);
});

test('a page of another origin is refused on every route and for every method, and can read nothing', async () => {
  const origins = [
    'http://evil.example',
    'https://evil.example',
    'null',
    'file://',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost@evil.example',
    'http://evil.example/http://localhost',
    'http://localhost, http://evil.example',
    'chrome-extension://abcdefgh',
    ' ',
  ];
  for (const origin of origins) await refusedEverywhere({ origin });
});

test('what a form or a simple request can send runs nothing, not even from a page on this machine', async () => {
  const types = [
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'text/plain; application/json',
    'text/plain; x=application/json',
    'text/plain, application/json',
    'application/json, text/plain',
    'application/jsonp',
    'application/json/x',
    'application/ json',
    'x-application/json',
    '',
  ];
  const body = JSON.stringify(message);
  const { 'content-type': _, ...rest } = claims;
  const post = (path: string, headers: Record<string, string>) =>
    ask({ method: 'POST', path, headers: { ...rest, ...headers }, body });
  for (const type of types)
    for (const origin of ['', `http://localhost:${served.port}`, 'http://localhost:1']) {
      const headers = Object.fromEntries(Object.entries({ 'content-type': type, origin }).filter(([, value]) => value));
      assert.equal((await post('/mcp', headers)).status, 415, `${type} from ${origin}`);
      assert.equal((await post('/messages?sessionId=x', headers)).status, 404, 'a channel nobody opened is not there');
    }
  for (const method of ['GET', 'HEAD', 'DELETE']) {
    const path = `/mcp?${new URLSearchParams({ message: body })}`;
    const heard = await ask({ method, path, headers: { ...rest, accept: 'application/json' } });
    heard.cut();
    assert.ok(heard.status >= 400, method);
  }
  await nothingRan();
});

test('a request to change the protocol is not followed, on any route', async () => {
  for (const path of [...GUARDED, ...PROBES])
    for (const upgrade of [
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
    ]) {
      const socket = connect(served.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n${upgrade}\r\n\r\n`);
      const first = await new Promise<string>((resolve) => {
        socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')));
        socket.once('close', () => resolve(''));
      });
      socket.destroy();
      assert.doesNotMatch(first, /^HTTP\/1\.1 101/, path);
    }
});
