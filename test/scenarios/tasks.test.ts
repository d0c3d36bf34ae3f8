import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { addTaskTools, begin, RELATED, type TaskShown, until } from './fixture-tasks.ts';
import { obligation, type Scenario } from './obligation.ts';
import { type Peer, textOf } from './peer.ts';
import { CODE, LEGACY, type RevisionId } from './revisions.ts';
import { type Scene, type SceneOptions, stage } from './stage.ts';

const DECLARES = { elicitation: { form: {} }, sampling: {} };

/** Tasks are announced only where a tool may be one, so the tools come before the handshake. */
function withTasks(body: Scenario): Scenario {
  return async (revision, peer, scene) => {
    await addTaskTools(scene.fixture);
    await peer.handshake(DECLARES);
    // Adding tools is a change, and the session may hear of it.
    await body(revision, peer, scene);
    await drop(peer);
  };
}

/** Takes whatever notices are left: most tests are not about them. */
async function drop(peer: Peer): Promise<void> {
  await peer.settle();
  peer.ledger.dropNotices();
}

const OPTIONS = { unopened: true, declares: DECLARES };

obligation('TASK-1', 'runs a call that asks for a task as any other where no task is offered', async (_, peer) => {
  const plain = await peer.call('add', { a: 1, b: 2 });
  const result = await peer.result('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, task: { ttl: 1000 } });
  assert.deepEqual(result, plain);
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    await peer.refused(CODE.unknownMethod, [method, { taskId: 'x' }]);
  await peer.refused(CODE.unknownMethod, ['tasks/list']);
});

obligation(
  'TASK-2',
  'refuses a call without a task to a tool that needs one, and with a task to one that cannot be one',
  OPTIONS,
  withTasks(async (_, peer) => {
    const { tools } = (await peer.result('tools/list')) as { tools: { name: string; execution?: JsonObject }[] };
    const support = (name: string) => tools.find((tool) => tool.name === name)?.execution;
    assert.deepEqual(support('job'), { taskSupport: 'optional' });
    assert.deepEqual(support('only-job'), { taskSupport: 'required' });
    assert.equal(support('no-job'), undefined);
    await peer.refused(CODE.unknownMethod, ['tools/call', { name: 'only-job' }]);
    await peer.refused(CODE.unknownMethod, ['tools/call', { name: 'no-job', task: {} }]);
    assert.equal(textOf(await peer.call('no-job')), 'at once');
    const { taskId } = await begin(peer, 'only-job');
    assert.equal(textOf(await peer.result('tasks/result', { taskId })), 'done');
    for (const task of [1, 'soon', [], { ttl: 'long' }, { ttl: -1 }, { ttl: 1.5 }])
      await peer.refused(CODE.badParams, ['tools/call', { name: 'only-job', task }]);
  }),
);

obligation(
  'TASK-3',
  'answers with a ticket while the work goes on, and changes the status only along the ways there are',
  OPTIONS,
  withTasks(async (revision, peer, { fixture, peer: another }) => {
    const other = another(revision, {});
    const { capabilities } = (await other.handshake({})) as { capabilities: JsonObject };
    await other.end();
    assert.deepEqual(capabilities['tasks'], { list: {}, cancel: {}, requests: { tools: { call: {} } } });
    const one = await begin(peer, 'job', { arguments: { name: 'one' } });
    const two = await begin(peer, 'job', { arguments: { name: 'two' } });
    assert.equal(one.status, 'working');
    assert.notEqual(one.taskId, two.taskId);
    assert.match(one.taskId, /^[A-Za-z0-9_-]{32}$/);
    assert.equal((await peer.result('tasks/get', { taskId: one.taskId }))['status'], 'working');
    await fixture.gate('one').entered;
    fixture.gate('one').open();
    await until(peer, one.taskId, 'completed');
    assert.equal((await peer.result('tasks/get', { taskId: two.taskId }))['status'], 'working');
    fixture.gate('two').open();
    await until(peer, two.taskId, 'completed');
    await peer.refused(CODE.badParams, ['tasks/cancel', { taskId: one.taskId }]);
    assert.equal((await until(peer, one.taskId, 'completed', 'cancelled')).status, 'completed');
  }),
);

obligation(
  'TASK-4',
  'gives for a result what the call would have got, and waits until it is there',
  OPTIONS,
  withTasks(async (_, peer, { fixture }) => {
    const { taskId } = await begin(peer, 'job', { arguments: { name: 'slow' } });
    const asked = peer.start('tasks/result', { taskId });
    const twice = peer.start('tasks/result', { taskId });
    await fixture.gate('slow').entered;
    await peer.settle();
    fixture.gate('slow').open();
    for (const id of [asked, twice]) {
      const { result } = (await peer.ledger.answer(id)) as { result: JsonObject };
      assert.equal(textOf(result), 'did slow');
      assert.deepEqual(result['_meta'], { 'example.org/kept': true, [RELATED]: { taskId } });
    }
    const failed = await begin(peer, 'fails');
    const result = await peer.result('tasks/result', { taskId: failed.taskId });
    assert.equal(result['isError'], true);
    assert.equal(textOf(result), 'It cannot be done');
    assert.equal((await until(peer, failed.taskId, 'failed', 'completed')).status, 'failed');
    const broken = await begin(peer, 'breaks');
    await peer.refused(CODE.badParams, ['tasks/result', { taskId: broken.taskId }]);
    assert.equal((await until(peer, broken.taskId, 'failed')).status, 'failed');
  }),
);

obligation(
  'TASK-5',
  'says when a task was made and changed, how long it is kept, and to which task a message belongs',
  { ...OPTIONS, limits: { taskDefaultTtlMs: 5000, taskTtlMs: 60_000, taskPollMs: 1200 } },
  withTasks(async (_, peer, { fixture }) => {
    const kept = async (task: JsonObject): Promise<unknown> => {
      const ticket = await begin(peer, 'only-job', { task });
      await peer.result('tasks/result', { taskId: ticket.taskId });
      return (ticket as { ttl?: unknown }).ttl;
    };
    assert.deepEqual(
      [await kept({}), await kept({ ttl: 1234 }), await kept({ ttl: 9e15 }), await kept({ ttl: 0 })],
      [5000, 1234, 60_000, 1200],
    );
    await drop(peer);
    const meta = { progressToken: 'p' };
    const id = peer.start('tools/call', { name: 'job', arguments: { name: 'told' }, task: {} }, { meta });
    const { result } = (await peer.ledger.answer(id)) as { result: { task: TaskShown } };
    const { taskId } = result.task;
    fixture.gate('told').open();
    const said = await peer.result('tasks/result', { taskId });
    assert.deepEqual((said['_meta'] as JsonObject)[RELATED], { taskId });
    const notices = [await peer.next(), await peer.next(), await peer.next(), await peer.next()];
    assert.deepEqual(notices.map(({ method }) => method).sort(), [
      'notifications/message',
      'notifications/progress',
      'notifications/progress',
      'notifications/tasks/status',
    ]);
    for (const { method, params } of notices as { method: string; params: JsonObject }[]) {
      const { _meta, progressToken, taskId: named, status } = params as Record<string, JsonObject>;
      if (method === 'notifications/tasks/status') assert.deepEqual([named, status], [taskId, 'completed']);
      else assert.deepEqual(_meta, { [RELATED]: { taskId } });
      if (method === 'notifications/progress') assert.equal(progressToken, 'p');
    }
  }),
);

obligation(
  'TASK-6',
  'refuses unknown tasks, wrong cursors, and the cancellation of what is over',
  { ...OPTIONS, limits: { pageSize: 2 } },
  withTasks(async (_, peer) => {
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      for (const taskId of ['nothing', '', '../x', 'a'.repeat(500), '\ud800'])
        await peer.refused(CODE.badParams, [method, { taskId }]);
      await peer.refused(CODE.badParams, [method, { taskId: 7 }]);
      await peer.refused(CODE.badParams, [method]);
    }
    for (const cursor of ['', 'x', 'AAAA', '%']) await peer.refused(CODE.badParams, ['tasks/list', { cursor }]);
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) made.push((await begin(peer, 'only-job')).taskId);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await peer.result('tasks/list', cursor === undefined ? {} : { cursor });
      const tasks = page['tasks'] as TaskShown[];
      assert.ok(tasks.length <= 2);
      seen.push(...tasks.map(({ taskId }) => taskId));
      cursor = page['nextCursor'] as string | undefined;
    } while (cursor !== undefined);
    assert.deepEqual([...seen].sort(), [...made].sort());
    const [over = ''] = made;
    await until(peer, over, 'completed');
    await peer.refused(CODE.badParams, ['tasks/cancel', { taskId: over }]);
  }),
);

