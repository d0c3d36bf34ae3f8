import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Node, Rule, Run } from './run.ts';

/** Where a reference leads. */
export interface Target {
  readonly node: Node;
  /** Identifies the schema resource the target lies in. */
  readonly resource: object;
  /** Set when the target must be looked up in the dynamic scope: the node a resource has for it, if any. */
  readonly inScope: ((resource: object) => Node | undefined) | undefined;
}

/** The schema a keyword is compiled for, and what it may ask of the compiler. */
export interface Site {
  readonly schema: JsonObject;
  readonly draft7: boolean;
  /** Whether anything in the document asks what was looked at. */
  readonly tracks: boolean;
  /** Whether anything in the document depends on the dynamic scope. */
  readonly scoped: boolean;
  /** Compiles the schema found under these keys. */
  child(...steps: (string | number)[]): Node;
  resolve(keyword: '$ref' | '$dynamicRef'): Target;
  /** Adds to the steps every application of this schema costs. */
  weigh(steps: number): void;
  /** Takes from the states the patterns of a schema may need together; false when there are none left. */
  takeStates(count: number): boolean;
  /** Throws the error that says what is wrong with the schema. */
  refuse(problem: string, ...steps: (string | number)[]): never;
}

/** Turns one or a few keywords of a schema into a rule, or into none when they are absent. */
export type Keyword = (site: Site) => Rule | undefined;

/** One rule that passes when all of them do. */
export function all(rules: readonly Rule[]): Rule {
  const [first, second] = rules;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return (value, run) => {
    let passed = true;
    for (const rule of rules) {
      passed = rule(value, run) && passed;
      if (run.decides(passed)) return false;
    }
    return passed;
  };
}

/** A rule for objects; anything else passes. */
export function onObject(check: (value: JsonObject, run: Run) => boolean): Rule {
  return (value, run) => !isObject(value) || check(value, run);
}

/** A rule for arrays; anything else passes. */
export function onArray(check: (value: readonly unknown[], run: Run) => boolean): Rule {
  return (value, run) => !Array.isArray(value) || check(value, run);
}

/** Applies a schema to the same value; what it looked at counts for the schema around it. */
export function inPlace(node: Node, site: Site): Rule {
  if (!site.tracks) return (value, run) => node.rule(value, run);
  return (value, run) => {
    if (!node.rule(value, run)) return false;
    run.seen.merge(run.yielded);
    return run.spend(run.yielded.size);
  };
}

/** A keyword that must be a non-negative integer. */
export function countOf(site: Site, keyword: string): number | undefined {
  const value = site.schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  return site.refuse(`"${keyword}" must be a non-negative integer`, keyword);
}

/** A keyword that must be a list of schemas; empty when absent. */
export function schemasOf(site: Site, keyword: string): Node[] {
  const value = site.schema[keyword];
  if (value === undefined) return [];
  if (!Array.isArray(value)) return site.refuse(`"${keyword}" must be a list of schemas`, keyword);
  return value.map((_, index) => site.child(keyword, index));
}

/** A keyword that must be an object of schemas; empty when absent. */
export function schemaMapOf(site: Site, keyword: string): [string, Node][] {
  return entriesOf(site, keyword).map(([name]) => [name, site.child(keyword, name)]);
}

/** A keyword that must be an object; empty when absent. */
export function entriesOf(site: Site, keyword: string): [string, Json][] {
  const value = site.schema[keyword];
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return site.refuse(`"${keyword}" must be an object`, keyword);
  }
  return Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined);
}

/** A value that must be a list of strings. */
export function namesOf(site: Site, value: Json | undefined, ...steps: string[]): string[] {
  if (Array.isArray(value) && value.every((name): name is string => typeof name === 'string')) return value;
  return site.refuse(`${steps.map((step) => `"${step}"`).join(' ')} must be a list of property names`, ...steps);
}
