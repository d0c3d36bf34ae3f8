import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../model/fault.ts';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import type { Turn } from '../turn.ts';
import { deadline } from './deadline.ts';

const CALL: Operation = { verb: 'tools.call', ask: { name: 'slow', input: {} } };
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

function createTurn(): Turn {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    signal,
    abort: (reason) => controller.abort(reason),
    onAbort: (listener) => signal.addEventListener('abort', listener),
    waited: () => 0,
  } as Turn;
}

function run(work: Promise<Answer<Verb>>, turn: Turn): Promise<Answer<Verb>> {
  return deadline(() => 30)(() => work as never)(CALL, turn) as Promise<Answer<Verb>>;
}

test('deadline ends the wait for work that takes too long, and tells the work', async () => {
  const turn = createTurn();
  await assert.rejects(run(new Promise(() => {}), turn), { code: 'E_DEADLINE' });
  assert.equal(turn.signal.aborted, true);
});

test('deadline holds no timer for work that was given up but never ends', () => {
  const before = timers();
  const turn = createTurn();
  void run(new Promise(() => {}), turn);
  assert.equal(timers(), before + 1);
  turn.abort(new Fault('E_CLOSED', 'gone'));
  assert.equal(timers(), before);
});

test('deadline holds no timer for work that ended', async () => {
  const before = timers();
  await run(Promise.resolve({ content: [] }), createTurn());
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(timers(), before);
});
