import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../model/json.ts';
import type { Infer, InferInput } from './infer.ts';
import type { LiteralSchema, StandardSchema } from './standard.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only when the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['these types differ']): void {}

function infer<const S extends LiteralSchema>(_schema: S): Infer<S> {
  return undefined as Infer<S>;
}

test('Infer reads the types of a literal JSON Schema', () => {
  const weather = () =>
    infer({
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 1 },
        days: { type: 'integer' },
        units: { enum: ['c', 'f'] },
        kind: { const: 'daily' },
        note: { type: ['string', 'null'] },
        tags: { type: 'array', items: { type: 'string' } },
        place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
        anything: {},
        listed: { type: 'array' },
      },
      required: ['city', 'kind'],
    });
  same<
    ReturnType<typeof weather>,
    {
      city: string;
      kind: 'daily';
      days?: number;
      units?: 'c' | 'f';
      note?: string | null;
      tags?: string[];
      place?: { lat: number };
      anything?: Json;
      listed?: Json[];
    }
  >();
  assert.equal(weather(), undefined);
});

test('Infer reads alternatives and combinations', () => {
  same<Infer<{ anyOf: [{ type: 'string' }, { type: 'null' }] }>, string | null>();
  same<Infer<{ oneOf: [{ const: 1 }, { type: 'boolean' }] }>, 1 | boolean>();
  same<Infer<{ anyOf: [{ type: 'string' }, { minimum: 3 }] }>, Json>();
  type A = { type: 'object'; properties: { a: { type: 'string' } }; required: ['a'] };
  type B = { type: 'object'; properties: { b: { type: 'number' } } };
  same<Infer<{ allOf: [A, B] }>, { a: string; b?: number }>();
  same<Infer<{ type: 'object'; anyOf: [{ required: ['a'] }, { required: ['b'] }] }>, { [key: string]: Json }>();
});

test('Infer reads tuples and maps', () => {
  type Pair = { type: 'array'; prefixItems: [{ type: 'string' }, { type: 'number' }]; items: false };
  same<Infer<Pair>, [string?, number?]>();
  same<Infer<Pair & { minItems: 2 }>, [string, number]>();
  same<Infer<{ type: 'array'; prefixItems: [{ type: 'string' }]; minItems: 1 }>, [string, ...Json[]]>();
  same<Infer<{ type: 'object'; additionalProperties: { type: 'number' } }>, { [key: string]: number }>();
  same<Infer<{ type: 'object' }>, { [key: string]: Json }>();
});

test('Infer falls back where a schema says too little or goes too deep', () => {
  same<Infer<JsonObject>, JsonObject>();
  same<Infer<{ $ref: '#/$defs/x' }>, Json>();
  same<Infer<{ type: 'object'; properties: { never: false }; required: ['never'] }>, { never: never }>();
  type Nest<S, N extends 0[] = []> = N['length'] extends 40 ? S : Nest<{ type: 'array'; items: S }, [...N, 0]>;
  same<Infer<Nest<{ type: 'string' }>> extends Json[] ? true : false, true>();
});

test('Infer takes the output of a Standard Schema and InferInput its input', () => {
  same<Infer<StandardSchema<string, number>>, number>();
  same<InferInput<StandardSchema<string, number>>, string>();
  same<InferInput<{ type: 'string' }>, string>();
  type Callable = StandardSchema<{ a: string }, { a: Date }> & ((value: unknown) => void);
  same<Infer<Callable>, { a: Date }>();
});

test('The Equal of these tests tells types apart', () => {
  // @ts-expect-error a string is not a number
  same<string, number>();
  // @ts-expect-error an optional member is not a required one
  same<{ a?: string }, { a: string }>();
});
