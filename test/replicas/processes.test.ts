import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { type RedisServer, startRedis, withoutRedis } from '../contract/store/redis-server.ts';
import { type Heard, send } from '../scenarios/http/heard.ts';
import { textIn } from '../scenarios/http/http-peer.ts';
import { type Ground, layGround, type Served, serveProcess } from './processes.ts';
import { pause, roam, until } from './stage.ts';
import { withData } from './walks.ts';

const NEWEST = '2025-11-25';
const ASKED = { elicitation: {}, tasks: { requests: { elicitation: { create: {} } } } };
const TOKEN = { meta: { progressToken: 1 } };

function answersIn({ messages }: Heard, id: unknown): JsonObject[] {
  return messages.filter((message) => message['id'] === id && message['method'] === undefined);
}

describe('Three processes on Redis', { skip: withoutRedis }, () => {
  let redis: RedisServer;
  let ground: Ground;
  let served: Served[] = [];
  before(async () => {
    redis = await startRedis();
    ground = layGround();
    const args = ['--auth-tokens', ground.tokensFile];
    served = await Promise.all(['A', 'B', 'C'].map(() => serveProcess(redis.url, args)));
  });
  after(async () => {
    await Promise.all(served.map((one) => one.kill()));
    await redis.stop();
    ground.clear();
  });
  const pids = (): string[] => served.map(({ pid }) => String(pid));
  const alice = (revision: '2025-11-25' | '2026-07-28', capabilities: JsonObject = ASKED) =>
    roam(revision, served, { capabilities, token: ground.tokens.alice });

  it('walk through 2025-11-25: sessions, questions, changes, tasks, another principal', async () => {
    const peer = await alice(NEWEST).at(0).open();
    for (const at of [0, 1, 2]) assert.equal(textIn(await peer.answer(peer.at(at).call('who'))), pids()[at]);
    const asking = await peer.at(1).call('ask');
    const question = await asking.message('elicitation/create');
    await peer.at(2).reply(question, { action: 'accept', content: { n: 3 } });
    assert.equal(textIn(await peer.answer(asking)), 'accept 3');
    await peer.at(2).result('resources/subscribe', { uri: 'test://one' });
    const main = await peer.at(0).listen();
    await peer.answer(peer.at(1).call('touch'));
    await main.message('notifications/resources/updated');
    const begun = await peer.at(1).result('tools/call', {
      name: 'job',
      arguments: { file: ground.file('job') },
      task: {},
    });
    main.cut();
    const { taskId } = begun['task'] as { taskId: string };
    const waiting = await peer.at(2).request('tasks/result', { taskId });
    await pause(100);
    writeFileSync(ground.file('job'), '');
    const asked = await waiting.message('elicitation/create');
    await peer.at(0).reply(asked, { action: 'accept', content: { n: 7 } });
    assert.equal(textIn(await peer.answer(waiting)), 'done 7');
    const bob = roam(NEWEST, served, { token: ground.tokens.bob });
    bob.session = peer.session;
    for (const at of [0, 1, 2]) assert.equal((await bob.at(at).call('who')).status, 404);
    assert.equal((await peer.at(2).delete()).status, 204);
    for (const at of [0, 1, 2]) assert.equal((await peer.at(at).request('ping')).status, 404);
  });

  it('walk through 2026-07-28: state, listening and tasks', async () => {
    const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const peer = alice('2026-07-28', capabilities);
    const first = (await peer.answer(peer.at(0).call('ask')))['result'] as JsonObject;
    const [key = ''] = Object.keys(first['inputRequests'] as JsonObject);
    const inputResponses = { [key]: { action: 'accept', content: { n: 4 } } };
    const { requestState } = first;
    const retry = { name: 'ask', arguments: {}, requestState, inputResponses } as JsonObject;
    assert.equal(textIn(await peer.answer(peer.at(1).request('tools/call', retry))), 'accept 4');
    const notifications = { resourceSubscriptions: ['test://one'] };
    const listening = await peer.at(2).request('subscriptions/listen', { notifications });
    await listening.message('notifications/subscriptions/acknowledged');
    await peer.answer(peer.at(0).call('touch'));
    await listening.message('notifications/resources/updated');
    listening.cut();
    const begun = (await peer.answer(peer.at(0).call('job', {})))['result'] as JsonObject;
    const { taskId } = (begun['task'] ?? begun) as { taskId: string };
    const named = { headers: { 'mcp-name': taskId } };
    const statusIs = (status: string) => async () =>
      (await peer.at(1).result('tasks/get', { taskId }, named))['status'] === status;
    await until(statusIs('input_required'), 'the question of the task');
    const task = await peer.at(2).result('tasks/get', { taskId }, named);
    const [asked = ''] = Object.keys(task['inputRequests'] as JsonObject);
    const answers = { [asked]: { action: 'accept', content: { n: 5 } } };
    await peer.at(2).result('tasks/update', { taskId, inputResponses: answers }, named);
    await until(statusIs('completed'), 'the end of the task');
    const bob = roam('2026-07-28', served, { capabilities, token: ground.tokens.bob });
    const { error } = await bob.answer(bob.at(1).request('tasks/get', { taskId }, named));
    assert.match(JSON.stringify(error), /E_UNKNOWN_TASK/);
  });

  it('walk through 2024-11-05: a stream on one, messages to all', async () => {
    const who = (token: string) => ({ authorization: `Bearer ${token}` });
    const open = { accept: 'text/event-stream', ...who(ground.tokens.alice) };
    const stream = await send(served[0]?.port ?? 0, { method: 'GET', path: '/sse', headers: open });
    const path = (await stream.event()).data as string;
    const post = async (message: JsonObject, at: number, token = ground.tokens.alice): Promise<number> => {
      const headers = { 'content-type': 'application/json', ...who(token) };
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      return (await send(served[at]?.port ?? 0, { method: 'POST', path, headers, body })).status;
    };
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    assert.equal(await post({ id: 1, method: 'initialize', params }, 1), 202);
    assert.equal((await stream.message())['id'], 1);
    assert.equal(await post({ method: 'notifications/initialized' }, 2), 202);
    assert.equal(await post({ id: 2, method: 'tools/call', params: { name: 'who' } }, 2), 202);
    assert.equal(textIn(await stream.message()), pids()[0]);
    for (const at of [0, 1, 2]) assert.equal(await post({ id: 3, method: 'ping' }, at, ground.tokens.bob), 404);
    stream.cut();
    await until(async () => (await post({ id: 4, method: 'ping' }, 1)) === 404, 'the channel is gone');
  });

  it('answer for one that was killed, and refuse with 503 while the store is away', async () => {
    const peer = await alice(NEWEST).at(0).open();
    const call = await peer.at(2).call('march', { file: ground.file('never') }, { id: 'call', ...TOKEN });
    const id = await withData(call);
    await served[2]?.kill();
    const resumed = await peer.at(1).listen(id);
    await resumed.ended();
    assert.equal(answersIn(resumed, 'call').length, 1);
    assert.match(JSON.stringify(answersIn(resumed, 'call')), /is gone/);
    await redis.kill();
    const status = async (path: string) => (await send(served[0]?.port ?? 0, { method: 'GET', path })).status;
    await until(async () => (await status('/readyz')) === 503, 'readiness says that the store is away');
    assert.equal(await status('/livez'), 200);
    const refused = await peer.at(0).call('who');
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /E_STORE_AWAY/);
    const modern = alice('2026-07-28', {});
    assert.equal(textIn(await modern.answer(modern.at(0).call('who'))), pids()[0]);
    await redis.start();
    await until(async () => (await status('/readyz')) === 200, 'readiness says that the store is back');
    const anew = await alice(NEWEST).at(0).open();
    assert.equal(textIn(await anew.answer(anew.at(1).call('who'))), pids()[1]);
    assert.equal(await served[0]?.end(), 0);
  });
});

describe('A process on files', () => {
  it('goes on after it was killed: sessions stay, and what it ran is answered for', async () => {
    const ground = layGround();
    const store = `file:${ground.file('store')}`;
    let process = await serveProcess(store);
    const ports = [{ port: process.port }];
    try {
      const peer = await roam(NEWEST, ports, { capabilities: ASKED }).open();
      await peer.result('resources/subscribe', { uri: 'test://one' });
      const call = await peer.call('march', { file: ground.file('never') }, { id: 'call', ...TOKEN });
      const id = await withData(call);
      await process.kill();
      process = await serveProcess(store);
      ports[0] = { port: process.port };
      assert.equal(textIn(await peer.answer(peer.call('who'))), String(process.pid));
      const resumed = await peer.listen(id);
      await resumed.ended();
      assert.equal(answersIn(resumed, 'call').length, 1);
      const main = await peer.listen();
      await peer.answer(peer.call('touch'));
      await until(
        () => main.messages.some(({ method }) => method === 'notifications/resources/updated'),
        'a change of what was watched before',
      );
      main.cut();
      assert.equal(await process.end(), 0);
    } finally {
      await process.kill();
      ground.clear();
    }
  });
});
