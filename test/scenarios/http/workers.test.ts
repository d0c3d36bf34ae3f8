import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NEWEST_LEGACY } from '../revisions.ts';
import { send } from './heard.ts';
import { HttpPeer, textIn } from './http-peer.ts';

const PARLEY = fileURLToPath(new URL('../../../src/cli/parley.js', import.meta.url));
const MODULE = fileURLToPath(new URL('./slow-server.js', import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

class Crew {
  readonly child: ChildProcess;
  readonly exit: Promise<unknown[]>;
  said = '';

  constructor(...flags: string[]) {
    const args = [PARLEY, 'serve', '--port', '0', '--workers', '2', '--module', MODULE, ...flags];
    this.child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    children.push(this.child);
    this.exit = once(this.child, 'close');
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.said += text;
    });
  }

  async hears(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.said);
      if (match !== null) return match;
      assert.equal(this.child.exitCode, null, this.said);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async port(): Promise<number> {
    return Number((await this.hears(/^Serving at http:\/\/127\.0\.0\.1:(\d+)/m))[1]);
  }
}

/** When the process of each worker started, as its numbers say. */
async function starts(port: number): Promise<Record<string, string>> {
  const text = await (await send(port, { method: 'GET', path: '/metrics' })).text();
  return Object.fromEntries(
    [...text.matchAll(/^process_start_time_seconds\{worker="(\d)"\} (\d+)/gm)].map(([, worker, at]) => [worker, at]),
  );
}

test('workers share the port and the sessions, and say where to connect once', async () => {
  const crew = new Crew();
  const port = await crew.port();
  const peer = await new HttpPeer(NEWEST_LEGACY, port).open();
  for (let call = 0; call < 8; call++)
    assert.equal(textIn(await peer.answer(await peer.call('sleep', { ms: 1 }))), 'rested');
  assert.deepEqual(Object.keys(await starts(port)).sort(), ['1', '2']);
  assert.equal(crew.said.match(/^Serving at/gm)?.length, 1);
  crew.child.kill('SIGTERM');
  assert.deepEqual(await crew.exit, [0, null]);
  peer.assertSound();
});

test('SIGUSR2 replaces every worker, and a session goes on with the new ones', async () => {
  const crew = new Crew();
  const port = await crew.port();
  const peer = await new HttpPeer(NEWEST_LEGACY, port).open();
  crew.child.kill('SIGUSR2');
  await crew.hears(/Every worker is new/);
  assert.equal(textIn(await peer.answer(await peer.call('sleep', { ms: 1 }))), 'rested');
  crew.child.kill('SIGTERM');
  assert.deepEqual(await crew.exit, [0, null]);
});

test('a crew whose workers cannot start says why and ends with an error', async () => {
  const crew = new Crew('--module', '/nowhere/at-all.mjs');
  assert.deepEqual(await crew.exit, [1, null]);
  assert.match(crew.said, /Cannot load module/);
  assert.match(crew.said, /Workers end before they are ready/);
  assert.doesNotMatch(crew.said, /Serving at/);
});
