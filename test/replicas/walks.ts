import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import type { Store } from '../../src/store/store.ts';
import type { Heard } from '../scenarios/http/heard.ts';
import { send } from '../scenarios/http/heard.ts';
import { pause, type Roamer, type Stage, until } from './stage.ts';

const NEWEST = '2025-11-25';
const ASKED = { elicitation: {} };
const LIST = 'notifications/tools/list_changed';
const UPDATED = 'notifications/resources/updated';

export async function withData(heard: Heard): Promise<string> {
  for (;;) {
    const { id, data = '' } = await heard.event();
    if (data !== '') return id as string;
  }
}

function textOf(message: JsonObject): string {
  const { result } = message as { result?: { content?: { text: string }[] } };
  return result?.content?.[0]?.text ?? JSON.stringify(message);
}

async function said(peer: Roamer, name: string, input?: JsonObject): Promise<string> {
  return textOf(await peer.answer(peer.call(name, input)));
}

/** Everything a session does, with its requests going to one replica and to another, on any engine. */
export function walks<S extends Store>(engine: string, open: () => Promise<Stage<S>>): void {
  const walk = (sentence: string, go: (stage: Stage<S>) => Promise<void>): void => {
    it(sentence, async () => {
      const stage = await open();
      try {
        await go(stage);
      } finally {
        await stage.close();
      }
    });
  };

  describe(`Replicas on ${engine}`, () => {
    walk('serve a session that any of them opened', async ({ roam }) => {
      const peer = await roam(NEWEST).at(0).open();
      for (const [at, name] of ['A', 'B', 'C'].entries()) assert.equal(await said(peer.at(at), 'who'), name);
      assert.equal((await peer.at(1).delete()).status, 204);
      for (const at of [0, 1, 2]) assert.equal((await peer.at(at).request('ping')).status, 404);
    });

    walk('bring an answer to a client that comes back elsewhere', async ({ roam, gate }) => {
      const peer = await roam(NEWEST).at(0).open();
      const call = await peer.at(1).call('march', { gate: 'g' }, { meta: { progressToken: 1 } });
      const id = await withData(call);
      call.cut();
      const resumed = await peer.at(2).listen(id);
      gate('g').open();
      assert.equal(textOf(await peer.answer(resumed)), 'there, by B');
      const again = await peer.at(0).listen(id);
      assert.equal(textOf(await peer.answer(again)), 'there, by B');
    });

    walk('let a stream have one reader, wherever it is', async ({ roam, gate }) => {
      const peer = await roam(NEWEST).at(0).open();
      const call = await peer.call('march', { gate: 'g' }, { meta: { progressToken: 1 } });
      const id = await withData(call);
      const second = await peer.at(1).listen(id);
      await call.ended();
      gate('g').open();
      assert.equal(textOf(await peer.answer(second)), 'there, by A');
      assert.deepEqual(
        call.messages.filter((message) => 'result' in message),
        [],
      );
      const main = await peer.at(1).listen();
      const moved = await peer.at(2).listen();
      await main.ended();
      moved.cut();
    });

    walk('keep what a session says of itself', async ({ roam }) => {
      const peer = await roam(NEWEST).at(0).open(false);
      assert.equal((await peer.at(1).notify('notifications/initialized')).status, 202);
      await peer.at(0).result('logging/setLevel', { level: 'error' });
      const heard = await peer.at(1).call('note');
      await peer.answer(heard);
      assert.deepEqual(
        heard.messages.flatMap(({ params }) => (params === undefined ? [] : [(params as JsonObject)['level']])),
        ['error'],
      );
    });

    walk('tell every client of a change, wherever it happened', async ({ roam, replicas }) => {
      const peer = await roam(NEWEST).at(0).open();
      await peer.result('resources/subscribe', { uri: 'test://one' });
      const main = await peer.at(1).listen();
      const modern = roam('2026-07-28').at(2);
      const filter = { toolsListChanged: true, resourceSubscriptions: ['test://one'] };
      const listen = await modern.request('subscriptions/listen', { notifications: filter });
      await listen.message('notifications/subscriptions/acknowledged');
      const legacy = await send(replicas[1]?.port as number, {
        method: 'GET',
        path: '/sse',
        headers: { accept: 'text/event-stream' },
      });
      const endpoint = (await legacy.event()).data as string;
      const post = (message: JsonObject, at: number): Promise<Heard> =>
        send(replicas[at]?.port as number, {
          method: 'POST',
          path: endpoint,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        });
      const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      assert.equal((await post({ id: 1, method: 'initialize', params }, 2)).status, 202);
      assert.equal((await legacy.message())['id'], 1);
      assert.equal((await post({ method: 'notifications/initialized' }, 0)).status, 202);
      await pause(20);
      assert.equal(await said(peer.at(0), 'grow'), 'grown');
      await main.message(LIST);
      await listen.message(LIST);
      await legacy.message(LIST);
      assert.equal(await said(peer.at(2), 'touch'), 'touched');
      await main.message(UPDATED);
      await listen.message(UPDATED);
      assert.equal((await post({ id: 2, method: 'ping' }, 0)).status, 202);
      assert.equal((await legacy.message())['id'], 2);
      await peer.at(2).result('resources/unsubscribe', { uri: 'test://one' });
      await said(peer.at(0), 'touch');
      await said(peer.at(0), 'grow');
      await main.message(LIST);
      for (const heard of [main, listen, legacy]) heard.cut();
    });

    walk('bring the answer to a question to whoever asked', async ({ roam }) => {
      const peer = await roam(NEWEST, { capabilities: ASKED }).at(0).open();
      const call = await peer.at(1).call('ask');
      const question = await call.message('elicitation/create');
      assert.equal((await peer.at(2).reply(question, { action: 'accept', content: { n: 3 } })).status, 202);
      assert.equal(textOf(await peer.answer(call)), 'accept 3');
      assert.equal((await peer.at(0).reply(question, { action: 'decline' })).status, 202);
    });

    walk('let no other session answer a question', async ({ roam }) => {
      const peer = await roam(NEWEST, { capabilities: ASKED }).at(0).open();
      const other = await roam(NEWEST, { capabilities: ASKED }).at(1).open();
      const call = await peer.at(0).call('ask');
      const question = await call.message('elicitation/create');
      assert.equal((await other.at(2).reply(question, { action: 'accept', content: { n: 666 } })).status, 202);
      await pause(30);
      assert.equal((await peer.at(2).reply(question, { action: 'accept', content: { n: 1 } })).status, 202);
      assert.equal(textOf(await peer.answer(call)), 'accept 1');
    });

    walk('cancel a call that runs elsewhere', async ({ roam, gate }) => {
      const peer = await roam(NEWEST).at(0).open();
      const call = await peer.at(1).call('march', { gate: 'g' }, { id: 'c', meta: { progressToken: 1 } });
      await gate('g').entered;
      assert.equal((await peer.at(2).notify('notifications/cancelled', { requestId: 'c' })).status, 202);
      await call.ended();
      assert.deepEqual(
        call.messages.filter(({ id }) => id === 'c'),
        [],
      );
    });

    walk('end a session everywhere, while a call runs', async ({ roam, gate }) => {
      const peer = await roam(NEWEST).at(0).open();
      const call = await peer.at(1).call('march', { gate: 'g' }, { meta: { progressToken: 1 } });
      const id = await withData(call);
      const main = await peer.at(2).listen();
      assert.equal((await peer.at(0).delete()).status, 204);
      await main.ended();
      await call.ended();
      gate('g').open();
      for (const at of [0, 1, 2]) assert.equal((await peer.at(at).listen(id)).status, 404);
    });

    walk('show nothing of a session to another principal, on any path', async ({ roam, gate }) => {
      const alice = await roam(NEWEST, { principal: 'alice' }).at(0).open();
      const call = await alice.call('march', { gate: 'g' }, { meta: { progressToken: 1 } });
      const id = await withData(call);
      for (const other of [roam(NEWEST, { principal: 'bob' }), roam(NEWEST)]) {
        other.session = alice.session;
        for (const at of [0, 1, 2]) {
          assert.equal((await other.at(at).call('who')).status, 404);
          assert.equal((await other.at(at).listen()).status, 404);
          assert.equal((await other.at(at).listen(id)).status, 404);
          assert.equal((await other.at(at).delete()).status, 404);
          assert.equal((await other.at(at).notify('notifications/cancelled', { requestId: 1 })).status, 404);
        }
      }
      gate('g').open();
      assert.equal(textOf(await alice.answer(call)), 'there, by A');
    });

    walk('take messages for a channel of the older transport from its principal alone', async ({ replicas }) => {
      const headers = { accept: 'text/event-stream', 'x-test-principal': 'alice' };
      const stream = await send(replicas[0]?.port as number, { method: 'GET', path: '/sse', headers });
      const path = (await stream.event()).data as string;
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const post = async (who: string, port: number): Promise<number> => {
        const own = { 'content-type': 'application/json', 'x-test-principal': who };
        return (await send(port, { method: 'POST', path, headers: own, body })).status;
      };
      for (const { port } of replicas) assert.equal(await post('bob', port), 404);
      for (const { port } of replicas) assert.equal(await post('alice', port), 202);
      await until(() => stream.events.length === 4, 'three answers on the older stream');
      stream.cut();
    });

    walk('serve 2026-07-28 together: what one asks another goes on with', async ({ roam }) => {
      const peer = roam('2026-07-28', { capabilities: ASKED });
      const first = await peer.answer(peer.at(0).call('ask'));
      const { requestState, inputRequests } = first['result'] as JsonObject;
      const [key] = Object.keys(inputRequests as JsonObject);
      const inputResponses = { [key as string]: { action: 'accept', content: { n: 4 } } };
      const retry = { name: 'ask', arguments: {}, requestState, inputResponses } as JsonObject;
      const done = await peer.answer(peer.at(2).request('tools/call', retry));
      assert.equal(textOf(done), 'accept 4');
    });

    walk('show a task of 2026-07-28 everywhere, and take its answers everywhere', async ({ roam }) => {
      const capabilities = { ...ASKED, extensions: { 'io.modelcontextprotocol/tasks': {} } };
      const peer = roam('2026-07-28', { capabilities });
      const begun = (await peer.answer(peer.at(0).call('job', {})))['result'] as JsonObject;
      const { taskId } = (begun['task'] ?? begun) as { taskId: string };
      let asked: JsonObject = {};
      await until(async () => {
        asked = await peer.at(1).result('tasks/get', { taskId }, { headers: { 'mcp-name': taskId } });
        return asked['status'] === 'input_required';
      }, 'the question');
      const [key] = Object.keys(asked['inputRequests'] as JsonObject);
      const inputResponses = { [key as string]: { action: 'accept', content: { n: 5 } } };
      await peer.at(2).result('tasks/update', { taskId, inputResponses }, { headers: { 'mcp-name': taskId } });
      await until(
        async () =>
          (await peer.at(1).result('tasks/get', { taskId }, { headers: { 'mcp-name': taskId } }))['status'] ===
          'completed',
        'the end',
      );
    });

    walk('ask for a task through whoever waits for its result', async ({ roam, gate }) => {
      const capabilities = { ...ASKED, tasks: { requests: { elicitation: { create: {} } } } };
      const peer = await roam(NEWEST, { capabilities }).at(0).open();
      const begun = await peer.result('tools/call', { name: 'job', arguments: { gate: 'g' }, task: {} });
      const { taskId } = begun['task'] as { taskId: string };
      const waiting = await peer.at(1).request('tasks/result', { taskId });
      gate('g').open();
      const question = await waiting.message('elicitation/create');
      assert.equal((await peer.at(2).reply(question, { action: 'accept', content: { n: 6 } })).status, 202);
      assert.equal(textOf(await peer.answer(waiting)), 'done 6');
    });
  });
}
