import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { escapeHidden, portray, portrayText } from './portrait.ts';
import { createRedact, redactShapes } from './redact.ts';

const draw = (value: unknown, room = 5000): unknown => portray(value, { redact: redactShapes, room });

const fail = (): never => {
  throw new Error('trap');
};

describe('portray', () => {
  it('draws an error with its name, message, code and causes', () => {
    const cause = Object.assign(new RangeError('inner'), { code: 'EINNER' });
    const drawn = draw(new TypeError('outer', { cause })) as Record<string, Record<string, unknown>>;
    assert.equal(drawn['name'], 'TypeError');
    assert.equal(drawn['message'], 'outer');
    assert.match(String(drawn['stack']), /TypeError: outer/);
    assert.equal(drawn['cause']?.['message'], 'inner');
    assert.equal(drawn['cause']?.['code'], 'EINNER');
  });

  it('draws what JSON cannot carry', () => {
    const drawn = draw({ a: 10n, b: Symbol('s'), c: () => 1, d: Number.NaN, e: new Date(0), f: new Date(Number.NaN) });
    assert.deepEqual(
      { ...(drawn as object) },
      { a: '10', b: 'Symbol(s)', c: '[function]', d: 'NaN', e: '1970-01-01T00:00:00.000Z', f: 'Invalid Date' },
    );
    assert.equal(draw(new Uint8Array(3)), '[3 bytes]');
  });

  it('survives cycles, depth, traps, getters and a million members', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    assert.deepEqual(JSON.parse(JSON.stringify(draw(cycle))), { self: '[circular]' });
    const error = new Error('x');
    error.cause = error;
    assert.equal((draw(error) as { cause: unknown }).cause, '[circular]');
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    assert.doesNotMatch(JSON.stringify(draw(deep)), /bottom/);
    const trap = new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail });
    assert.equal(draw(trap), '[unreadable]');
    const getter = Object.defineProperty(new Error('x'), 'message', { get: fail });
    assert.equal((draw(getter) as { message: unknown }).message, '[unreadable]');
    assert.ok(JSON.stringify(draw(new Array(1_000_000).fill('x'))).length < 6000);
  });

  it('hides the values of secret names at every depth, and says where there is none', () => {
    const drawn = draw({
      headers: { Authorization: 'Bearer hunter2', cookie: '' },
      list: [{ password: 'hunter2' }],
      token: null,
    });
    assert.equal(
      JSON.stringify(drawn),
      '{"headers":{"Authorization":"[redacted]","cookie":""},"list":[{"password":"[redacted]"}],"token":null}',
    );
  });

  it('makes no prototype of a member', () => {
    const drawn = draw(JSON.parse('{"__proto__":{"polluted":true}}')) as object;
    assert.equal(Object.getPrototypeOf(drawn), null);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  it('takes no more room than it has, whatever it draws', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const drawn = draw(value, 100);
        JSON.stringify(drawn);
      }),
    );
    assert.ok(JSON.stringify(draw({ a: 'x'.repeat(1e6), b: 'y'.repeat(1e6) }, 100)).length < 200);
  });
});

describe('portrayText', () => {
  it('cuts at a character and says so', () => {
    assert.equal(portrayText('ab😀cd', { redact: redactShapes, room: 3 }), 'ab…');
    assert.equal(portrayText('ab', { redact: redactShapes, room: 3 }), 'ab');
  });

  it('shows no part of a known secret that stands across the cut', () => {
    const redact = createRedact(['hunter2-hunter2-hunter2']);
    for (let before = 0; before < 60; before += 1) {
      const shown = portrayText(`${'x'.repeat(before)}hunter2-hunter2-hunter2${'y'.repeat(5000)}`, {
        redact,
        room: 40,
      });
      assert.doesNotMatch(shown, /hunter/);
    }
  });
});

describe('escapeHidden', () => {
  it('spells out everything a terminal or an editor would obey, and nothing else', () => {
    assert.equal(
      escapeHidden('a\u001b[31mb\u202ec\u2028d\u{e0041}e\u007ff\u0085g'),
      'a\\u001b[31mb\\u202ec\\u2028d\\udb40\\udc41e\\u007ff\\u0085g',
    );
    assert.equal(escapeHidden('grüß 😀 漢字'), 'grüß 😀 漢字');
  });
});
