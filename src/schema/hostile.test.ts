import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import type { JsonObject } from '../model/json.ts';
import { compileSchema, SchemaError } from './compile.ts';

const FAST_MS = 15_000;

function bomb(keyword: 'allOf' | 'anyOf' | 'oneOf'): JsonObject {
  const $defs: JsonObject = { d40: { type: 'string' } };
  for (let level = 0; level < 40; level += 1) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { [keyword]: [next, next] };
  }
  return { $ref: '#/$defs/d0', $defs };
}

function nestedList(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

/** Every level tries the level below it twice, in the schema itself and not by reference. */
function nestedAlternatives(depth: number): JsonObject {
  const $defs: JsonObject = { l0: { allOf: [{ required: ['b'] }] } };
  for (let level = 1; level <= depth; level += 1) {
    const below = { $ref: `#/$defs/l${level - 1}` };
    $defs[`l${level}`] = { oneOf: [{ allOf: [below] }, { anyOf: [below, { not: below }] }] };
  }
  return { $ref: `#/$defs/l${depth}`, $defs };
}

function many(count: number, schema: (index: number) => JsonObject): JsonObject[] {
  return Array.from({ length: count }, (_, index) => schema(index));
}

const REFUSED: readonly [says: RegExp, schema: unknown][] = [
  [/unknown type "strin".* at \/properties\/x\/type$/, { properties: { x: { type: 'strin' } } }],
  [/"type" must not be empty/, { type: [] }],
  [/"required" must be a list of property names/, { properties: { x: { required: true } } }],
  [/"minimum" must be a number/, { minimum: '1' }],
  [/"multipleOf" must be greater than 0/, { multipleOf: 0 }],
  [/"minLength" must be a non-negative integer/, { minLength: -1 }],
  [/"enum" must be a list/, { enum: 'a' }],
  [/"anyOf" must not be empty/, { anyOf: [] }],
  [/"allOf" must be a list of schemas/, { allOf: {} }],
  [/"properties" must be an object/, { properties: [] }],
  [/"uniqueItems" must be true or false/, { uniqueItems: 1 }],
  [/use "prefixItems" at \/items$/, { items: [{}] }],
  [/a schema must be an object or a boolean at \/not$/, { not: 3 }],
  [/a schema must be an object or a boolean/, null],
  [/nothing is at reference "#\/\$defs\/x" at \/properties\/a$/, { properties: { a: { $ref: '#/$defs/x' } } }],
  [/nothing is at reference "#x"/, { $ref: '#x' }],
  [/nothing is at reference/, { $ref: '#/type', type: 'string' }],
  [/leads outside the schema/, { $ref: 'https://example.com/schema.json' }],
  [/leads outside the schema/, { $ref: 'file:///etc/passwd' }],
  [/"\$ref" must be a string/, { $ref: 1 }],
  [/is not a valid reference/, { $ref: 'http://[' }],
  [/anchor "a" is used twice/, { $defs: { x: { $anchor: 'a' }, y: { $anchor: 'a', type: 'string' } } }],
  [
    /dialect "http:\/\/json-schema.org\/draft-04\/schema#" is not supported/,
    { $schema: 'http://json-schema.org/draft-04/schema#' },
  ],
  [/pattern "\(" is not a regular expression at \/pattern$/, { pattern: '(' }],
  [/not a regular expression at \/patternProperties\/\[$/, { patternProperties: { '[': true } }],
  [/repeats too often/, { pattern: '^(a{1,100000}c)+b$' }],
  [/a look behind or a back reference/, { pattern: '^(a+)+\\1$' }],
  [/patterns are too large together/, { allOf: many(40, (index) => ({ pattern: `^(?:a{1,1000}${index})+$` })) }],
  [/nested deeper than 200 levels/, { enum: [nestedList(300)] }],
  [/has more than 100000 values/, { enum: Array.from({ length: 100_001 }, () => 0) }],
  [/is longer than 1000000 characters/, { description: 'x'.repeat(1_000_001) }],
  [/a function is not JSON at \/default$/, { default: () => 1 }],
  [/a bigint is not JSON/, { const: 1n }],
];

for (const [says, schema] of REFUSED) {
  test(`A schema is refused: ${says.source}`, () => {
    assert.throws(
      () => compileSchema(schema as JsonObject),
      (error) => {
        assert.ok(error instanceof SchemaError && error instanceof TypeError);
        assert.match(error.message, /^Cannot compile schema: /);
        assert.match(error.message, says);
        return true;
      },
    );
  });
}

test('A schema that holds itself as an object is refused, not followed for ever', () => {
  const schema: JsonObject = {};
  schema['not'] = schema;
  assert.throws(() => compileSchema(schema), /nested deeper/);
});

const large = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]));
const COSTLY: readonly [what: string, schema: JsonObject, value: unknown][] = [
  ['references that double', bomb('allOf'), 'x'],
  ['alternatives that double', bomb('anyOf'), 1],
  ['exclusive alternatives that double', bomb('oneOf'), 'x'],
  ['a reference to itself', { $ref: '#' }, 1],
  [
    'two schemas that refer to each other',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    1,
  ],
  ['a negation of itself', { not: { $ref: '#' } }, 1],
  ['deep data under a recursive schema', { items: { $ref: '#' } }, nestedList(100_000)],
  ['deep data under uniqueItems', { uniqueItems: true }, [nestedList(100_000), 1]],
  [
    'deep data under a recursive schema that tracks and scopes',
    {
      $id: 'http://h.test/',
      $dynamicAnchor: 'n',
      anyOf: [{ const: 1 }, { allOf: [{ if: false, else: { oneOf: [false, { items: { $dynamicRef: '#n' } }] } }] }],
      unevaluatedItems: false,
    },
    nestedList(100_000),
  ],
  ['many counts of a large object', { allOf: many(5000, (index) => ({ maxProperties: 1e7 + index })) }, large],
  [
    'many patterns on a large object',
    {
      patternProperties: Object.fromEntries(many(2000, (index) => ({ [`^x${index}`]: true })).flatMap(Object.entries)),
    },
    large,
  ],
  [
    'many walks of a large array',
    { allOf: many(5000, () => ({ items: true })) },
    Array.from({ length: 100_000 }, () => 1),
  ],
  [
    'many counts of a long string',
    { allOf: many(5000, (index) => ({ maxLength: 900_000 + index, minLength: 600_000 })) },
    'x'.repeat(1_000_000),
  ],
  [
    'many walks under uniqueItems',
    { allOf: many(200, () => ({ uniqueItems: true })) },
    many(100_000, (at) => ({ at })),
  ],
  ['alternatives nested deep, each tried at every level', nestedAlternatives(60), { a: 1 }],
  ['exact division of many numbers', { items: { multipleOf: 1e-300 } }, Array.from({ length: 200_000 }, () => 1e300)],
];

