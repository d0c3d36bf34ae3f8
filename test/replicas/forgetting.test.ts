import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import type { Heard } from '../scenarios/http/heard.ts';
import { createSharedStore } from './shared-store.ts';
import { LEASE_MS, pause, type Stage, stageOn, until } from './stage.ts';
import { withData } from './walks.ts';

const NEWEST = '2025-11-25';
const TOKEN = { meta: { progressToken: 1 } };

async function staged(go: (stage: Stage, forget: () => void) => Promise<void>): Promise<void> {
  const shared = createSharedStore();
  const stage = await stageOn([shared.view(), shared.view()], { end: () => shared.close() });
  try {
    await pause(LEASE_MS * 1.5);
    await go(stage, () => shared.forget());
  } finally {
    await stage.close();
  }
}

function answersIn({ messages }: Heard, id: unknown): JsonObject[] {
  return messages.flat().filter((message) => (message as JsonObject)['id'] === id) as JsonObject[];
}

describe('When the engine forgets everything', () => {
  it('a call is answered once on the connection it came by', () =>
    staged(async ({ roam, gate }, forget) => {
      const peer = await roam(NEWEST).at(0).open();
      const call = await peer.call('march', { gate: 'g', steps: 3 }, { id: 'call', ...TOKEN });
      await withData(call);
      forget();
      gate('g').open();
      await call.ended();
      assert.match(JSON.stringify(answersIn(call, 'call')), /there, by A/);
      assert.equal(answersIn(call, 'call').length, 1);
    }));

  it('that holds also when the session was found to be gone meanwhile', () =>
    staged(async ({ roam, gate }, forget) => {
      const peer = await roam(NEWEST).at(0).open();
      const told = await peer.call('march', { gate: 'g', steps: 1 }, { id: 'told', ...TOKEN });
      const plain = peer.call('march', { gate: 'h' }, { id: 'plain' });
      await withData(told);
      await gate('h').entered;
      forget();
      assert.equal((await peer.request('ping')).status, 404);
      await pause(LEASE_MS);
      gate('g').open();
      gate('h').open();
      await told.ended();
      const heard = await plain;
      await heard.ended();
      assert.match(JSON.stringify(answersIn(told, 'told')), /there, by A/);
      assert.match(JSON.stringify(answersIn(heard, 'plain')), /there, by A/);
      assert.equal((await peer.request('ping')).status, 404);
    }));

  it('who reads the stream of a session is let go and told that the session is gone', () =>
    staged(async ({ roam }, forget) => {
      const peer = await roam(NEWEST).at(0).open();
      const main = await peer.listen();
      forget();
      await main.ended();
      await until(async () => (await peer.listen()).status === 404, 'the session is gone');
    }));

  it('who comes back for an answer is told that it is gone', () =>
    staged(async ({ roam, gate }, forget) => {
      const peer = await roam(NEWEST).at(0).open();
      const call = await peer.call('march', { gate: 'g' }, { id: 'call', ...TOKEN });
      const id = await withData(call);
      const elsewhere = await peer.at(1).listen(id);
      await call.ended();
      forget();
      gate('g').open();
      await elsewhere.ended();
      assert.deepEqual(answersIn(elsewhere, 'call'), []);
      for (const at of [0, 1]) assert.equal((await peer.at(at).listen(id)).status, 404);
    }));
});
