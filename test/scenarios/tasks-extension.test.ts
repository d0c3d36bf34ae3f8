import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { addTaskTools, call, DECLARED, RELATED, TASKS, until } from './fixture-tasks.ts';
import { type Peer, textOf } from './peer.ts';
import { CODE, KEY } from './revisions.ts';
import { type Scene, type SceneOptions, stage } from './stage.ts';

// The extension `io.modelcontextprotocol/tasks`, as 2026-07-28 has it.

const REVISION = '2026-07-28';
const answer = (value: string, field = 'name'): JsonObject => ({ action: 'accept', content: { [field]: value } });

function scenario(sentence: string, ...rest: [SceneOptions, Body] | [Body]): void {
  const [options, body] = rest.length === 2 ? rest : [{}, rest[0]];
  test(sentence, async () => {
    const scene = await stage(options);
    try {
      await addTaskTools(scene.fixture);
      const peer = scene.peer(REVISION, {});
      await body(peer, scene);
      await peer.end();
    } finally {
      await scene.close();
    }
  });
}
type Body = (peer: Peer, scene: Scene) => Promise<void>;

const ask = (peer: Peer, method: string, params: JsonObject): Promise<JsonObject> =>
  peer.result(method, params, DECLARED);

scenario('tasks are announced as an extension and never in the slot they had before', async (peer) => {
  const { capabilities } = (await peer.result('server/discover')) as { capabilities: JsonObject };
  assert.equal(capabilities['tasks'], undefined);
  assert.deepEqual(capabilities['extensions'], { [TASKS]: {} });
  const { tools } = (await peer.result('tools/list')) as { tools: JsonObject[] };
  assert.ok(tools.every((tool) => tool['execution'] === undefined));
});

scenario('the server makes a task of a call whose client declares the extension, and of no other', async (peer) => {
  const ticket = await call(peer, 'only-job');
  assert.equal(ticket.status, 'working');
  for (const absent of ['task', 'result', 'error', 'inputRequests', 'requestState', 'ttl', 'pollInterval'])
    assert.ok(!(absent in ticket), absent);
  assert.equal(textOf(await peer.call('no-job', {}, DECLARED)), 'at once');
  assert.equal(textOf(await peer.result('tools/call', { name: 'no-job', task: { ttl: 1 } }, DECLARED)), 'at once');
  const failed = await peer.call('fails');
  assert.equal(failed['isError'], true);
  const { data } = (await peer.refused(CODE.missingCapability, ['tools/call', { name: 'only-job' }])) as {
    data: JsonObject;
  };
  assert.deepEqual(data['requiredCapabilities'], { extensions: { [TASKS]: {} } });
  await until(peer, ticket.taskId, 'completed');
});

scenario('nobody asks about tasks without declaring the extension', async (peer) => {
  const { taskId } = await call(peer, 'only-job');
  await peer.refused(CODE.missingCapability, ['tasks/get', { taskId }]);
  await peer.refused(CODE.missingCapability, ['tasks/update', { taskId, inputResponses: {} }]);
  await peer.refused(CODE.missingCapability, ['tasks/cancel', { taskId }]);
  await peer.refused(CODE.missingCapability, ['subscriptions/listen', { notifications: { taskIds: [taskId] } }]);
  await peer.refused(CODE.unknownMethod, ['tasks/result', { taskId }, DECLARED]);
  await peer.refused(CODE.unknownMethod, ['tasks/list', {}, DECLARED]);
});

scenario('what came of a task is in the answer about it', async (peer, { fixture }) => {
  const { taskId } = await call(peer, 'job', { arguments: { name: 'work' } });
  const working = await ask(peer, 'tasks/get', { taskId });
  assert.equal(working['status'], 'working');
  assert.equal(working['result'], undefined);
  fixture.gate('work').open();
  const { result } = (await until(peer, taskId, 'completed')) as unknown as { result: JsonObject };
  assert.equal(textOf(result), 'did work');
  assert.deepEqual(result['_meta'], { 'example.org/kept': true });
  assert.equal((result['_meta'] as JsonObject)[RELATED], undefined);
  await peer.quiet();
});

