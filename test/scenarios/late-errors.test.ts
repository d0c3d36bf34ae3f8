import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./fixtures/late-program.js', import.meta.url));
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'late', arguments: {} } });

interface Started {
  readonly child: ChildProcess;
  call(): Promise<string>;
}

async function start(...args: string[]): Promise<Started> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'ignore'], timeout: 30_000 });
  const [port] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return {
    child,
    async call() {
      const url = `http://127.0.0.1:${String(port).trim()}/`;
      return (await fetch(url, { method: 'POST', headers: HEADERS, body: CALL })).text();
    },
  };
}

test('a program that says so survives what its tools throw too late', async () => {
  const { child, call } = await start('survive');
  assert.match(await call(), /answered/);
  await pause(300);
  assert.match(await call(), /answered/);
  assert.equal(child.exitCode, null);
  child.kill();
  await once(child, 'exit');
});

test('a program that does not say so keeps the ways of Node', async () => {
  const { child, call } = await start();
  const exit = once(child, 'exit');
  assert.match(await call(), /answered/);
  assert.notEqual((await exit)[0], 0);
});
