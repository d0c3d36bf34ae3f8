import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { readAccessFile } from '../../../src/host/access.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { send } from '../http/heard.ts';
import type { HttpPeer } from '../http/http-peer.ts';
import { type HttpScene, stageHttp } from '../http/http-scene.ts';
import { ALL, MODERN, NEWEST_LEGACY } from '../revisions.ts';
import { stage } from '../stage.ts';

const INHERITED = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
];
const PLANT = '{"__proto__":{"planted":1},"constructor":{"prototype":{"planted":1}}}';

function assertClean(where: string): void {
  const seen = ({} as Record<string, unknown>)['planted'] ?? ([] as unknown as Record<string, unknown>)['planted'];
  assert.equal(seen, undefined, `${where} changed what every object has`);
}

async function staged(play: (scene: HttpScene) => Promise<void>): Promise<void> {
  const scene = await stageHttp({ bare: true });
  try {
    await play(scene);
  } finally {
    await scene.close();
  }
}

test('no message, header or query changes what every object has', async () => {
  await staged(async (scene) => {
    const peer = scene.peer(MODERN);
    const headers = peer.headersFor(peer.message('tools/call', { name: 'anything' }));
    const meta = JSON.stringify((peer.message('x')['params'] as JsonObject)['_meta']);
    const params = [
      `{"name":"anything","arguments":${PLANT},"_meta":${meta}}`,
      `{"name":"anything","arguments":{"a":[${PLANT}]},"_meta":${meta.replace(/}$/, ',"__proto__":{"planted":1}}')}}`,
      `{"name":"anything","__proto__":{"planted":1},"_meta":${meta}}`,
      `{"name":"anything","requestState":"x","inputResponses":${PLANT},"_meta":${meta}}`,
    ];
    const envelope = (text: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${text}}`;
    const bodies = [
      ...params.map(envelope),
      PLANT,
      `[${PLANT}]`,
      envelope('{}').replace('{', '{"__proto__":{"planted":1},'),
    ];
    for (const body of bodies) {
      const path = '/mcp?__proto__[planted]=1&constructor.prototype.planted=1';
      const odd = { __proto__x: '1', 'x-__proto__': '{"planted":1}' };
      const heard = await send(scene.port, { method: 'POST', path, headers: { ...headers, ...odd }, body });
      assert.ok(heard.status < 500, `${heard.status} to ${body}`);
      await heard.text();
      assertClean(body);
    }
  });
  for (const revision of ALL) {
    const scene = await stage();
    const peer = scene.peer(revision);
    for (const line of [
      PLANT,
      `{"type":"invoke","id":"x","payload":${PLANT}}`,
      `{"type":"__proto__","payload":${PLANT}}`,
    ])
      peer.raw(`${line}\n`);
    await new Promise((resolve) => setImmediate(resolve));
    assertClean(revision);
    await scene.close();
  }
});

test('no file of rules changes what every object has', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-plant-'));
  try {
    const file = join(folder, 'access.json');
    for (const text of [PLANT, `{"implies":{"__proto__":["admin"],"constructor":["admin"]}}`, `{"rules":[${PLANT}]}`]) {
      writeFileSync(file, text);
      try {
        readAccessFile(file, {});
      } catch (error) {
        assert.ok(error instanceof TypeError, String(error));
      }
      assertClean(text);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

async function assertUnknown(peer: HttpPeer, [method, params]: readonly [string, JsonObject]): Promise<void> {
  const heard = await peer.request(method, params);
  const answer = await peer.answer(heard);
  const { code, data } = (answer['error'] ?? {}) as { code?: number; data?: { code?: string } };
  assert.ok(heard.status < 500, `${heard.status} to ${method}`);
  assert.ok(code !== undefined && data?.code !== 'E_INTERNAL', `${method}: ${JSON.stringify(answer)}`);
}

test('what every object inherits is the name of no tool, prompt, resource, method, task, session or level', async () => {
  await staged(async (scene) => {
    const modern = scene.peer(MODERN);
    const older = await scene.peer(NEWEST_LEGACY).open();
    for (const name of INHERITED) {
      const asks: [string, JsonObject][] = [
        ['tools/call', { name, arguments: {} }],
        ['prompts/get', { name }],
        ['resources/read', { uri: name }],
        ['completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name, value: '' } }],
        ['tools/list', { cursor: name }],
        [name, {}],
      ];
      for (const peer of [modern, older]) for (const ask of asks) await assertUnknown(peer, ask);
      for (const [method, params] of [
        ['tasks/get', { taskId: name }],
        ['logging/setLevel', { level: name }],
      ] as [string, JsonObject][])
        assert.ok((await older.answer(older.request(method, params)))['error'] !== undefined, `${method} ${name}`);
      const stranger = Object.assign(scene.peer(NEWEST_LEGACY), { session: name });
      assert.equal((await stranger.request('tools/list')).status, 404);
      const channel = {
        method: 'POST',
        path: `/messages?sessionId=${name}`,
        headers: { 'content-type': 'application/json' },
      };
      assert.equal((await send(scene.port, { ...channel, body: '{}' })).status, 404);
      assert.equal((await send(scene.port, { method: 'GET', path: `/${name}` })).status, 404);
    }
  });
});

test('an event id of another session gives nothing of it, whoever comes with it', async () => {
  await staged(async (scene) => {
    const victim = await scene.peer(NEWEST_LEGACY, { principal: 'ada' }).open();
    const answering = await victim.call('leave', { gate: 'kept' });
    const { id: ofCall = '' } = await answering.event();
    const main = await victim.listen();
    scene.fixture.server.tool('brand-new', {}, () => 'x');
    const { id: ofMain = '' } = await main.event();
    assert.ok(ofCall !== '' && ofMain !== '');
    scene.fixture.releaseAll();
    const own = await scene.peer(NEWEST_LEGACY, { principal: 'ada' }).open();
    const other = await scene.peer(NEWEST_LEGACY, { principal: 'bob' }).open();
    for (const thief of [own, other]) {
      const refused = await thief.listen(ofCall);
      assert.equal(refused.status, 400, 'a stream of a request is of its session');
      assert.doesNotMatch(await refused.text(), /back/);
      const shared = await thief.listen(ofMain);
      if (shared.status === 200) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        assert.deepEqual(shared.messages, [], 'the same name in another session is another stream');
      }
      shared.cut();
      const named = Object.assign(scene.peer(NEWEST_LEGACY, { principal: 'bob' }), { session: victim.session });
      assert.equal((await named.listen(ofCall)).status, 404);
    }
    const back = await victim.listen(ofCall);
    assert.equal(back.status, 200);
    await back.until(() => JSON.stringify(back.messages).includes('back'), 'its own answer');
    main.cut();
  });
});

test('a body that is packed is not unpacked, on any route, however it is spelled', async () => {
  await staged(async (scene) => {
    const peer = scene.peer(MODERN);
    const message = peer.message('tools/call', { name: 'counted', arguments: {} });
    const text = JSON.stringify(message);
    const bomb = gzipSync(Buffer.alloc(50_000_000, 32));
    const stream = await send(scene.port, { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } });
    const older = String((await stream.event()).data);
    const packed: [string, Buffer][] = [
      ['gzip', gzipSync(text)],
      ['x-gzip', gzipSync(text)],
      ['GZIP', bomb],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
      ['zstd', Buffer.from(text)],
      ['identity, gzip', gzipSync(text)],
      ['aws-chunked', Buffer.from(text)],
    ];
    for (const [coding, body] of packed)
      for (const path of ['/mcp', older]) {
        const headers = { ...peer.headersFor(message), 'content-encoding': coding };
        const heard = await send(scene.port, { method: 'POST', path, headers, body });
        assert.equal(heard.status, 415, `${coding} to ${path}`);
        assert.match(await heard.text(), /Content-Encoding/);
      }
    assert.equal(scene.fixture.ran.get('counted'), undefined);
    const plain = { ...peer.headersFor(message), 'content-encoding': 'identity' };
    assert.equal((await send(scene.port, { method: 'POST', path: '/mcp', headers: plain, body: text })).status, 200);
    stream.cut();
  });
});
