import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, type FaultCode } from '../../model/fault.ts';
import { FAULTS } from '../../model/fault-codes.ts';
import { refusalHeaders, statusOf } from './status.ts';

const EXPECTED: Readonly<Record<string, number>> = {
  E_PARSE: 400,
  E_BAD_MESSAGE: 400,
  E_TOO_LARGE: 413,
  E_TOO_DEEP: 400,
  E_TOO_WIDE: 400,
  E_SLOW_BODY: 408,
  E_BATCH: 400,
  E_DUPLICATE_ID: 400,
  E_NOT_INITIALIZED: 400,
  E_ALREADY_INITIALIZED: 400,
  E_UNKNOWN_SESSION: 404,
  E_BAD_CLAIM: 400,
  E_UNSUPPORTED_REVISION: 400,
  E_MISSING_CAPABILITY: 400,
  E_HEADER_MISMATCH: 400,
  E_SCOPE: 403,
  E_RATE: 429,
  E_BUSY: 503,
  E_STORE_AWAY: 503,
  E_UNSURE: 504,
  E_CLOSED: 503,
};

describe('statusOf', () => {
  it('gives 202 where nothing is answered, and 200 to an answer', () => {
    assert.equal(statusOf(undefined), 202);
    assert.equal(statusOf({ text: '{}' }), 200);
  });

  it('tells who has too much from a server that is full', () => {
    const busy = (limit: string) => statusOf({ text: '', fault: new Fault('E_BUSY', 'no', { data: { limit } }) });
    assert.deepEqual([busy('sessionsPerPrincipal'), busy('sessions')], [429, 503]);
  });

  for (const code of Object.keys(FAULTS) as FaultCode[]) {
    it(`knows the status of ${code}`, () => {
      const reply = { text: '{}', fault: new Fault(code, 'no') };
      const unknown = FAULTS[code].kind === 'unknownMethod';
      assert.equal(statusOf(reply), EXPECTED[code] ?? 200);
      assert.equal(statusOf({ ...reply, modern: true }), EXPECTED[code] ?? (unknown ? 404 : 200));
    });
  }
});

describe('refusalHeaders', () => {
  it('says whole seconds, never less than was meant', () => {
    const wait = (retryAfterMs: unknown) =>
      refusalHeaders({
        text: '',
        fault: new Fault('E_BUSY', 'no', { data: { retryAfterMs: retryAfterMs as number } }),
      });
    assert.deepEqual(wait(1000), { 'retry-after': '1' });
    assert.deepEqual(wait(1001), { 'retry-after': '2' });
    assert.deepEqual(wait(1), { 'retry-after': '1' });
    assert.equal(wait('soon'), undefined);
    assert.equal(refusalHeaders(undefined), undefined);
    assert.equal(refusalHeaders({ text: '' }), undefined);
  });

  it('names the scopes an item takes, and nothing beside a result', () => {
    const fault = new Fault('E_SCOPE', 'no', { data: { scopes: ['read', 'admin'] } });
    const challenge = 'Bearer error="insufficient_scope", scope="read admin"';
    assert.deepEqual(refusalHeaders({ text: '', fault }), { 'www-authenticate': challenge });
  });
});
