import { isObject, type Json, type JsonObject } from '../../../model/json.ts';

/** Longest text a field takes: what fits into one line of the action protocol always fits here. */
const MOST_CHARACTERS = 524_288;
const MOST_ITEMS = 100;

/** One member of an action's input: how clients are shown it, what is wrong with a value, and what the value means. */
export interface Field<T> {
  readonly json: JsonObject;
  readonly required: boolean;
  /** What is wrong with a value that is there, in the words clients of the action protocol know. */
  problems(name: string, value: Json): string[];
  read(value: Json | undefined): T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = { readonly [N in keyof F]: F[N] extends Field<infer T> ? T : never };

/** A required text, trimmed. */
export function text(description: string): Field<string> {
  return { ...optionalText(description, ''), json: textSchema(description), required: true };
}

/** A text that has a default. */
export function optionalText(description: string, fallback: string): Field<string> {
  return {
    json: { ...textSchema(description), ...(fallback === '' ? {} : { default: fallback }) },
    required: false,
    problems: textProblems,
    read: (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : fallback),
  };
}

/** One of a few words; required unless there is a default. */
export function choice<const T extends string>(description: string, options: readonly T[], fallback?: T): Field<T> {
  return {
    json: {
      type: 'string',
      enum: [...options],
      description,
      ...(fallback === undefined ? {} : { default: fallback }),
    },
    required: fallback === undefined,
    problems: (name, value) =>
      options.includes(value as T) ? [] : [`'${name}' must be one of: ${options.join(', ')}`],
    read: (value) => (value ?? fallback) as T,
  };
}

/** Any number of texts, none by default. */
export function texts(description: string): Field<readonly string[]> {
  return {
    json: { type: 'array', items: { type: 'string' }, maxItems: MOST_ITEMS, description },
    required: false,
    problems(name, value) {
      if (!Array.isArray(value)) return [`'${name}' must be an array`];
      if (value.length > MOST_ITEMS) return [`'${name}' must have at most ${MOST_ITEMS} items`];
      return value.flatMap((item, index) => textProblems(`${name}[${index}]`, item));
    },
    read: (value) =>
      Array.isArray(value) ? value.map((item) => String(item).trim()).filter((item) => item !== '') : [],
  };
}

function textSchema(description: string): JsonObject {
  return { type: 'string', maxLength: MOST_CHARACTERS, description };
}

function textProblems(name: string, value: Json): string[] {
  if (typeof value !== 'string') return [`'${name}' must be a string`];
  return value.length > MOST_CHARACTERS ? [`'${name}' must be at most ${MOST_CHARACTERS} characters`] : [];
}

/** A schema of fields, in the shape every schema library agrees on. */
export interface FieldSchema<V> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: V } | { readonly issues: { readonly message: string }[] };
    readonly types?: { readonly input: V; readonly output: V };
    readonly jsonSchema: { readonly input: () => JsonObject; readonly output: () => JsonObject };
  };
}

/** Makes the schema of an action's input. What no field names is let through and ignored, as it always was. */
export function schemaOf<F extends Fields>(fields: F): FieldSchema<Values<F>> {
  const entries = Object.entries(fields);
  const json: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, field.json])),
    required: entries.filter(([, field]) => field.required).map(([name]) => name),
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'parley',
      validate(value) {
        const given = isObject(value) ? value : {};
        const issues = problemsOf(entries, given);
        if (issues.length > 0) return { issues: issues.map((message) => ({ message })) };
        const read = entries.map(([name, field]) => [name, field.read(own(given, name))]);
        return { value: Object.fromEntries(read) as Values<F> };
      },
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

function problemsOf(entries: readonly [string, Field<unknown>][], given: JsonObject): string[] {
  const missing = new Set(
    entries.filter(([name, field]) => field.required && isBlank(own(given, name))).map(([name]) => name),
  );
  const wrong = entries.flatMap(([name, field]) => {
    const value = own(given, name);
    return value === undefined || missing.has(name) ? [] : field.problems(name, value);
  });
  return [...[...missing].map((name) => `Required field '${name}' is missing or empty`), ...wrong];
}

function isBlank(value: Json | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** A name such as `constructor` must not find what every object inherits. */
function own(given: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}