scenario('a tool that failed has completed, and a request that failed has failed', async (peer) => {
  const tool = await until(peer, (await call(peer, 'fails')).taskId, 'completed', 'failed');
  assert.equal(tool.status, 'completed');
  assert.equal((tool['result'] as JsonObject)['isError'], true);
  const crashed = await until(peer, (await call(peer, 'crashes')).taskId, 'completed', 'failed');
  assert.equal(crashed.status, 'completed');
  assert.doesNotMatch(JSON.stringify(crashed), /secret/);
  const broken = await until(peer, (await call(peer, 'breaks')).taskId, 'completed', 'failed');
  assert.equal(broken.status, 'failed');
  assert.equal(broken['result'], undefined);
  const { code, message } = broken['error'] as JsonObject;
  assert.deepEqual([code, message], [CODE.badParams, 'Invalid params: not like this']);
});

scenario('questions of a task are found in it and answered one by one', async (peer) => {
  const { taskId } = await call(peer, 'asks-twice');
  const asked = async (): Promise<string[]> =>
    Object.keys((await until(peer, taskId, 'input_required'))['inputRequests'] as JsonObject);
  while ((await asked()).length < 2);
  assert.deepEqual((await asked()).sort(), ['left', 'right']);
  await ask(peer, 'tasks/update', { taskId, inputResponses: { right: answer('two', 'value'), strange: {} } });
  assert.deepEqual(await asked(), ['left']);
  await ask(peer, 'tasks/update', { taskId, inputResponses: { right: answer('again', 'value') } });
  assert.deepEqual(await asked(), ['left']);
  for (const wrong of [7, null, {}, { action: 'perhaps' }, answer('x', 'value')])
    await peer.refused(CODE.badParams, ['tasks/update', { taskId, inputResponses: { left: wrong } }, DECLARED]);
  assert.deepEqual(await asked(), ['left']);
  await ask(peer, 'tasks/update', { taskId, inputResponses: { left: answer('one', 'value') } });
  const { result } = (await until(peer, taskId, 'completed')) as unknown as { result: JsonObject };
  assert.equal(textOf(result), 'one and two');
  assert.deepEqual((await ask(peer, 'tasks/update', { taskId, inputResponses: { left: {} } }))['status'], undefined);
  await peer.refused(CODE.badParams, ['tasks/update', { taskId, inputResponses: [] }, DECLARED]);
});

scenario('a question nobody declared support for fails the task with the capability it needs', async (peer) => {
  const capabilities = { extensions: { [TASKS]: {} } };
  const { taskId } = await peer.result('tools/call', { name: 'asks' }, { capabilities });
  const { error } = (await until(peer, taskId as string, 'failed')) as unknown as { error: JsonObject };
  assert.equal(error['code'], CODE.missingCapability);
});

scenario('a question that is not answered in time is withdrawn', { limits: { askDeadlineMs: 20 } }, async (peer) => {
  const { taskId } = await call(peer, 'asks');
  const { result } = (await until(peer, taskId, 'completed')) as unknown as { result: JsonObject };
  assert.equal(result['isError'], true);
});

scenario(
  'a tool that lets its client go asks in replies first, and is a task from there',
  async (peer, { fixture }) => {
    const round = await ask(peer, 'tools/call', { name: 'asks-first' });
    assert.equal(round['resultType'], 'input_required');
    assert.equal(round['taskId'], undefined);
    const ticket = await ask(peer, 'tools/call', {
      name: 'asks-first',
      inputResponses: { who: answer('Ann') },
      requestState: round['requestState'],
    });
    assert.equal(ticket['resultType'], 'task');
    assert.equal(ticket['requestState'], undefined);
    const taskId = ticket['taskId'] as string;
    fixture.gate('released').open();
    const asked = (await until(peer, taskId, 'input_required'))['inputRequests'] as JsonObject;
    assert.deepEqual(Object.keys(asked), ['more']);
    await ask(peer, 'tasks/update', { taskId, inputResponses: { more: answer('Bob') } });
    const { result } = (await until(peer, taskId, 'completed')) as unknown as { result: JsonObject };
    assert.equal(textOf(result), 'Ann and Bob');
  },
);

