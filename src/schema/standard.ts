import type { Eventually, Json, JsonObject } from '../model/json.ts';
import { isObject } from '../model/json.ts';
import { compileSchema } from './compile.ts';
import { pointer } from './issue.ts';

/** One complaint of a foreign validator; a path item is a key, or an object that holds one. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

type Describe = (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;

/** A schema of any library that follows the Standard Schema convention, version 1. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Eventually<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: Describe; readonly output: Describe } | undefined;
  };
}

/** The outcome of checking a value: the value to use, or what is wrong with it. */
export type Checked = { ok: true; value: unknown } | { ok: false; issues: readonly string[] };
export type Check = (value: Json | undefined) => Eventually<Checked>;

type LiteralJson = null | boolean | number | string | readonly LiteralJson[] | LiteralSchema;

/** A JSON Schema as written in code, where `const` makes everything read-only. */
export interface LiteralSchema {
  readonly [key: string]: LiteralJson | undefined;
}

/** Anything an author may give as a schema. */
export type SchemaSource = LiteralSchema | StandardSchema;

/** A schema as clients are shown it, and the check that goes with it. */
export interface ReadSchema {
  readonly json: JsonObject;
  readonly check: Check;
}

export interface ReadOptions {
  /** Which side of a schema that transforms is described: what goes in (the default) or what comes out. */
  readonly side?: 'input' | 'output';
  /** The schema is known to be good: it is compiled when the first value is checked. */
  readonly late?: boolean | undefined;
  /** Loads an optional package by name. */
  readonly importer?: (name: string) => Promise<unknown>;
}

const CONVERTER = '@valibot/to-json-schema';
const MOST_ISSUES = 10;
const LONGEST_MESSAGE = 500;

const ADVICE: Readonly<Record<string, string>> = {
  zod: 'update zod to 4.2 or later',
  arktype: 'update arktype to 2.1.28 or later',
};

/** Whether a schema follows the Standard Schema convention; some libraries make their schemas functions. */
export function isStandardSchema(source: unknown): source is StandardSchema {
  const holder = (typeof source === 'object' || typeof source === 'function') && source !== null;
  return holder && isObject((source as Partial<StandardSchema>)['~standard']);
}

/** Reads whatever an author gave as a schema; throws or rejects with a `TypeError` when it cannot be used. */
export function readSchema(source: SchemaSource, options: ReadOptions = {}): Eventually<ReadSchema> {
  if (isStandardSchema(source)) return readStandard(source, options);
  if (!isObject(source)) throw new TypeError('Cannot read schema: give a JSON Schema object or a Standard Schema');
  return readPlain(source, options.late === true);
}

function readPlain(json: JsonObject, late: boolean): ReadSchema {
  let compiled = late ? undefined : compileSchema(json);
  return {
    json,
    check(value) {
      compiled ??= compileSchema(json);
      const issues = compiled.check(value);
      if (issues.length === 0) return { ok: true, value };
      return { ok: false, issues: issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)) };
    },
  };
}

function readStandard(
  source: StandardSchema,
  { side = 'input', importer = load }: ReadOptions,
): Eventually<ReadSchema> {
  const { vendor, jsonSchema } = source['~standard'];
  const check = checkOf(source);
  if (jsonSchema !== undefined) {
    return { json: described(vendor, () => jsonSchema[side]({ target: 'draft-2020-12' })), check };
  }
  if (vendor !== 'valibot') {
    const advice = ADVICE[vendor] ?? 'use a library whose schemas do, or give JSON Schema';
    throw new TypeError(`Cannot read schema: the ${vendor} schema has no JSON Schema form; ${advice}`);
  }
  return convert(source, side, importer).then((json) => ({ json, check }));
}

function load(name: string): Promise<unknown> {
  return import(name);
}

type Converter = (schema: unknown, options: { typeMode: 'input' | 'output'; target: 'draft-2020-12' }) => unknown;

async function convert(
  source: StandardSchema,
  side: 'input' | 'output',
  importer: (name: string) => Promise<unknown>,
): Promise<JsonObject> {
  let converter: { toJsonSchema?: Converter };
  try {
    converter = (await importer(CONVERTER)) as { toJsonSchema?: Converter };
  } catch (cause) {
    throw new TypeError(`Cannot read schema: to use valibot schemas, install ${CONVERTER}`, { cause });
  }
  const { toJsonSchema } = converter;
  if (typeof toJsonSchema !== 'function') {
    throw new TypeError(`Cannot read schema: ${CONVERTER} has no toJsonSchema; update it`);
  }
  return described('valibot', () => toJsonSchema(source, { typeMode: side, target: 'draft-2020-12' }));
}

function described(vendor: string, describe: () => unknown): JsonObject {
  let json: unknown;
  try {
    json = describe();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Cannot read schema: the ${vendor} schema cannot be said in JSON Schema: ${reason}`, { cause });
  }
  if (!isObject(json)) throw new TypeError(`Cannot read schema: the ${vendor} schema gave no JSON Schema object`);
  return json;
}

function checkOf(source: StandardSchema): Check {
  return (value) => {
    const result = source['~standard'].validate(value);
    return result instanceof Promise ? result.then(checked) : checked(result);
  };
}

function checked(result: StandardResult<unknown>): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.slice(0, MOST_ISSUES).map(render) };
}

function render({ message, path = [] }: StandardIssue): string {
  const keys = Array.from(path, (item) => (typeof item === 'object' ? item.key : item));
  const text = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
  return keys.length === 0 ? text : `${pointer(keys.map(String))}: ${text}`;
}