obligation(
  'TASK-7',
  'has cancelled a task before it says so, fires the signal, and drops what the work comes to',
  OPTIONS,
  withTasks(async (_, peer, { fixture }) => {
    const { taskId } = await begin(peer, 'job', { arguments: { name: 'long' } });
    await fixture.gate('long').entered;
    const waiting = peer.start('tasks/result', { taskId });
    await peer.settle();
    const cancelled = await peer.result('tasks/cancel', { taskId });
    assert.equal(cancelled['status'], 'cancelled');
    assert.equal(fixture.signals.get('long')?.aborted, true);
    const { error } = (await peer.ledger.answer(waiting)) as { error: JsonObject };
    assert.equal(error['code'], CODE.badParams);
    fixture.gate('long').open();
    await peer.settle();
    assert.equal((await peer.result('tasks/get', { taskId }))['status'], 'cancelled');
    await peer.refused(CODE.badParams, ['tasks/result', { taskId }]);
    await peer.refused(CODE.badParams, ['tasks/cancel', { taskId }]);
  }),
);

obligation(
  'TASK-8',
  'lets nobody but the one who started a task see it',
  OPTIONS,
  withTasks(async (revision, anonymous, scene) => {
    const ann = await opened(scene, revision, 'ann');
    const bob = await opened(scene, revision, 'bob');
    const tasks = [await begin(ann, 'only-job'), await begin(bob, 'only-job'), await begin(anonymous, 'only-job')];
    const peers = [ann, bob, anonymous];
    for (const [at, peer] of peers.entries()) {
      for (const [of, { taskId }] of tasks.entries()) {
        if (at === of) await until(peer, taskId, 'completed');
        else
          for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
            assert.deepEqual(
              strip(await peer.refused(CODE.badParams, [method, { taskId }])),
              strip(await peer.refused(CODE.badParams, [method, { taskId: 'x'.repeat(32) }])),
            );
      }
      const { tasks: listed } = await peer.result('tasks/list');
      assert.deepEqual(
        (listed as TaskShown[]).map(({ taskId }) => taskId),
        [tasks[at]?.taskId],
      );
    }
    const other = await opened(scene, revision);
    assert.deepEqual(await other.result('tasks/list'), { tasks: [] });
    await until(other, tasks[2]?.taskId as string, 'completed');
    for (const peer of [ann, bob, other]) {
      await drop(peer);
      await peer.end();
    }
  }),
);

