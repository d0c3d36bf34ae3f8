import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../src/model/json.ts';

/** What the names in braces stand for, as far as it is known. */
export type Known = Map<string, string>;

const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['any', '[\\s\\S]*?'],
  ['number', '-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?'],
  ['time', '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z'],
]);
const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/** Puts what is known in place of its names. */
export function fill(text: string, known: Known): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => known.get(name) ?? whole);
}

/** Whether a line said is the line expected; names met for the first time are learned. */
export function matches(expected: string, actual: string, known: Known): boolean {
  const [one, other] = [readJson(expected), readJson(actual)];
  if (one !== undefined && other !== undefined) return matchesValue(one, other, known);
  return one === undefined && matchesText(expected, actual, known);
}

/** The expected line where it holds, and what was said where it does not: the placeholders survive a rewrite. */
export function merge(expected: string | undefined, actual: string, known: Known): string {
  if (expected !== undefined && matches(expected, actual, known)) return expected;
  const [one, other] = [readJson(expected ?? ''), readJson(actual)];
  return mask(one === undefined || other === undefined ? actual : JSON.stringify(mergeValue(one, other, known)), known);
}

/** Puts placeholders for what is known to differ from run to run. */
function mask(line: string, known: Known): string {
  const places = ['origin', 'here'].flatMap((name) =>
    known.has(name) ? [[name, known.get(name) ?? ''] as const] : [],
  );
  const placed = places.reduce((text, [name, value]) => text.replaceAll(value, `{{${name}}}`), line);
  return placed.replace(/("(?:[\w/-]*\/)?errorId":)"[0-9a-f]+"/g, '$1"{{any}}"');
}

function readJson(line: string): Json | undefined {
  if (!/^[{[]/.test(line)) return undefined;
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}

function matchesValue(expected: Json, actual: Json, known: Known): boolean {
  if (typeof expected === 'string') return matchesString(expected, actual, known);
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null)
    return isDeepStrictEqual(expected, actual);
  // Objects of the same members in another order are not the same text, and where bytes are given bytes are held.
  if (
    !isDeepStrictEqual(Object.keys(expected), Object.keys(actual)) ||
    Array.isArray(expected) !== Array.isArray(actual)
  )
    return false;
  return Object.entries(expected).every(([key, value]) =>
    matchesValue(value ?? null, (actual as JsonObject)[key] ?? null, known),
  );
}

function matchesString(expected: string, actual: Json, known: Known): boolean {
  if (typeof actual === 'string') return matchesText(expected, actual, known);
  return expected === '{{any}}' || (expected === '{{number}}' && typeof actual === 'number');
}

function matchesText(expected: string, actual: string, known: Known): boolean {
  const names: string[] = [];
  const source = expected
    .split(PLACEHOLDER)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : patternOf(part, names, known)))
    .join('');
  const match = new RegExp(`^${source}$`).exec(actual);
  if (match === null) return false;
  for (const [index, name] of names.entries()) known.set(name, match[index + 1] ?? '');
  return true;
}

function patternOf(name: string, names: string[], known: Known): string {
  const pattern = PATTERNS.get(name);
  if (pattern !== undefined) return `(?:${pattern})`;
  const value = known.get(name);
  if (value !== undefined) return escaped(value);
  names.push(name);
  return '([\\s\\S]+?)';
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function mergeValue(expected: Json, actual: Json, known: Known): Json {
  if (matchesValue(expected, actual, known)) return expected;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return actual.map((value, index) =>
      index < expected.length ? mergeValue(expected[index] ?? null, value, known) : value,
    );
  }
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) return actual;
  const before = expected as JsonObject;
  return Object.fromEntries(
    Object.entries(actual).map(([key, value]) => [
      key,
      before[key] === undefined ? value : mergeValue(before[key], value ?? null, known),
    ]),
  );
}
