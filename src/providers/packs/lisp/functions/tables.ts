import { Cons, Func, Many, NIL, Str, Sym, T, Table, type TableTest, type Value, Vec } from '../engine/data.ts';
import { markOf } from '../engine/equality.ts';
import { bool, items, listOf } from '../engine/lists.ts';
import { charge, fits, tick } from '../engine/meter.ts';
import type { Keys, Natives } from '../engine/native.ts';
import { index } from '../engine/numbers.ts';
import { raise } from '../engine/raise.ts';
import { call } from '../engine/world.ts';
import { stringOf, toArray } from './sequence.ts';
import { charAt, putChar } from './text.ts';

const tableIn = (value: Value): Table => (value instanceof Table ? value : raise.type(value, 'HASH-TABLE'));

function testName(test: Value | undefined): TableTest {
  if (test === undefined) return 'EQL';
  const name = test instanceof Sym ? test.name : test instanceof Func ? test.name : '';
  if (name === 'EQ' || name === 'EQL' || name === 'EQUAL' || name === 'EQUALP') return name;
  return raise.error('SIMPLE-ERROR', 'a hash table tests by EQ, EQL, EQUAL or EQUALP');
}

function put(table: Table, key: Value, value: Value): Value {
  const mark = markOf(key, table.test);
  if (!table.entries.has(mark)) charge(96);
  table.entries.set(mark, [key, value]);
  return value;
}

export const TABLES: Natives = {
  'make-hash-table &key test size': (_args, { test }) => new Table(testName(test)),
  'gethash key table &optional default': ([key, table, otherwise]) => {
    const found = tableIn(table).entries.get(markOf(key, (table as Table).test));
    return new Many(found === undefined ? [otherwise ?? NIL, NIL] : [found[1], T]);
  },
  '(setf gethash) value key table &optional default': ([value, key, table]) => put(tableIn(table), key, value),
  'remhash key table': ([key, table]) => bool(tableIn(table).entries.delete(markOf(key, (table as Table).test))),
  'clrhash table': ([table]) => {
    tableIn(table).entries.clear();
    return table;
  },
  'hash-table-count table': ([table]) => BigInt(tableIn(table).entries.size),
  'hash-table-size table': ([table]) => BigInt(Math.max(16, tableIn(table).entries.size)),
  'hash-table-test table': ([table], _, world) => world.sym(tableIn(table).test),
  'maphash function table': ([fn, table]) => {
    for (const [key, value] of [...tableIn(table).entries.values()]) call(fn, [key, value]);
    return NIL;
  },
  '%table-pairs table': ([table]) => {
    tick(tableIn(table).entries.size);
    return listOf([...tableIn(table).entries.values()].map(([key, value]) => new Cons(key, value)));
  },
  'hash-table-keys table': ([table]) => listOf([...tableIn(table).entries.values()].map(([key]) => key)),
  'hash-table-values table': ([table]) => listOf([...tableIn(table).entries.values()].map(([, value]) => value)),
  'sxhash value': ([value], _, world) => {
    let hash = 7n;
    for (const char of world.hooks.print(value, true))
      hash = (hash * 31n + BigInt(char.codePointAt(0) ?? 0)) & 0xfff_ffff_ffffn;
    return hash;
  },
};

const RANK = 16;

function dimensionsOf(value: Value): number[] {
  const given = value instanceof Cons || value === NIL ? items(value).map(index) : [index(value)];
  if (given.length > RANK) raise.error('SIMPLE-ERROR', `An array has at most ${RANK} dimensions.`);
  fits(given.reduce((all, each) => all * each, 1));
  return given;
}

/** The elements of nested sequences, in row-major order. */
function flatten(contents: Value, depth: number): Value[] {
  if (depth === 0) return [contents];
  const elements = toArray(contents);
  return depth === 1 ? [...elements] : elements.flatMap((each) => flatten(each, depth - 1));
}

const isOn = (value: Value | undefined) => value !== undefined && value !== NIL;

