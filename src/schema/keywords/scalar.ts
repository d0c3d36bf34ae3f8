import { isObject } from '../../model/json.ts';
import { equal, sizeOf } from '../equal.ts';
import { describe, quote, quoteAll } from '../issue.ts';
import { compilePattern, type Matcher } from '../pattern.ts';
import { countOf, type Keyword, type Site } from '../rule.ts';
import { BLAME, type Run } from '../run.ts';

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
  return (value, run) => equal(wanted, value, run) || run.fail(message, BLAME.literal);
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
  return (value, run) =>
    simple.has(value) || composite.some((one) => equal(one, value, run)) || run.fail(message, BLAME.literal);
};

/** What an exact division costs, in steps. */
const EXACT_DIVISION = 64;

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function numberOf(site: Site, keyword: string): number | undefined {
  const value = site.schema[keyword];
  if (value === undefined || typeof value === 'number') return value;
  return site.refuse(`"${keyword}" must be a number`, keyword);
}

type Comparison = (value: number, limit: number) => boolean;

function bound(keyword: string, words: string, holds: Comparison): Keyword {
  return (site) => {
    const limit = numberOf(site, keyword);
    if (limit === undefined) return undefined;
    const message = `must be ${words} ${limit}`;
    return (value, run) => typeof value !== 'number' || holds(value, limit) || run.fail(message);
  };
}

/** `minimum`. */
export const minimum = bound('minimum', 'at least', (value, limit) => value >= limit);

/** `maximum`. */
export const maximum = bound('maximum', 'at most', (value, limit) => value <= limit);

/** `exclusiveMinimum`. */
export const exclusiveMinimum = bound('exclusiveMinimum', 'greater than', (value, limit) => value > limit);

/** `exclusiveMaximum`. */
export const exclusiveMaximum = bound('exclusiveMaximum', 'less than', (value, limit) => value < limit);

/** `multipleOf`, exact for decimals: 0.3 is a multiple of 0.1. */
export const multipleOf: Keyword = (site) => {
  const divisor = numberOf(site, 'multipleOf');
  if (divisor === undefined) return undefined;
  if (divisor <= 0) return site.refuse('"multipleOf" must be greater than 0', 'multipleOf');
  const message = `must be a multiple of ${divisor}`;
  const exact = decimalOf(divisor);
  const whole = Number.isSafeInteger(divisor);
  return (value, run) => {
    if (typeof value !== 'number') return true;
    if (!Number.isFinite(value)) return run.fail(message);
    if (whole && Number.isSafeInteger(value)) return value % divisor === 0 || run.fail(message);
    return (run.spend(EXACT_DIVISION) && divides(exact, decimalOf(value))) || run.fail(message);
  };
};

function divides(divisor: Decimal, value: Decimal): boolean {
  const exponent = Math.min(divisor.exponent, value.exponent);
  return scaled(value, exponent) % scaled(divisor, exponent) === 0n;
}

function scaled(decimal: Decimal, exponent: number): bigint {
  return decimal.digits * 10n ** BigInt(decimal.exponent - exponent);
}

// The shortest decimal that reads back as the number is what the author of the JSON wrote.
function decimalOf(value: number): Decimal {
  const [mantissa = '0', power = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

const CHARACTERS_A_STEP = 16;

/** The compiled form of a regular expression in a schema, or the error that says why it is refused. */
export function matcherOf(site: Site, source: unknown, ...steps: string[]): Matcher {
  if (typeof source !== 'string') return site.refuse('a pattern must be a string', ...steps);
  const pattern = compilePattern(source);
  if (typeof pattern === 'string') return site.refuse(`pattern ${quote(source)} ${pattern}`, ...steps);
  if (!site.takeStates(pattern.states)) return site.refuse('its patterns are too large together', ...steps);
  return pattern.matches;
}

/** `pattern`. */
export const pattern: Keyword = (site) => {
  const { pattern: source } = site.schema;
  if (source === undefined) return undefined;
  const matches = matcherOf(site, source, 'pattern');
  const message = `must match pattern ${quote(source)}`;
  return (value, run) => typeof value !== 'string' || matches(value, run) || run.fail(message);
};

/** `minLength`, in code points. */
export const minLength: Keyword = (site) => {
  const least = countOf(site, 'minLength');
  if (least === undefined) return undefined;
  const message = least === 1 ? 'must not be empty' : `must have at least ${least} characters`;
  return (value, run) => {
    if (typeof value !== 'string' || value.length >= 2 * least) return true;
    return (value.length >= least && characters(value, run) >= least) || run.fail(message);
  };
};

/** `maxLength`, in code points. */
export const maxLength: Keyword = (site) => {
  const most = countOf(site, 'maxLength');
  if (most === undefined) return undefined;
  const message = `must have at most ${most} characters`;
  return (value, run) => {
    if (typeof value !== 'string' || value.length <= most) return true;
    return (value.length <= 2 * most && characters(value, run) <= most) || run.fail(message);
  };
};

function characters(text: string, run: Run): number {
  let count = text.length;
  run.spend(count / CHARACTERS_A_STEP);
  for (let index = 0; index < text.length - 1; index += 1) {
    if (isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
