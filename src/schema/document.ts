import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { equal } from './equal.ts';
import { quote } from './issue.ts';
import { SchemaError } from './screen.ts';

export type Steps = readonly (string | number)[];

/** A schema with an identity of its own: the document, or a part of it that has an `$id`. */
export interface Resource {
  readonly root: JsonObject;
  readonly steps: Steps;
  /** Absolute, without fragment. */
  readonly base: string;
  readonly draft7: boolean;
  readonly anchors: Map<string, Place>;
  readonly dynamicAnchors: Map<string, Place>;
}

/** Where a schema stands in the document. */
export interface Place {
  readonly schema: JsonObject | boolean;
  readonly steps: Steps;
  readonly resource: Resource;
}

const NOWHERE = 'schema:///';
const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const DRAFT_2020_12 = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

type Holding = 'schema' | 'list' | 'map' | 'schema or list';

/** The keywords that hold schemas, and how. */
const HOLDERS: ReadonlyMap<string, Holding> = new Map<string, Holding>([
  ['items', 'schema or list'],
  ['prefixItems', 'list'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['dependentSchemas', 'map'],
  ['dependencies', 'map'],
  ['additionalItems', 'schema'],
  ['contains', 'schema'],
  ['additionalProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['not', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['contentSchema', 'schema'],
]);

/** A schema document: its resources, its anchors, and where its references lead. */
export class SchemaDocument {
  readonly root: Place;
  /** Whether any schema asks which members were looked at. */
  tracks = false;
  /** Whether any schema refers through the dynamic scope. */
  scoped = false;
  readonly #resources = new Map<string, Resource>();
  readonly #places = new Map<JsonObject, Place>();

  constructor(schema: JsonObject) {
    const resource = this.#open(schema, [], undefined);
    this.#visit({ schema, steps: [], resource });
    this.root = { schema, steps: [], resource };
  }

  /** Where the schema under these keys of a schema stands. */
  under(place: Place, keys: Steps): Place {
    const value = step(place.schema as Json, keys);
    const known = isObject(value) ? this.#places.get(value) : undefined;
    if (known !== undefined) return known;
    const steps = [...place.steps, ...keys];
    if (typeof value === 'boolean') return { schema: value, steps, resource: place.resource };
    if (!isObject(value)) throw new SchemaError('a schema must be an object or a boolean', steps);
    return this.#adopt({ schema: value, steps, resource: place.resource });
  }

  /** Where a reference leads, and the name of the dynamic anchor it hits, if it does. */
  resolve(reference: string, from: Place): { place: Place; dynamic: string | undefined } {
    const hash = reference.indexOf('#');
    const fragment = hash < 0 ? '' : decode(reference.slice(hash + 1));
    const resource = hash === 0 ? from.resource : this.#resourceAt(reference, from);
    const place = this.#find(resource, fragment);
    if (place === undefined) throw new SchemaError(`nothing is at reference ${quote(reference)}`, from.steps);
    const anchored = resource.dynamicAnchors.get(fragment)?.schema === place.schema;
    return { place, dynamic: anchored ? fragment : undefined };
  }

  /** Every schema that has this dynamic anchor. */
  dynamicAnchors(name: string): Place[] {
    const places = [...this.#resources.values()].map((resource) => resource.dynamicAnchors.get(name));
    return places.filter((place) => place !== undefined);
  }

  #resourceAt(reference: string, from: Place): Resource {
    const url = absolute(reference, from);
    const resource = this.#resources.get(withoutFragment(url));
    if (resource !== undefined) return resource;
    throw new SchemaError(
      `reference ${quote(reference)} leads outside the schema; put its target under "$defs"`,
      from.steps,
    );
  }

  #find(resource: Resource, fragment: string): Place | undefined {
    if (fragment !== '' && !fragment.startsWith('/')) return resource.anchors.get(fragment);
    let place: Place = { schema: resource.root, steps: resource.steps, resource };
    let value: Json | undefined = resource.root;
    const steps: (string | number)[] = [...resource.steps];
    for (const key of keysOf(fragment)) {
      value = step(value, [key]);
      steps.push(key);
      // A schema on the way may belong to a resource of its own.
      place = (isObject(value) && this.#places.get(value)) || place;
    }
    if (typeof value === 'boolean') return { schema: value, steps, resource: place.resource };
    if (!isObject(value)) return undefined;
    return this.#places.get(value) ?? this.#adopt({ schema: value, steps, resource: place.resource });
  }

  // A schema under a keyword nobody knows becomes one when it is referred to.
  #adopt(place: Place): Place {
    this.#visit(place);
    return this.#places.get(place.schema as JsonObject) ?? place;
  }

  #open(root: JsonObject, steps: Steps, parent: Place | undefined): Resource {
    const id = root['$id'];
    const base = typeof id === 'string' ? withoutFragment(absolute(id, parent, steps)) : NOWHERE;
    const draft7 = isDraft7(root, steps) ?? parent?.resource.draft7 ?? false;
    const resource = { root, steps, base, draft7, anchors: new Map(), dynamicAnchors: new Map() };
    const other = this.#resources.get(base)?.root;
    if (other !== undefined && !equal(other, root)) throw new SchemaError(`"$id" ${quote(id)} is used twice`, steps);
    this.#resources.set(base, resource);
    return resource;
  }

  #visit(place: Place): void {
    const { schema } = place;
    if (typeof schema === 'boolean' || this.#places.has(schema)) return;
    const own = opensResource(place) ? this.#open(schema, place.steps, place) : place.resource;
    const here: Place = own === place.resource ? place : { ...place, resource: own };
    this.#places.set(schema, here);
    this.#name(here, schema);
    this.tracks ||= schema['unevaluatedItems'] !== undefined || schema['unevaluatedProperties'] !== undefined;
    this.scoped ||= schema['$dynamicRef'] !== undefined;
    for (const keyword of Object.keys(schema)) {
      const holds = HOLDERS.get(keyword);
      if (holds !== undefined) this.#visitHeld(here, keyword, holds);
    }
  }

  #visitHeld(place: Place, keyword: string, holds: Holding): void {
    const held = (place.schema as JsonObject)[keyword];
    if (typeof held !== 'object' || held === null) return;
    if (Array.isArray(held) ? holds.endsWith('list') : holds === 'map') {
      for (const key of Object.keys(held)) this.#visitMember(place, (held as JsonObject)[key], [keyword, key]);
    } else if (holds.startsWith('schema')) {
      this.#visitMember(place, held, [keyword]);
    }
  }

  #visitMember(place: Place, schema: Json | undefined, keys: Steps): void {
    if (!isObject(schema)) return;
    this.#visit({ schema, steps: [...place.steps, ...keys], resource: place.resource });
  }

  #name(place: Place, schema: JsonObject): void {
    const { anchors, dynamicAnchors, draft7 } = place.resource;
    const { $anchor, $dynamicAnchor, $id } = schema;
    if (typeof $anchor === 'string') claim(anchors, $anchor, place);
    if (typeof $dynamicAnchor === 'string') {
      if ($anchor !== $dynamicAnchor) claim(anchors, $dynamicAnchor, place);
      dynamicAnchors.set($dynamicAnchor, place);
    }
    if (draft7 && typeof $id === 'string' && $id.startsWith('#')) claim(anchors, $id.slice(1), place);
  }
}

