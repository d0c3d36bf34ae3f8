import type { Tool } from '../model/items.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { checkToolName } from './namespace.ts';

/** Marks a property whose value a client repeats in an HTTP header. */
const HEADER = 'x-mcp-header';
// spec RFC 9110 section 5.6.2
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'default', 'enum', 'examples', 'required', HEADER]);
/** Keywords whose value maps names to schemas. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

const passed = new WeakSet<JsonObject>();

/** Throws `TypeError` when a tool cannot be offered: its name, its input's root, or its header marks break a rule. */
export function checkTool(tool: Tool): void {
  checkToolName(tool.name);
  checkInputSchema(tool.name, tool.inputSchema);
}

/** Throws `TypeError` unless the schema describes an object and marks headers only where a client can find them. */
export function checkInputSchema(name: string, schema: JsonObject): void {
  if (passed.has(schema)) return;
  if (schema['type'] !== 'object') throw refusal(name, 'the input schema must have type "object" at its root');
  visit(schema, { name, seen: new Set(), plain: true });
  passed.add(schema);
}

interface Walk {
  readonly name: string;
  /** Header names so far, in lower case. */
  readonly seen: Set<string>;
  /** Whether only `properties` led here. */
  readonly plain: boolean;
}

function visit(schema: JsonObject, walk: Walk): void {
  if (schema[HEADER] !== undefined) checkHeader(schema, walk);
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword) || value === undefined) continue;
    const inner = keyword === 'properties' ? walk : { ...walk, plain: false };
    for (const child of schemasIn(keyword, value)) visit(child, inner);
  }
}

function schemasIn(keyword: string, value: Json): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  return MAPS.has(keyword) ? Object.values(value).filter(isObject) : [value];
}

function checkHeader(schema: JsonObject, { name, seen, plain }: Walk): void {
  const header = schema[HEADER];
  if (typeof header !== 'string' || !TOKEN.test(header)) throw refusal(name, `${HEADER} must be a header name`);
  if (!plain) throw refusal(name, `${HEADER} "${header}" must be on a property reached through "properties" only`);
  if (!HEADER_TYPES.has(schema['type'])) {
    throw refusal(name, `${HEADER} "${header}" must be on a property of type string, integer or boolean`);
  }
  if (seen.has(header.toLowerCase())) throw refusal(name, `${HEADER} "${header}" is used twice`);
  seen.add(header.toLowerCase());
}

function refusal(name: string, why: string): TypeError {
  return new TypeError(`Cannot offer tool "${name}": ${why}`);
}
