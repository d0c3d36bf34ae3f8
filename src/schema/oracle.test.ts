import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { compileSchema } from './compile.ts';

// The oracle is as plain as the words of the standard: no order, no speed, no messages.

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => typeof value === 'number' && value % 1 === 0,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isObject,
};

type Judge = (wanted: never, value: Json, schema: JsonObject) => boolean;

const members = (value: Json): [string, Json][] => (isObject(value) ? (Object.entries(value) as [string, Json][]) : []);
const elements = (value: Json): Json[] => (Array.isArray(value) ? value : []);
const sorted = (member: JsonObject) =>
  Object.fromEntries(
    Object.keys(member)
      .sort()
      .map((key) => [key, member[key]]),
  );
const text = (value: Json): string =>
  JSON.stringify(value, (_key, member) => (isObject(member) ? sorted(member) : member));

const JUDGES: Readonly<Record<string, Judge>> = {
  type: (type: string, value) => TYPES[type]!(value),
  enum: (allowed: Json[], value) => allowed.some((one) => text(one) === text(value)),
  const: (wanted: Json, value) => text(wanted) === text(value),
  minimum: (limit: number, value) => typeof value !== 'number' || value >= limit,
  maximum: (limit: number, value) => typeof value !== 'number' || value <= limit,
  minLength: (limit: number, value) => typeof value !== 'string' || [...value].length >= limit,
  maxLength: (limit: number, value) => typeof value !== 'string' || [...value].length <= limit,
  minItems: (limit: number, value) => !Array.isArray(value) || value.length >= limit,
  uniqueItems: (_: true, value) => new Set(elements(value).map(text)).size === elements(value).length,
  required: (names: string[], value) => !isObject(value) || names.every((name) => Object.hasOwn(value, name)),
  properties: (schemas: Record<string, Json>, value) =>
    members(value).every(([key, member]) => !Object.hasOwn(schemas, key) || accepts(schemas[key]!, member)),
  additionalProperties: (schema: Json, value, { properties }) =>
    members(value).every(
      ([key, member]) => Object.hasOwn((properties ?? {}) as JsonObject, key) || accepts(schema, member),
    ),
  items: (schema: Json, value) => elements(value).every((element) => accepts(schema, element)),
  contains: (schema: Json, value) => !Array.isArray(value) || value.some((element) => accepts(schema, element)),
  allOf: (schemas: Json[], value) => schemas.every((schema) => accepts(schema, value)),
  anyOf: (schemas: Json[], value) => schemas.some((schema) => accepts(schema, value)),
  oneOf: (schemas: Json[], value) => schemas.filter((schema) => accepts(schema, value)).length === 1,
  not: (schema: Json, value) => !accepts(schema, value),
};

function accepts(schema: Json, value: Json): boolean {
  if (!isObject(schema)) return schema === true;
  return Object.entries(schema).every(([keyword, wanted]) => JUDGES[keyword]!(wanted as never, value, schema));
}

const key = fc.constantFrom('a', 'b', 'toString', '__proto__');
const entries = (member: fc.Arbitrary<Json>) =>
  fc.array(fc.tuple(key, member), { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs) as Json);
const leaf = fc.constantFrom<Json>(null, true, false, 0, 1, 1.5, -2, '', 'a', '😀', 'abc');

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }) as fc.Arbitrary<Json>,
    entries(tie('value')),
  ),
}));

const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const few = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom(...Object.keys(TYPES)),
          enum: fc.array(value, { minLength: 1, maxLength: 3 }),
          minimum: fc.constantFrom(0, 1),
          maximum: fc.constantFrom(0, 1),
          minLength: fc.constantFrom(1, 2),
          maxLength: fc.constantFrom(0, 1),
          uniqueItems: fc.constant(true),
          required: fc.array(key, { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<Json>,
      fc
        .record(
          {
            properties: entries(tie('schema')),
            additionalProperties: tie('schema'),
            items: tie('schema'),
            minItems: fc.constant(1),
            contains: tie('schema'),
            const: value,
            allOf: few,
            anyOf: few,
            oneOf: few,
            not: tie('schema'),
          },
          { requiredKeys: [] },
        )
        .map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)) as Json),
    ),
  };
});

test('A compiled schema accepts exactly what the plain reading of the standard accepts', () => {
  const outcomes = { yes: 0, no: 0 };
  const property = fc.property(schema, fc.array(value, { minLength: 4, maxLength: 4 }), (one, values) => {
    const compiled = compileSchema(one as JsonObject | boolean);
    for (const candidate of values) {
      const accepted = accepts(one, candidate);
      outcomes[accepted ? 'yes' : 'no'] += 1;
      assert.equal(compiled.check(candidate).length === 0, accepted, JSON.stringify({ one, candidate }));
    }
  });
  fc.assert(property, { numRuns: 1500 });
  assert.ok(outcomes.yes > 500 && outcomes.no > 500, 'both outcomes are common');
});

test('A value that fails is told so in words and at a place that exists', () => {
  const property = fc.property(schema, value, (one, candidate) => {
    for (const { path, message } of compileSchema(one as JsonObject | boolean).check(candidate)) {
      assert.match(message, /^(?:must|is) /);
      assert.notEqual(at(candidate, path), undefined, `${path} exists`);
    }
  });
  fc.assert(property, { numRuns: 500 });
});

function at(root: Json, path: string): Json | undefined {
  let found: Json | undefined = root;
  for (const step of path.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as JsonObject)[step];
  }
  return found;
}
