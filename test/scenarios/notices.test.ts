import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/model/json.ts';
import { LOG_LEVELS } from '../../src/model/peer.ts';
import { calling } from './dialogue.ts';
import { obligation, scenario } from './obligation.ts';
import type { Peer } from './peer.ts';
import { ALL, CODE, isModern, KEY, LEGACY, since } from './revisions.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Everything of one kind that came with a call. */
async function told(peer: Peer, count: number): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let at = 0; at < count; at += 1) found.push((await peer.next())['params'] as JsonObject);
  return found;
}

obligation(
  'PROG-1',
  'tells progress that rises, under the token given, and nothing after the answer',
  async (revision, peer) => {
    for (const token of ['token', 0, '', -5]) {
      await peer.call('steps', {}, { meta: { progressToken: token } });
      const said = await told(peer, 3);
      assert.deepEqual(
        said.map(({ progress }) => progress),
        [1, 2, 3],
      );
      for (const { progressToken, total, message } of said) {
        assert.equal(progressToken, token);
        assert.equal(total, 3);
        assert.equal(message !== undefined, since(revision, '2025-03-26'));
      }
      await pause(5);
      await peer.quiet();
    }
  },
);

obligation('PROG-1', 'tells progress before the answer, in the order it was made', async (_, peer) => {
  await peer.call('steps', {}, { id: 'walk', meta: { progressToken: 1 } });
  const lines = peer.ledger.lines.map((line) => JSON.parse(line) as JsonObject);
  const answer = lines.findIndex(({ id }) => id === 'walk');
  const steps = lines.flatMap(({ method }, at) => (method === 'notifications/progress' ? [at] : []));
  assert.equal(steps.length, 3);
  assert.ok(steps.every((at) => at < answer));
  await told(peer, 3);
});

obligation('PROG-1', 'tells no progress to who did not ask, and refuses a token it cannot use', async (_, peer) => {
  await peer.call('steps');
  await pause(5);
  await peer.quiet();
  for (const token of [1.5, null, {}, [], true])
    await peer.refused(CODE.badParams, [...calling('steps'), { meta: { progressToken: token as never } }]);
});

scenario(ALL, 'says in JSON what an author said badly, or not at all', async (_, peer) => {
  await peer.call('vague', {}, { meta: { progressToken: 1, [KEY.level]: 'debug' } });
  const [first, second, log] = await told(peer, 3);
  assert.deepEqual(
    [first, second],
    [
      { progressToken: 1, progress: 1 },
      { progressToken: 1, progress: 2 },
    ],
  );
  assert.deepEqual(log, { level: 'error', data: null });
});

obligation('PROG-2', 'limits the rate of progress', { limits: { noticesPerSecond: 10 } }, async (_, peer) => {
  await peer.call('many', {}, { meta: { progressToken: 1 } });
  await told(peer, 10);
  await peer.quiet();
});

obligation('CANC-1', 'stops a cancelled request and says nothing more of it', async (_, peer, { fixture }) => {
  peer.start(...calling('busy', { name: 'door' }), { id: 'gone', meta: { progressToken: 1, [KEY.level]: 'debug' } });
  await fixture.gate('door').entered;
  await told(peer, 1);
  peer.cancel('gone', 'changed my mind');
  await peer.settle();
  fixture.gate('door').open();
  await pause(5);
  await peer.quiet();
});

obligation('CANC-1', 'fires the signal of the call', async (_, peer, { fixture }) => {
  peer.start(...calling('wait', { name: 'door' }), { id: 3 });
  await fixture.gate('door').entered;
  assert.equal(fixture.signals.get('door')?.aborted, false);
  peer.cancel(3);
  await peer.settle();
  assert.equal(fixture.signals.get('door')?.aborted, true);
  assert.equal(await peer.said('echo', { text: 'free again' }, { id: 3 }), 'free again');
});

obligation('CANC-1', 'ignores cancellations of nothing, and malformed ones', async (_, peer, { fixture }) => {
  const slow = peer.call('wait', { name: 'door' }, { id: 1 });
  await fixture.gate('door').entered;
  for (const requestId of ['1', 2, '', null, 1.5, {}, [1]])
    peer.notify('notifications/cancelled', { requestId } as JsonObject);
  peer.notify('notifications/cancelled');
  await peer.settle();
  fixture.gate('door').open();
  assert.equal((await slow)['isError'], undefined);
});

