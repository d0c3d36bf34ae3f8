import type { Json, JsonObject } from '../model/json.ts';
import type { StandardSchema } from './standard.ts';

// Inside, `unknown` means that a schema does not say; at the edges it becomes `Json`.

/** The type a handler gets for a schema: what a Standard Schema puts out, or what a literal JSON Schema describes. */
export type Infer<S> = S extends StandardSchema ? StandardTypes<S>['output'] : InferJson<S>;

/** The type a caller gives for a schema: what a Standard Schema takes in, or what a literal JSON Schema describes. */
export type InferInput<S> = S extends StandardSchema ? StandardTypes<S>['input'] : InferJson<S>;

type StandardTypes<S extends StandardSchema> = NonNullable<S['~standard']['types']>;

type InferJson<S> = JsonObject extends S ? JsonObject : Said<Describe<S, []>>;

type Said<T> = unknown extends T ? Json : T;

/** How deep a type is worked out before it is left at `Json`. */
type DeepestLevel = 12;

type Member<S, Level extends unknown[]> = Said<Describe<S, [...Level, 0]>>;

type Describe<S, Level extends unknown[]> = Level['length'] extends DeepestLevel
  ? unknown
  : S extends false
    ? never
    : S extends { readonly const: infer Value }
      ? Mutable<Value>
      : S extends { readonly enum: readonly (infer Value)[] }
        ? Mutable<Value>
        : Flat<Typed<S, Level> & AnyOf<S, Level> & OneOf<S, Level> & AllOf<S, Level>>;

type Mutable<T> = T extends readonly unknown[] | { readonly [key: string]: unknown }
  ? { -readonly [K in keyof T]: Mutable<T[K]> }
  : T;

// Joins an intersection of objects into one object, and leaves everything else alone.
type Flat<T> = unknown extends T
  ? unknown
  : T extends readonly unknown[] | null | string | number | boolean
    ? T
    : { [K in keyof T]: T[K] };

type AnyOf<S, Level extends unknown[]> = S extends { readonly anyOf: readonly (infer Branch)[] }
  ? Union<Branch, Level>
  : unknown;

type OneOf<S, Level extends unknown[]> = S extends { readonly oneOf: readonly (infer Branch)[] }
  ? Union<Branch, Level>
  : unknown;

type Union<Branch, Level extends unknown[]> = Branch extends unknown ? Describe<Branch, [...Level, 0]> : never;

type AllOf<S, Level extends unknown[]> = S extends { readonly allOf: infer Branches } ? Both<Branches, Level> : unknown;

type Both<Branches, Level extends unknown[]> = Branches extends readonly [infer First, ...infer Rest]
  ? Describe<First, [...Level, 0]> & Both<Rest, Level>
  : unknown;

type Typed<S, Level extends unknown[]> = S extends { readonly type: infer Type }
  ? Type extends readonly (infer One)[]
    ? OfType<One, S, Level>
    : OfType<Type, S, Level>
  : unknown;

type OfType<Type, S, Level extends unknown[]> = Type extends keyof Scalars
  ? Scalars[Type]
  : Type extends 'object'
    ? InferObject<S, Level>
    : Type extends 'array'
      ? InferArray<S, Level>
      : unknown;

interface Scalars {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

type InferObject<S, Level extends unknown[]> = S extends { readonly properties: infer Properties }
  ? Flat<Present<Properties, Required<S>, Level> & Optional<Properties, Required<S>, Level>>
  : S extends { readonly additionalProperties: false }
    ? Record<string, never>
    : S extends { readonly additionalProperties: infer Other }
      ? { [key: string]: Member<Other, Level> }
      : { [key: string]: Json };

type Required<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Present<Properties, Names, Level extends unknown[]> = {
  -readonly [K in keyof Properties as K extends Names ? K : never]: Member<Properties[K], Level>;
};

type Optional<Properties, Names, Level extends unknown[]> = {
  -readonly [K in keyof Properties as K extends Names ? never : K]?: Member<Properties[K], Level>;
};

type InferArray<S, Level extends unknown[]> = S extends {
  readonly prefixItems: infer Prefix extends readonly unknown[];
}
  ? [...Positions<S, Prefix, Level>, ...Rest<S, Level>]
  : Rest<S, Level>;

// Positions may be missing unless as many items are demanded.
type Positions<S, Prefix extends readonly unknown[], Level extends unknown[]> = S extends {
  readonly minItems: Prefix['length'];
}
  ? { -readonly [K in keyof Prefix]: Member<Prefix[K], Level> }
  : { -readonly [K in keyof Prefix]?: Member<Prefix[K], Level> };

type Rest<S, Level extends unknown[]> = S extends { readonly items: infer Item }
  ? Item extends false
    ? []
    : Member<Item, Level>[]
  : Json[];