obligation(
  'PROG-3',
  'tells how far a task is under the token of its call until the task ends',
  OPTIONS,
  withTasks(async (_, peer, { fixture }) => {
    await drop(peer);
    const params = { name: 'job', arguments: { name: 'steps' }, task: {} };
    const { task } = await peer.result('tools/call', params, { meta: { progressToken: 'steps' } });
    const { taskId } = task as TaskShown;
    const told = async (): Promise<unknown[]> => {
      const { params: said } = (await nextOf(peer, 'notifications/progress')) as { params: JsonObject };
      return [said['progressToken'], said['progress']];
    };
    assert.deepEqual(await told(), ['steps', 1]);
    fixture.gate('steps').open();
    assert.deepEqual(await told(), ['steps', 2]);
    await until(peer, taskId, 'completed');
    const cancelled = await peer.result(
      'tools/call',
      { ...params, arguments: { name: 'cut' } },
      { meta: { progressToken: 'cut' } },
    );
    assert.deepEqual(await told(), ['cut', 1]);
    await peer.result('tasks/cancel', { taskId: (cancelled['task'] as TaskShown).taskId });
    await drop(peer);
    fixture.gate('cut').open();
    await peer.quiet();
  }),
);

obligation(
  'CANC-5',
  'goes on with a task whose call is cancelled after its ticket, and ends it by its own method',
  OPTIONS,
  withTasks(async (_, peer, { fixture }) => {
    const id = peer.start('tools/call', { name: 'job', arguments: { name: 'own' }, task: {} });
    const { result } = (await peer.ledger.answer(id)) as { result: { task: TaskShown } };
    const { taskId } = result.task;
    await fixture.gate('own').entered;
    peer.notify('notifications/cancelled', { requestId: id });
    await peer.settle();
    assert.equal(fixture.signals.get('own')?.aborted, false);
    assert.equal((await peer.result('tasks/get', { taskId }))['status'], 'working');
    await peer.result('tasks/cancel', { taskId });
    assert.equal(fixture.signals.get('own')?.aborted, true);
  }),
);

