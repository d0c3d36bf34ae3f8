import { Cons, NIL, Str, type Value, Vec } from '../engine/data.ts';
import { bool, listOf } from '../engine/lists.ts';
import { tick } from '../engine/meter.ts';
import type { Keys, Natives } from '../engine/native.ts';
import { index } from '../engine/numbers.ts';
import { raise } from '../engine/raise.ts';
import { callOne, functionOf, invoke, one } from '../engine/world.ts';
import {
  type Claim,
  isItem,
  keyOf,
  like,
  refill,
  sameOf,
  satisfies,
  sequenceOf,
  span,
  toArray,
  where,
} from './sequence.ts';

const truth = (value: Value | undefined) => value !== undefined && value !== NIL;

function lengthOf(value: Value): number {
  if (value instanceof Str || (value instanceof Vec && value.dimensions === undefined)) return value.length;
  return toArray(value).length;
}

function find(sequence: Value, claim: Claim, keys: Keys): Value {
  const elements = toArray(sequence);
  return elements[where(elements, claim, keys)] ?? NIL;
}

function position(sequence: Value, claim: Claim, keys: Keys): Value {
  const at = where(toArray(sequence), claim, keys);
  return at === -1 ? NIL : BigInt(at);
}

function count(sequence: Value, claim: Claim, keys: Keys): Value {
  const elements = toArray(sequence);
  const { start, end } = span(elements.length, keys.start, keys.end);
  let found = 0n;
  for (let at = start; at < end; at++) if (claim(elements[at] as Value)) found++;
  return found;
}

function reduce(fn: Value, sequence: Value, keys: Keys): Value {
  const all = toArray(sequence);
  const { start, end } = span(all.length, keys.start, keys.end);
  const pick = keyOf(keys);
  const elements = all.slice(start, end).map(pick);
  const made = functionOf(fn);
  const backwards = truth(keys.fromEnd);
  if (backwards) elements.reverse();
  if (keys.initialValue !== undefined) elements.unshift(keys.initialValue);
  const [first] = elements;
  if (first === undefined) return invoke(made, []);
  return elements.slice(1).reduce((sum, each) => one(invoke(made, backwards ? [each, sum] : [sum, each])), first);
}

/** A stable merge sort: the predicate may be anything, and is called a bounded number of times. */
export function sorted(elements: readonly Value[], before: (a: Value, b: Value) => boolean): Value[] {
  if (elements.length < 2) return [...elements];
  const middle = elements.length >> 1;
  const [left, right] = [sorted(elements.slice(0, middle), before), sorted(elements.slice(middle), before)];
  const made: Value[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    tick();
    made.push((before(right[j] as Value, left[i] as Value) ? right[j++] : left[i++]) as Value);
  }
  return [...made, ...left.slice(i), ...right.slice(j)];
}

function sort(sequence: Value, predicate: Value, keys: Keys): Value {
  const [fn, pick] = [functionOf(predicate), keyOf(keys)];
  const made = sorted(toArray(sequence), (a, b) => one(invoke(fn, [pick(a), pick(b)])) !== NIL);
  if (sequence instanceof Cons || sequence === NIL) return listOf(made);
  refill(sequence, made);
  return sequence;
}

function columns(sequences: readonly Value[]): Value[][] {
  const all = sequences.map(toArray);
  const shortest = Math.min(...all.map((each) => each.length));
  return Array.from({ length: shortest }, (_, at) => all.map((each) => each[at] as Value));
}

type Quantifier = (rows: readonly Value[][], ask: (row: Value[]) => Value) => Value;

const quantify =
  (answer: Quantifier) =>
  ([fn, ...sequences]: Value[]): Value => {
    const made = functionOf(fn as Value);
    return answer(columns(sequences), (row) => one(invoke(made, row)));
  };

const every: Quantifier = (rows, ask) => {
  let last: Value = bool(true);
  for (const row of rows) {
    last = ask(row);
    if (last === NIL) return NIL;
  }
  return last;
};

const some: Quantifier = (rows, ask) => {
  for (const row of rows) {
    const value = ask(row);
    if (value !== NIL) return value;
  }
  return NIL;
};

