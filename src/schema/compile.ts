import type { Json, JsonObject } from '../model/json.ts';
import { isObject } from '../model/json.ts';
import { type Place, SchemaDocument } from './document.ts';
import { type Issue, NO_ISSUES } from './issue.ts';
import { contains, items, maxItems, minItems, unevaluatedItems, uniqueItems } from './keywords/array.ts';
import { allOf, anyOf, conditional, dynamicReference, not, oneOf, reference } from './keywords/in-place.ts';
import {
  dependencies,
  dependentRequired,
  dependentSchemas,
  maxProperties,
  minProperties,
  properties,
  propertyNames,
  required,
  unevaluatedProperties,
} from './keywords/object.ts';
import {
  constant,
  enumeration,
  exclusiveMaximum,
  exclusiveMinimum,
  maximum,
  maxLength,
  minimum,
  minLength,
  multipleOf,
  pattern,
  type,
} from './keywords/scalar.ts';
import { all, type Keyword, type Site, type Target } from './rule.ts';
import { BLAME, type Bounds, type Node, type Rule, Run, Seen } from './run.ts';
import { SCHEMA_LIMITS, SchemaError, screen } from './screen.ts';

export type { Issue };
export { SchemaError };

/** A schema made ready to check values. */
export interface CompiledSchema {
  /** What is wrong with a value; the same empty list whenever nothing is. */
  check(value: unknown): readonly Issue[];
}

export type CompileOptions = Partial<Bounds>;

const DEFAULTS: Bounds = { issues: 10, steps: 4_000_000, depth: 400 };

/** Which rule a keyword makes, in the order the rules run; keywords that make one rule together stand together. */
const KEYWORDS: readonly (readonly [Keyword, ...string[]])[] = [
  [constant, 'const'],
  [enumeration, 'enum'],
  [minimum, 'minimum'],
  [maximum, 'maximum'],
  [exclusiveMinimum, 'exclusiveMinimum'],
  [exclusiveMaximum, 'exclusiveMaximum'],
  [multipleOf, 'multipleOf'],
  [minLength, 'minLength'],
  [maxLength, 'maxLength'],
  [pattern, 'pattern'],
  [minItems, 'minItems'],
  [maxItems, 'maxItems'],
  [uniqueItems, 'uniqueItems'],
  [minProperties, 'minProperties'],
  [maxProperties, 'maxProperties'],
  [required, 'required'],
  [dependentRequired, 'dependentRequired'],
  [reference, '$ref'],
  [dynamicReference, '$dynamicRef'],
  [propertyNames, 'propertyNames'],
  [properties, 'properties', 'patternProperties', 'additionalProperties'],
  [items, 'prefixItems', 'items'],
  [contains, 'contains'],
  [dependentSchemas, 'dependentSchemas'],
  [dependencies, 'dependencies'],
  [allOf, 'allOf'],
  [anyOf, 'anyOf'],
  [oneOf, 'oneOf'],
  [not, 'not'],
  [conditional, 'if'],
  // These ask what all the others have looked at.
  [unevaluatedItems, 'unevaluatedItems'],
  [unevaluatedProperties, 'unevaluatedProperties'],
];

const ORDER: ReadonlyMap<string, number> = new Map(
  KEYWORDS.flatMap(([, ...names], index) => names.map((name): [string, number] => [name, index])),
);
const FIRST_APPLYING = ORDER.get('$ref') ?? 0;

/** Compiles a JSON Schema (2020-12, or draft 7 when it says so); throws a `SchemaError` for one that cannot be. */
export function compileSchema(schema: JsonObject | boolean, options: CompileOptions = {}): CompiledSchema {
  screen(schema);
  const bounds = { ...DEFAULTS, ...options };
  const root = compileRoot(schema);
  let idle: Run | undefined;
  return {
    check(value) {
      // A getter in the value could check again while this check runs, so a run is taken, not shared.
      const run = idle ?? new Run(bounds);
      idle = undefined;
      run.start();
      const passed = root.rule(value, run);
      const issues = passed && !run.exhausted ? NO_ISSUES : run.finish();
      idle = run;
      return issues;
    },
  };
}

function compileRoot(schema: Json): Node {
  if (typeof schema === 'boolean') return { rule: booleanRule(schema) };
  if (!isObject(schema)) throw new SchemaError('a schema must be an object or a boolean', []);
  const document = new SchemaDocument(schema);
  const { tracks, scoped } = document;
  const node = new Compiler(document).node(document.root);
  // A reference may turn up schemas in places nobody looks, and these may ask for what the first ones were made without.
  if (tracks === document.tracks && scoped === document.scoped) return node;
  return new Compiler(document).node(document.root);
}

function booleanRule(allowed: boolean): Rule {
  if (allowed) return (_value, run) => run.spend(1);
  return (_value, run) => run.spend(1) && run.fail('is not allowed', BLAME.kind);
}

