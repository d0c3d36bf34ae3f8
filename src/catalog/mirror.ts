import { isObject, type Json, type JsonObject } from '../model/json.ts';

/** An argument that a client repeats in a header beside the message. */
export interface Mirrored {
  /** The name of the header in lower case. */
  readonly header: string;
  /** The way to the argument, by property names. */
  readonly path: readonly string[];
}

const known = new WeakMap<JsonObject, readonly Mirrored[]>();

/** The arguments an input schema marks with `x-mcp-header`. */
export function mirroredBy(schema: JsonObject): readonly Mirrored[] {
  const kept = known.get(schema);
  if (kept !== undefined) return kept;
  const found = [...walk(schema, [])];
  known.set(schema, found);
  return found;
}

/** The argument at the end of a path, if it is there. */
export function argumentAt(input: Json | undefined, path: readonly string[]): Json | undefined {
  let value = input;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function* walk(schema: JsonObject, path: readonly string[]): Generator<Mirrored> {
  const { properties } = schema;
  if (!isObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    const header = property['x-mcp-header'];
    if (typeof header === 'string') yield { header: `mcp-param-${header.toLowerCase()}`, path: [...path, name] };
    yield* walk(property, [...path, name]);
  }
}
