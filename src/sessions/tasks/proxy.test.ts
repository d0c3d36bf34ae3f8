import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import { limitsWith } from '../../model/limits.ts';
import { silent } from '../../model/log.ts';
import { createMemoryStore } from '../../store/memory.ts';
import type { LiveTurn } from '../turn.ts';
import { TaskProxy } from './proxy.ts';
import type { TaskRecord } from './record.ts';
import { TaskShelf } from './shelf.ts';

const RECORD: TaskRecord = {
  id: 't',
  status: 'input_required',
  created: 0,
  updated: 0,
  ttlMs: 60_000,
  questions: { k: { kind: 'roots', ask: {} } },
  answers: {},
  asked: { k: null },
};
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

type Put = (signal: AbortSignal) => Promise<JsonObject>;

/** A task with one question that is to be put to whoever waits, and proxies whose clients fare like this. */
async function ask(...puts: readonly Put[]) {
  const store = createMemoryStore();
  const limits = limitsWith();
  const shelf = new TaskShelf({ store: () => store, limits, now: () => 1 });
  const key = shelf.keyOf('t', undefined);
  await shelf.create(key, RECORD, undefined);
  const proxies = puts.map((put) => {
    const questions = { put: (_: unknown, { signal }: { signal: AbortSignal }) => put(signal) };
    const turn = { parts: { seat: { ready: () => undefined, questions }, dialect: {}, wireId: 1 } };
    return new TaskProxy({ key, shelf, turn: turn as unknown as LiveTurn, limits, log: silent });
  });
  for (const proxy of proxies) proxy.look(RECORD);
  await settled();
  const read = async (): Promise<TaskRecord> => (await shelf.read(key)) ?? assert.fail();
  return { proxies, read };
}

/** A client that does not answer before nobody wants it to. */
const never: Put = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('TaskProxy', () => {
  it('leaves the answer of its client in the record, where one of several asks', async () => {
    let asked = 0;
    const put: Put = async () => {
      asked += 1;
      return { roots: [] };
    };
    const { read } = await ask(put, put);
    const { answers, questions, status } = await read();
    assert.deepEqual([asked, answers, questions, status], [1, { k: { roots: [] } }, {}, 'working']);
  });

  it('lets somebody else ask when its client waits no more', async () => {
    const { proxies, read } = await ask(never, async () => ({ roots: [] }));
    assert.notEqual((await read()).asked?.['k'], null);
    proxies[0]?.close();
    await settled();
    assert.equal((await read()).asked?.['k'], null);
    proxies[1]?.look(await read());
    await settled();
    assert.deepEqual((await read()).answers, { k: { roots: [] } });
  });

  it('says that its client refused', async () => {
    const { read } = await ask(() => Promise.reject(new Fault('E_REFUSED', 'no')));
    assert.deepEqual((await read()).answers, { k: { refused: 'no' } });
  });
});