function claim(anchors: Map<string, Place>, name: string, place: Place): void {
  const other = anchors.get(name)?.schema;
  if (other !== undefined && !equal(other, place.schema))
    throw new SchemaError(`anchor ${quote(name)} is used twice`, place.steps);
  anchors.set(name, place);
}

function opensResource({ schema, steps, resource }: Place): boolean {
  if (schema === resource.root || steps.length === 0 || typeof schema === 'boolean') return false;
  const { $id, $ref } = schema;
  if (typeof $id !== 'string' || $id.startsWith('#')) return false;
  return !(resource.draft7 && $ref !== undefined);
}

function isDraft7(schema: JsonObject, steps: Steps): boolean | undefined {
  const { $schema } = schema;
  if ($schema === undefined) return undefined;
  if (typeof $schema === 'string' && DRAFT_7.test($schema)) return true;
  if (typeof $schema === 'string' && DRAFT_2020_12.test($schema)) return false;
  throw new SchemaError(`dialect ${quote($schema)} is not supported; use JSON Schema 2020-12`, [...steps, '$schema']);
}

function step(value: Json | undefined, keys: Steps): Json | undefined {
  let at: unknown = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string | number, unknown>)[key];
  }
  return at as Json | undefined;
}

function keysOf(fragment: string): string[] {
  return fragment
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function absolute(reference: string, from: Place | undefined, steps: Steps = from?.steps ?? []): string {
  const base = from?.resource.base ?? NOWHERE;
  if (!URL.canParse(reference, base)) throw new SchemaError(`${quote(reference)} is not a valid reference`, steps);
  return new URL(reference, base).href;
}

function withoutFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash < 0 ? url : url.slice(0, hash);
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