/** A refusal without what differs from one to the next. */
function strip({ data, ...error }: JsonObject): JsonObject {
  const { errorId: _, taskId: __, ...rest } = data as JsonObject;
  return { ...error, data: rest };
}

async function opened(scene: Scene, revision: RevisionId, id?: string): Promise<Peer> {
  const peer = scene.peer(revision, DECLARES, id === undefined ? undefined : { id, scopes: [] });
  await peer.handshake(DECLARES);
  return peer;
}

async function onStage(options: SceneOptions, body: (peer: Peer, scene: Scene) => Promise<void>): Promise<void> {
  const scene = await stage(options);
  try {
    await addTaskTools(scene.fixture);
    const peer = await opened(scene, '2025-11-25');
    await body(peer, scene);
    await drop(peer);
    await peer.end();
  } finally {
    await scene.close();
  }
}

test('a question of a task is a message that names the task, and its status says so meanwhile', () =>
  onStage({}, async (peer) => {
    const { taskId } = await begin(peer, 'asks');
    const waiting = peer.start('tasks/result', { taskId });
    const question = await nextQuestion(peer);
    assert.deepEqual((question['params'] as JsonObject)['_meta'], { [RELATED]: { taskId } });
    assert.equal((await peer.result('tasks/get', { taskId }))['status'], 'input_required');
    peer.reply(question, { action: 'accept', content: { name: 'Ann' } });
    const { result } = (await peer.ledger.answer(waiting)) as { result: JsonObject };
    assert.equal(textOf(result), 'accept Ann');
    assert.equal((await peer.result('tasks/get', { taskId }))['status'], 'completed');
  }));

test('two questions at once are two messages, and the task works again when both are answered', () =>
  onStage({}, async (peer) => {
    const { taskId } = await begin(peer, 'asks-twice');
    const first = await nextQuestion(peer);
    const second = await nextQuestion(peer);
    peer.reply(second, { action: 'accept', content: { value: 'two' } });
    await peer.settle();
    assert.equal((await peer.result('tasks/get', { taskId }))['status'], 'input_required');
    peer.reply(first, { action: 'accept', content: { value: 'one' } });
    assert.equal(textOf(await peer.result('tasks/result', { taskId })), 'one and two');
  }));

test('a client that cannot be asked gets a task that failed', () =>
  onStage({}, async (_, scene) => {
    const peer = scene.peer('2025-11-25', {});
    await peer.handshake({});
    const { taskId } = await begin(peer, 'asks');
    const result = await peer.result('tasks/result', { taskId });
    assert.equal(result['isError'], true);
    await drop(peer);
    await peer.end();
  }));

test('a task that is cancelled while it asks withdraws its question', () =>
  onStage({}, async (peer) => {
    const { taskId } = await begin(peer, 'asks');
    const question = await nextQuestion(peer);
    await peer.result('tasks/cancel', { taskId });
    const withdrawn = await nextOf(peer, 'notifications/cancelled');
    const { requestId, _meta } = withdrawn['params'] as JsonObject;
    assert.deepEqual([requestId, _meta], [question['id'], { [RELATED]: { taskId } }]);
    peer.reply(question, { action: 'accept', content: { name: 'late' } });
    await peer.settle();
    assert.equal((await peer.result('tasks/get', { taskId }))['status'], 'cancelled');
  }));

