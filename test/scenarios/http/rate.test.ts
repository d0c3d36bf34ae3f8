import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/model/json.ts';
import { LEGACY, MODERN } from '../revisions.ts';
import type { Heard } from './heard.ts';
import type { HttpPeer } from './http-peer.ts';
import { type HttpScene, stageHttp } from './http-scene.ts';

const PATIENCE_MS = 5000;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function onStage(options: Parameters<typeof stageHttp>[0], act: (scene: HttpScene) => Promise<void>) {
  const scene = await stageHttp(options);
  try {
    await act(scene);
  } finally {
    await scene.close();
  }
}

const statusOf = async (heard: Promise<Heard>): Promise<number> => {
  const response = await heard;
  await response.text();
  return response.status;
};

/** Asks until it is refused; how often it was let in, and the refusal. */
async function exhaust(peer: HttpPeer): Promise<{ passed: number; refusal: Heard }> {
  for (let passed = 0; passed < 100; passed += 1) {
    const heard = await peer.request('tools/list');
    if (heard.status === 429) return { passed, refusal: heard };
    assert.equal(heard.status, 200);
    await heard.text();
  }
  return assert.fail('never refused');
}

test('a burst passes, then 429 says when to come back, and then it passes again', async () => {
  await onStage({ rateLimit: { perSecond: 2, burst: 5 } }, async (scene) => {
    const peer = scene.peer(MODERN);
    const { passed, refusal } = await exhaust(peer);
    assert.ok(passed >= 5, `${passed} passed`);
    const { jsonrpc, error } = await refusal.json();
    const { code, message, data } = error as JsonObject;
    const { retryAfterMs, ...rest } = data as JsonObject;
    assert.equal(jsonrpc, '2.0');
    assert.equal(code, -31001);
    assert.match(String(message), /wait 1 second, then send this one again/);
    assert.deepEqual(rest, { reason: 'rate', code: 'E_RATE' });
    assert.ok(Number(retryAfterMs) > 0 && Number(retryAfterMs) <= 500, String(retryAfterMs));
    assert.equal(refusal.headers['retry-after'], '1');
    await wait(Number(retryAfterMs) + 20);
    assert.equal(await statusOf(peer.request('tools/list')), 200);
  });
});

test('principals have a bucket each, whatever address they share', async () => {
  await onStage({ rateLimit: { perSecond: 0.01, burst: 2 } }, async (scene) => {
    const [ada, ben] = ['ada', 'ben'].map((principal) => scene.peer(MODERN, { principal }));
    assert.ok(ada !== undefined && ben !== undefined);
    assert.equal((await exhaust(ada)).passed, 2);
    assert.equal((await exhaust(ben)).passed, 2);
    assert.equal((await exhaust(scene.peer(MODERN))).passed, 2);
    assert.equal(await statusOf(scene.peer(MODERN, { principal: 'ada' }).request('tools/list')), 429);
  });
});

test('all ways to a conversation are counted together, sessions or not', async () => {
  await onStage({ rateLimit: { perSecond: 0.01, burst: 4 } }, async (scene) => {
    const peer = await scene.peer(LEGACY.at(-1) ?? MODERN).open();
    assert.equal(await statusOf(peer.request('tools/list')), 200);
    assert.equal(await statusOf(peer.send({ method: 'POST', path: '/messages' })), 404);
    for (const path of ['/mcp', '/sse', '/messages'])
      for (const method of ['GET', 'POST', 'DELETE'])
        assert.equal(await statusOf(peer.send({ method, path })), 429, `${method} ${path}`);
  });
});

/** Begins a post, from an address of this machine, and never sends its body. */
function begin(port: number, localAddress: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': '1000' };
    const asking = request({
      host: '127.0.0.1',
      port,
      localAddress,
      method: 'POST',
      path: '/mcp',
      headers,
      agent: false,
    });
    asking
      .on('error', reject)
      .on('response', resolve)
      .setTimeout(PATIENCE_MS, () => asking.destroy(new Error('slow')));
    asking.flushHeaders();
  });
}

test('a request is refused before its body is read', async () => {
  await onStage({ rateLimit: { perSecond: 0.01, burst: 1 } }, async (scene) => {
    await exhaust(scene.peer(MODERN));
    const response = await begin(scene.port, '127.0.0.1');
    assert.equal(response.statusCode, 429);
    assert.match(await text(response), /It was not read/);
    response.destroy();
  });
});