function search(pattern: Value, sequence: Value, keys: Keys): Value {
  const [whole, among] = [toArray(pattern), toArray(sequence)];
  const [small, large] = [span(whole.length, keys.start1, keys.end1), span(among.length, keys.start2, keys.end2)];
  const [same, pick] = [sameOf(keys), keyOf(keys)];
  const [wanted, picked] = [whole.slice(small.start, small.end).map(pick), among.map(pick)];
  const starts = Array.from(
    { length: Math.max(0, large.end - large.start - wanted.length + 1) },
    (_, at) => large.start + at,
  );
  if (truth(keys.fromEnd)) starts.reverse();
  const fits = (at: number) => {
    tick(wanted.length);
    return wanted.every((each, offset) => same(each, picked[at + offset] as Value));
  };
  const found = starts.find(fits);
  return found === undefined ? NIL : BigInt(found);
}

function mismatch(left: Value, right: Value, keys: Keys): Value {
  const [first, second] = [toArray(left), toArray(right)];
  const [a, b] = [span(first.length, keys.start1, keys.end1), span(second.length, keys.start2, keys.end2)];
  const [same, pick] = [sameOf(keys), keyOf(keys)];
  for (let at = 0; ; at++) {
    const [one_, other] = [a.start + at >= a.end, b.start + at >= b.end];
    if (one_ && other) return NIL;
    if (one_ || other) return BigInt(a.start + at);
    if (!same(pick(first[a.start + at] as Value), pick(second[b.start + at] as Value))) return BigInt(a.start + at);
  }
}

function elt(sequence: Value, at: Value): Value {
  const where_ = index(at);
  if (sequence instanceof Str && where_ < sequence.length) return sequence.at(where_);
  const elements = sequence instanceof Vec ? sequence.items : toArray(sequence);
  return where_ < lengthOf(sequence)
    ? (elements[where_] as Value)
    : raise.type(at, `(INTEGER 0 ${lengthOf(sequence) - 1})`);
}

function merge(type: Value, [left, right, predicate]: Value[], keys: Keys): Value[] {
  const [fn, pick] = [functionOf(predicate as Value), keyOf(keys)];
  const before = (a: Value, b: Value) => one(invoke(fn, [pick(a), pick(b)])) !== NIL;
  const [a, b] = [toArray(left as Value), toArray(right as Value)];
  const made: Value[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const right_ = j < b.length && (i >= a.length || before(b[j] as Value, a[i] as Value));
    made.push((right_ ? b[j++] : a[i++]) as Value);
  }
  return type === NIL ? [] : made;
}