test('a task whose handler crashes fails without saying more than it should', () =>
  onStage({}, async (peer, { logged }) => {
    const { taskId } = await begin(peer, 'crashes');
    const result = await peer.result('tasks/result', { taskId });
    assert.equal(result['isError'], true);
    const { statusMessage, status } = await until(peer, taskId, 'failed');
    assert.equal(status, 'failed');
    assert.doesNotMatch(JSON.stringify([result, statusMessage]), /secret/);
    const errorId = (result['_meta'] as JsonObject)['parley-mcp/errorId'] as string;
    assert.ok(logged.some((line) => line.includes(errorId)));
  }));

test('a task is gone when its time is over, and its work is told so', () =>
  onStage({ limits: { taskPollMs: 1 } }, async (peer, { fixture }) => {
    const { taskId } = await begin(peer, 'job', { arguments: { name: 'short' }, task: { ttl: 60 } });
    const waiting = peer.start('tasks/result', { taskId });
    await fixture.gate('short').entered;
    const { error } = (await peer.ledger.answer(waiting)) as { error: JsonObject };
    assert.equal(error['code'], CODE.badParams);
    await peer.refused(CODE.badParams, ['tasks/get', { taskId }]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(fixture.signals.get('short')?.aborted, true);
  }));

test('a principal has only so many tasks', () =>
  onStage({ limits: { tasks: 2 } }, async (peer, { fixture }) => {
    const tasks = [];
    for (const name of ['a', 'b']) tasks.push(await begin(peer, 'job', { arguments: { name } }));
    await peer.refused(CODE.busy, ['tools/call', { name: 'job', arguments: { name: 'c' }, task: {} }]);
    assert.equal(fixture.ran.get('c'), undefined);
    fixture.releaseAll();
    for (const task of tasks) await until(peer, task.taskId, 'completed');
    await peer.refused(CODE.busy, ['tools/call', { name: 'only-job', task: {} }]);
  }));

test('arguments that do not fit are refused before there is a task', () =>
  onStage({}, async (peer) => {
    const result = await peer.result('tools/call', { name: 'job', arguments: { name: 7 }, task: {} });
    assert.equal(result['isError'], true);
    assert.deepEqual(await peer.result('tasks/list'), { tasks: [] });
  }));

test('a waiting request that is cancelled leaves the task alone', () =>
  onStage({}, async (peer, { fixture }) => {
    const { taskId } = await begin(peer, 'job', { arguments: { name: 'patient' } });
    const waiting = peer.start('tasks/result', { taskId });
    await fixture.gate('patient').entered;
    peer.cancel(waiting);
    await peer.settle();
    fixture.gate('patient').open();
    await until(peer, taskId, 'completed');
    assert.equal(textOf(await peer.result('tasks/result', { taskId })), 'did patient');
  }));

test('a task outlives the connection that started it, and another of the same principal finds its result', () =>
  onStage({}, async (_, scene) => {
    const first = await opened(scene, '2025-11-25', 'ann');
    const { taskId } = await begin(first, 'job', { arguments: { name: 'on' } });
    await scene.fixture.gate('on').entered;
    await drop(first);
    await first.end();
    scene.fixture.gate('on').open();
    const second = await opened(scene, '2025-11-25', 'ann');
    assert.equal(textOf(await second.result('tasks/result', { taskId })), 'did on');
    await drop(second);
    await second.end();
  }));

test('older revisions run every tool at once and never hear of tasks', async () => {
  for (const revision of LEGACY.filter((id) => id !== '2025-11-25')) {
    const scene = await stage();
    try {
      await addTaskTools(scene.fixture);
      const peer = scene.peer(revision, {});
      const { capabilities } = (await peer.handshake({})) as { capabilities: JsonObject };
      assert.equal(capabilities['tasks'], undefined);
      assert.equal(textOf(await peer.result('tools/call', { name: 'only-job', task: {} })), 'done');
      await peer.refused(CODE.unknownMethod, ['tasks/list']);
      await drop(peer);
      await peer.end();
    } finally {
      await scene.close();
    }
  }
});

async function nextOf(peer: Peer, method: string): Promise<JsonObject> {
  for (;;) {
    const message = await peer.next();
    if (message['method'] === method) return message;
  }
}

function nextQuestion(peer: Peer): Promise<JsonObject> {
  return nextOf(peer, 'elicitation/create');
}