class Compiler {
  readonly document: SchemaDocument;
  #states: number = SCHEMA_LIMITS.patternStates;
  readonly #nodes = new Map<JsonObject, Node>();
  readonly #anchored = new Map<string, ReadonlyMap<object, Node>>();

  constructor(document: SchemaDocument) {
    this.document = document;
  }

  node(place: Place): Node {
    const { schema } = place;
    if (typeof schema === 'boolean') return this.#tracked({ rule: booleanRule(schema) });
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const node: Node = { rule: () => true };
    this.#nodes.set(schema, node);
    node.rule = ruleOf(new SchemaSite(this, place, schema));
    return this.#tracked(node);
  }

  /** The schemas that have this dynamic anchor, by resource; compiled ahead of the first check. */
  anchored(name: string): ReadonlyMap<object, Node> {
    const known = this.#anchored.get(name);
    if (known !== undefined) return known;
    const nodes = new Map<object, Node>();
    this.#anchored.set(name, nodes);
    for (const place of this.document.dynamicAnchors(name)) nodes.set(place.resource, this.node(place));
    return nodes;
  }

  /** Takes the states a pattern needs; false when the patterns of this schema have used them up. */
  takeStates(count: number): boolean {
    this.#states -= count;
    return this.#states >= 0;
  }

  #tracked(node: Node): Node {
    if (this.document.tracks) node.rule = trackedRule(node.rule);
    return node;
  }
}

class SchemaSite implements Site {
  readonly schema: JsonObject;
  readonly place: Place;
  readonly draft7: boolean;
  readonly tracks: boolean;
  readonly scoped: boolean;
  weight = 1;
  readonly #compiler: Compiler;

  constructor(compiler: Compiler, place: Place, schema: JsonObject) {
    this.#compiler = compiler;
    this.place = place;
    this.schema = schema;
    this.draft7 = place.resource.draft7;
    this.tracks = compiler.document.tracks;
    this.scoped = compiler.document.scoped;
  }

  child(...keys: (string | number)[]): Node {
    return this.#compiler.node(this.#compiler.document.under(this.place, keys));
  }

  resolve(keyword: '$ref' | '$dynamicRef'): Target {
    const value = this.schema[keyword];
    if (typeof value !== 'string') return this.refuse(`"${keyword}" must be a string`, keyword);
    const { place, dynamic } = this.#compiler.document.resolve(value, this.place);
    const anchored = keyword === '$ref' || dynamic === undefined ? undefined : this.#compiler.anchored(dynamic);
    const inScope = anchored && ((resource: object) => anchored.get(resource));
    return { node: this.#compiler.node(place), resource: place.resource, inScope };
  }

  weigh(steps: number): void {
    this.weight += steps;
  }

  takeStates(count: number): boolean {
    return this.#compiler.takeStates(count);
  }

  refuse(problem: string, ...keys: (string | number)[]): never {
    throw new SchemaError(problem, [...this.place.steps, ...keys]);
  }
}

function ruleOf(site: SchemaSite): Rule {
  const { schema, place } = site;
  const alone = site.draft7 && schema['$ref'] !== undefined;
  const kind = alone ? undefined : type(site);
  const orders = alone ? [FIRST_APPLYING] : ordersOf(schema);
  const rules = orders.map((order) => KEYWORDS[order]?.[0](site)).filter((rule) => rule !== undefined);
  const body = kindFirst(kind, all(rules));
  const rule = (orders.at(-1) ?? 0) < FIRST_APPLYING ? leaf(body, site.weight) : nested(body, site.weight);
  return site.scoped && schema === place.resource.root ? scopedRule(rule, place.resource) : rule;
}

function ordersOf(schema: JsonObject): number[] {
  const orders: number[] = [];
  for (const key of Object.keys(schema)) {
    const order = ORDER.get(key);
    if (order !== undefined && !orders.includes(order)) orders.push(order);
  }
  return orders.sort((one, other) => one - other);
}

// A value of the wrong type is told so and nothing else.
function kindFirst(kind: Rule | undefined, rest: Rule): Rule {
  return kind === undefined ? rest : (value, run) => kind(value, run) && rest(value, run);
}

function leaf(body: Rule, weight: number): Rule {
  return (value, run) => run.spend(weight) && body(value, run);
}

function nested(body: Rule, weight: number): Rule {
  return (value, run) => {
    if (!run.spend(weight)) return false;
    if (run.depth === 0) return run.exhaust('is nested too deeply to check');
    run.depth -= 1;
    const passed = body(value, run);
    run.depth += 1;
    return passed;
  };
}

function trackedRule(rule: Rule): Rule {
  return (value, run) => {
    const outer = run.seen;
    const own = new Seen();
    run.seen = own;
    const passed = rule(value, run);
    run.seen = outer;
    run.yielded = own;
    return passed;
  };
}

function scopedRule(rule: Rule, resource: object): Rule {
  return (value, run) => {
    run.scope.push(resource);
    const passed = rule(value, run);
    run.scope.pop();
    return passed;
  };
}