scenario('a cancelled task stays cancelled, and cancelling again is no mistake', async (peer, { fixture }) => {
  const { taskId } = await call(peer, 'job', { arguments: { name: 'long' } });
  await fixture.gate('long').entered;
  const acknowledged = await ask(peer, 'tasks/cancel', { taskId });
  assert.deepEqual(Object.keys(acknowledged).sort(), ['_meta', 'resultType']);
  assert.equal(fixture.signals.get('long')?.aborted, true);
  assert.equal((await ask(peer, 'tasks/get', { taskId }))['status'], 'cancelled');
  fixture.gate('long').open();
  await peer.settle();
  assert.equal((await ask(peer, 'tasks/get', { taskId }))['status'], 'cancelled');
  await ask(peer, 'tasks/cancel', { taskId });
  await ask(peer, 'tasks/update', { taskId, inputResponses: { x: 1 } });
  for (const method of ['tasks/get', 'tasks/cancel'])
    await peer.refused(CODE.badParams, [method, { taskId: 'unknown' }, DECLARED]);
  await peer.refused(CODE.badParams, ['tasks/update', { taskId: 'unknown', inputResponses: {} }, DECLARED]);
});

scenario('a task belongs to the principal that started it', async (_, scene) => {
  const [ann, bob] = ['ann', 'bob'].map((id) => scene.peer(REVISION, {}, { id, scopes: [] })) as [Peer, Peer];
  const { taskId } = await call(ann, 'asks');
  await until(ann, taskId, 'input_required');
  await bob.refused(CODE.badParams, ['tasks/get', { taskId }, DECLARED]);
  await bob.refused(CODE.badParams, ['tasks/cancel', { taskId }, DECLARED]);
  await bob.refused(CODE.badParams, ['tasks/update', { taskId, inputResponses: { who: answer('Bob') } }, DECLARED]);
  await ask(ann, 'tasks/update', { taskId, inputResponses: { who: answer('Ann') } });
  const { result } = (await until(ann, taskId, 'completed')) as unknown as { result: JsonObject };
  assert.equal(textOf(result), 'accept Ann');
  await ann.end();
  await bob.end();
});

scenario('a stream that listens for tasks hears of those it may know, and of nothing else', async (_, scene) => {
  const [ann, bob] = ['ann', 'bob'].map((id) => scene.peer(REVISION, {}, { id, scopes: [] })) as [Peer, Peer];
  const { taskId } = await call(ann, 'asks');
  const other = await call(ann, 'job', { arguments: { name: 'other' } });
  await until(ann, taskId, 'input_required');
  const listen = (peer: Peer) =>
    peer.start('subscriptions/listen', { notifications: { taskIds: [taskId, 'unknown'] } }, DECLARED);
  const stream = listen(ann);
  const { params } = (await ann.next('notifications/subscriptions/acknowledged')) as { params: JsonObject };
  assert.deepEqual(params['notifications'], { taskIds: [taskId] });
  const nothing = listen(bob);
  await bob.next('notifications/subscriptions/acknowledged');
  await bob.ledger.answer(nothing);
  scene.fixture.gate('other').open();
  await until(ann, other.taskId, 'completed');
  await ask(ann, 'tasks/update', { taskId, inputResponses: { who: answer('Ann') } });
  const heard: unknown[] = [];
  for (let at = 0; at < 2; at += 1) {
    const { params: said } = (await ann.next('notifications/tasks')) as { params: JsonObject };
    assert.deepEqual(said['_meta'], { [KEY.subscription]: stream });
    assert.equal(said['taskId'], taskId);
    heard.push(said['status']);
    if (said['status'] === 'completed') break;
  }
  assert.equal(heard.at(-1), 'completed');
  ann.cancel(stream);
  await ann.settle();
  ann.ledger.dropNotices();
  await ann.end();
  await bob.end();
});

scenario('the answer of a task says no more about its progress', async (peer, { fixture }) => {
  const meta = { progressToken: 'p', [KEY.level]: 'debug' };
  const ticket = await peer.result('tools/call', { name: 'job', arguments: { name: 'quiet' } }, { ...DECLARED, meta });
  fixture.gate('quiet').open();
  await until(peer, ticket['taskId'] as string, 'completed');
  await peer.quiet();
});

scenario('work that is cancelled as it ends has one ending', async (peer, { fixture }) => {
  for (let round = 0; round < 20; round += 1) {
    const { taskId } = await call(peer, 'job', { arguments: { name: `race ${round}` } });
    await fixture.gate(`race ${round}`).entered;
    const cancelled = ask(peer, 'tasks/cancel', { taskId });
    fixture.gate(`race ${round}`).open();
    await cancelled;
    const { status } = await until(peer, taskId, 'completed', 'cancelled');
    await peer.settle();
    assert.equal((await ask(peer, 'tasks/get', { taskId }))['status'], status);
  }
});