// Elsewhere this machine has one loopback address until somebody adds another.
if (process.platform === 'linux') {
  test('addresses have a bucket each', async () => {
    await onStage({ rateLimit: { perSecond: 0.01, burst: 1 } }, async (scene) => {
      await exhaust(scene.peer(MODERN));
      const sent = { host: '127.0.0.1', port: scene.port, path: '/mcp', agent: false } as const;
      const from = (localAddress: string) =>
        new Promise((resolve, reject) => {
          const asking = request({ ...sent, localAddress }, (response) => resolve(response.resume().statusCode));
          asking.on('error', reject).end();
        });
      assert.equal(await from('127.0.0.2'), 405);
      assert.equal(await from('127.0.0.2'), 429);
      assert.equal(await from('127.0.0.3'), 405);
    });
  });
}

test('the limit of a tool is a failure the model can read, in every era, and not one of HTTP', async () => {
  await onStage({}, async (scene) => {
    const { server } = scene.fixture;
    server.tool('rare', { rate: { perSecond: 0.1, burst: 2 } }, () => 'once');
    server.tool('narrow', { concurrency: 1 }, async () => {
      await scene.fixture.waitAt('narrow');
      return 'through';
    });
    for (const revision of [MODERN, LEGACY.at(-1) ?? MODERN]) {
      const peer = await scene.peer(revision, { principal: revision }).open();
      assert.equal(await peer.said('rare'), 'once');
      assert.equal(await peer.said('rare'), 'once');
      const heard = await peer.call('rare');
      assert.equal(heard.status, 200);
      assert.equal(heard.headers['retry-after'], undefined);
      const { isError, content, _meta } = (await heard.json())['result'] as JsonObject;
      assert.equal(isError, true);
      assert.match(JSON.stringify(content), /wait 10 seconds before calling it again/);
      const { 'parley-mcp/code': code, 'parley-mcp/retryAfterMs': retryAfterMs } = _meta as JsonObject;
      assert.equal(code, 'E_TOOL_BUSY');
      assert.ok(Number(retryAfterMs) > 5000 && Number(retryAfterMs) <= 10_000);
    }
    const peer = scene.peer(MODERN);
    const gate = scene.fixture.gate('narrow');
    const first = peer.said('narrow');
    await gate.entered;
    assert.match(await peer.said('narrow'), /busy with another call/);
    gate.open();
    assert.equal(await first, 'through');
    assert.equal(await peer.said('narrow'), 'through');
  });
});

test('work that goes on as a task is still running for the limit of its tool', async () => {
  await onStage({}, async (scene) => {
    const { server, gate, waitAt } = scene.fixture;
    server.tool('job', { concurrency: 1, task: 'optional' }, async () => {
      await waitAt('job');
      return 'through';
    });
    const peer = await scene.peer('2025-11-25').open();
    const ticket = await peer.result('tools/call', { name: 'job', arguments: {}, task: {} });
    const { taskId } = ticket['task'] as JsonObject;
    assert.equal(typeof taskId, 'string');
    await gate('job').entered;
    assert.match(await peer.said('job'), /busy with another call/);
    gate('job').open();
    assert.match(JSON.stringify(await peer.result('tasks/result', { taskId: taskId as string })), /through/);
    assert.equal(await peer.said('job'), 'through');
  });
});

test('names a client made up come back cut, however long they are', async () => {
  await onStage({}, async (scene) => {
    const long = 'n'.repeat(100_000);
    const peer = await scene.peer(LEGACY.at(-1) ?? MODERN).open();
    for (const [method, params] of [
      ['tools/call', { name: long, arguments: {} }],
      ['prompts/get', { name: long }],
      ['resources/read', { uri: `x://${long}` }],
      ['resources/subscribe', { uri: `x://${long}` }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: long }, argument: { name: 'a', value: '' } }],
      [long, {}],
    ] as const) {
      const heard = await peer.request(method, params);
      const answer = await heard.text();
      assert.ok(answer.length < 3000, `${method.slice(0, 30)}: ${answer.length}`);
      assert.match(answer, /n{150}…/, method.slice(0, 30));
    }
    const modern = scene.peer(MODERN);
    const mismatched = await modern.post(modern.message('tools/call', { name: long, arguments: {} }), {
      'mcp-name': 'short',
    });
    assert.equal(mismatched.status, 400);
    assert.ok((await mismatched.text()).length < 3000);
    assert.ok(scene.logged.every((line) => line.length < 3000));
  });
});
