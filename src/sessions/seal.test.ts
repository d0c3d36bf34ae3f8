import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../model/fault.ts';
import { createSealer, digest } from './seal.ts';

const PAYLOAD = { round: 1, answers: { name: 'Ada ☺' }, done: {} };
const BOUND = 'tools.call of somebody';

function refused(work: () => unknown, reason = /requestState/): void {
  assert.throws(work, (error: unknown) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, 'E_BAD_STATE');
    assert.match(error.message, reason);
    return true;
  });
}

describe('Sealer', () => {
  const sealer = createSealer({ secrets: ['first'], ttlMs: 1000, now: () => 5000 });
  const sealed = sealer.seal(PAYLOAD, BOUND);

  it('opens what it sealed, and shows nothing of it', () => {
    assert.deepEqual(sealer.open(sealed, BOUND), PAYLOAD);
    assert.match(sealed, /^[\w-]+$/);
    assert.equal(Buffer.from(sealed, 'base64url').includes('Ada'), false);
  });

  it('seals the same thing differently every time', () => {
    assert.notEqual(sealer.seal(PAYLOAD, BOUND), sealed);
  });

  it('refuses every text in which one bit is another', () => {
    const bytes = Buffer.from(sealed, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7));
      refused(() => sealer.open(altered.toString('base64url'), BOUND));
    }
  });

  it('refuses every text that is cut short or goes on', () => {
    for (let length = 0; length < sealed.length; length += 1)
      refused(() => sealer.open(sealed.slice(0, length), BOUND));
    for (const more of ['A', 'AA', 'AAAA']) refused(() => sealer.open(sealed + more, BOUND));
  });

  it('refuses every other spelling of the same bytes', () => {
    const bytes = Buffer.from(sealed, 'base64url');
    const spellings = [
      bytes.toString('base64'),
      `${sealed}=`,
      `${sealed}==`,
      ` ${sealed}`,
      `${sealed}\n`,
      `${sealed.slice(0, 9)} ${sealed.slice(9)}`,
      `${sealed.slice(0, 9)}.${sealed.slice(9)}`,
      bytes.toString('hex'),
    ];
    for (const spelling of spellings.filter((text) => text !== sealed)) refused(() => sealer.open(spelling, BOUND));
  });

  it('refuses what was sealed for something else', () => {
    for (const bound of ['', 'tools.call', `${BOUND} `, digest('tools.call')])
      refused(() => sealer.open(sealed, bound));
  });

  it('refuses what has expired, from that very moment on', () => {
    const open = (now: number) => createSealer({ secrets: ['first'], ttlMs: 1, now: () => now }).open(sealed, BOUND);
    assert.deepEqual(open(5999), PAYLOAD);
    refused(() => open(6000), /expired/);
    refused(() => open(60_000), /expired/);
  });

  it('opens what an older secret sealed while it is still given, and seals with the newest', () => {
    const both = createSealer({ secrets: ['second', 'first'], ttlMs: 1000, now: () => 5000 });
    const second = createSealer({ secrets: ['second'], ttlMs: 1000, now: () => 5000 });
    assert.deepEqual(both.open(sealed, BOUND), PAYLOAD);
    assert.deepEqual(second.open(both.seal(PAYLOAD, BOUND), BOUND), PAYLOAD);
    refused(() => second.open(sealed, BOUND), /key/);
    refused(() => sealer.open(both.seal(PAYLOAD, BOUND), BOUND), /key/);
  });

  it('opens nothing that is no object inside', () => {
    refused(() => sealer.open(sealer.seal([] as never, BOUND), BOUND));
    refused(() => sealer.open(sealer.seal('text' as never, BOUND), BOUND));
  });

  it('cannot be made without a secret', () => {
    assert.throws(() => createSealer({ secrets: [], ttlMs: 1 }), TypeError);
  });
});

describe('digest', () => {
  it('does not mind the order of members, and minds everything else', () => {
    const same = digest('call', { a: 1, b: [1, { c: 2, d: null }] }, 'alice');
    assert.equal(digest('call', { b: [1, { d: null, c: 2 }], a: 1 }, 'alice'), same);
    for (const other of [
      digest('call', { a: 1, b: [{ c: 2, d: null }, 1] }, 'alice'),
      digest('call', { a: '1', b: [1, { c: 2, d: null }] }, 'alice'),
      digest('call', { a: 1, b: [1, { c: 2 }] }, 'alice'),
      digest('call', { a: 1, b: [1, { c: 2, d: null }] }, 'bob'),
      digest('call', { a: 1, b: [1, { c: 2, d: null }] }, undefined),
      digest('read', { a: 1, b: [1, { c: 2, d: null }] }, 'alice'),
    ])
      assert.notEqual(other, same);
  });

  it('keeps nobody and an empty name apart, and parts from each other', () => {
    assert.notEqual(digest('a', undefined), digest('a', ''));
    assert.notEqual(digest('a', 'b'), digest('ab'));
    assert.notEqual(digest('a,b'), digest(['a', 'b']));
  });
});
