import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../model/fault.ts';
import { parseMessage, parseText } from './parse.ts';

const LIMITS = { depth: 64 };

function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Fault, `threw ${String(error)}`);
    return error;
  }
  return assert.fail('nothing was thrown');
}

describe('parseMessage', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(parseMessage(Buffer.from(text), LIMITS), JSON.parse(text));
      }),
    );
  });

  it('refuses bytes that are not UTF-8', () => {
    const bad = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];
    for (const bytes of bad) {
      const fault = faultOf(() => parseMessage(Buffer.from([0x22, ...bytes, 0x22]), LIMITS));
      assert.equal(fault.code, 'E_PARSE');
      assert.match(fault.message, /UTF-8/);
    }
  });

  it('keeps every character that is UTF-8', () => {
    assert.equal(parseMessage(Buffer.from('"é€😀\\ud800\u2028"'), LIMITS), 'é€😀\ud800\u2028');
  });

  it('does not take a byte order mark for JSON', () => {
    assert.equal(faultOf(() => parseMessage(Buffer.from('\ufeff{}'), LIMITS)).code, 'E_PARSE');
  });

  it('says where the JSON breaks, and never what stood there', () => {
    const fault = faultOf(() => parseText('{"password":"hunter2",oops}', LIMITS));
    assert.equal(fault.code, 'E_PARSE');
    assert.equal(fault.message, 'Cannot read the message: not JSON at position 22');
    assert.deepEqual(fault.data, { position: 22 });
    assert.equal(fault.cause, undefined);
  });

  it('says so when the JSON ends too early', () => {
    for (const text of ['', '  ', '{', '{"a":1', '[1,', '"abc']) {
      assert.equal(
        faultOf(() => parseText(text, LIMITS)).message,
        'Cannot read the message: the JSON ends too early',
        text,
      );
    }
  });

  it('allows nesting up to the limit and refuses one level more', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    assert.ok(Array.isArray(parseText(nested(64), LIMITS)));
    assert.equal(faultOf(() => parseText(nested(65), LIMITS)).code, 'E_TOO_DEEP');
    const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    assert.ok(parseText(objects(64), LIMITS));
    assert.equal(faultOf(() => parseText(objects(65), LIMITS)).code, 'E_TOO_DEEP');
    assert.equal(faultOf(() => parseText('[]', { depth: 0 })).code, 'E_TOO_DEEP');
    assert.equal(parseText('1', { depth: 0 }), 1);
  });

  it('counts levels, not brackets', () => {
    const wide = `[${Array(500).fill('{"a":[]}').join(',')}]`;
    assert.equal((parseText(wide, { depth: 3 }) as unknown[]).length, 500);
    assert.equal(faultOf(() => parseText(wide, { depth: 2 })).code, 'E_TOO_DEEP');
  });

  it('does not count brackets in strings', () => {
    for (const inner of ['['.repeat(200), `"${'{'.repeat(200)}`, `\\${'['.repeat(200)}`, `\\"${'['.repeat(200)}\\\\`]) {
      const text = JSON.stringify({ a: inner, b: [inner] });
      assert.deepEqual(parseText(text, { depth: 2 }), { a: inner, b: [inner] });
      assert.equal(faultOf(() => parseText(text, { depth: 1 })).code, 'E_TOO_DEEP');
    }
  });

  it('measures depth like a full parse does', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    const value = fc.jsonValue({ maxDepth: 5, stringUnit: fc.constantFrom('[', '{', '"', '\\', '}', ']', 'a') });
    fc.assert(
      fc.property(value, (tree) => {
        const text = JSON.stringify(tree);
        const depth = depthOf(tree);
        assert.deepEqual(parseText(text, { depth }), JSON.parse(text));
        if (depth > 0) assert.equal(faultOf(() => parseText(text, { depth: depth - 1 })).code, 'E_TOO_DEEP');
      }),
      { numRuns: 1000 },
    );
  });

  it('answers four mebibytes of hostile text in little time', () => {
    const size = 4 * 1024 * 1024;
    const texts = [
      '['.repeat(size),
      '[]'.repeat(size / 2),
      `"${'\\"'.repeat(size / 2)}`,
      `["${'['.repeat(size)}`,
      '[1,'.repeat(20),
    ];
    const started = process.cpuUsage();
    for (const text of texts) assert.equal(faultOf(() => parseText(text, LIMITS)).kind.length > 0, true);
    assert.ok(process.cpuUsage(started).user < 3_000_000);
  });
});

