import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../core/turn.ts';
import { limitsWith } from '../model/limits.ts';
import type { LiveTurn } from '../sessions/turn.ts';
import { Hub } from '../sessions/watch.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { LateTasks } from './late-tasks.ts';

const tasksOf = (store: () => Store) => new LateTasks({ store, hub: new Hub(), limits: limitsWith(), log: () => {} });
const unopened = () => assert.fail('nobody needs the store');

const job = (run: Job['run']): Job => ({ name: 'x', support: 'optional', wish: undefined, startsReleased: false, run });

function turnOf(defers: boolean, signal = new AbortController().signal): LiveTurn {
  return { parts: { dialect: { defers: () => defers } }, peer: {}, signal } as unknown as LiveTurn;
}

test('a call that becomes no task goes on at once', () => {
  assert.equal(tasksOf(unopened).defer(job(unopened), turnOf(false)), undefined);
});

test('a call whose client is gone before tasks are loaded starts nothing', async () => {
  const leaving = new AbortController();
  const deferred = tasksOf(unopened).defer(job(unopened), turnOf(true, leaving.signal));
  leaving.abort(new Error('gone'));
  await assert.rejects(async () => deferred, /gone/);
});

test('where there never was a task, draining and closing open no store', async () => {
  const tasks = tasksOf(unopened);
  await tasks.drain(10);
  await tasks.close();
});

test('a question about a task is answered by those that are loaded for it', async () => {
  const store = createMemoryStore();
  const tasks = tasksOf(() => store);
  await assert.rejects(tasks.get({ id: 'nobody' }, turnOf(false)), { code: 'E_UNKNOWN_TASK' });
  assert.deepEqual(await tasks.known(['nobody'], turnOf(false)), []);
  await tasks.close();
  await store.close();
});
