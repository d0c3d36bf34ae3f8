// A private redis-server for a test: a free port, a folder of its own, nothing kept unless told.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Why tests on Redis cannot run here, or `false`. */
export const withoutRedis: string | false =
  spawnSync('redis-server', ['--version']).status === 0 ? false : 'redis-server is not installed';

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** Runs `redis-cli` and answers what it printed. */
  cli(...args: string[]): string;
  /** Ends the process at once. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder. */
  start(): Promise<void>;
  /** Stops and continues the process without its knowledge. */
  freeze(): void;
  thaw(): void;
  /** Ends the process and deletes its folder. */
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}

/** Starts a server with options of its command line, or, after `SENTINEL`, a sentinel with a configuration file. */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'parley-redis-'));
  let child: ChildProcess | undefined;
  const cli = (...args: string[]) =>
    spawnSync('redis-cli', ['-p', String(port), ...args], { encoding: 'utf8', timeout: 5000 }).stdout.trim();
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const start = async () => {
    const base = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
      '--loglevel',
      'warning',
    ];
    const [first, config] = options;
    const args = first === 'SENTINEL' ? [config as string, ...base, '--sentinel'] : [...base, ...options];
    child = spawn('redis-server', args, { stdio: 'ignore' });
    for (let tries = 0; !/PONG|NOAUTH/.test(cli('PING')); tries += 1) {
      if (tries > 100) throw new Error('redis-server did not start');
      await sleep(20);
    }
  };
  await start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return child?.pid ?? 0;
    },
    cli,
    kill,
    start,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
