import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Skipped } from './serving.mjs';

const START_MS = 10_000;

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** A Redis server of one's own that keeps nothing: its URL, and how to end it. */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-redis-'));
  const port = await freePort();
  const options = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn('redis-server', options.map(String), { stdio: ['ignore', 'pipe', 'ignore'] });
  const end = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('redis-server does not start')), START_MS);
    child.on('error', () => reject(new Skipped('there is no redis-server on this machine')));
    child.stdout.on('data', (chunk) => {
      if (!String(chunk).includes('Ready to accept connections')) return;
      clearTimeout(timer);
      resolve();
    });
  }).catch((error) => {
    end();
    throw error;
  });
  const stop = () => {
    process.off('exit', end);
    end();
  };
  return { url: `redis://127.0.0.1:${port}`, end: stop };
}