obligation('CANC-2', 'copes with a cancellation that crosses the answer', async (_, peer, { fixture }) => {
  for (let round = 0; round < 20; round += 1) {
    await peer.call('echo', { text: 'x' }, { id: round });
    peer.notify('notifications/cancelled', { requestId: round });
  }
  const slow = peer.call('wait', { name: 'door' }, { id: 'slow' });
  await fixture.gate('door').entered;
  fixture.gate('door').open();
  await slow;
  peer.notify('notifications/cancelled', { requestId: 'slow' });
  await peer.quiet();
});

obligation(
  'CANC-3',
  'cancels its own open question when its request is cancelled, and nothing else',
  { declares: { roots: {} } },
  async (_, peer) => {
    peer.start(...calling('where'), { id: 'asker' });
    const question = await peer.next('roots/list');
    peer.cancel('asker');
    const { params } = (await peer.next('notifications/cancelled')) as { params: JsonObject };
    assert.equal(params['requestId'], question['id']);
    peer.reply(question, { roots: [] });
    const again = peer.call('where');
    peer.reply(await peer.next('roots/list'), { roots: [] });
    await again;
    await peer.quiet();
  },
);

obligation(
  'STDIO-5',
  'says nothing more of a cancelled request, whatever its handler does',
  async (_, peer, { fixture }) => {
    peer.start(...calling('busy', { name: 'door' }), { id: 1, meta: { progressToken: 'p', [KEY.level]: 'debug' } });
    await told(peer, 1);
    peer.cancel(1);
    fixture.gate('door').open();
    await pause(5);
    await peer.quiet();
  },
);

obligation('LOG-1', 'declares logging', { unopened: true }, async (revision, peer) => {
  const { capabilities } = isModern(revision) ? await peer.result('server/discover') : await peer.handshake();
  assert.deepEqual((capabilities as JsonObject)['logging'], {});
});

obligation('LOG-2', 'sends a client nothing of the log of the server', async (revision, peer, { logged }) => {
  const meta = { [KEY.level]: 'debug' };
  if (!isModern(revision)) await peer.result('logging/setLevel', { level: 'debug' });
  await peer.call('throws', {}, { meta });
  await peer.refused(CODE.internal, ['resources/read', { uri: 'test://broken' }, { meta }]);
  await peer.quiet();
  assert.ok(logged.length >= 2, 'the server has a log of its own');
});

obligation('LOG-3', 'refuses a level it does not know', async (revision, peer) => {
  for (const level of ['verbose', 'DEBUG', '', 3, null, 'toString']) {
    await peer.refused(
      CODE.badParams,
      isModern(revision)
        ? [...calling('echo', { text: '' }), { meta: { [KEY.level]: level } }]
        : ['logging/setLevel', { level }],
    );
  }
});

obligation('LOG-3', 'limits the rate of log messages', { limits: { noticesPerSecond: 7 } }, async (_, peer) => {
  await peer.call('flood', {}, { meta: { [KEY.level]: 'debug' } });
  await told(peer, 7);
  await peer.quiet();
});

obligation('LOG-4', 'logs only for the request that asked, from its level up', async (_, peer) => {
  for (const [at, level] of LOG_LEVELS.entries()) {
    await peer.call('chatter', {}, { meta: { [KEY.level]: level } });
    const said = await told(peer, LOG_LEVELS.length - at);
    assert.deepEqual(
      said.map((message) => message['level']),
      LOG_LEVELS.slice(at),
    );
    await peer.call('chatter');
    await pause(2);
    await peer.quiet();
  }
});

scenario(LEGACY, 'logs from the level that was set, and from "info" before', async (_, peer) => {
  await peer.call('chatter');
  assert.deepEqual(
    (await told(peer, 7)).map(({ level }) => level),
    LOG_LEVELS.slice(1),
  );
  for (const [at, level] of LOG_LEVELS.entries()) {
    await peer.result('logging/setLevel', { level });
    await peer.call('chatter');
    const said = await told(peer, LOG_LEVELS.length - at);
    assert.deepEqual(said[0], { level, logger: 'fixture', data: { level } });
    await pause(2);
    await peer.quiet();
  }
});

scenario(LEGACY, 'keeps the level of the session out of modern requests on the same pipe', async (_, peer) => {
  await peer.result('logging/setLevel', { level: 'debug' });
  await peer.call('chatter', {}, { revision: '2026-07-28' });
  await peer.quiet();
});

scenario(ALL, 'ends a call at its deadline and keeps serving', async (_, peer) => {
  const result = await peer.call('brief');
  assert.equal(result['isError'], true);
  assert.match(JSON.stringify(result), /longer than 20 ms/);
});
