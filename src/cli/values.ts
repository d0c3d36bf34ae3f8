import type { Value, Values } from '../host/client.ts';
import { UsageError } from './command.ts';

/** Cuts `key=value` words in two; a key may be given once. */
export function readPairs(words: readonly string[]): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at <= 0) throw new UsageError(`Not an argument: "${word}". Write arguments as key=value`);
    const key = word.slice(0, at);
    if (pairs.has(key)) throw new UsageError(`Argument "${key}" is given twice`);
    pairs.set(key, word.slice(at + 1));
  }
  return Object.fromEntries(pairs);
}

/** The input the words mean to a tool with this schema. */
export function readInput(pairs: Readonly<Record<string, string>>, schema: Values): Values {
  const properties = objectOf(schema['properties']);
  return Object.fromEntries(
    Object.entries(pairs).map(([key, text]) => {
      const property = Object.hasOwn(properties, key) ? objectOf(properties[key]) : {};
      return [key, readValue(text, { name: key, property, root: schema })];
    }),
  );
}

export interface Described {
  readonly name: string;
  /** The schema of the value. */
  readonly property: Values;
  /** The document the schema is part of. */
  readonly root: Values;
}

/** One value from text: the first type its schema allows that the text fits; a string fits always. */
export function readValue(text: string, { name, property, root }: Described): Value {
  const listed = choicesOf(property).find(
    (choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)) === text,
  );
  if (listed !== undefined) return listed;
  const types = typesOf(property, root, 0);
  for (const type of types) {
    const value = READERS[type]?.(text);
    if (value !== undefined) return value;
  }
  if (types.size === 0 || types.has('string')) return text;
  throw new UsageError(`"${name}" must be ${[...types].join(' or ')}: ${JSON.stringify(text)} is not`);
}

type Reader = (text: string) => Value | undefined;
const READERS: Readonly<Record<string, Reader>> = {
  number: readNumber,
  integer: (text) => {
    const value = readNumber(text);
    return Number.isInteger(value) ? value : undefined;
  },
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  null: (text) => (text === 'null' ? null : undefined),
  object: (text) => readJson(text, (value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
  array: (text) => readJson(text, Array.isArray),
};

function readNumber(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value;
}

function readJson(text: string, fits: (value: unknown) => boolean): Value | undefined {
  try {
    const value = JSON.parse(text) as Value;
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The values a schema lists, if it lists them. */
export function choicesOf(schema: Values): readonly Value[] {
  const { enum: listed, const: only } = schema;
  if (Array.isArray(listed)) return listed;
  return only === undefined ? [] : [only];
}

const NESTING = 8;

function typesOf(schema: Values, root: Values, depth: number): Set<string> {
  const { type, $ref: ref } = schema;
  const found = new Set([type].flat().filter((name) => typeof name === 'string'));
  if (depth > NESTING) return found;
  if (typeof ref === 'string') for (const name of typesOf(pointed(ref, root), root, depth + 1)) found.add(name);
  for (const part of [schema['anyOf'], schema['oneOf'], schema['allOf']].flat()) {
    for (const name of typesOf(objectOf(part), root, depth + 1)) found.add(name);
  }
  return found;
}

function pointed(ref: string, root: Values): Values {
  if (!ref.startsWith('#/')) return {};
  const steps = ref
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return objectOf(steps.reduce<Value | undefined>((at, step) => objectOf(at)[step], root));
}

function objectOf(value: Value | undefined): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
