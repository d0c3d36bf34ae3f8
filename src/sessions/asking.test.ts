import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { action } from '../dialects/action.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { REVISIONS } from '../dialects/mcp/revisions.ts';
import { createSpeakers } from '../dialects/opening.ts';
import type { JsonObject } from '../model/json.ts';
import type { Question } from '../model/peer.ts';
import { Asking, type Memory, Suspended } from './asking.ts';

const speakers = createSpeakers({ revisions: REVISIONS, server: { name: 'x', version: '1' } });
const inReply = speakers.modern ?? assert.fail();
const form = (key?: string) => ({
  message: '?',
  schema: { type: 'object', properties: { n: { type: 'integer' } } },
  ...(key === undefined ? {} : { key }),
});

interface Setting {
  readonly dialect?: Dialect;
  readonly memory?: Memory;
  readonly answers?: JsonObject;
}

function desk({ dialect = inReply, memory, answers }: Setting = {}) {
  const suspended: { questions: string[]; memory: Memory }[] = [];
  const asking = new Asking({
    dialect,
    verb: 'tools.call',
    peer: { client: undefined, capabilities: { elicitation: {}, roots: {}, sampling: {} } },
    memory,
    answers,
    put: () => assert.fail('asked by a message'),
    hold: () => undefined,
    suspend: (questions: ReadonlyMap<string, Question>, kept) =>
      suspended.push({ questions: [...questions.keys()], memory: kept }),
  });
  return { asking, suspended };
}

describe('Asking', () => {
  it('puts every question of the same breath into one reply', async () => {
    const { asking, suspended } = desk();
    await assert.rejects(Promise.all([asking.elicit(form()), asking.roots()]), Suspended);
    assert.deepEqual(suspended, [{ questions: ['elicit-1', 'roots-2'], memory: { round: 1, answers: {}, done: {} } }]);
  });

  it('finds the answers of this round and of earlier ones, earlier ones first', async () => {
    const memory = { round: 1, answers: { first: { action: 'decline' } }, done: {} };
    const { asking, suspended } = desk({
      memory,
      answers: { first: { action: 'accept', content: {} }, second: { action: 'cancel' }, stray: {} },
    });
    assert.deepEqual(await asking.elicit(form('first')), { action: 'decline' });
    assert.deepEqual(await asking.elicit(form('second')), { action: 'cancel' });
    await assert.rejects(asking.elicit(form('third')), Suspended);
    assert.equal(suspended[0]?.memory.round, 2);
    assert.deepEqual(Object.keys(suspended[0]?.memory.answers ?? {}).sort(), ['first', 'second']);
  });

  it('refuses an answer that does not fit its question', async () => {
    const { asking } = desk({ answers: { a: { action: 'accept', content: { n: 'x' } }, b: 7 } });
    await assert.rejects(asking.elicit(form('a')), { code: 'E_BAD_PARAMS' });
    await assert.rejects(asking.elicit(form('b')), { name: 'Fault' });
  });

  it('cannot ask twice under one key', async () => {
    const { asking } = desk({ answers: { a: { action: 'decline' } } });
    await asking.elicit(form('a'));
    await assert.rejects(asking.elicit(form('a')), TypeError);
  });

  it('cannot ask who has no word for questions', async () => {
    const { asking } = desk({ dialect: action });
    await assert.rejects(asking.elicit(form()), { code: 'E_CANNOT_ASK' });
  });

  it('does a side effect once, however often and however soon it is asked for', async () => {
    const { asking } = desk();
    let ran = 0;
    const pay = () => asking.once('pay', () => ++ran);
    assert.deepEqual(await Promise.all([pay(), pay(), pay()]), [1, 1, 1]);
    assert.equal(await pay(), 1);
    assert.equal(ran, 1);
  });

  it('does not repeat what an earlier round did, and remembers that nothing came of it', async () => {
    const memory = { round: 1, answers: {}, done: { pay: 5, nothing: null } };
    const { asking } = desk({ memory });
    assert.equal(await asking.once('pay', () => assert.fail('done again')), 5);
    assert.equal(await asking.once('nothing', () => assert.fail('done again')), null);
    const first = desk();
    assert.equal(await first.asking.once('silent', () => undefined), undefined);
    await assert.rejects(first.asking.roots(), Suspended);
    assert.deepEqual(first.suspended[0]?.memory.done, { silent: null });
  });

  it('waits for work that has begun before it asks, and forgets work that failed', async () => {
    const { asking, suspended } = desk();
    void asking.once('slow', () => new Promise<number>((resolve) => setTimeout(() => resolve(3), 5)));
    const failing = asking.once('bad', () => Promise.reject(new Error('no')));
    await assert.rejects(asking.roots(), Suspended);
    assert.deepEqual(suspended[0]?.memory.done, { slow: 3 });
    await assert.rejects(failing, /no/);
  });
});
