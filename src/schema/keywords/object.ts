import type { JsonObject } from '../../model/json.ts';
import { STEPS_A_KEY } from '../equal.ts';
import { quote, quoteAll } from '../issue.ts';
import type { Matcher } from '../pattern.ts';
import { countOf, entriesOf, inPlace, type Keyword, namesOf, onObject, type Site, schemaMapOf } from '../rule.ts';
import type { Node, Rule, Run } from '../run.ts';
import { matcherOf } from './scalar.ts';

/** Whether an object has a property of its own; one set to `undefined` is absent, as it is in JSON text. */
export function has(value: JsonObject, key: string): boolean {
  return value[key] !== undefined && Object.hasOwn(value, key);
}

/** Whether an object has all these properties; says of each it lacks that it must have it. */
export function hasAll(value: JsonObject, names: readonly string[], run: Run): boolean {
  let passed = true;
  for (const name of names) {
    if (!has(value, name)) passed = run.fail(() => `must have property ${quote(name)}`);
    if (run.decides(passed)) return false;
  }
  return passed;
}

/** `required`. */
export const required: Keyword = (site) => {
  if (site.schema['required'] === undefined) return undefined;
  const names = namesOf(site, site.schema['required'], 'required');
  site.weigh(names.length);
  return onObject((value, run) => hasAll(value, names, run));
};

function count(value: JsonObject, run: Run): number {
  let properties = 0;
  if (!run.spend(1)) return properties;
  for (const key in value) if (has(value, key)) properties += 1;
  run.spend(properties * STEPS_A_KEY);
  return properties;
}

/** `minProperties`. */
export const minProperties: Keyword = (site) => {
  const least = countOf(site, 'minProperties');
  if (least === undefined) return undefined;
  const message = least === 1 ? 'must not be empty' : `must have at least ${least} properties`;
  return onObject((value, run) => count(value, run) >= least || run.fail(message));
};

/** `maxProperties`. */
export const maxProperties: Keyword = (site) => {
  const most = countOf(site, 'maxProperties');
  if (most === undefined) return undefined;
  const message = `must have at most ${most} properties`;
  return onObject((value, run) => count(value, run) <= most || run.fail(message));
};

/** `propertyNames`. */
export const propertyNames: Keyword = (site) => {
  if (site.schema['propertyNames'] === undefined) return undefined;
  const node = site.child('propertyNames');
  return onObject((value, run) => {
    let passed = true;
    for (const key in value) {
      if (!has(value, key) || run.passes(node.rule, key)) continue;
      passed = failName(key, node, run);
      if (run.decides(passed)) return false;
    }
    return passed;
  });
};

function failName(key: string, node: Node, run: Run): false {
  if (run.quiet > 0) return false;
  const [issue] = run.gather(node.rule, key).issues;
  return run.fail(`must not have a property named ${quote(key)}: the name ${issue?.message ?? 'is not allowed'}`);
}

type Patterns = readonly { readonly matches: Matcher; readonly node: Node }[];

interface Members {
  readonly named: ReadonlyMap<string, Node>;
  readonly patterns: Patterns;
  readonly others: Node | undefined;
  /** What to say of a property nothing allows, when the other properties are forbidden. */
  readonly closed: string | undefined;
}

/** `properties`, `patternProperties` and `additionalProperties`. */
export const properties: Keyword = (site) => {
  const named = new Map(schemaMapOf(site, 'properties'));
  const patterns: Patterns = entriesOf(site, 'patternProperties').map(([source]) => ({
    matches: matcherOf(site, source, 'patternProperties', source),
    node: site.child('patternProperties', source),
  }));
  const additional = site.schema['additionalProperties'];
  const others = additional === undefined ? undefined : site.child('additionalProperties');
  if (named.size === 0 && patterns.length === 0 && others === undefined) return undefined;
  site.weigh(named.size);
  if (patterns.length === 0 && others === undefined) return namedRule(site, named);
  const closed = additional === false ? allowedOnly([...named.keys()], patterns.length > 0) : undefined;
  return membersRule(site, { named, patterns, others, closed });
};

function allowedOnly(names: readonly string[], open: boolean): string {
  return names.length === 0 || open ? '' : `; allowed: ${quoteAll(names)}`;
}

