import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { examine, type Rules, type Verdict } from './checker.ts';
import type { Entry, Happening } from './history.ts';

const CLIENT = 'client';
const NOTHING: Rules = { cuts: false, refuses: false, forgets: false, outage: false };
const sent = (id: string, stateless = false): Happening => ({ kind: 'sent', id, what: 'plain', stateless });
const answered = (id: string, code?: string): Happening => ({
  kind: 'answered',
  id,
  ...(code === undefined ? {} : { code }),
});
const event = (stream: string, number: number, bare = false): Happening => ({
  kind: 'event',
  session: 's',
  stream,
  number,
  bare,
});
const on: Happening = { kind: 'fault', phase: 'on' };
const off: Happening = { kind: 'fault', phase: 'off' };

/** A history in which something happens every ten milliseconds, or after so many as a number says. */
function history(...told: (Happening | number)[]): Entry[] {
  let at = 0;
  return told.flatMap((one) => {
    at += typeof one === 'number' ? one : 10;
    return typeof one === 'number' ? [] : [{ at, client: CLIENT, ...one }];
  });
}

function judged(rules: Partial<Rules>, ...told: (Happening | number)[]): Verdict {
  return examine(history(...told), new Map(), { ...NOTHING, ...rules });
}

function clean(verdict: Verdict): void {
  assert.deepEqual(verdict.problems, []);
}

describe('The checker', () => {
  it('finds nothing wrong with one answer to each request', () => {
    const verdict = judged({}, sent('a'), sent('b'), answered('b'), answered('a'));
    clean(verdict);
    assert.equal(verdict.requests, 2);
  });

  it('misses an answer, and counts one too many', () => {
    assert.equal(judged({}, sent('a')).lost, 1);
    assert.equal(judged({}, sent('a'), { kind: 'silent', id: 'a' }).lost, 1);
    assert.equal(judged({}, sent('a'), answered('a'), answered('a')).doubled, 1);
    assert.equal(judged({}, answered('never asked')).wrong, 1);
  });

  it('forgives a connection that is cut only while a fault lasts that may cut it', () => {
    const cut = [sent('a'), { kind: 'cut', id: 'a' } as const];
    assert.equal(judged({ cuts: true }, ...cut).lost, 1);
    assert.equal(judged({}, on, ...cut, off).lost, 1);
    assert.equal(judged({ cuts: true }, on, off, 60_000, ...cut).lost, 1);
    const verdict = judged({ cuts: true }, on, ...cut, off);
    clean(verdict);
    assert.equal(verdict.cut, 1);
  });

  it('lets an answer that came after all count', () => {
    clean(judged({}, sent('a'), { kind: 'cut', id: 'a' }, answered('a')));
    clean(judged({}, sent('a'), { kind: 'left', id: 'a' }));
  });

  it('allows a refusal for want of the store where it may be away, and never where none is needed', () => {
    const refused = [sent('a'), answered('a', 'E_STORE_AWAY')];
    clean(judged({ refuses: true }, on, ...refused, off));
    assert.equal(judged({}, on, ...refused, off).wrong, 1);
    assert.equal(judged({ refuses: true }, ...refused).wrong, 1);
    assert.equal(judged({ refuses: true }, on, sent('a', true), answered('a', 'E_STORE_AWAY'), off).wrong, 1);
    assert.equal(judged({ refuses: true }, on, sent('a'), 10_000, answered('a', 'E_STORE_AWAY'), off).wrong, 1);
  });

  it('allows no session and no event to be lost unless the engine loses data', () => {
    const told: Happening[] = [on, { kind: 'forgotten' }, sent('a'), { kind: 'gap', id: 'a' }, off];
    assert.deepEqual([judged({}, ...told).sessionsLost, judged({}, ...told).lost], [1, 1]);
    const forgetful = judged({ forgets: true }, ...told);
    clean(forgetful);
    assert.deepEqual([forgetful.sessionsLost, forgetful.gaps], [1, 1]);
    assert.equal(judged({}, { kind: 'gap', id: 'main' }).disordered, 1);
  });

  it('follows the numbers of each stream', () => {
    clean(judged({}, event('x1', 0, true), event('x1', 1), event('x1', 1, true), event('x1', 2)));
    clean(judged({}, event('0', 7), event('0', 8), event('x2', 1)));
    assert.equal(judged({}, event('x1', 0, true), event('x1', 2)).disordered, 1, 'a gap');
    assert.equal(judged({}, event('x1', 1), event('x1', 1)).disordered, 1, 'a repetition');
    assert.equal(judged({}, event('x1', 2)).disordered, 1, 'a beginning in the middle');
    assert.equal(judged({}, event('0', 8), event('0', 7)).disordered, 1, 'a step back');
  });

  it('sees that something ran twice, or was never done', () => {
    const twice = examine([], new Map([['key', 2]]), NOTHING);
    assert.equal(twice.startedTwice, 1);
    assert.equal(judged({}, { kind: 'undone', deed: 'plain', why: 'cut' }).lost, 1);
  });

  it('measures from when a client was hit, or from the end of an outage, to its next result', () => {
    const told: Happening[] = [on, sent('a'), answered('a', 'E_STORE_AWAY'), off, sent('b'), answered('b')];
    assert.deepEqual(judged({ refuses: true }, ...told).resumeMs, [30]);
    assert.deepEqual(judged({ refuses: true, outage: true }, ...told).resumeMs, [20]);
    assert.deepEqual(judged({}, on, sent('a'), answered('a'), off).resumeMs, []);
  });
});
