// nginx as examples/deploy/nginx.conf sets it up, three replicas behind it, one Redis below them.
// Usage: node test/deploy/run.mjs [--rounds N] [--clients N] [--cli path/to/parley.js]
// Every replica is replaced under load, round after round: no request may fail, no session may be lost.
// A connection that nginx opens in the very moment a replica stops to listen is reset by the system, and nginx may not
// send a POST twice. That moment is short, so a run in which it was met is played again.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ROOT } from '../../scripts/run.mjs';
import { modernClient, sessionClient } from './clients.mjs';

const START_MS = 20_000;
const REPLICAS = 3;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    clients: { type: 'string', default: '16' },
    cli: { type: 'string', default: join(ROOT, 'dist', 'joined', 'parley.js') },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'parley-deploy-'));
const children = new Set();
const ends = new Set();

function start(command, args, env = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-16_000);
  });
  children.add(child);
  const gone = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      children.delete(child);
      resolve({ code, signal });
    });
  });
  ends.add(gone);
  return { child, gone, said: () => said };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function until(what, check) {
  const end = Date.now() + START_MS;
  while (Date.now() < end) {
    if (await check().catch(() => false)) return;
    await pause(50);
  }
  throw new Error(`${what} did not start in ${START_MS} ms`);
}

const answers = async (url) => (await fetch(url)).ok;

async function startReplica(port, storeUrl) {
  const args = ['serve', '--port', String(port), '--module', join(ROOT, 'examples', 'deploy', 'tools.mjs')];
  const replica = start(process.execPath, [options.cli, ...args, '--log-level', 'warn'], {
    PARLEY_STORE: storeUrl,
    PARLEY_SECRET: 'the same for all of them',
    PARLEY_ALLOWED_HOSTS: '127.0.0.1',
  });
  await until('A replica', () => answers(`http://127.0.0.1:${port}/readyz`));
  return { ...replica, port };
}

async function startNginx(replicas) {
  const port = await freePort();
  const example = readFileSync(join(ROOT, 'examples', 'deploy', 'nginx.conf'), 'utf8');
  const site = replicas
    .reduce((text, replica, index) => text.replace(`127.0.0.1:880${index + 1}`, `127.0.0.1:${replica}`), example)
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const whole = `daemon off; worker_processes 1; pid ${join(folder, 'nginx.pid')}; error_log stderr warn;
events { worker_connections 2048; }
http { access_log off; ${places.join(' ')}\n${site}\n}`;
  writeFileSync(join(folder, 'nginx.conf'), whole);
  const nginx = start('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
  const url = `http://127.0.0.1:${port}`;
  await until('nginx', () => answers(`${url}/readyz`)).catch((error) => {
    throw new Error(`${error.message}\n${nginx.said()}`);
  });
  return { ...nginx, url };
}

async function startRedis() {
  const port = await freePort();
  const redis = start('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]);
  await pause(300);
  return { ...redis, url: `redis://127.0.0.1:${port}` };
}

/** Replaces each replica by a new process on its port, while clients work. */
async function roll(replicas, storeUrl) {
  for (const [index, old] of replicas.entries()) {
    old.child.kill('SIGTERM');
    const { code } = await old.gone;
    if (code !== 0) throw new Error(`A replica that was told to end did so with code ${code}: ${old.said()}`);
    replicas[index] = await startReplica(old.port, storeUrl);
    await pause(300);
  }
}

const TRIES = 3;

async function main() {
  const missing = ['nginx', 'redis-server'].filter((name) => spawnSync(name, ['-v']).error !== undefined);
  if (missing.length > 0) {
    console.log(`  Not run: ${missing.join(' and ')} not installed`);
    return 0;
  }
  for (let tried = 1; ; tried++) {
    const { code, atTheDoor } = await play();
    await endAll();
    if (code === 0 || !atTheDoor || tried === TRIES) return code;
    console.log('  nginx was reset at the door: once more');
  }
}

async function play() {
  const redis = await startRedis();
  const replicas = [];
  for (let index = 0; index < REPLICAS; index++) replicas.push(await startReplica(await freePort(), redis.url));
  const nginx = await startNginx(replicas.map(({ port }) => port));
  const clients = Array.from({ length: Number(options.clients) }, (_, index) =>
    (index % 2 === 0 ? sessionClient : modernClient)(`${nginx.url}/mcp`, `client ${index}`),
  );
  const working = clients.map((client) => client.run());
  await pause(500);
  for (let round = 0; round < Number(options.rounds); round++) await roll(replicas, redis.url);
  // nginx leaves a replica it could not reach alone for two seconds.
  await pause(2500);
  for (const client of clients) client.stop();
  await Promise.all(working);
  const resets = (nginx.said().match(/104: Connection reset by peer/g) ?? []).length;
  const { code, failed } = report(clients);
  if (code !== 0) console.log(nginx.said());
  return { code, atTheDoor: resets >= failed };
}

function report(clients) {
  const failures = clients.flatMap(({ name, failures: found }) => found.map((text) => `${name}: ${text}`));
  const answered = clients.reduce((sum, client) => sum + client.answered, 0);
  const processes = new Set(clients.flatMap((client) => [...client.processes]));
  for (const text of failures.slice(0, 20)) console.log(`  ${text}`);
  const rolled = Number(options.rounds) * REPLICAS;
  console.log(`  ${answered} calls of ${clients.length} clients by ${processes.size} processes, ${rolled} replaced`);
  if (processes.size <= REPLICAS) failures.push('the replaced replicas answered nothing');
  console.log(`  ${answered} passed, ${failures.length} failed`);
  return { code: failures.length === 0 ? 0 : 1, failed: failures.length };
}

/** nginx has workers of its own, which only a polite end takes along. */
async function endAll() {
  for (const child of children) child.kill('SIGTERM');
  await Promise.race([Promise.all([...ends]), pause(START_MS)]);
  for (const child of children) child.kill('SIGKILL');
  ends.clear();
}

try {
  process.exitCode = await main();
} catch (error) {
  console.log(`  ${error.stack}`);
  process.exitCode = 1;
} finally {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
