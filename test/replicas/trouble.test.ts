import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { type Heard, send } from '../scenarios/http/heard.ts';
import { textIn } from '../scenarios/http/http-peer.ts';
import { LEASE_MS, pause, type Roamer, type Stage, stageReplicas, until } from './stage.ts';
import { withData } from './walks.ts';

const NEWEST = '2025-11-25';
const TOKEN = { meta: { progressToken: 1 } };

async function staged(go: (stage: Stage) => Promise<void>, count = 3): Promise<void> {
  const stage = await stageReplicas(count);
  try {
    // Who has just come judges nobody.
    await pause(LEASE_MS * 1.5);
    await go(stage);
  } finally {
    await stage.close();
  }
}

function answersIn({ messages }: Heard, id: unknown): JsonObject[] {
  return messages.flat().filter((message) => (message as JsonObject)['id'] === id) as JsonObject[];
}

describe('A replica that is lost', () => {
  it('in the middle of a call leaves one error, for every reader the same', () =>
    staged(async ({ roam, replicas, gate }) => {
      const peer = await roam(NEWEST).at(0).open();
      const call = await peer.at(1).call('march', { gate: 'g' }, { id: 'call', ...TOKEN });
      const id = await withData(call);
      const early = await peer.at(0).listen(id);
      await pause(20);
      replicas[1]?.store.kill();
      call.cut();
      await early.ended();
      const [error] = answersIn(early, 'call');
      assert.match(JSON.stringify(error), /"code":-32603.*is gone/);
      gate('g').open();
      const late = await Promise.all([0, 2, 0, 2].map((at) => peer.at(at).listen(id)));
      for (const heard of late) {
        await heard.ended();
        if (heard.over === 'ended' && answersIn(heard, 'call').length > 0)
          assert.deepEqual(answersIn(heard, 'call'), [error]);
      }
      const last = await peer.at(2).listen(id);
      await last.ended();
      assert.deepEqual(answersIn(last, 'call'), [error]);
      assert.equal(textIn(await peer.answer(peer.at(2).call('who'))), 'C');
    }));

  it('and wakes up answers nothing that was answered for it', () =>
    staged(async ({ roam, replicas, gate }) => {
      const peer = await roam(NEWEST).at(0).open();
      const call = await peer.at(1).call('march', { gate: 'g' }, { id: 'call', ...TOKEN });
      const id = await withData(call);
      const { store } = replicas[1] ?? assert.fail();
      store.pause();
      const reader = await peer.at(0).listen(id);
      await reader.ended();
      assert.match(JSON.stringify(answersIn(reader, 'call')), /is gone/);
      gate('g').open();
      await pause(30);
      store.resume();
      await call.ended();
      const again = await peer.at(2).listen(id);
      await again.ended();
      for (const heard of [reader, again]) assert.equal(answersIn(heard, 'call').length, 1);
      assert.ok(answersIn(call, 'call').length <= 1);
      assert.equal(JSON.stringify(answersIn(call, 'call')).includes('there'), false);
      assert.equal(textIn(await peer.answer(peer.at(1).call('who'))), 'B');
    }));

  for (const [when, waitMs] of [
    ['at once', 0],
    ['when it is missed', LEASE_MS * 1.5],
  ] as const)
    it(`leaves changes to tell to whoever takes over its clients ${when}`, () =>
      staged(async ({ roam, replicas }) => {
        const peer = await roam(NEWEST).at(0).open();
        await peer.result('resources/subscribe', { uri: 'test://one' });
        const main = await peer.at(1).listen();
        replicas[1]?.store.kill();
        main.cut();
        await pause(waitMs);
        const again = await peer.at(2).listen();
        const heard = new Set<unknown>();
        await until(async () => {
          heard.add((await again.message())['method']);
          return heard.has('notifications/resources/updated') && heard.has('notifications/tools/list_changed');
        }, 'everything may have changed');
        again.cut();
      }));

  it('for a moment hears the answer to its question all the same', () =>
    staged(async ({ roam, replicas }) => {
      const peer = await roam(NEWEST, { capabilities: { elicitation: {} } })
        .at(0)
        .open();
      const call = await peer.at(1).call('ask');
      const question = await call.message('elicitation/create');
      const { store } = replicas[2] ?? assert.fail();
      const { inboxes } = store;
      Object.assign(store, { inboxes: { send: async () => false, open: inboxes.open } });
      assert.equal((await peer.at(2).reply(question, { action: 'accept', content: { n: 3 } })).status, 202);
      assert.match(JSON.stringify(await peer.answer(call)), /accept 3/);
      Object.assign(store, { inboxes });
    }));

  it('takes no message for a channel with it', () =>
    staged(async ({ replicas }) => {
      const [a, b] = replicas;
      const headers = { accept: 'text/event-stream' };
      const stream = await send(a?.port as number, { method: 'GET', path: '/sse', headers });
      const path = (await stream.event()).data as string;
      const post = (): Promise<Heard> =>
        send(b?.port as number, {
          method: 'POST',
          path,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
        });
      assert.equal((await post()).status, 202);
      stream.cut();
      await until(async () => (await post()).status === 404, 'the channel is gone');
    }));
});

