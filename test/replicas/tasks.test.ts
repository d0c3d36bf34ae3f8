import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { LEASE_MS, pause, type Roamer, type Stage, stageReplicas, until } from './stage.ts';

const NEWEST = '2025-11-25';
const CAPABILITIES = { elicitation: {}, tasks: { requests: { elicitation: { create: {} } } } };

/** A task that waits on the second of three replicas. */
async function begun({ roam, gate }: Stage): Promise<{ peer: Roamer; taskId: string }> {
  // Who has just come judges nobody.
  await pause(LEASE_MS * 1.5);
  const peer = await roam(NEWEST, { capabilities: CAPABILITIES }).at(1).open();
  const ticket = await peer.result('tools/call', { name: 'job', arguments: { gate: 'g' }, task: {} });
  await gate('g').entered;
  return { peer, taskId: (ticket['task'] as JsonObject)['taskId'] as string };
}

async function statusOf(peer: Roamer, taskId: string): Promise<unknown> {
  return (await peer.result('tasks/get', { taskId }))['status'];
}

describe('The task of a replica that is killed', () => {
  it('fails with the lease of the replica, for who waits and for who asks', async () => {
    const stage = await stageReplicas();
    try {
      const { peer, taskId } = await begun(stage);
      const waiting = peer.at(0).request('tasks/result', { taskId }, { id: 'wait' });
      await pause(LEASE_MS * 2);
      assert.equal(await statusOf(peer.at(2), taskId), 'working');
      stage.replicas[1]?.store.kill();
      const { error } = await peer.answer(waiting);
      assert.match(JSON.stringify(error), /E_CLOSED/);
      assert.equal(await statusOf(peer.at(2), taskId), 'failed');
    } finally {
      await stage.close();
    }
  });

  it('fails too where nobody waited for it', async () => {
    const stage = await stageReplicas();
    try {
      const { peer, taskId } = await begun(stage);
      stage.replicas[1]?.store.kill();
      await until(async () => (await statusOf(peer.at(2), taskId)) === 'failed', 'the task fails');
    } finally {
      await stage.close();
    }
  });

  it('stays failed when the replica was only asleep and goes on', async () => {
    const stage = await stageReplicas();
    try {
      const { peer, taskId } = await begun(stage);
      const { store } = stage.replicas[1] ?? assert.fail();
      store.pause();
      await until(async () => (await statusOf(peer.at(0), taskId)) === 'failed', 'the task fails');
      const failed = await peer.result('tasks/get', { taskId });
      stage.gate('g').open();
      store.resume();
      await pause(LEASE_MS);
      for (const at of [0, 1, 2]) assert.deepEqual(await peer.at(at).result('tasks/get', { taskId }), failed);
    } finally {
      await stage.close();
    }
  });
});
