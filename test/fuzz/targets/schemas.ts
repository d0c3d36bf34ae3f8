import type { JsonObject } from '../../../src/model/json.ts';
import { compileSchema, SchemaError } from '../../../src/schema/compile.ts';
import { compilePattern } from '../../../src/schema/pattern.ts';
import type { Random } from '../random.ts';
import { isPolluted, oddWords, tried, valueTarget } from '../simple.ts';
import { expect, shown, type Target } from '../target.ts';

// Schemas and patterns somebody else wrote, and values held against them: refused or compiled, answered, and in time.

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array', 'strnig', 7];
const WORDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];
const INSIDE = [
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'dependentSchemas', 'definitions'];
const REFS = [
  '#',
  '#/',
  '#/$defs/a',
  '#a',
  '#/properties/a',
  '#/allOf/0',
  'https://example.org/',
  '#/%',
  '#/~2',
  'a',
  '../',
  '#/$defs/a/$defs/a',
];
const KEYS = ['a', 'b', '', '__proto__', 'constructor', '^a', '.*', '(', '$ref'];
const PATTERN = [
  'a',
  'b',
  '.',
  '*',
  '+',
  '?',
  '{2}',
  '{0,9}',
  '{1000}',
  '(',
  ')',
  '(?:',
  '(?=',
  '(?<!',
  '[',
  ']',
  '[^a]',
  '\\d',
  '\\w',
  '\\b',
  '\\1',
  '\\p{L}',
  '|',
  '^',
  '$',
  '\\u{61}',
  '(a+)+',
  '(a|a)*',
  '\\',
];

function makeSchema(random: Random, depth: number): unknown {
  if (depth <= 0 || random.once(12)) return random.pick<unknown>([true, false, {}, null, 5, [], 'x']);
  const schema: Record<string, unknown> = {};
  for (let left = 1 + random.small(4); left > 0; left -= 1) addKeyword(schema, random, depth);
  return schema;
}

function addKeyword(schema: Record<string, unknown>, random: Random, depth: number): void {
  const inside = (): unknown => makeSchema(random, depth - 1);
  const map = (): unknown => Object.fromEntries(random.many(KEYS, random.small(3)).map((key) => [key, inside()]));
  switch (random.below(11)) {
    case 0:
      schema['type'] = random.once(4) ? random.many(TYPES, 2) : random.pick(TYPES);
      break;
    case 1:
      schema[random.pick(WORDS)] = random.pick<unknown>([0, 1, 2, -1, 1.5, 1e308, '1', null, true]);
      break;
    case 2:
      schema[random.pick(LISTS)] = random.once(9) ? {} : Array.from({ length: random.small(3) }, inside);
      break;
    case 3:
    case 4:
      schema[random.pick(MAPS)] = random.once(9) ? [] : map();
      break;
    case 5:
      schema[random.pick(['$ref', '$dynamicRef'])] = random.pick(REFS);
      break;
    case 6:
      schema[random.pick(['$id', '$anchor', '$dynamicAnchor', '$schema'])] = random.pick([
        ...REFS,
        'a',
        'http://json-schema.org/draft-07/schema#',
      ]);
      break;
    case 7:
      schema['pattern'] = random.many(PATTERN, random.small(6)).join('');
      break;
    case 8:
      schema[random.pick(['enum', 'const', 'required', 'default', 'format', 'dependentRequired'])] = makeValue(
        random,
        2,
      );
      break;
    default:
      schema[random.pick(INSIDE)] = inside();
  }
}

function makeValue(random: Random, depth: number): unknown {
  if (depth <= 0 || random.once(3)) {
    return random.pick<unknown>([
      null,
      true,
      0,
      1,
      2.5,
      -1,
      1e300,
      '',
      'a',
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
      'é\u{1f600}',
      '\ud800',
    ]);
  }
  if (random.once(2)) return Array.from({ length: random.small(5) }, () => makeValue(random, depth - 1));
  return Object.fromEntries(random.many(KEYS, random.small(4)).map((key) => [key, makeValue(random, depth - 1)]));
}

const schema = valueTarget<{ schema: JsonObject; values: unknown[] }>({
  name: 'schemas',
  says: 'schemas at random and values against them: compiled or refused, and always an end',
  weight: 2,
  make: (random) => ({
    schema: makeSchema(random, 1 + random.below(5)) as JsonObject,
    values: Array.from({ length: 4 }, () => makeValue(random, 3)),
  }),
  check: ({ schema: source, values }) => {
    const compiled = tried(() => compileSchema(source), SchemaError);
    if (compiled instanceof Error) {
      expect(/^Cannot compile schema: ./.test(compiled.message), () => `refused with ${shown(compiled.message)}`);
      return;
    }
    for (const value of values ?? []) {
      const issues = compiled.check(value);
      expect(Array.isArray(issues) && issues.length <= 10, () => `issues ${shown(issues)}`);
      expect(JSON.stringify(compiled.check(value)) === JSON.stringify(issues), 'a second check says something else');
    }
    expect(!isPolluted(), 'the prototype of all objects was changed');
  },
});

const SMALL = /^(?:[ab.|^$()]|\[\^?[ab]\]|\\[dwb]|[*+?](?![*+?]))*$/;

const patterns = valueTarget<{ source: string; text: string }>({
  name: 'patterns',
  says: 'regular expressions at random: in time, and as the engine would match them',
  make: (random) => ({
    source: random.many(PATTERN, 1 + random.small(7)).join(''),
    text: random.once(4) ? `${'a'.repeat(random.below(40_000))}!` : oddWords(random, ['a', 'b', 'ab', 'aa'], 8),
  }),
  check: ({ source, text }) => {
    if (typeof source !== 'string' || typeof text !== 'string') return;
    const made = compilePattern(source);
    if (typeof made === 'string') return expect(made !== '', 'refused without words');
    let left = 4_000_000;
    const found = made.matches(text, {
      spend: (steps: number) => {
        left -= steps;
        return left >= 0;
      },
    });
    if (left < 0 || text.length > 12 || !SMALL.test(source)) return;
    const native = new RegExp(source, 'u').test(text);
    expect(found === native, () => `matches: ${found}, by the engine: ${native}`);
  },
});

export const schemas: readonly Target[] = [schema, patterns];
