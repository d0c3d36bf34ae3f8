import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/model/json.ts';
import { calling } from './dialogue.ts';
import { textOf } from './peer.ts';
import { run } from './process.ts';

const FILE = fileURLToPath(new URL('./fixtures/isolated-tools.js', import.meta.url));
const ARGS = ['--module', FILE];
const REVISION = '2025-11-25';

const pidIn = (text: string): number => Number(/\d+(?=\D*$)/.exec(text)?.[0]);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
}

async function isGone(pid: number): Promise<boolean> {
  for (let n = 0; n < 400 && isAlive(pid); n += 1) await pause(25);
  return !isAlive(pid);
}

test('an isolated process does not outlive a server that is killed, not even in an endless loop', async (t) => {
  if (process.platform === 'win32') return t.skip('Windows does not say that a parent is gone');
  const { peer, exit } = run(REVISION, { args: ARGS });
  await peer.handshake();
  const server = pidIn(await peer.said('near', { text: 'x' }));
  const looping = pidIn(await peer.said('where'));
  peer.start(...calling('spin'));
  const idle = pidIn(await peer.said('where'));
  assert.equal(new Set([server, looping, idle]).size, 3);
  process.kill(server, 'SIGKILL');
  await exit;
  assert.ok(await isGone(idle), 'The idle process is gone');
  assert.ok(await isGone(looping), 'The looping process is gone');
});

test('nothing that isolated code prints reaches stdout, and a server with nothing but isolated code ends well', async () => {
  const { peer, exit, errors } = run(REVISION, { args: [...ARGS, '--isolate'] });
  await peer.handshake();
  assert.equal(await peer.said('flood', { count: 50 }), 'printed');
  const cell = pidIn(await peer.said('near', { text: 'x' }));
  for (const line of peer.ledger.lines) assert.doesNotMatch(line, /xxxxx/);
  assert.match(errors.join(''), /xxxxx/);
  await peer.end();
  assert.deepEqual(await exit, { code: 0, signal: null });
  assert.ok(await isGone(cell), 'The process is gone');
});

test('a server that is told to end lets an isolated call finish first', async () => {
  const { peer, exit, child } = run(REVISION, { args: ARGS });
  await peer.handshake();
  await peer.said('echo', { text: 'warm' });
  const answer = peer.request(...calling('hold', { count: 700 }));
  await pause(200);
  child.kill('SIGTERM');
  assert.match(textOf((await answer)['result'] as JsonObject), /^done in/);
  assert.deepEqual(await exit, { code: 0, signal: null });
});

test('a whole module that crashes keeps answering, and its server stays', async () => {
  const { peer } = run(REVISION, { args: [...ARGS, '--isolate'] });
  const { serverInfo, instructions } = await peer.handshake();
  assert.deepEqual(serverInfo, { name: 'hazards', version: '1.2.3' });
  assert.equal(instructions, 'Mind the edge.');
  for (let n = 0; n < 4; n += 1) {
    const result = await peer.call('exit', { count: n });
    assert.equal(result['isError'], true);
    assert.match(textOf(result), /^Tool "exit" failed: its process crashed/);
  }
  assert.equal(await peer.said('echo', { text: 'still here' }), 'still here');
  await peer.end();
});
