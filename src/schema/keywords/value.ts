import { isObject } from '../../model/json.ts';
import { equal, sizeOf } from '../equal.ts';
import { describe, quote, quoteAll } from '../issue.ts';
import type { Keyword, Site } from '../rule.ts';
import { BLAME, type Rule } from '../run.ts';

type Test = (value: unknown) => boolean;

const KINDS: Readonly<Record<string, { readonly says: string; readonly test: Test }>> = {
  string: { says: 'a string', test: (value) => typeof value === 'string' },
  number: { says: 'a number', test: (value) => typeof value === 'number' && Number.isFinite(value) },
  integer: { says: 'an integer', test: (value) => Number.isInteger(value) },
  boolean: { says: 'a boolean', test: (value) => typeof value === 'boolean' },
  object: { says: 'an object', test: isObject },
  array: { says: 'an array', test: Array.isArray },
  null: { says: 'null', test: (value) => value === null },
};

/** The names a `type` keyword lists, checked. */
export function typeNames(site: Site): string[] {
  const { type } = site.schema;
  const names = Array.isArray(type) ? type : [type];
  for (const name of names) {
    if (typeof name !== 'string' || !Object.hasOwn(KINDS, name)) {
      return site.refuse(`unknown type ${quote(name)}; use ${quoteAll(Object.keys(KINDS))}`, 'type');
    }
  }
  if (names.length === 0) return site.refuse('"type" must not be empty', 'type');
  return names as string[];
}

/** Whether a value is of one of the named types. */
export function isOfType(names: readonly string[], value: unknown): boolean {
  return names.some((name) => KINDS[name]?.test(value) === true);
}

/** The named types as words: `a string or null`. */
export function sayTypes(names: readonly string[]): string {
  const words = names.map((name) => KINDS[name]?.says ?? name);
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** `type`. */
export const type: Keyword = (site) => {
  if (site.schema['type'] === undefined) return undefined;
  const names = typeNames(site);
  const wanted = sayTypes(names);
  const test: Test = names.length === 1 ? (KINDS[names[0] ?? '']?.test ?? Array.isArray) : testAny(names);
  return (value, run) => test(value) || run.fail(() => `must be ${wanted}, got ${got(value, names)}`, BLAME.kind);
};

function testAny(names: readonly string[]): Test {
  const tests = names.map((name) => KINDS[name]?.test ?? Array.isArray);
  return (value) => tests.some((test) => test(value));
}

function got(value: unknown, names: readonly string[]): string {
  return typeof value === 'number' && names.includes('integer') ? String(value) : describe(value);
}

/** `const`. */
export const constant: Keyword = (site) => {
  const wanted = site.schema['const'];
  if (wanted === undefined) return undefined;
  const message = `must be ${quote(wanted)}`;
  if (typeof wanted !== 'object' || wanted === null) {
    return (value, run) => value === wanted || run.fail(message, BLAME.literal);
  }
  site.weigh(sizeOf(wanted));
  return (value, run) => equal(wanted, value) || run.fail(message, BLAME.literal);
};

/** `enum`. */
export const enumeration: Keyword = (site) => {
  const { enum: allowed } = site.schema;
  if (allowed === undefined) return undefined;
  if (!Array.isArray(allowed)) return site.refuse('"enum" must be a list', 'enum');
  const simple = new Set<unknown>(allowed);
  const composite = allowed.filter((one) => typeof one === 'object' && one !== null);
  site.weigh(sizeOf(composite));
  const message = allowed.length === 0 ? 'is not allowed' : `must be one of ${quoteAll(allowed)}`;
  const passes = (value: unknown): boolean => simple.has(value) || composite.some((one) => equal(one, value));
  return ((value, run) => passes(value) || run.fail(message, BLAME.literal)) satisfies Rule;
};
