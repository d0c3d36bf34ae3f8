import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { Fault, ToolError } from '../../model/fault.ts';
import type { Eventually } from '../../model/json.ts';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import {
  type OperationEnded,
  type OperationStarted,
  operationEnded,
  operationStarted,
} from '../../telemetry/signals.ts';
import type { Dispatch } from '../dispatch.ts';
import type { Turn } from '../turn.ts';
import { trace } from './trace.ts';

const CALL: Operation<'tools.call'> = { verb: 'tools.call', ask: { name: 'add', input: { secret: 'hunter2' } } };
const RESULT = { content: [] };

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function hear() {
  const started: OperationStarted[] = [];
  const ended: OperationEnded[] = [];
  stops.push(
    operationStarted.listen((event) => started.push(event)),
    operationEnded.listen((event) => ended.push(event)),
  );
  return { started, ended };
}

function turn({ aborted = false } = {}): Turn {
  const controller = new AbortController();
  if (aborted) controller.abort();
  return { id: 'c1.7', dialect: 'mcp/2025-11-25', signal: controller.signal } as Turn;
}

const tracing = (work: () => Eventually<unknown>): Dispatch =>
  trace((() => work()) as <V extends Verb>(operation: Operation<V>) => Eventually<Answer<V>>);

async function outcome(work: () => Eventually<unknown>, given = turn()): Promise<string | undefined> {
  const { ended } = hear();
  try {
    await tracing(work)(CALL, given);
  } catch {}
  await Promise.resolve();
  assert.equal(ended.length, 1);
  return ended[0]?.outcome;
}

describe('trace', () => {
  it('touches nothing of the turn and adds no promise while nobody listens', () => {
    const untouchable = new Proxy({} as Turn, {
      get() {
        throw new Error('Touched');
      },
    });
    const promise = Promise.resolve(RESULT);
    assert.equal(tracing(() => promise)(CALL, untouchable), promise);
  });

  it('publishes one start and one end with the names and the time', async () => {
    const { started, ended } = hear();
    const wait = () => new Promise((resolve) => setTimeout(() => resolve(RESULT), 20));
    await tracing(wait)(CALL, turn());
    const names = { call: 'c1.7', verb: 'tools.call', dialect: 'mcp/2025-11-25', target: 'add' };
    assert.deepEqual(started, [names]);
    assert.equal(ended.length, 1);
    const { ms, ...rest } = ended[0]!;
    assert.deepEqual(rest, { ...names, outcome: 'ok' });
    assert.ok(ms >= 18 && ms < 2000, `${ms}`);
  });

  it('stays synchronous where the work is', () => {
    const { ended } = hear();
    assert.equal(tracing(() => RESULT)(CALL, turn()), RESULT as never);
    assert.equal(ended.length, 1);
  });

  it('never publishes what went in or came out', async () => {
    const { started, ended } = hear();
    await tracing(async () => ({ content: [{ type: 'text', text: 'classified' }] }))(CALL, turn());
    assert.doesNotMatch(JSON.stringify([started, ended]), /hunter2|classified/);
  });

  it('names no target where it could be a secret or anything', () => {
    const { started } = hear();
    tracing(() => ({ contents: [] }))({ verb: 'resources.read', ask: { uri: 'file:///etc/passwd' } }, turn());
    assert.equal(started[0]?.target, undefined);
  });

  it('gives back the rejection it saw, and handles it only for itself', async () => {
    hear();
    const fault = new Fault('E_BUSY', 'Busy');
    await assert.rejects(async () => tracing(() => Promise.reject(fault))(CALL, turn()), fault);
    assert.throws(
      () =>
        tracing(() => {
          throw fault;
        })(CALL, turn()),
      fault,
    );
  });

  const suspended = Object.assign(new Error('Later'), { name: 'Suspended' });
  const table: [string, string, () => Eventually<unknown>, Turn?][] = [
    ['a result', 'ok', () => RESULT],
    ['a promised result', 'ok', async () => RESULT],
    ['a result that says it failed', 'failed', async () => ({ content: [], failed: true })],
    ['a fault', 'E_UNKNOWN_TOOL', () => raise(new Fault('E_UNKNOWN_TOOL', 'No'))],
    ['a late fault', 'E_DEADLINE', async () => raise(new Fault('E_DEADLINE', 'Late'))],
    ['a tool that throws in its own words', 'E_TOOL_ERROR', async () => raise(new ToolError('No'))],
    ['a foreign error', 'E_INTERNAL', async () => raise(new TypeError('x'))],
    ['something thrown that is no error', 'E_INTERNAL', () => raise(7)],
    ['a call nobody waits for', 'cancelled', async () => raise(new Error('aborted')), turn({ aborted: true })],
    ['a deadline that aborted', 'E_DEADLINE', async () => raise(new Fault('E_DEADLINE', 'x')), turn({ aborted: true })],
    ['a question in the reply', 'asked', async () => raise(new Fault('E_INTERNAL', 'x', { cause: suspended }))],
    ['a bare suspension', 'asked', async () => raise(suspended), turn({ aborted: true })],
  ];
  for (const [what, expected, work, given] of table) {
    it(`calls the outcome of ${what} "${expected}"`, async () => assert.equal(await outcome(work, given), expected));
  }
});

function raise(error: unknown): never {
  throw error;
}
