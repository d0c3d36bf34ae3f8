import { isObject, type Json, type JsonObject } from '../../../model/json.ts';

/** Before 2026-07-28 every property of a root schema is an object: `true` and `false` are said the long way. */
export function withoutBooleanProperties(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isObject(properties) || !Object.values(properties).some((property) => typeof property === 'boolean'))
    return schema;
  const said = Object.entries(properties).map(([name, property]) => [name, asObject(property)] as const);
  return { ...schema, properties: Object.fromEntries(said) };
}

function asObject(property: Json | undefined): Json | undefined {
  if (property === true) return {};
  return property === false ? { not: {} } : property;
}

/** An output schema of any root as one the older revisions accept: the value moves under `result`. */
export function asObjectSchema(schema: JsonObject): JsonObject {
  if (schema['type'] === 'object') return schema;
  const moved = schema['$id'] === undefined ? (moveRefs(schema) as JsonObject) : schema;
  return { type: 'object', properties: { result: moved }, required: ['result'] };
}

function moveRefs(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => moveRefs(item) as Json);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === '$ref' ? moveRef(item) : moveRefs(item)]),
  );
}

function moveRef(ref: Json | undefined): Json | undefined {
  if (ref === '#') return '#/properties/result';
  return typeof ref === 'string' && ref.startsWith('#/') ? `#/properties/result${ref.slice(1)}` : ref;
}
