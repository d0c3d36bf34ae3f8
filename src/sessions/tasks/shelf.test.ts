import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../model/fault.ts';
import { limitsWith } from '../../model/limits.ts';
import { createMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { moved, type TaskRecord } from './record.ts';
import { TaskShelf } from './shelf.ts';

const ANN = { id: 'ann', scopes: [] };
const BOB = { id: 'bob', scopes: [] };
const recordOf = (id: string, created = 0): TaskRecord => ({
  id,
  status: 'working',
  created,
  updated: created,
  ttlMs: 1000,
  questions: {},
  answers: {},
});

function shelve(limits = {}, store: Store = createMemoryStore()) {
  const clock = { at: 0 };
  return {
    clock,
    store,
    shelf: new TaskShelf({ store: () => store, limits: limitsWith(limits), now: () => clock.at }),
  };
}

test('a task is found under the key of its principal and no other', async () => {
  const { shelf } = shelve();
  await shelf.create(shelf.keyOf('t', ANN), recordOf('t'), ANN);
  assert.equal((await shelf.read(shelf.keyOf('t', ANN)))?.id, 't');
  assert.equal(await shelf.read(shelf.keyOf('t', BOB)), undefined);
  assert.equal(await shelf.read(shelf.keyOf('t', undefined)), undefined);
  assert.deepEqual((await shelf.all(BOB)).length, 0);
});

test('no principal takes the room of another', async () => {
  const { shelf } = shelve({ tasks: 1 });
  await shelf.create(shelf.keyOf('a', ANN), recordOf('a'), ANN);
  await shelf.create(shelf.keyOf('b', BOB), recordOf('b'), BOB);
  await assert.rejects(
    async () => shelf.create(shelf.keyOf('c', ANN), recordOf('c'), ANN),
    (error) => error instanceof Fault && error.code === 'E_BUSY',
  );
  assert.equal(await shelf.read(shelf.keyOf('c', ANN)), undefined);
});

test('a task that exists is not made again', async () => {
  const { shelf } = shelve();
  const key = shelf.keyOf('t', ANN);
  await shelf.create(key, recordOf('t'), ANN);
  await assert.rejects(shelf.create(key, { ...recordOf('t'), remark: 'other' }, ANN), /exists already/);
  assert.equal((await shelf.read(key))?.remark, undefined);
});

test('of changes that race one ending wins, and the others are told so', async () => {
  const { shelf } = shelve();
  const key = shelf.keyOf('t', ANN);
  await shelf.create(key, recordOf('t'), ANN);
  const endings = ['completed', 'failed', 'cancelled'] as const;
  const won = await Promise.all(
    endings.map((status) => shelf.change(key, (record, now) => moved(record, { status }, now))),
  );
  const winners = won.filter((record) => record !== undefined);
  assert.equal(winners.length, 1);
  assert.equal((await shelf.read(key))?.status, winners[0]?.status);
});

test('changes that race and do not end the task are all kept', async () => {
  const { shelf } = shelve();
  const key = shelf.keyOf('t', ANN);
  await shelf.create(key, recordOf('t'), ANN);
  await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      shelf.change(key, (record, now) => moved(record, { answers: { ...record.answers, [name]: 1 } }, now)),
    ),
  );
  assert.deepEqual((await shelf.read(key))?.answers, { a: 1, b: 1, c: 1 });
});

test('a change does not prolong the life of a task', async () => {
  const now = { at: 0 };
  const store = createMemoryStore({ now: () => now.at });
  const shelf = new TaskShelf({ store: () => store, limits: limitsWith(), now: () => now.at });
  const key = shelf.keyOf('t', ANN);
  await shelf.create(key, recordOf('t'), ANN);
  now.at = 900;
  await shelf.change(key, (record, at) => moved(record, { remark: 'late' }, at));
  now.at = 999;
  assert.equal((await shelf.read(key))?.remark, 'late');
  now.at = 1001;
  assert.equal(await shelf.read(key), undefined);
  assert.equal(await shelf.change(key, (record, at) => moved(record, {}, at)), undefined);
  store.close();
});

test('whoever shares the store hears of a change', async () => {
  const store = createMemoryStore();
  const [here, there] = [shelve({}, store).shelf, shelve({}, store).shelf];
  const heard: string[] = [];
  there.follow((key) => heard.push(key));
  const key = here.keyOf('t', ANN);
  await here.create(key, recordOf('t'), ANN);
  await here.change(key, (record, now) => moved(record, { status: 'completed' }, now));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(heard, [key]);
  await there.close();
  await here.change(key, (record) => record);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(heard, [key]);
});

test('tasks are listed in the order they were made', async () => {
  const { shelf } = shelve();
  for (const [id, at] of [
    ['c', 2],
    ['b', 1],
    ['a', 2],
  ] as const)
    await shelf.create(shelf.keyOf(id, ANN), recordOf(id, at), ANN);
  assert.deepEqual(
    (await shelf.all(ANN)).map(({ id }) => id),
    ['b', 'a', 'c'],
  );
});
