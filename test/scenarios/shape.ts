import type { Json, JsonObject } from '../../src/model/json.ts';
import { isObject } from '../../src/model/json.ts';

/** Says what is wrong with a value, each problem under its path; nothing when it fits. */
export type Shape = (value: Json | undefined, path: string) => string[];

const is =
  (what: string, test: (value: Json | undefined) => boolean): Shape =>
  (value, path) =>
    test(value) ? [] : [`${path} must be ${what}, is ${JSON.stringify(value)?.slice(0, 80)}`];

export const any: Shape = is('present', (value) => value !== undefined);
export const text = is('a string', (value) => typeof value === 'string');
export const number = is('a number', (value) => typeof value === 'number');
export const integer = is('an integer', (value) => Number.isSafeInteger(value));
export const natural = is('an integer of at least 0', (value) => Number.isSafeInteger(value) && (value as number) >= 0);
export const flag = is('a boolean', (value) => typeof value === 'boolean');
export const object = is('an object', (value) => isObject(value));
export const wireId = is('a string or an integer', (v) => typeof v === 'string' || Number.isSafeInteger(v));
export const base64 = is(
  'base64',
  (value) => typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value,
);
export const uri = is(
  'a URI with a scheme',
  (v) => typeof v === 'string' && /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\\]*$/.test(v),
);
export const exactly = (wanted: Json): Shape =>
  is(JSON.stringify(wanted), (value) => JSON.stringify(value) === JSON.stringify(wanted));
export const oneOf = (...wanted: string[]): Shape =>
  is(`one of ${wanted}`, (value) => wanted.includes(value as string));

export const list =
  (item: Shape, most = Number.POSITIVE_INFINITY): Shape =>
  (value, path) => {
    if (!Array.isArray(value)) return [`${path} must be an array`];
    const long = value.length > most ? [`${path} holds more than ${most} items`] : [];
    return [...long, ...value.flatMap((part, at) => item(part, `${path}[${at}]`))];
  };

export const mapOf =
  (item: Shape): Shape =>
  (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, part]) => item(part, `${path}.${key}`))
      : [`${path} must be an object`];

/** An object with these members; a name that ends in `?` may be missing. Others are refused: the server adds nothing unknown. */
export function record(members: Readonly<Record<string, Shape>>): Shape {
  const known = new Map(
    Object.entries(members).map(([name, shape]) => [name.replace('?', ''), { shape, may: name.endsWith('?') }]),
  );
  return (value, path) => {
    if (!isObject(value)) return [`${path} must be an object`];
    const unknown = Object.keys(value).filter((name) => !known.has(name));
    return [
      ...unknown.map((name) => `${path}.${name} is not a member of this revision`),
      ...[...known].flatMap(([name, { shape, may }]) =>
        value[name] === undefined && may ? [] : shape(value[name], `${path}.${name}`),
      ),
    ];
  };
}

/** The shape that a tag in the value chooses. */
export const tagged =
  (tag: string, shapes: Readonly<Record<string, Shape>>): Shape =>
  (value, path) => {
    const chosen = isObject(value) ? shapes[String(value[tag])] : undefined;
    return chosen === undefined
      ? [`${path}.${tag} must be one of ${Object.keys(shapes)}, is ${isObject(value) ? value[tag] : value}`]
      : chosen(value, path);
  };

export const both =
  (...shapes: Shape[]): Shape =>
  (value, path) =>
    shapes.flatMap((shape) => shape(value, path));

export const either =
  (...shapes: Shape[]): Shape =>
  (value, path) => {
    const problems = shapes.map((shape) => shape(value, path));
    return problems.some((found) => found.length === 0) ? [] : (problems[0] ?? []);
  };

const LABEL = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const META_KEY = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*/)?(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?$`);
const RESERVED = /^(?:[^./]+\.)?(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//;
const BARE = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage']);

/** Metadata whose keys follow the grammar; of the reserved ones only those named are allowed. */
export const meta =
  (...allowed: string[]): Shape =>
  (value, path) => {
    if (!isObject(value)) return [`${path} must be an object`];
    return Object.keys(value).flatMap((key) => {
      if (!META_KEY.test(key)) return [`${path} has the malformed key "${key}"`];
      if (allowed.includes(key) || BARE.has(key)) return [];
      return RESERVED.test(key) ? [`${path} uses the reserved key "${key}"`] : [];
    });
  };

export function problemsOf(shape: Shape, value: JsonObject, path: string): string[] {
  return shape(value, path);
}
