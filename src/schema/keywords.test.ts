import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../model/json.ts';
import { compileSchema } from './compile.ts';

/** A conditional schema; written this way because an object with a literal `then` looks like a promise. */
function when(condition: Json, consequence: Json, alternative?: Json): JsonObject {
  return Object.fromEntries([
    ['if', condition],
    ['then', consequence],
    ['else', alternative],
  ]);
}

type Row = readonly [schema: JsonObject, valid: readonly unknown[], invalid: readonly unknown[]];

const own = JSON.parse('{"__proto__":1}');
const list = { $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['v'] } } };

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  type: [
    [{ type: 'integer' }, [1, 1.0, -0, 1e300], [1.5, '1', null, Number.NaN]],
    [{ type: 'number' }, [1.5], [Number.POSITIVE_INFINITY, '1', true]],
    [{ type: ['string', 'null'] }, ['', null], [0, [], {}]],
    [{ type: 'object' }, [{}], [[], null, undefined]],
  ],
  'const and enum': [
    [{ const: { a: [1, { b: null }] } }, [{ a: [1, { b: null }] }], [{ a: [1, { b: null, c: 1 }] }, { a: [1] }, null]],
    [{ const: null }, [null], [undefined, 0, false]],
    [{ enum: [0, '1', [], { a: 1, b: 2 }] }, [0, -0, '1', [], { b: 2, a: 1 }], [1, false, [0], { a: 1 }]],
    [{ const: { toString: 1 } }, [{ toString: 1 }], [{}]],
  ],
  numbers: [
    [{ minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'x'], [0.9, 3]],
    [{ exclusiveMinimum: 1, maximum: 3 }, [1.1, 3], [1, 3.1]],
    [{ multipleOf: 0.01 }, [0.07, 19.99, 4.35, 0, 1e20], [0.075, 1e-7]],
    [{ multipleOf: 0.1 }, [0.3, 1.1, -0.7], [0.35]],
    [{ multipleOf: 1e-8 }, [12391239123, 0.00000001], [1e-9]],
    [{ multipleOf: 0.123456789 }, [0.123456789], [1e308]],
    [{ multipleOf: 3 }, [9, -9, 0], [10, 9.5]],
  ],
  strings: [
    [{ minLength: 2 }, ['ab', '😀😀', 'a😀', 3], ['a', '😀', '']],
    [{ maxLength: 2 }, ['ab', '😀😀', ''], ['abc', '😀😀😀', '\ud83d\ud83d\ud83d']],
    [{ pattern: '^\\p{L}+$' }, ['héé'], ['h1', '']],
    [{ pattern: 'b' }, ['abc'], ['ac']],
    [{ pattern: '\\_x' }, ['a_x'], ['x']],
    [{ format: 'email' }, ['not an email'], []],
  ],
  arrays: [
    [{ minItems: 1, maxItems: 2 }, [[1], [1, 2], 'x'], [[], [1, 2, 3]]],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [[], ['a'], ['a', 1]], [[1], ['a', 'b']]],
    [{ prefixItems: [true], items: false }, [[1]], [[1, 2]]],
    [{ contains: { const: 1 } }, [[0, 1]], [[], [0]]],
    [
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [
        [1, 1],
        [1, 0, 1, 1],
      ],
      [[1], [1, 1, 1, 1]],
    ],
    [{ contains: { const: 1 }, minContains: 0 }, [[], [0]], []],
    [{ minContains: 5 }, [[]], []],
    [
      { uniqueItems: true },
      [
        [1, '1', true, null, [1], ['1']],
        [{ a: 1 }, { a: 2 }],
      ],
      [
        [1, 1.0],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [{ uniqueItems: true }, [Array.from({ length: 20 }, (_, index) => index)], [[...'abcdefghia'], [[[1]], [[1]]]]],
  ],
  objects: [
    [{ required: ['toString'] }, [{ toString: 1 }, []], [{}]],
    [{ required: ['__proto__'] }, [own], [{}]],
    [{ required: ['a'] }, [{ a: null }], [{ a: undefined }]],
    [{ properties: { constructor: { type: 'number' } } }, [{}, { constructor: 1 }], [{ constructor: 'x' }]],
    [JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), [{}, JSON.parse('{"__proto__":"x"}')], [own]],
    [{ additionalProperties: false }, [{}], [{ a: 1 }, own]],
    [
      { properties: { a: true }, patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
      [{ a: 1, x1: 2 }],
      [{ x1: 'x' }, { b: 1 }],
    ],
    [{ patternProperties: { a: { minimum: 1 }, b: { maximum: 3 } } }, [{ ab: 2, c: 9 }], [{ ab: 0 }, { ab: 4 }]],
    [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 2, c: 3 }]],
    [{ propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
    [{ dependentRequired: { a: ['b'] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    [{ dependentSchemas: { a: { maxProperties: 1 } } }, [{ a: 1 }, { b: 1, c: 1 }], [{ a: 1, b: 1 }]],
  ],
  combinations: [
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [0, 3]],
    [{ anyOf: [{ type: 'string' }, { minimum: 2 }] }, ['a', 2, null], [1]],
    [{ oneOf: [{ minimum: 2 }, { maximum: 3 }] }, [1, 4], [2]],
    [{ not: { type: 'string' } }, [1], ['a']],
    [when({ type: 'string' }, { minLength: 1 }, { minimum: 1 }), ['a', 1], ['', 0]],
    [JSON.parse('{"then":false,"else":false}'), [1], []],
  ],
  references: [
    [{ ...list, $ref: '#/$defs/node' }, [{ v: 1, next: { v: 2 } }], [{ v: 1, next: { next: { v: 1 } } }]],
    [{ $ref: '#x', $defs: { a: { $anchor: 'x', type: 'string' } } }, ['a'], [1]],
    [{ $id: 'http://h.test/r', $ref: 'i', $defs: { a: { $id: 'i', type: 'string' } } }, ['a'], [1]],
    [{ $id: 'urn:x:y', $ref: 'urn:x:y#/$defs/a', $defs: { a: { type: 'string' } } }, ['a'], [1]],
    [{ $ref: '#/$defs/a~1b/c%25', $defs: { 'a/b': { 'c%': { type: 'string' } } } }, ['a'], [1]],
    [{ $ref: '#/$defs/a', minLength: 2, $defs: { a: { type: 'string' } } }, ['ab'], ['a', 1]],
    [{ $ref: '#/unknown/deep', unknown: { deep: { unevaluatedProperties: false } } }, [{}], [{ a: 1 }]],
    [{ properties: { $ref: { type: 'string' } } }, [{ $ref: '#/nowhere' }], [{ $ref: 1 }]],
    [{ enum: [{ $id: 'http://h.test/', $ref: '#/nowhere' }] }, [{ $id: 'http://h.test/', $ref: '#/nowhere' }], [1]],
  ],
  'dynamic references': [
    [
      {
        $id: 'http://h.test/strings',
        $ref: 'list',
        $defs: {
          item: { $dynamicAnchor: 'item', type: 'string' },
          list: { $id: 'list', items: { $dynamicRef: '#item' }, $defs: { any: { $dynamicAnchor: 'item' } } },
        },
      },
      [['a']],
      [[1]],
    ],
    [
      {
        $id: 'http://h.test/plain',
        $ref: 'list',
        $defs: {
          item: { $dynamicAnchor: 'item', type: 'string' },
          list: { $id: 'list', items: { $dynamicRef: '#item' }, $defs: { any: { $anchor: 'item' } } },
        },
      },
      [['a'], [1]],
      [],
    ],
    [
      {
        $id: 'http://h.test/tree-closed',
        $dynamicAnchor: 'node',
        $ref: 'tree',
        unevaluatedProperties: false,
        $defs: {
          tree: {
            $id: 'tree',
            $dynamicAnchor: 'node',
            properties: { data: true, kids: { items: { $dynamicRef: '#node' } } },
          },
        },
      },
      [{ kids: [{ data: 1 }] }],
      [{ kids: [{ daat: 1 }] }],
    ],
  ],
  unevaluated: [
    [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, [{ a: 1 }, 3], [{ b: 1 }]],
    [
      {
        anyOf: [{ properties: { a: { const: 1 } }, required: ['a'] }, { properties: { b: true } }],
        unevaluatedProperties: false,
      },
      [{ a: 1, b: 1 }],
      [{ a: 2, b: 1 }],
    ],
    [
      {
        ...when({ properties: { a: { const: 1 } }, required: ['a'] }, { properties: { b: true } }),
        unevaluatedProperties: false,
      },
      [{ a: 1, b: 1 }],
      [{ b: 1 }],
    ],
    [{ not: { not: { properties: { a: true } } }, unevaluatedProperties: false }, [{}], [{ a: 1 }]],
    [{ allOf: [{ unevaluatedProperties: true }], unevaluatedProperties: false }, [{ a: 1 }], []],
    [{ allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] }, [{}], [{ a: 1 }]],
    [
      { $ref: '#/$defs/x', unevaluatedProperties: { type: 'number' }, $defs: { x: { properties: { a: true } } } },
      [{ a: 'x', b: 1 }],
      [{ b: 'x' }],
    ],
    [{ prefixItems: [true], unevaluatedItems: false }, [[1]], [[1, 2]]],
    [{ contains: { type: 'string' }, unevaluatedItems: { type: 'number' } }, [['a', 1]], [['a', null]]],
    [{ allOf: [{ items: true }], unevaluatedItems: false }, [[1, 2]], []],
    [
      {
        properties: { a: { items: { properties: { b: true } }, unevaluatedItems: false } },
        unevaluatedProperties: false,
      },
      [{ a: [{ b: 1, c: 1 }] }],
      [{ c: 1 }],
    ],
  ],
  'draft 7': [
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{ type: 'string' }],
        additionalItems: { type: 'number' },
      },
      [['a', 1]],
      [[1], ['a', 'b']],
    ],
    [
      { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { a: ['b'], c: { required: ['d'] } } },
      [{}, { a: 1, b: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema',
        $ref: '#/definitions/s',
        minLength: 5,
        definitions: { s: { type: 'string' } },
      },
      ['a'],
      [1],
    ],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $ref: '#s',
        definitions: { s: { $id: '#s', type: 'string' } },
      },
      ['a'],
      [1],
    ],
    [{ dependencies: { a: ['b'] }, additionalItems: false }, [{ a: 1 }, [1]], []],
  ],
};

for (const [family, rows] of Object.entries(ROWS)) {
  describe(`compileSchema decides ${family} as the standard does`, () => {
    for (const [schema, valid, invalid] of rows) {
      test(JSON.stringify(schema).slice(0, 120), () => {
        const compiled = compileSchema(schema);
        for (const value of valid) assert.deepEqual(compiled.check(value), [], `${JSON.stringify(value)} is valid`);
        for (const value of invalid)
          assert.notEqual(compiled.check(value).length, 0, `${JSON.stringify(value)} is not valid`);
      });
    }
  });
}