// Looks the declared names up instead of walking the object: nothing is allocated.
function namedRule(site: Site, named: ReadonlyMap<string, Node>): Rule {
  const members = Array.from(named, ([key, node]) => ({ key, node }));
  return onObject((value, run) => {
    let passed = true;
    for (const { key, node } of members) {
      if (!has(value, key)) continue;
      if (site.tracks) run.seen.addKey(key);
      passed = run.at(key, value[key], node) && passed;
      if (run.decides(passed)) return false;
    }
    return passed;
  });
}

function membersRule(site: Site, members: Members): Rule {
  const check = memberRule(site, members);
  return onObject((value, run) => {
    let passed = true;
    for (const key in value) {
      if (!has(value, key)) continue;
      passed = check(key, value[key], run) && passed;
      if (run.decides(passed)) return false;
    }
    return passed;
  });
}

function memberRule(site: Site, { named, patterns, others, closed }: Members) {
  const matching = patternRule(patterns);
  return (key: string, value: unknown, run: Run): boolean => {
    const node = named.get(key);
    const outcome = node === undefined || run.at(key, value, node);
    const matched = matching(key, value, run);
    const known = node !== undefined || matched !== undefined;
    if (site.tracks && (known || others !== undefined)) run.seen.addKey(key);
    if (known) return outcome && matched !== false;
    if (closed !== undefined) return run.fail(() => `must not have property ${quote(key)}${closed}`);
    return others === undefined || run.at(key, value, others);
  };
}

// Undefined when no pattern matches the key.
function patternRule(patterns: Patterns) {
  return (key: string, value: unknown, run: Run): boolean | undefined => {
    let passed: boolean | undefined;
    for (const { matches, node } of patterns) {
      if (matches(key, run)) passed = run.at(key, value, node) && passed !== false;
    }
    return passed;
  };
}

/** `unevaluatedProperties`; runs after every keyword it depends on. */
export const unevaluatedProperties: Keyword = (site) => {
  const schema = site.schema['unevaluatedProperties'];
  if (schema === undefined || site.draft7) return undefined;
  const node = site.child('unevaluatedProperties');
  const check = schema === false ? forbid : (key: string, value: unknown, run: Run) => run.at(key, value, node);
  return onObject((value, run) => {
    const { seen } = run;
    let passed = true;
    for (const key in value) {
      if (!has(value, key)) continue;
      passed = run.spend(STEPS_A_KEY) && (seen.hasKey(key) || check(key, value[key], run)) && passed;
      if (run.decides(passed)) return false;
    }
    seen.everyKey = true;
    return passed;
  });
};

function forbid(key: string, _value: unknown, run: Run): boolean {
  return run.fail(() => `must not have property ${quote(key)}`);
}

type Trigger = readonly [string, Rule];

function needs(site: Site, steps: [string, string]): Trigger {
  const [keyword, property] = steps;
  const names = namesOf(site, (site.schema[keyword] as JsonObject)[property], ...steps);
  site.weigh(names.length + 1);
  const rule: Rule = (value, run) => hasAll(value as JsonObject, names, run);
  return [property, rule];
}

function applies(site: Site, [keyword, property]: [string, string]): Trigger {
  site.weigh(1);
  return [property, inPlace(site.child(keyword, property), site)];
}

function whenPresent(triggers: readonly Trigger[]): Rule | undefined {
  if (triggers.length === 0) return undefined;
  return onObject((value, run) => {
    let passed = true;
    for (const [property, rule] of triggers) {
      if (!has(value, property)) continue;
      passed = rule(value, run) && passed;
      if (run.decides(passed)) return false;
    }
    return passed;
  });
}

/** `dependentRequired`. */
export const dependentRequired: Keyword = (site) =>
  whenPresent(entriesOf(site, 'dependentRequired').map(([property]) => needs(site, ['dependentRequired', property])));

/** `dependentSchemas`. */
export const dependentSchemas: Keyword = (site) =>
  whenPresent(entriesOf(site, 'dependentSchemas').map(([property]) => applies(site, ['dependentSchemas', property])));

/** `dependencies` of draft 7: a list of names or a schema. */
export const dependencies: Keyword = (site) => {
  if (!site.draft7) return undefined;
  const triggers = entriesOf(site, 'dependencies').map(([property, value]) =>
    Array.isArray(value) ? needs(site, ['dependencies', property]) : applies(site, ['dependencies', property]),
  );
  return whenPresent(triggers);
};