function makeArray(size: Value, keys: Keys): Value {
  const dimensions = dimensionsOf(size);
  const total = dimensions.reduce((all, each) => all * each, 1);
  const name = keys.elementType instanceof Sym ? keys.elementType.name : '';
  const given = contentsOf(keys.initialContents, { rank: dimensions.length, total });
  const flat = dimensions.length === 1;
  if (/CHAR/.test(name) && flat) return makeCharacters(total, given, keys);
  charge(total * 8);
  const items_ = given ?? new Array<Value>(total).fill(keys.initialElement ?? initial(name));
  const made = new Vec(items_, flat ? undefined : dimensions);
  made.bits = name === 'BIT' && flat;
  made.adjustable = isOn(keys.adjustable);
  if (isOn(keys.fillPointer))
    made.fill = keys.fillPointer === T ? total : Math.min(total, index(keys.fillPointer as Value));
  return made;
}

function contentsOf(
  contents: Value | undefined,
  { rank, total }: { rank: number; total: number },
): Value[] | undefined {
  const given = contents === undefined ? undefined : flatten(contents, rank);
  if (given === undefined || given.length === total) return given;
  return raise.error(
    'SIMPLE-ERROR',
    `There are ${given.length} elements in the :INITIAL-CONTENTS, but the array has ${total}.`,
  );
}

function initial(type: string): Value {
  if (/FLOAT/.test(type)) return 0;
  return /INTEGER|FIXNUM|BYTE|BIT/.test(type) ? 0n : type === '' || type === 'T' ? 0n : NIL;
}

function makeCharacters(total: number, given: Value[] | undefined, keys: Keys): Value {
  const fill = keys.fillPointer;
  const used = fill === undefined || fill === NIL ? total : fill === T ? total : index(fill);
  const text =
    given === undefined
      ? (keys.initialElement === undefined ? ' ' : stringOf([keys.initialElement]).text).repeat(used)
      : stringOf(given).text;
  const made = new Str(text);
  made.adjustable = fill !== undefined && fill !== NIL;
  return made;
}

const arrayIn = (value: Value): Vec | Str =>
  value instanceof Vec || value instanceof Str ? value : raise.type(value, 'ARRAY');
const shapeOf = (value: Vec | Str): number[] =>
  value instanceof Vec ? (value.dimensions ?? [value.items.length]) : [value.length];

function offset(value: Vec, subscripts: readonly Value[]): number {
  const shape = shapeOf(value);
  if (shape.length !== subscripts.length)
    return raise.error(
      'PROGRAM-ERROR',
      `Wrong number of subscripts, ${subscripts.length}, for an array of rank ${shape.length}.`,
    );
  let at = 0;
  for (const [axis, subscript] of subscripts.entries()) {
    const [where, size] = [index(subscript), shape[axis] as number];
    if (where >= size)
      raise.error('SIMPLE-TYPE-ERROR', `Invalid index ${where} for an array of size ${size}.`, { datum: subscript });
    at = at * size + where;
  }
  return at;
}

function aref(value: Value, subscripts: readonly Value[]): Value {
  const array = arrayIn(value);
  return array instanceof Str ? charAt(array, subscripts[0] ?? NIL) : (array.items[offset(array, subscripts)] as Value);
}

function put_(value: Value, array: Value, subscripts: readonly Value[]): Value {
  const target = arrayIn(array);
  if (target instanceof Str) return putChar(target, subscripts[0] ?? NIL, value);
  target.items[offset(target, subscripts)] = value;
  return value;
}

const vectorIn = (value: Value): Vec => (value instanceof Vec ? value : raise.type(value, 'VECTOR'));

function pushExtend(item: Value, target: Value, grows: boolean): Value {
  if (target instanceof Str) {
    target.text += stringOf([item]).text;
    return BigInt(target.length - 1);
  }
  const vector = vectorIn(target);
  const at = vector.fill;
  if (at === undefined) return raise.error('SIMPLE-TYPE-ERROR', 'The vector has no fill pointer.', { datum: target });
  if (at >= vector.items.length && !grows) return NIL;
  if (at >= vector.items.length) charge(8);
  fits(at + 1);
  vector.items[at] = item;
  vector.fill = at + 1;
  return BigInt(at);
}

