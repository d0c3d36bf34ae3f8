import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../model/json.ts';
import { compileSchema } from './compile.ts';
import { NO_ISSUES } from './issue.ts';

const MESSAGES: readonly [schema: JsonObject, value: unknown, ...issues: string[]][] = [
  [{ required: ['city', 'day'] }, {}, ' must have property "city"', ' must have property "day"'],
  [{ type: 'number' }, 'x', ' must be a number, got a string'],
  [{ type: 'integer' }, 1.5, ' must be an integer, got 1.5'],
  [{ type: ['string', 'null', 'array'] }, 1, ' must be a string, null or an array, got a number'],
  [{ type: 'object' }, undefined, ' must be an object, got nothing'],
  [{ enum: ['a', 'b'] }, 'c', ' must be one of "a", "b"'],
  [{ const: 1 }, 2, ' must be 1'],
  [{ additionalProperties: false }, { x: 1 }, ' must not have property "x"'],
  [{ properties: { a: true }, additionalProperties: false }, { x: 1 }, ' must not have property "x"; allowed: "a"'],
  [{ unevaluatedProperties: false }, { x: 1 }, ' must not have property "x"'],
  [{ properties: { 'a/b': { items: { minimum: 3 } } } }, { 'a/b': [3, 2] }, '/a~1b/1 must be at least 3'],
  [{ properties: { a: false } }, { a: 1 }, '/a is not allowed'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, ' must be a string or null, got a number'],
  [{ anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] }, 'a', ' must have at least 2 characters'],
  [
    {
      oneOf: [
        { properties: { k: { const: 'a' } }, required: ['v'] },
        { properties: { k: { const: 'b' } }, required: ['w'] },
      ],
    },
    { k: 'b' },
    ' must match one of the alternatives; the nearest one fails:',
    ' must have property "w"',
  ],
  [
    { propertyNames: { pattern: '^a' } },
    { b: 1 },
    ' must not have a property named "b": the name must match pattern "^a"',
  ],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ' must have property "b"'],
];

for (const [schema, value, ...issues] of MESSAGES) {
  test(`A failed check says what to do: ${issues.join()}`, () => {
    const found = compileSchema(schema).check(value);
    assert.deepEqual(
      found.map(({ path, message }) => `${path} ${message}`),
      issues,
    );
  });
}

test('A valid value always gets the same frozen empty list', () => {
  const compiled = compileSchema({
    type: 'object',
    properties: { a: { type: 'string' } },
    unevaluatedProperties: false,
  });
  assert.equal(compiled.check({ a: 'x' }), NO_ISSUES);
  assert.equal(compiled.check({ a: 1 }).length, 1);
  assert.equal(compiled.check({ a: 'x' }), NO_ISSUES);
  assert.ok(Object.isFrozen(NO_ISSUES));
});

test('A check stops at the issues it may report', () => {
  const value = Array.from({ length: 100 }, () => 'x');
  assert.equal(compileSchema({ items: { type: 'number' } }).check(value).length, 10);
  assert.equal(compileSchema({ items: { type: 'number' } }, { issues: 3 }).check(value).length, 3);
});

test('A check that is entered again while it runs does not mix the two up', () => {
  const compiled = compileSchema({ properties: { a: { properties: { b: { type: 'number' } } } } });
  const inner: string[] = [];
  const value = {
    get a() {
      inner.push(...compiled.check({ a: { b: 'x' } }).map((issue) => issue.path));
      return { b: true };
    },
  };
  assert.deepEqual(compiled.check(value), [{ path: '/a/b', message: 'must be a number, got a boolean' }]);
  assert.ok(inner.length > 0 && inner.every((path) => path === '/a/b'));
});

test('A check that threw leaves nothing behind for the next', () => {
  const compiled = compileSchema({ properties: { a: { type: 'number' } } });
  const broken = {
    get a(): unknown {
      throw new Error('broken');
    },
  };
  assert.throws(() => compiled.check(broken), /broken/);
  assert.deepEqual(compiled.check({ a: 'x' }), [{ path: '/a', message: 'must be a number, got a string' }]);
});

test('Boolean schemas take everything and nothing', () => {
  assert.equal(compileSchema(true).check(1), NO_ISSUES);
  assert.deepEqual(compileSchema(false).check(1), [{ path: '', message: 'is not allowed' }]);
});
