import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compilePattern } from './pattern.ts';
import { buildProgram, Machine } from './regex/automaton.ts';
import { parsePattern } from './regex/syntax.ts';

const free = { spend: () => true };

function matches(source: string, text: string): boolean {
  const pattern = compilePattern(source);
  assert.notEqual(typeof pattern, 'string', `${source} compiles`);
  return typeof pattern !== 'string' && pattern.matches(text, free);
}

/** Runs a pattern on our own automaton, whether or not the native engine would be safe. */
function automaton(source: string): (text: string) => boolean {
  const syntax = parsePattern(source, 'u');
  assert.ok(syntax, `${source} parses`);
  const program = buildProgram(syntax);
  assert.ok(program, `${source} fits`);
  const machine = new Machine(program, { unicode: true, search: true });
  return (text) => machine.matches(text, free);
}

const STALLING: readonly [source: string, text: string][] = [
  ['^(a+)+$', `${'a'.repeat(50_000)}!`],
  ['^(a|a)*$', `${'a'.repeat(50_000)}!`],
  ['^(a|aa)+$', `${'a'.repeat(50_000)}!`],
  ['^(.*a){12}$', `${'a'.repeat(20_000)}!`],
  ['a+b', 'a'.repeat(100_000)],
  ['\\s+$', `${' '.repeat(100_000)}x`],
  ['^(\\w+\\s?)+$', `${'ab '.repeat(20_000)}!`],
  ['^\\s*(.*?)\\s*x$', ' '.repeat(50_000)],
  ['^([a-z0-9]+[-._]?)*@x$', 'a'.repeat(50_000)],
  ['^(?:(?:a?){20}a{20})+$', `${'a'.repeat(2000)}b`],
  ['(x+x+)+y', 'x'.repeat(50_000)],
  ['^(?=(?:a+)+$)a', `${'a'.repeat(50_000)}!`],
];

for (const [source, text] of STALLING) {
  test(`A pattern that could stall does not: ${source}`, () => {
    const started = performance.now();
    assert.equal(matches(source, text), false);
    assert.ok(performance.now() - started < 10_000, `took ${performance.now() - started} ms`);
  });
}

const ROWS: readonly [source: string, yes: readonly string[], no: readonly string[]][] = [
  ['^(?:a|b)+c$', ['abc', 'c'.padStart(9, 'a')], ['c', 'abcd']],
  ['^(?!.*\\.\\.)(?:[a-z]+\\.?)+@x$', ['a.b@x'], ['a..b@x', '@x']],
  ['(?:\\bfoo\\b.*)+x', ['a foo x', 'foo-x'], ['foox', 'afoo x']],
  ['^(?:[\\u{1F600}-\\u{1F64F}]\\p{L}*)+$', ['😀é', '😀😁x'], ['x', '😀1']],
  ['^(?:.\\n?)+$', ['😀', 'a\nb'], ['\n', '']],
  ['(?:a*)*', ['', 'b'], []],
  ['^(?:a{2,3}){2}$', ['aaaa', 'aaaaa', 'aaaaaa'], ['aaa', 'aaaaaaa']],
  ['^(?:(?:a|b)*)$|^c+d', ['', 'ab', 'ccd'], ['c', 'xab']],
  ['(?:[^a]+b)+$', ['xb', 'axbxb'], ['ab', 'xba']],
  ['^(?<year>\\d+)-(?:\\d+)*$', ['2-3', '2-'], ['-', 'a-']],
];

for (const [source, yes, no] of ROWS) {
  test(`Our automaton matches what the native engine matches: ${source}`, () => {
    const ours = automaton(source);
    for (const text of yes) assert.equal(ours(text), true, JSON.stringify(text));
    for (const text of no) assert.equal(ours(text), false, JSON.stringify(text));
    const native = new RegExp(source, 'u');
    for (const text of [...yes, ...no]) assert.equal(ours(text), native.test(text));
  });
}

test('Our automaton agrees with the native engine on any small pattern', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', '^', '$', '\\b', '\\B', 'é', '😀');
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,}', '*?'))
        .map(([part, times]) => `(?:${part})${times}`),
      fc.tuple(fc.constantFrom('=', '!'), tie('pattern')).map(([sign, part]) => `(?${sign}${part})`),
    ),
  }));
  // No character outside the basic plane: V8 lets an empty match begin inside one, the standard does not.
  const text = fc
    .array(fc.constantFrom('a', 'b', '1', ' ', 'é', '\n'), { maxLength: 8 })
    .map((parts) => parts.join(''));
  const property = fc.property(pattern, fc.array(text, { minLength: 3, maxLength: 3 }), (source, texts) => {
    const native = new RegExp(source, 'u');
    const ours = automaton(source);
    for (const one of texts) assert.equal(ours(one), native.test(one), JSON.stringify([source, one]));
  });
  fc.assert(property, { numRuns: 1500 });
});

test('A pattern Unicode mode refuses is read the older way', () => {
  assert.equal(matches('^[\\w\\-]+\\_\\@$', 'a-b_@'), true);
});

test('A match that runs out of steps is no match', () => {
  const pattern = compilePattern('^(?:(?!zz).)*$');
  assert.ok(typeof pattern !== 'string');
  let left = 100;
  const meter = {
    spend(count: number): boolean {
      left -= count;
      return left >= 0;
    },
  };
  assert.equal(pattern.matches('a'.repeat(1000), meter), false);
  assert.ok(left < 0);
});

const REFUSED: readonly [source: string, says: RegExp][] = [
  ['(', /is not a regular expression/],
  ['^(a+)+\\1$', /back reference/],
  ['(?<=a+)b*', /look behind/],
  [`${'('.repeat(60)}a*${')'.repeat(60)}`, /not supported/],
  ['^(?:a{1,5000}b)*$', /repeats too often/],
  ['a'.repeat(10_001), /longer than/],
];

for (const [source, says] of REFUSED) {
  test(`A pattern is refused: ${source.slice(0, 40)}`, () => {
    const refusal = compilePattern(source);
    assert.ok(typeof refusal === 'string');
    assert.match(refusal, says);
  });
}

test('Look behind and back references work where nothing repeats without end', () => {
  assert.equal(matches('(?<=a)b', 'ab'), true);
  assert.equal(matches('^(a|b)\\1$', 'bb'), true);
  assert.equal(matches('^(a|b)\\1$', 'ab'), false);
});
