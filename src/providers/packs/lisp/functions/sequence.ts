import { Char, Cons, NIL, Str, Sym, type Value, Vec } from '../engine/data.ts';
import { elementsOf, isEql } from '../engine/equality.ts';
import { items, listOf } from '../engine/lists.ts';
import { charge, tick } from '../engine/meter.ts';
import type { Keys } from '../engine/native.ts';
import { index } from '../engine/numbers.ts';
import { raise } from '../engine/raise.ts';
import { callOne, functionOf, invoke, one, type World } from '../engine/world.ts';

/** The elements of any sequence, as a fresh array or the array inside a vector: do not change it. */
export function toArray(value: Value): Value[] {
  if (value instanceof Cons || value === NIL) return items(value);
  if (value instanceof Str || (value instanceof Vec && value.dimensions === undefined)) {
    tick(value.length);
    charge(value.length * 8);
    return elementsOf(value);
  }
  return raise.type(value, 'SEQUENCE');
}

/** A sequence of the same kind with other elements. */
export function like(value: Value, elements: Value[]): Value {
  if (value instanceof Str) return stringOf(elements);
  if (!(value instanceof Vec)) return listOf(elements);
  const made = new Vec(elements);
  made.bits = value.bits;
  return made;
}

export function stringOf(elements: readonly Value[]): Str {
  return new Str(elements.map((each) => (each instanceof Char ? each.text : raise.type(each, 'CHARACTER'))).join(''));
}

/** Puts elements into a sequence in place. */
export function refill(value: Value, elements: readonly Value[]): void {
  if (value instanceof Str) value.text = stringOf(elements).text;
  else if (value instanceof Vec) for (const [at, each] of elements.entries()) value.items[at] = each;
  else {
    let cell = value;
    for (const each of elements) {
      (cell as Cons).car = each;
      cell = (cell as Cons).cdr;
    }
  }
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The part of a sequence the keywords name. */
export function span(length: number, start: Value | undefined, end: Value | undefined): Span {
  const from = start === undefined || start === NIL ? 0 : index(start);
  const to = end === undefined || end === NIL ? length : index(end);
  if (from > to || to > length)
    return raise.error(
      'SIMPLE-TYPE-ERROR',
      `The bounding indices ${from} and ${to} are bad for a sequence of length ${length}.`,
    );
  return { start: from, end: to };
}

export type Selector = (value: Value) => Value;
export type Claim = (value: Value) => boolean;
export type Same = (a: Value, b: Value) => boolean;

export function keyOf({ key }: Keys): Selector {
  if (key === undefined || key === NIL) return (value) => value;
  const fn = functionOf(key);
  return (value) => one(invoke(fn, [value]));
}

export function sameOf({ test, testNot }: Keys): Same {
  if (testNot !== undefined && testNot !== NIL) {
    const fn = functionOf(testNot);
    return (a, b) => callOne(fn, [a, b]) === NIL;
  }
  if (test === undefined || test === NIL || (test instanceof Sym && test.name === 'EQL')) return isEql;
  const fn = functionOf(test);
  return fn.name === 'EQ' || fn.name === 'EQL' ? isEql : (a, b) => callOne(fn, [a, b]) !== NIL;
}

/** Whether an element is the one looked for. */
export function isItem(item: Value, keys: Keys): Claim {
  const [same, pick] = [sameOf(keys), keyOf(keys)];
  return (value) => same(item, pick(value));
}

export function satisfies(fn: Value, keys: Keys, wanted = true): Claim {
  const [made, pick] = [functionOf(fn), keyOf(keys)];
  return (value) => (one(invoke(made, [pick(value)])) !== NIL) === wanted;
}

/** Where the first, or with `from-end` the last, element is that a claim fits; -1 when there is none. */
export function where(elements: readonly Value[], claim: Claim, keys: Keys): number {
  const { start, end } = span(elements.length, keys.start, keys.end);
  if (keys.fromEnd !== undefined && keys.fromEnd !== NIL) {
    for (let at = end - 1; at >= start; at--) if (claim(elements[at] as Value)) return at;
    return -1;
  }
  for (let at = start; at < end; at++) {
    tick();
    if (claim(elements[at] as Value)) return at;
  }
  return -1;
}

/** The kind of sequence a type specifier names. */
export function sequenceOf(type: Value, elements: Value[], world: World): Value {
  const name = (type instanceof Cons ? type.car : type) as Sym;
  if (name === world.sym('LIST') || name === world.sym('CONS') || name === NIL || name === world.sym('NULL'))
    return listOf(elements);
  if (name.name.includes('STRING') || (type instanceof Cons && /CHAR/.test(world.hooks.print(type, false))))
    return stringOf(elements);
  if (!/VECTOR|ARRAY/.test(name.name))
    return raise.error('SIMPLE-TYPE-ERROR', `${world.hooks.print(type, true)} is a bad type specifier for sequences.`);
  const made = new Vec([...elements]);
  made.bits = name.name.includes('BIT');
  return made;
}