export const SEQUENCES: Natives = {
  'length sequence': ([sequence]) => BigInt(lengthOf(sequence)),
  'elt sequence index': ([sequence, at]) => elt(sequence, at),
  '(setf elt) value sequence index': ([value, sequence, at]) => {
    elt(sequence, at);
    const made = [...toArray(sequence)];
    made[index(at)] = value;
    refill(sequence, made);
    return value;
  },
  'reverse sequence': ([sequence]) => like(sequence, [...toArray(sequence)].reverse()),
  'nreverse sequence': ([sequence]) => like(sequence, [...toArray(sequence)].reverse()),
  'subseq sequence start &optional end': ([sequence, from, to]) => {
    const { start, end } = span(lengthOf(sequence), from, to);
    return sequence instanceof Str
      ? new Str(sequence.slice(start, end))
      : like(sequence, toArray(sequence).slice(start, end));
  },
  '(setf subseq) value sequence start &optional end': ([value, sequence, from, to]) => {
    const [elements, fresh] = [[...toArray(sequence)], toArray(value)];
    const { start, end } = span(elements.length, from, to);
    for (let at = start; at < end && at - start < fresh.length; at++) elements[at] = fresh[at - start] as Value;
    refill(sequence, elements);
    return value;
  },
  'copy-seq sequence': ([sequence]) =>
    sequence instanceof Str ? new Str(sequence.text) : like(sequence, [...toArray(sequence)]),
  'concatenate type &rest sequences': ([type, ...sequences], _, world) =>
    sequenceOf(type, sequences.flatMap(toArray), world),
  'find item sequence &key key test test-not start end from-end': ([item, sequence], keys) =>
    find(sequence, isItem(item, keys), keys),
  'find-if predicate sequence &key key start end from-end': ([fn, sequence], keys) =>
    find(sequence, satisfies(fn, keys), keys),
  'find-if-not predicate sequence &key key start end from-end': ([fn, sequence], keys) =>
    find(sequence, satisfies(fn, keys, false), keys),
  'position item sequence &key key test test-not start end from-end': ([item, sequence], keys) =>
    position(sequence, isItem(item, keys), keys),
  'position-if predicate sequence &key key start end from-end': ([fn, sequence], keys) =>
    position(sequence, satisfies(fn, keys), keys),
  'position-if-not predicate sequence &key key start end from-end': ([fn, sequence], keys) =>
    position(sequence, satisfies(fn, keys, false), keys),
  'count item sequence &key key test test-not start end from-end': ([item, sequence], keys) =>
    count(sequence, isItem(item, keys), keys),
  'count-if predicate sequence &key key start end from-end': ([fn, sequence], keys) =>
    count(sequence, satisfies(fn, keys), keys),
  'count-if-not predicate sequence &key key start end from-end': ([fn, sequence], keys) =>
    count(sequence, satisfies(fn, keys, false), keys),
  'reduce function sequence &key key start end from-end initial-value': ([fn, sequence], keys) =>
    reduce(fn, sequence, keys),
  'sort sequence predicate &key key': ([sequence, fn], keys) => sort(sequence, fn, keys),
  'stable-sort sequence predicate &key key': ([sequence, fn], keys) => sort(sequence, fn, keys),
  'merge type left right predicate &key key': ([type, left, right, fn], keys, world) =>
    sequenceOf(type, merge(type, [left, right, fn], keys), world),
  'every predicate &rest sequences': (args) => quantify(every)(args),
  'some predicate &rest sequences': (args) => quantify(some)(args),
  'notany predicate &rest sequences': (args) => bool(quantify(some)(args) === NIL),
  'notevery predicate &rest sequences': (args) => bool(quantify(every)(args) === NIL),
  'search pattern sequence &key key test test-not start1 end1 start2 end2 from-end': ([pattern, sequence], keys) =>
    search(pattern, sequence, keys),
  'mismatch left right &key key test test-not start1 end1 start2 end2': ([left, right], keys) =>
    mismatch(left, right, keys),
  'fill sequence item &key start end': ([sequence, item], keys) => {
    const { start, end } = span(lengthOf(sequence), keys.start, keys.end);
    refill(
      sequence,
      toArray(sequence).map((each, at) => (at >= start && at < end ? item : each)),
    );
    return sequence;
  },
  'replace target source &key start1 end1 start2 end2': ([target, source], keys) => {
    const [into, from] = [[...toArray(target)], toArray(source)];
    const [a, b] = [span(into.length, keys.start1, keys.end1), span(from.length, keys.start2, keys.end2)];
    for (let at = 0; at < Math.min(a.end - a.start, b.end - b.start); at++)
      into[a.start + at] = from[b.start + at] as Value;
    refill(target, into);
    return target;
  },
  'map type function &rest sequences': ([type, fn, ...sequences], _, world) => {
    const made = functionOf(fn);
    const values = columns(sequences).map((row) => one(invoke(made, row)));
    return type === NIL ? NIL : sequenceOf(type, values, world);
  },
  'map-into target function &rest sequences': ([target, fn, ...sequences]) => {
    const size = lengthOf(target);
    const rows = sequences.length === 0 ? Array.from({ length: size }, () => []) : columns(sequences).slice(0, size);
    const made = [...toArray(target)];
    for (const [at, row] of rows.entries()) made[at] = callOne(fn, row);
    refill(target, made);
    return target;
  },
  'make-sequence type size &key initial-element': ([type, size], { initialElement }, world) =>
    sequenceOf(type, new Array<Value>(index(size)).fill(initialElement ?? NIL), world),
};
