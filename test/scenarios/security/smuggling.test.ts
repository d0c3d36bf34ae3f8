import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HttpPeer } from '../http/http-peer.ts';
import { type HttpScene, stageHttp } from '../http/http-scene.ts';
import { MODERN } from '../revisions.ts';
import { shapesAround } from './shapes.ts';

const QUIET_MS = 150;
/** How long an answer that must come may take. */
const PATIENCE_MS = 10_000;
const NGINX = fileURLToPath(new URL('../../../../examples/deploy/nginx.conf', import.meta.url));
const installed = spawnSync('nginx', ['-v']).error === undefined;

/** A call of the tool that counts its calls, as bytes. */
function counting(): string {
  const peer = new HttpPeer(MODERN, 0);
  const message = peer.message('tools/call', { name: 'counted', arguments: {} });
  const body = JSON.stringify(message);
  const headers = { host: 'localhost', ...peer.headersFor(message), 'content-length': String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** What comes back for some bytes, until the connection is over or quiet for a while; the first of it may take longer. */
async function heard(port: number, bytes: string, firstMs = QUIET_MS): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let last = performance.now();
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    last = performance.now();
  });
  socket.write(bytes, 'latin1');
  while (!socket.closed && performance.now() - last < (text === '' ? firstMs : QUIET_MS)) await pause(10);
  socket.destroy();
  return text;
}

/** Sends every shape, and after each a request of its own, which must get its own answer. */
async function attack(port: number, { fixture }: HttpScene): Promise<void> {
  const hidden = counting();
  assert.match(await heard(port, hidden, PATIENCE_MS), /^HTTP\/1\.1 200 /, 'by itself it is served');
  assert.equal(fixture.ran.get('counted'), 1);
  for (const [at, { name, bytes }] of shapesAround(hidden).entries()) {
    await heard(port, bytes);
    const ask = `GET /probe-${at} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    const probe = await heard(port, ask, PATIENCE_MS);
    assert.match(probe, /^HTTP\/1\.1 404 /, `after ${name}`);
    assert.equal(probe.split('HTTP/1.1 ').length, 2, `one answer after ${name}`);
    assert.equal(fixture.ran.get('counted'), 1, `${name} hides a request`);
  }
}

test('no shape of a request hides another one in its body', async () => {
  const scene = await stageHttp();
  try {
    await attack(scene.port, scene);
  } finally {
    await scene.close();
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** The proxy as the example sets it up, in front of one server. */
async function startNginx(behind: number, folder: string): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  const site = readFileSync(NGINX, 'utf8')
    .replace('server 127.0.0.1:8801', `server 127.0.0.1:${behind}`)
    .replace(/^ *server 127\.0\.0\.1:880[23].*$/gm, '')
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const main = `daemon off; worker_processes 1; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'log')} crit;`;
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `${main}\nevents {}\nhttp { access_log off; ${places.join(' ')}\n${site}\n}`);
  const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
  const up = async () => (await heard(port, 'GET /up HTTP/1.0\r\nHost: localhost\r\n\r\n')).startsWith('HTTP/1.1 404');
  for (let tries = 0; tries < 50; tries += 1) if (await up()) return { port, child };
  child.kill('SIGKILL');
  throw new Error(`nginx does not serve: ${readFileSync(join(folder, 'log'), 'utf8')}`);
}

test('behind nginx, as the example sets it up, both see the same requests in every shape', {
  skip: installed ? false : 'nginx is not installed',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-smuggling-'));
  const scene = await stageHttp();
  const { port, child } = await startNginx(scene.port, folder);
  try {
    await attack(port, scene);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    await scene.close();
    rmSync(folder, { recursive: true });
  }
});
