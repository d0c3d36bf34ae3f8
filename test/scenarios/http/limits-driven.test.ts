import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openAccess } from '../../../src/host/access.ts';
import { type Limits, limitsWith } from '../../../src/model/limits.ts';
import { silent } from '../../../src/model/log.ts';
import { MODERN, NEWEST_LEGACY } from '../revisions.ts';
import { send } from './heard.ts';
import { type HttpScene, type HttpSceneOptions, stageHttp } from './http-scene.ts';

// Limits that hold something open, or take their time: each at its value and beyond, on real sockets.

async function staged(
  limits: Partial<Limits>,
  play: (scene: HttpScene) => Promise<void>,
  options: HttpSceneOptions = {},
): Promise<void> {
  const scene = await stageHttp({ ...options, limits });
  try {
    await play(scene);
  } finally {
    await scene.close();
  }
}

/** A request for a tool, as bytes. */
function asked(scene: HttpScene, name: string, input: object): { head: string; body: string } {
  const peer = scene.peer(MODERN);
  const message = peer.message('tools/call', { name, arguments: input as never });
  const body = JSON.stringify(message);
  const headers = { host: 'localhost', ...peer.headersFor(message), 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(headers).map(([field, value]) => `${field}: ${value}\r\n`);
  return { head: `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n`, body };
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

/** Everything a connection gives until it is over. */
async function drained(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

async function firstChunk(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString('latin1');
}

test('inFlight holds at its value and refuses one more, which may come again', async () => {
  await staged({ inFlight: 2 }, async (scene) => {
    const peer = await scene.peer(NEWEST_LEGACY).open();
    const held = ['one', 'two'].map((gate) => peer.answer(peer.call('march', { steps: 1, gate })));
    await Promise.all(['one', 'two'].map((gate) => scene.fixture.gate(gate).entered));
    const refused = await peer.call('echo', { text: 'x' });
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.match(await refused.text(), /E_BUSY/);
    const other = await scene.peer(NEWEST_LEGACY).open();
    assert.equal((await other.call('echo', { text: 'x' })).status, 200, 'another peer is not held back');
    scene.fixture.gate('one').open();
    await held[0];
    assert.equal(await peer.said('echo', { text: 'y' }), 'y');
    scene.fixture.releaseAll();
    for (const answer of await Promise.all(held)) assert.equal(answer['error'], undefined);
  });
});

test('connections holds at its value and closes one more at once, and a place that is left is free', async () => {
  await staged({ connections: 3 }, async (scene) => {
    const { port } = scene;
    const request = 'GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const inside: Socket[] = [];
    for (let count = 0; count < 3; count += 1) {
      const socket = open(port);
      socket.write(request);
      assert.match(await firstChunk(socket), /^HTTP\/1\.1 404 /);
      inside.push(socket);
    }
    const outside = open(port);
    outside.write(request);
    assert.equal(await drained(outside), '');
    assert.ok(scene.logged.some((line) => line.includes('too many are open')));
    inside[0]?.destroy();
    let served = '';
    while (served === '') {
      const again = open(port);
      again.write(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
      served = await drained(again);
    }
    assert.match(served, /^HTTP\/1\.1 404 /);
    for (const socket of inside) socket.destroy();
  });
});

test('tokenBytes holds at its value and refuses one more, before the token is looked for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-token-bytes-'));
  const file = join(folder, 'tokens.json');
  const fits = 't'.repeat(40);
  const longer = 't'.repeat(41);
  writeFileSync(file, JSON.stringify({ tokens: [fits, longer].map((token, at) => ({ id: `id${at}`, token })) }));
  const limits = limitsWith({ tokenBytes: 40 });
  const parts = { limits, log: silent, endpoint: '/mcp', publicUrl: undefined };
  try {
    const access = openAccess({ tokensFile: file, env: {} }, parts);
    await staged(
      {},
      async (scene) => {
        const ask = (token: string) =>
          send(scene.port, { method: 'GET', path: '/nothing', headers: { authorization: `Bearer ${token}` } });
        assert.equal((await ask(fits)).status, 404);
        assert.equal((await ask(longer)).status, 401, 'although it is on the list');
      },
      { access },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('idleSocketMs keeps a connection between requests that long, and then closes it', async () => {
  await staged({ idleSocketMs: 400 }, async ({ port }) => {
    const request = 'GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const socket = open(port);
    for (let count = 0; count < 4; count += 1) {
      socket.write(request);
      assert.match(await firstChunk(socket), /^HTTP\/1\.1 404 /);
      await pause(150);
    }
    assert.equal(socket.closed, false, 'it was never idle for long');
    await drained(socket);
  });
});

test('unreadBytes cuts off a reader that is further behind, and lets one that reads have all of it', async () => {
  await staged({ unreadBytes: 20_000, noticesPerSecond: 100_000, idleSocketMs: 200 }, async (scene) => {
    const { fixture } = scene;
    const text = 'x'.repeat(100_000);
    let gushed = 0;
    fixture.server.tool('gush', {}, async (_, call) => {
      for (let count = 1; count <= 300; count += 1) {
        call.progress(count, 300, text);
        await new Promise((resolve) => setImmediate(resolve));
      }
      gushed += 1;
      return 'the last word';
    });
    const { head, body } = asked(scene, 'gush', {});
    const asking = body.replace('"_meta":{', '"_meta":{"progressToken":"p",');
    const bytes = `${head.replace(/content-length: \d+/, `content-length: ${Buffer.byteLength(asking)}`)}${asking}`;
    const reading = open(scene.port);
    reading.write(bytes);
    let heard = '';
    reading.on('data', (chunk: Buffer) => {
      heard = (heard + chunk.toString('latin1')).slice(-2000);
    });
    while (!heard.includes('the last word')) await once(reading, 'data');
    reading.destroy();
    const idle = open(scene.port);
    idle.pause();
    idle.write(bytes);
    // A call whose client is cut off is told so, and goes on to its end all the same.
    while (gushed < 2) await pause(20);
    const got = await drained(idle.resume());
    assert.match(got, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(got, /the last word/, 'it was cut off, and nothing hides the gap');
    assert.ok(got.length < 30_000_000 / 2, `${got.length} bytes were kept for it`);
  });
});

test('readerMs cuts a reader that takes nothing for that long, and no reader that is slow but reads', async () => {
  await staged({ readerMs: 500 }, async (scene) => {
    const long = 12 * 1024 * 1024;
    scene.fixture.server.tool('long', {}, () => 'x'.repeat(long));
    const { head, body } = asked(scene, 'long', {});
    const slow = open(scene.port);
    slow.write(`${head}${body}`);
    let size = 0;
    slow.on('data', (chunk: Buffer) => {
      size += chunk.length;
      slow.pause();
      setTimeout(() => slow.resume(), 5);
    });
    const idle = open(scene.port);
    idle.pause();
    idle.write(`${head}${body}`);
    await pause(2500);
    const got = await drained(idle.resume());
    assert.match(got, /^HTTP\/1\.1 200 /);
    assert.ok(got.length < long, `${got.length} bytes came although nobody read`);
    while (size < long) await pause(50);
    slow.destroy();
  });
});

test('bodyBytesPerSecond refuses a body that comes slower once it had its head start, and takes one that does not', async () => {
  await staged({ bodyBytesPerSecond: 1000 }, async (scene) => {
    const drip = async (bytesPerSecond: number): Promise<string> => {
      const { head, body } = asked(scene, 'echo', { text: 'x'.repeat(bytesPerSecond * 6) });
      const socket = open(scene.port);
      const answer = firstChunk(socket);
      socket.write(head);
      const step = Math.ceil(bytesPerSecond / 10);
      for (let at = 0; at < body.length && !socket.destroyed && socket.bytesRead === 0; at += step) {
        socket.write(body.slice(at, at + step));
        await pause(100);
      }
      const said = await answer;
      socket.destroy();
      return said;
    };
    const [slow, steady] = await Promise.all([drip(300), drip(6000)]);
    assert.match(slow, /^HTTP\/1\.1 408 /);
    assert.match(slow, /E_SLOW_BODY/);
    assert.match(steady, /^HTTP\/1\.1 200 /);
  });
});

test('a subscription counts as a stream of its principal, and of the server', async () => {
  await staged({ streamsPerPrincipal: 1, streams: 2 }, async (scene) => {
    const subscribe = (principal?: string) =>
      scene
        .peer(MODERN, principal === undefined ? {} : { principal })
        .request('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const first = await subscribe('ada');
    assert.equal(first.status, 200);
    await first.message('notifications/subscriptions/acknowledged');
    const second = await subscribe('ada');
    assert.equal(second.status, 429);
    assert.match(await second.text(), /"limit":"streamsPerPrincipal"/);
    const bob = await subscribe('bob');
    await bob.message('notifications/subscriptions/acknowledged');
    const third = await subscribe();
    assert.equal(third.status, 503);
    assert.match(await third.text(), /"limit":"streams"/);
    first.cut();
    let again = await subscribe('ada');
    while (again.status !== 200) again = await subscribe('ada');
    again.cut();
    bob.cut();
  });
});
