import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ToolBounds, ToolEntry } from '../../catalog/provider.ts';
import { Fault } from '../../model/fault.ts';
import { silent } from '../../model/log.ts';
import { createMemoryStore } from '../../store/memory.ts';
import type { Turn } from '../turn.ts';
import { createToolGate, type ToolGate } from './limit.ts';

const entryOf = (bounds: ToolBounds, name = 'slow'): ToolEntry => ({
  tool: { name, inputSchema: { type: 'object' } },
  bounds,
  run: () => ({ content: [] }),
});
const turnOf = (whose: { principal?: string; session?: string } = {}): Turn =>
  ({
    principal: whose.principal === undefined ? undefined : { id: whose.principal, scopes: [] },
    session: whose.session,
  }) as Turn;

function stage(): { gate: ToolGate; pass(ms: number): void } {
  let now = 0;
  const store = createMemoryStore({ now: () => now });
  return { gate: createToolGate({ counters: () => store.counters, log: silent }), pass: (ms) => (now += ms) };
}

function deferred() {
  let resolve = (_: string): void => {};
  let reject = (_: Error): void => {};
  const promise = new Promise<string>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const busy = (work: () => unknown, about: Record<string, unknown>) =>
  assert.throws(work, (error) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, 'E_TOOL_BUSY');
    assert.deepEqual(error.data, about);
    return true;
  });

describe('the rate of a tool', () => {
  const rated = entryOf({ rate: { perSecond: 2, burst: 2 } });

  it('lets a burst through at once, refuses the next call, and says when to come back', () => {
    const { gate, pass } = stage();
    const turn = turnOf({ session: 'a' });
    assert.equal(gate.admit(rated, turn), undefined);
    assert.equal(gate.admit(rated, turn), undefined);
    busy(() => gate.admit(rated, turn), { name: 'slow', retryAfterMs: 500 });
    pass(250);
    busy(() => gate.admit(rated, turn), { name: 'slow', retryAfterMs: 250 });
    pass(250);
    assert.equal(gate.admit(rated, turn), undefined);
  });

  it('counts each principal, each connection and all others apart, and each tool', () => {
    const { gate } = stage();
    const once = entryOf({ rate: { perSecond: 1, burst: 1 } });
    const callers = [{ principal: 'a' }, { principal: 'b' }, { session: 'a' }, { session: 'b' }, {}];
    for (const caller of callers) assert.equal(gate.admit(once, turnOf(caller)), undefined);
    assert.equal(gate.admit(entryOf({ rate: { perSecond: 1, burst: 1 } }, 'other'), turnOf()), undefined);
    for (const caller of callers) busy(() => gate.admit(once, turnOf(caller)), { name: 'slow', retryAfterMs: 1000 });
    busy(() => gate.admit(once, turnOf({ principal: 'a', session: 'new' })), { name: 'slow', retryAfterMs: 1000 });
  });

  it('tells the model how long to wait', () => {
    const { gate } = stage();
    const once = entryOf({ rate: { perSecond: 0.1, burst: 1 } });
    assert.equal(gate.admit(once, turnOf()), undefined);
    assert.throws(() => gate.admit(once, turnOf()), {
      message: 'Tool "slow" was called too often: wait 10 seconds before calling it again. Nothing was done',
    });
  });

  it('is not asked of a tool that has none', () => {
    const gate = createToolGate({ counters: () => assert.fail('counted'), log: silent });
    assert.equal(gate.admit(entryOf({ concurrency: 1 }), turnOf()), undefined);
  });

  it('lets calls through when the store fails, and says so once an outage', async () => {
    for (const take of [
      () => {
        throw new Error('away');
      },
      () => Promise.reject(new Error('away')),
    ]) {
      const logged: string[] = [];
      const gate = createToolGate({ counters: () => ({ take }), log: (severity) => void logged.push(severity) });
      for (let times = 0; times < 3; times += 1) await gate.admit(rated, turnOf());
      assert.deepEqual(logged, ['warn']);
    }
  });

  it('waits for an engine that answers later', async () => {
    const take = () => Promise.resolve({ ok: false, retryAfterMs: 5 } as const);
    const gate = createToolGate({ counters: () => ({ take }), log: silent });
    await assert.rejects(Promise.resolve(gate.admit(rated, turnOf())), { code: 'E_TOOL_BUSY' });
  });
});

describe('the concurrency of a tool', () => {
  const pair = entryOf({ concurrency: 2 });
  const turnedAway = { name: 'slow', concurrency: 2, retryAfterMs: 1000 };

  it('refuses more work than may run at once, and takes it again when some has ended or failed', async () => {
    const { gate } = stage();
    const first = deferred();
    const second = deferred();
    const running = [gate.occupy(pair, () => first.promise), gate.occupy(pair, () => second.promise)];
    busy(() => gate.occupy(pair, () => assert.fail('ran')), turnedAway);
    first.resolve('done');
    assert.equal(await running[0], 'done');
    assert.equal(
      gate.occupy(pair, () => 'at once'),
      'at once',
    );
    const third = gate.occupy(pair, () => new Promise(() => {}));
    assert.ok(third instanceof Promise);
    busy(() => gate.occupy(pair, () => 'x'), turnedAway);
    second.reject(new Error('broken'));
    await assert.rejects(Promise.resolve(running[1]), /broken/);
    assert.equal(
      gate.occupy(pair, () => 'at once'),
      'at once',
    );
  });

  it('frees the slot of work that throws', () => {
    const { gate } = stage();
    const one = entryOf({ concurrency: 1 });
    const broken = () => {
      throw new Error('broken');
    };
    for (let round = 0; round < 3; round += 1) assert.throws(() => gate.occupy(one, broken), /broken/);
    assert.equal(
      gate.occupy(one, () => 'fine'),
      'fine',
    );
  });

  it('is kept for each tool by itself', () => {
    const { gate } = stage();
    void gate.occupy(entryOf({ concurrency: 1 }), () => new Promise(() => {}));
    assert.equal(
      gate.occupy(entryOf({ concurrency: 1 }, 'other'), () => 'fine'),
      'fine',
    );
    assert.equal(
      gate.occupy(entryOf({ rate: { perSecond: 1, burst: 1 } }), () => 'fine'),
      'fine',
    );
  });
});
