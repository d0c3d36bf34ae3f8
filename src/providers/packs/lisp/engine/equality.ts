import { Char, Cons, Ratio, Str, Table, type TableTest, type Value, Vec } from './data.ts';
import { enter, leave, tick } from './meter.ts';
import { compare, isReal } from './numbers.ts';
import { Instance } from './objects.ts';

export function isEql(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a === 'number') return Object.is(a, b);
  if (a instanceof Ratio) return b instanceof Ratio && a.top === b.top && a.bottom === b.bottom;
  return a instanceof Char && b instanceof Char && a.code === b.code;
}

type Same = (a: Value, b: Value) => boolean;

/** Walks two lists; only their elements go deeper. */
function sameLists(left: Cons, right: Cons, same: Same): boolean {
  let [a, b]: [Value, Value] = [left, right];
  enter();
  while (a instanceof Cons && b instanceof Cons) {
    tick();
    if (!same(a.car, b.car)) return done(false);
    [a, b] = [a.cdr, b.cdr];
  }
  return done(same(a, b));
}

function done(answer: boolean): boolean {
  leave();
  return answer;
}

export function isEqual(a: Value, b: Value): boolean {
  if (isEql(a, b)) return true;
  if (a instanceof Cons) return b instanceof Cons && sameLists(a, b, isEqual);
  if (a instanceof Str) return b instanceof Str && sameText(a.text, b.text);
  return a instanceof Vec && a.bits && b instanceof Vec && b.bits && sameItems(a.items, b.items, isEql);
}

function sameText(a: string, b: string): boolean {
  if (a.length === b.length) tick(a.length >> 6);
  return a === b;
}

function sameItems(a: readonly Value[], b: readonly Value[], same: Same): boolean {
  tick(a.length);
  return a.length === b.length && a.every((item, index) => same(item, b[index] as Value));
}

export function isEqualp(a: Value, b: Value): boolean {
  if (isEql(a, b)) return true;
  if (isReal(a)) return isReal(b) && compare(a, b) === 0;
  if (a instanceof Char) return b instanceof Char && fold(a.text) === fold(b.text);
  if (a instanceof Cons) return b instanceof Cons && sameLists(a, b, isEqualp);
  if (a instanceof Str && b instanceof Str) return fold(a.text) === fold(b.text);
  return sameThings(a, b);
}

function sameThings(a: Value, b: Value): boolean {
  if (isVector(a) && isVector(b)) return sameArrays(a, b);
  if (a instanceof Table && b instanceof Table) return sameTables(a, b);
  if (!(a instanceof Instance && b instanceof Instance && a.type === b.type && a.type.kind === 'structure'))
    return false;
  return sameItems(a.slots as Value[], b.slots as Value[], isEqualp);
}

const isVector = (value: Value): value is Vec | Str => value instanceof Vec || value instanceof Str;

function sameArrays(a: Vec | Str, b: Vec | Str): boolean {
  const [left, right] = [a, b].map((each) => (each instanceof Vec ? each.dimensions?.join() : undefined));
  if (left !== right) return false;
  enter();
  return done(sameItems(elementsOf(a), elementsOf(b), isEqualp));
}

function sameTables(a: Table, b: Table): boolean {
  if (a.entries.size !== b.entries.size || a.test !== b.test) return false;
  tick(a.entries.size);
  return [...a.entries].every(([key, [, value]]) => {
    const other = b.entries.get(key);
    return other !== undefined && isEqualp(value, other[1]);
  });
}

/** The active elements of a vector or string. */
export function elementsOf(value: Vec | Str): Value[] {
  if (value instanceof Vec) return value.fill === undefined ? value.items : value.items.slice(0, value.fill);
  return Array.from({ length: value.length }, (_, index) => value.at(index));
}

const fold = (text: string) => text.toLowerCase();

/** What the entry of a key is filed under: equal keys have equal marks. */
export function markOf(key: Value, test: TableTest): unknown {
  if (typeof key === 'bigint') return key;
  if (typeof key === 'number') return numberMark(key, test);
  if (key instanceof Ratio) return `r${key.top}/${key.bottom}`;
  if (key instanceof Char) return test === 'EQUALP' ? `c${fold(key.text)}` : `c${key.code}`;
  return test === 'EQUAL' || test === 'EQUALP' ? deepMark(key, test) : key;
}

function numberMark(key: number, test: TableTest): unknown {
  if (test === 'EQUALP' && Number.isInteger(key)) return BigInt(key);
  return `f${Object.is(key, -0) ? '-0' : key}`;
}

const identities = new WeakMap<object, number>();
let identity = 0;

function identityOf(value: object): number {
  const known = identities.get(value) ?? ++identity;
  identities.set(value, known);
  return known;
}

function deepMark(key: Value, test: TableTest): unknown {
  const text = (value: Str) => (test === 'EQUALP' ? fold(value.text) : value.text);
  if (key instanceof Str) return `s${text(key)}`;
  if (key instanceof Cons) return `(${listMarks(key, test)}`;
  if (key instanceof Vec && (key.bits || test === 'EQUALP'))
    return `[${key.items.map((item) => short(markOf(item, test))).join(' ')}]`;
  return key;
}

function listMarks(key: Cons, test: TableTest): string {
  const marks: string[] = [];
  let rest: Value = key;
  enter();
  while (rest instanceof Cons) {
    tick();
    marks.push(short(markOf(rest.car, test)));
    rest = rest.cdr;
  }
  leave();
  return `${marks.join(' ')} . ${short(markOf(rest, test))})`;
}

function short(mark: unknown): string {
  if (typeof mark === 'string') return `${mark.length}:${mark}`;
  return typeof mark === 'bigint' ? `i${mark}` : `o${identityOf(mark as object)}`;
}