describe('A replica that ends', () => {
  it('answers what it cannot finish, lets its readers go, and keeps the session for others', () =>
    staged(async ({ roam, replicas, gate }) => {
      const peer = await roam(NEWEST).at(0).open();
      const main = await peer.at(0).listen();
      const call = await peer.at(0).call('march', { gate: 'never' }, { id: 'call', ...TOKEN });
      const id = await withData(call);
      call.cut();
      await gate('never').entered;
      await replicas[0]?.drain();
      await main.ended();
      const resumed = await peer.at(1).listen(id);
      await resumed.ended();
      assert.equal(answersIn(resumed, 'call').length, 1);
      assert.match(JSON.stringify(answersIn(resumed, 'call')), /shutting down/);
      assert.equal(textIn(await peer.answer(peer.at(2).call('who'))), 'C');
    }));
});

describe('The store', () => {
  it('is asked at most once for a call in a session, and never for one that says everything itself', () =>
    staged(async ({ roam, replicas }) => {
      const peer = await roam(NEWEST).at(0).open();
      const modern = roam('2026-07-28');
      for (const [at, { store }] of replicas.entries()) {
        await peer.answer(peer.at(at).call('who'));
        const before = store.operations.length;
        await peer.answer(peer.at(at).call('who'));
        assert.deepEqual(store.operations.slice(before).length, 1, store.operations.slice(before).join());
        await modern.answer(modern.at(at).call('who'));
        await modern.answer(modern.at(at).request('tools/list'));
        assert.equal(store.operations.length, before + 1);
      }
    }));

  it('may be away at any step: everything is answered or refused with 503, and nothing hangs', () =>
    staged(async (stage) => {
      let runs = 0;
      for (let step = 1; ; step += 1) {
        const failed = await anomaly(stage, step);
        runs += 1;
        if (!failed) break;
        assert.ok(runs < 200, 'the walk never ends');
      }
      assert.ok(runs > 8, `only ${runs} steps`);
    }, 2));
});

/** One walk on the first replica, during which the operation of that number fails; whether there was one. */
async function anomaly({ roam, replicas }: Stage, step: number): Promise<boolean> {
  const { store } = replicas[0] ?? assert.fail();
  store.failAt(step);
  const peer = roam(NEWEST, { capabilities: { elicitation: {} } }).at(0);
  await open(peer);
  await insist(peer, () => peer.request('logging/setLevel', { level: 'error' }));
  await insist(peer, () => peer.request('resources/subscribe', { uri: 'test://one' }));
  const main = await insist(peer, () => peer.listen());
  await told(peer, 'march', { steps: 2 });
  await insist(peer, () => peer.call('who'));
  main.cut();
  assert.ok([204, 404].includes((await insist(peer, () => peer.delete())).status));
  return store.failed;
}

/** Sends a request until it is not refused for now; a refusal says when to come back. */
async function insist(peer: Roamer, request: () => Promise<Heard>): Promise<Heard> {
  for (let tries = 0; tries < 4; tries += 1) {
    const heard = await request();
    if (heard.status !== 503) return heard;
    assert.match(String(heard.headers['retry-after']), /^\d+$/);
    assert.match(await heard.text(), /E_STORE_AWAY/);
  }
  return assert.fail(`refused for ever: ${peer.session}`);
}

async function open(peer: Roamer): Promise<void> {
  const heard = await insist(peer, () => peer.initialize());
  assert.equal(heard.status, 200);
  await heard.json();
  peer.session = heard.headers['mcp-session-id'] as string;
  assert.equal((await insist(peer, () => peer.notify('notifications/initialized'))).status, 202);
}

/** Calls a tool that says something first, and comes back for the answer as often as it must. */
async function told(peer: Roamer, name: string, input: JsonObject): Promise<void> {
  let heard = await insist(peer, () => peer.call(name, input, { id: 'told', ...TOKEN }));
  const answers: JsonObject[] = [];
  let last: string | undefined;
  for (let tries = 0; tries < 20; tries += 1) {
    if (!heard.streams) {
      answers.push(await heard.json());
      break;
    }
    await heard.ended();
    answers.push(...answersIn(heard, 'told'));
    last = heard.events.findLast(({ id }) => id !== undefined)?.id ?? last;
    if (answers.length > 0) break;
    await pause(20);
    heard = await insist(peer, () => peer.listen(last));
  }
  assert.equal(answers.length, 1, `${answers.length} answers`);
}
