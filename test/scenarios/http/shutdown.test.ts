import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NEWEST_LEGACY } from '../revisions.ts';
import { send } from './heard.ts';
import { HttpPeer, textIn } from './http-peer.ts';
import { scenario } from './obligation.ts';

const PARLEY = fileURLToPath(new URL('../../../src/cli/parley.js', import.meta.url));
const MODULE = fileURLToPath(new URL('./slow-server.js', import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function serve(): Promise<{ port: number; child: ChildProcess; exit: Promise<unknown[]> }> {
  const child = spawn(process.execPath, [PARLEY, 'serve', '--port', '0', '--module', MODULE], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  const exit = once(child, 'close');
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  for (;;) {
    const [, port] = /^Serving at http:\/\/127\.0\.0\.1:(\d+)/m.exec(said) ?? [];
    if (port !== undefined) return { port: Number(port), child, exit };
    assert.equal(child.exitCode, null, said);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a process told to end turns readiness red, finishes its calls, ends its streams and exits with 0', async () => {
  const { port, child, exit } = await serve();
  assert.equal((await send(port, { method: 'GET', path: '/readyz' })).status, 200);
  const older = await new HttpPeer(NEWEST_LEGACY, port).open();
  const newer = new HttpPeer('2026-07-28', port);
  const standing = await older.listen();
  const token = { meta: { progressToken: 1 } };
  const inSession = await older.call('sleep', { ms: 700 }, token);
  const alone = await newer.call('sleep', { ms: 700 }, token);
  const plain = newer.call('sleep', { ms: 700 });
  const subscription = await newer.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await subscription.message('notifications/subscriptions/acknowledged');
  // A probe that has begun cannot be turned away at the door: it is told.
  const probe = connect(port, '127.0.0.1');
  await once(probe, 'connect');
  probe.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 100));
  probe.write('\r\n');
  const [red] = (await once(probe, 'data')) as [Buffer];
  assert.match(String(red), /^HTTP\/1\.1 503 /);
  probe.destroy();
  await assert.rejects(send(port, { method: 'GET', path: '/readyz' }), { code: 'ECONNREFUSED' });
  await subscription.ended();
  assert.equal(subscription.messages.at(-1)?.['method'], undefined);
  assert.equal(textIn(await older.answer(inSession)), 'rested');
  assert.equal(textIn(await newer.answer(alone)), 'rested');
  assert.equal(textIn(await newer.answer(plain)), 'rested');
  await standing.ended();
  assert.deepEqual(await exit, [0, null]);
  older.assertSound();
  newer.assertSound();
});

scenario(
  ['2025-03-26', '2025-11-25', '2026-07-28'],
  'a call that outlasts the grace period is answered with an error',
  { limits: { drainMs: 60 } },
  async (_, peer, scene) => {
    const slow = peer.call('wait', { name: 'w' });
    await scene.fixture.gate('w').entered;
    const told = await peer.call('march', { steps: 1, gate: 'm' }, { meta: { progressToken: 1 } });
    await told.message('notifications/progress');
    const closing = scene.shutdown();
    for (const heard of [slow, told]) {
      const { result } = await peer.answer(heard);
      assert.equal((result as { isError?: boolean }).isError, true);
      assert.match(JSON.stringify(result), /shutting down/);
    }
    await closing;
    assert.equal(scene.fixture.signals.get('w')?.aborted, true);
  },
);