for (const [what, schema, value] of COSTLY) {
  test(`A check gives up instead of hanging: ${what}`, () => {
    const compiled = compileSchema(schema);
    const started = performance.now();
    const issues = compiled.check(value);
    assert.ok(performance.now() - started < FAST_MS, `took ${performance.now() - started} ms`);
    assert.notEqual(issues.length, 0);
    assert.match(
      issues.map((issue) => issue.message).join(),
      /is (?:too complex|nested too deeply) to check|must have at most/,
    );
  });
}

test('A check that gave up leaves the schema usable', () => {
  const compiled = compileSchema({ items: { $ref: '#' } });
  assert.equal(compiled.check(nestedList(100_000)).length, 1);
  assert.equal(compiled.check(nestedList(50)).length, 0);
});

test('A value compared with many literals costs no more than the literals', () => {
  const literals = many(5000, (index) => ({ k0: 0, z: index }));
  const started = performance.now();
  assert.equal(compileSchema({ enum: literals }).check(large).length, 1);
  assert.ok(performance.now() - started < FAST_MS);
});

test('Distinct objects are told apart in better than quadratic time', () => {
  const value = Array.from({ length: 20_000 }, (_, index) => ({ a: index, b: [index] }));
  const started = performance.now();
  assert.equal(compileSchema({ uniqueItems: true }).check(value).length, 0);
  assert.equal(compileSchema({ uniqueItems: true }).check([...value, { b: [7], a: 7 }]).length, 1);
  assert.ok(performance.now() - started < FAST_MS);
});

test('A message quotes only the beginning of what a client sent', () => {
  const [issue] = compileSchema({ additionalProperties: { type: 'string' }, maxProperties: 1 }).check({
    ['k'.repeat(100_000)]: 1,
  });
  assert.ok(issue !== undefined && issue.path.length < 100);
});

test('A hundred thousand different items are told to be so within the steps of one check', () => {
  const { check } = compileSchema({ uniqueItems: true });
  assert.deepEqual(check(many(100_000, (at) => ({ at }))), []);
  assert.match(
    check([...many(100_000, (at) => ({ at })), { at: 5 }])[0]?.message ?? '',
    /item 100000 equals one before it/,
  );
});

test('A reference to another machine is refused without asking that machine', async () => {
  let connections = 0;
  const server = createServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/schema.json`;
  for (const schema of [
    { $ref: url },
    { $ref: `${url}#/$defs/a` },
    { $id: url, $ref: 'other.json' },
    { properties: { a: { $dynamicRef: url } } },
    { $schema: url },
  ])
    assert.throws(() => compileSchema(schema), SchemaError);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(connections, 0);
  server.close();
});