it('the members of all objects are counted together, and not what looks like one in a string', () => {
  const limits = { depth: 64, keys: 10 };
  const filler = 'x'.repeat(100);
  const objects = (count: number) => `[${Array.from({ length: count }, () => '{"a":"::::"}').join()},"${filler}"]`;
  assert.equal((parseText(objects(10), limits) as unknown[]).length, 11);
  for (const text of [objects(11), `{${Array.from({ length: 11 }, (_, at) => `"${at}":{}`).join()},"z":"${filler}"}`])
    assert.throws(() => parseText(text, limits), { code: 'E_TOO_WIDE', data: { limit: 10 } });
  const quoted = JSON.stringify({ a: '":"'.repeat(1000), b: '\\": {"c":1}'.repeat(50) });
  assert.deepEqual(parseText(quoted, limits), JSON.parse(quoted));
  assert.throws(() => parseText(`{${'"a":0,'.repeat(60_000)}"b":0}`, { depth: 64 }), { code: 'E_TOO_WIDE' });
});

describe('parseText of a long text', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const membersOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    const inner = Object.values(value).reduce((sum, one) => sum + membersOf(one), 0);
    return inner + (Array.isArray(value) ? 0 : Object.keys(value).length);
  };
  const filler = fc.constantFrom('m', '[', '{"', '\\', ':', '\\"', 'ä').map((unit) => unit.repeat(20_000));
  const value = fc.jsonValue({ maxDepth: 4, stringUnit: fc.constantFrom('[', '{', '"', '\\', ':', 'a') });

  it('finds it too deep or too wide exactly when it is, wherever the long part stands', () => {
    fc.assert(
      fc.property(value, filler, fc.boolean(), (tree, long, first) => {
        const whole = first ? [long, tree] : [tree, long];
        const text = JSON.stringify(whole);
        const [depth, keys] = [depthOf(whole), membersOf(whole)];
        assert.deepEqual(parseText(text, { depth, keys }), JSON.parse(text));
        assert.equal(faultOf(() => parseText(text, { depth: depth - 1, keys })).code, 'E_TOO_DEEP');
        if (keys > 0) assert.equal(faultOf(() => parseText(text, { depth, keys: keys - 1 })).code, 'E_TOO_WIDE');
      }),
    );
  });

  it('refuses one that is not JSON, however plain it looks', () => {
    const long = 'm'.repeat(20_000);
    for (const text of [`"${long}`, `["${long}"`, `"${long}"]`, `["${long}\n"]`, `["${long}\\"]`, `{"${long}"}`, long])
      assert.equal(faultOf(() => parseText(text, LIMITS)).code, 'E_PARSE', text.slice(-10));
  });

  it('takes one with many strings, or with much between them', () => {
    const many = JSON.stringify(Array.from({ length: 5000 }, (_, at) => `${at}`));
    const numbers = JSON.stringify(Array.from({ length: 5000 }, (_, at) => at));
    for (const text of [many, numbers]) assert.deepEqual(parseText(text, LIMITS), JSON.parse(text));
    const deep = `${'['.repeat(65)}"${'m'.repeat(20_000)}"${']'.repeat(65)}`;
    assert.equal(faultOf(() => parseText(deep, LIMITS)).code, 'E_TOO_DEEP');
  });
});