export const ARRAYS: Natives = {
  'make-array dimensions &key element-type initial-element initial-contents adjustable fill-pointer displaced-to': (
    [size],
    keys,
  ) => makeArray(size, keys),
  'vector &rest values': (values) => new Vec([...values]),
  'aref array &rest subscripts': ([array, ...subscripts]) => aref(array, subscripts),
  '(setf aref) value array &rest subscripts': ([value, array, ...subscripts]) => put_(value, array, subscripts),
  'svref vector index': ([array, at]) => aref(array, [at]),
  '(setf svref) value vector index': ([value, array, at]) => put_(value, array, [at]),
  'bit array index': ([array, at]) => aref(array, [at]),
  '(setf bit) value array index': ([value, array, at]) => put_(value, array, [at]),
  'row-major-aref array index': ([array, at]) =>
    array instanceof Str ? charAt(array, at) : (vectorIn(array).items[index(at)] ?? raise.type(at, 'UNSIGNED-BYTE')),
  '(setf row-major-aref) value array index': ([value, array, at]) => {
    if (index(at) >= vectorIn(array).items.length) return raise.type(at, 'UNSIGNED-BYTE');
    vectorIn(array).items[index(at)] = value;
    return value;
  },
  'array-row-major-index array &rest subscripts': ([array, ...subscripts]) =>
    BigInt(offset(vectorIn(array), subscripts)),
  'array-dimensions array': ([array]) => listOf(shapeOf(arrayIn(array)).map((each) => BigInt(each))),
  'array-dimension array axis': ([array, axis]) =>
    BigInt(shapeOf(arrayIn(array))[index(axis)] ?? raise.type(axis, 'UNSIGNED-BYTE')),
  'array-rank array': ([array]) => BigInt(shapeOf(arrayIn(array)).length),
  'array-total-size array': ([array]) => BigInt(shapeOf(arrayIn(array)).reduce((all, each) => all * each, 1)),
  'array-element-type array': ([array], _, world) =>
    array instanceof Str ? world.sym('CHARACTER') : vectorIn(array).bits ? world.sym('BIT') : T,
  'array-in-bounds-p array &rest subscripts': ([array, ...subscripts]) => {
    const sizes = shapeOf(arrayIn(array));
    return bool(
      subscripts.every((each, axis) => typeof each === 'bigint' && each >= 0n && each < BigInt(sizes[axis] ?? 0)),
    );
  },
  'array-has-fill-pointer-p array': ([array]) =>
    bool((array instanceof Vec && array.fill !== undefined) || (array instanceof Str && array.adjustable)),
  'adjustable-array-p array': ([array]) => bool(arrayIn(array).adjustable),
  'fill-pointer vector': ([array]) =>
    array instanceof Str ? BigInt(array.length) : BigInt(vectorIn(array).fill ?? raise.type(array, 'VECTOR')),
  '(setf fill-pointer) value vector': ([value, array]) => {
    if (array instanceof Str) array.text = array.slice(0, index(value));
    else if (index(value) <= vectorIn(array).items.length) vectorIn(array).fill = index(value);
    else raise.type(value, 'UNSIGNED-BYTE');
    return value;
  },
  'vector-push item vector': ([item, vector]) => pushExtend(item, vector, false),
  'vector-push-extend item vector &optional extension': ([item, vector]) => pushExtend(item, vector, true),
  'vector-pop vector': ([array]) => {
    const vector = vectorIn(array);
    if (vector.fill === undefined || vector.fill === 0)
      return raise.error('SIMPLE-ERROR', 'There is nothing left to pop.');
    vector.fill--;
    return vector.items[vector.fill] as Value;
  },
  'adjust-array array dimensions &key initial-element fill-pointer initial-contents element-type': (
    [array, size],
    keys,
  ) => {
    const vector = vectorIn(array);
    const made = makeArray(size, { ...keys, adjustable: T }) as Vec;
    if (keys.initialContents === undefined)
      for (const [at, each] of vector.items.entries()) if (at < made.items.length) made.items[at] = each;
    vector.items = made.items;
    vector.dimensions = made.dimensions;
    if (vector.fill !== undefined) vector.fill = made.fill ?? Math.min(vector.fill, made.items.length);
    return vector;
  },
  'bit-and a b': ([a, b]) => bits(a, b, (x, y) => x & y),
  'bit-ior a b': ([a, b]) => bits(a, b, (x, y) => x | y),
  'bit-xor a b': ([a, b]) => bits(a, b, (x, y) => x ^ y),
  'bit-not a': ([a]) => bits(a, a, (x) => 1n - x),
};

function bits(a: Value, b: Value, combine: (x: bigint, y: bigint) => bigint): Value {
  const [left, right] = [vectorIn(a).items, vectorIn(b).items];
  const made = new Vec(left.map((each, at) => combine(each as bigint, (right[at] ?? 0n) as bigint)));
  made.bits = true;
  return made;
}
