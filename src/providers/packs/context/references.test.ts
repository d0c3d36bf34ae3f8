import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../../model/json.ts';
import { expand, referencesIn } from './references.ts';

const VALUES = new Map<string, Json>([
  ['name', 'Alice'],
  ['list', [1, { a: '@name' }]],
  ['none', null],
]);
const expanded = (value: Json, most = 1000): Json => expand(value, { values: VALUES, most });

const CASES: readonly (readonly [Json, Json])[] = [
  ['@name', 'Alice'],
  ['@none', null],
  [{ a: ['@name', { b: '@list' }] }, { a: ['Alice', { b: [1, { a: '@name' }] }] }],
  ['@@name', '@name'],
  ['@@@name', '@@name'],
  ['@@', '@'],
  ['@', '@'],
  ['@name, hello', '@name, hello'],
  ['mail@name', 'mail@name'],
  [' @name', ' @name'],
  ['@1st', '@1st'],
  [{ '@name': 1 }, { '@name': 1 }],
  [
    [5, true, null, ''],
    [5, true, null, ''],
  ],
];
for (const [value, expected] of CASES) {
  test(`references in ${JSON.stringify(value)}`, () => assert.deepEqual(expanded(value), expected));
}

test('a value is looked at for names, at any depth', () => {
  assert.deepEqual([...(referencesIn({ a: [{ b: '@one' }, '@two'], c: '@one', d: '@@three' }) ?? [])], ['one', 'two']);
  assert.equal(referencesIn({ a: ['one', 'a@b', '@'], b: 5, c: null }), undefined);
  assert.deepEqual([...(referencesIn('@@x') ?? ['none'])], []);
});

test('any value can be said: with its leading @ doubled it comes back as it was', () => {
  const escaped = (value: unknown): Json => {
    if (typeof value === 'string') return value.startsWith('@') ? `@${value}` : value;
    if (Array.isArray(value)) return value.map(escaped);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, escaped(item)]));
    return value as Json;
  };
  const texts = fc.oneof(fc.string(), fc.constantFrom('@name', '@@', '@', '@list', '@x y'));
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      texts,
      fc.integer(),
      fc.array(tie('value')),
      fc.dictionary(fc.string(), tie('value')),
    ),
  })).value;
  fc.assert(
    fc.property(values, (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as Json;
      assert.deepEqual(JSON.parse(JSON.stringify(expanded(escaped(plain), 0))), plain);
    }),
  );
});

test('references that bring in too much are refused', () => {
  assert.throws(() => expanded(['@list', '@list'], 20), { code: 'E_TOOL_ERROR' });
  assert.doesNotThrow(() => expanded(['@list'], 20));
});

test('a key called __proto__ stays a key', () => {
  const value = JSON.parse('{"__proto__":{"a":"@name"}}') as Json;
  const result = expanded(value);
  assert.equal(JSON.stringify(result), '{"__proto__":{"a":"Alice"}}');
  assert.equal(Object.getPrototypeOf(result), Object.prototype);
});
