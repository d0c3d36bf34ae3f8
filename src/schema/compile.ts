import type { Json, JsonObject } from '../model/json.ts';
import { isObject } from '../model/json.ts';
import { type Place, SchemaDocument, type Steps } from './document.ts';
import { type Issue, NO_ISSUES } from './issue.ts';
import { contains, items, maxItems, minItems, uniqueItems } from './keywords/array.ts';
import { dependencies, dependentRequired, dependentSchemas } from './keywords/dependent.ts';
import { allOf, anyOf, conditional, not, oneOf } from './keywords/logic.ts';
import { bounds, multipleOf } from './keywords/number.ts';
import { maxProperties, minProperties, properties, propertyNames, required } from './keywords/object.ts';
import { dynamicReference, reference } from './keywords/reference.ts';
import { maxLength, minLength, pattern } from './keywords/string.ts';
import { unevaluatedItems, unevaluatedProperties } from './keywords/unevaluated.ts';
import { constant, enumeration, type } from './keywords/value.ts';
import { all, type Keyword, type Site, type Target } from './rule.ts';
import { BLAME, type Bounds, type Node, type Rule, Run } from './run.ts';
import { SchemaError, screen } from './screen.ts';
import { Seen } from './seen.ts';

export type { Issue };
export { SchemaError };

/** A schema made ready to check values. */
export interface CompiledSchema {
  /** What is wrong with a value; the same empty list whenever nothing is. */
  check(value: unknown): readonly Issue[];
}

export type CompileOptions = Partial<Bounds>;

const DEFAULTS: Bounds = { issues: 10, steps: 4_000_000, depth: 1000 };

const SIMPLE: readonly Keyword[] = [
  constant,
  enumeration,
  ...bounds,
  multipleOf,
  minLength,
  maxLength,
  pattern,
  minItems,
  maxItems,
  uniqueItems,
  minProperties,
  maxProperties,
  required,
  dependentRequired,
];

const APPLYING: readonly Keyword[] = [
  reference,
  dynamicReference,
  propertyNames,
  properties,
  items,
  contains,
  dependentSchemas,
  dependencies,
  allOf,
  anyOf,
  oneOf,
  not,
  conditional,
  // These ask what all the others have looked at.
  unevaluatedItems,
  unevaluatedProperties,
];

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
      if (passed && !run.exhausted) {
        idle = run;
        return NO_ISSUES;
      }
      return run.finish();
    },
  };
}

function compileRoot(schema: Json): Node {
  if (typeof schema === 'boolean') return { rule: booleanRule(schema) };
  if (!isObject(schema)) throw new SchemaError('a schema must be an object or a boolean', []);
  return new Compiler(new SchemaDocument(schema)).compile();
}

function booleanRule(allowed: boolean): Rule {
  return allowed ? () => true : (_value, run) => run.fail('is not allowed', BLAME.kind);
}

class Compiler {
  readonly #document: SchemaDocument;
  readonly #nodes = new Map<JsonObject, Node>();

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  compile(): Node {
    return this.#node(this.#document.root);
  }

  #node(place: Place): Node {
    const { schema } = place;
    if (typeof schema === 'boolean') return this.#tracked({ rule: booleanRule(schema) });
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const node: Node = { rule: () => true };
    this.#nodes.set(schema, node);
    node.rule = this.#rule(place, schema);
    return this.#tracked(node);
  }

  #rule(place: Place, schema: JsonObject): Rule {
    let weight = 1;
    const site = this.#site(place, schema, (steps) => {
      weight += steps;
    });
    const alone = site.draft7 && schema['$ref'] !== undefined;
    const kind = alone ? undefined : type(site);
    const simple = alone ? [] : made(SIMPLE, site);
    const applying = made(alone ? [reference] : APPLYING, site);
    const body = kindFirst(kind, all([...simple, ...applying]));
    const rule = applying.length === 0 ? leaf(body, weight) : nested(body, weight);
    return site.scoped && schema === place.resource.root ? scopedRule(rule, place.resource) : rule;
  }

  #tracked(node: Node): Node {
    if (this.#document.tracks) node.rule = trackedRule(node.rule);
    return node;
  }

  #site(place: Place, schema: JsonObject, weigh: (steps: number) => void): Site {
    return {
      schema,
      draft7: place.resource.draft7,
      tracks: this.#document.tracks,
      scoped: this.#document.scoped,
      child: (...keys) => this.#node(this.#document.under(place, keys)),
      resolve: (keyword) => this.#resolve(place, keyword),
      weigh,
      refuse: (problem, ...keys) => refuse(problem, [...place.steps, ...keys]),
    };
  }

  #resolve(place: Place, keyword: '$ref' | '$dynamicRef'): Target {
    const value = (place.schema as JsonObject)[keyword];
    if (typeof value !== 'string') return refuse(`"${keyword}" must be a string`, [...place.steps, keyword]);
    const found = this.#document.resolve(value, place);
    const node = this.#node(found.place);
    const name = keyword === '$dynamicRef' ? found.dynamic : undefined;
    const inScope = name === undefined ? undefined : this.#inScope(name);
    return { node, resource: found.place.resource, inScope };
  }

  // Every schema the dynamic scope could lead to is compiled ahead of the first check.
  #inScope(name: string): (resource: object) => Node | undefined {
    const nodes = new Map<object, Node>();
    for (const place of this.#document.dynamicAnchors(name)) nodes.set(place.resource, this.#node(place));
    return (resource) => nodes.get(resource);
  }
}

function refuse(problem: string, steps: Steps): never {
  throw new SchemaError(problem, steps);
}

function made(keywords: readonly Keyword[], site: Site): Rule[] {
  return keywords.map((keyword) => keyword(site)).filter((rule) => rule !== undefined);
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
