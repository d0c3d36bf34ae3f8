import { Char, Cons, Func, NIL, Pack, Ratio, Str, Sym, T, Table, type Value, Vec } from './data.ts';
import { Class, type ClassKind, Input, Instance, Output, type SlotSpec } from './objects.ts';
import type { World } from './world.ts';

type Row = readonly [name: string, supers: string, slots?: string];

// Every class with the classes right above it and, for conditions, its slots.
const BUILT_IN: readonly Row[] = [
  ['T', ''],
  ['SYMBOL', 'T'],
  ['SEQUENCE', 'T'],
  ['LIST', 'SEQUENCE'],
  ['CONS', 'LIST'],
  ['NULL', 'SYMBOL LIST'],
  ['ARRAY', 'T'],
  ['VECTOR', 'ARRAY SEQUENCE'],
  ['STRING', 'VECTOR'],
  ['BIT-VECTOR', 'VECTOR'],
  ['CHARACTER', 'T'],
  ['NUMBER', 'T'],
  ['REAL', 'NUMBER'],
  ['RATIONAL', 'REAL'],
  ['INTEGER', 'RATIONAL'],
  ['RATIO', 'RATIONAL'],
  ['FLOAT', 'REAL'],
  ['DOUBLE-FLOAT', 'FLOAT'],
  ['FUNCTION', 'T'],
  ['GENERIC-FUNCTION', 'FUNCTION'],
  ['HASH-TABLE', 'T'],
  ['PACKAGE', 'T'],
  ['STREAM', 'T'],
  ['RESTART', 'T'],
  ['METHOD', 'T'],
  ['STANDARD-OBJECT', 'T'],
  ['CLASS', 'STANDARD-OBJECT'],
  ['STRUCTURE-OBJECT', 'T'],
];

const CONDITIONS: readonly Row[] = [
  ['CONDITION', 'T', '%MESSAGE'],
  ['SIMPLE-CONDITION', 'CONDITION', 'FORMAT-CONTROL FORMAT-ARGUMENTS'],
  ['SERIOUS-CONDITION', 'CONDITION'],
  ['ERROR', 'SERIOUS-CONDITION'],
  ['SIMPLE-ERROR', 'SIMPLE-CONDITION ERROR'],
  ['WARNING', 'CONDITION'],
  ['SIMPLE-WARNING', 'SIMPLE-CONDITION WARNING'],
  ['STYLE-WARNING', 'WARNING'],
  ['TYPE-ERROR', 'ERROR', 'DATUM EXPECTED-TYPE'],
  ['SIMPLE-TYPE-ERROR', 'SIMPLE-CONDITION TYPE-ERROR'],
  ['ARITHMETIC-ERROR', 'ERROR', 'OPERATION OPERANDS'],
  ['DIVISION-BY-ZERO', 'ARITHMETIC-ERROR'],
  ['FLOATING-POINT-OVERFLOW', 'ARITHMETIC-ERROR'],
  ['FLOATING-POINT-UNDERFLOW', 'ARITHMETIC-ERROR'],
  ['FLOATING-POINT-INEXACT', 'ARITHMETIC-ERROR'],
  ['FLOATING-POINT-INVALID-OPERATION', 'ARITHMETIC-ERROR'],
  ['CELL-ERROR', 'ERROR', 'NAME'],
  ['UNBOUND-VARIABLE', 'CELL-ERROR'],
  ['UNDEFINED-FUNCTION', 'CELL-ERROR'],
  ['UNBOUND-SLOT', 'CELL-ERROR', 'INSTANCE'],
  ['CONTROL-ERROR', 'ERROR'],
  ['PROGRAM-ERROR', 'ERROR'],
  ['PARSE-ERROR', 'ERROR'],
  ['STREAM-ERROR', 'ERROR', 'STREAM'],
  ['END-OF-FILE', 'STREAM-ERROR'],
  ['READER-ERROR', 'PARSE-ERROR STREAM-ERROR'],
  ['PACKAGE-ERROR', 'ERROR', 'PACKAGE'],
  ['FILE-ERROR', 'ERROR', 'PATHNAME'],
  ['PRINT-NOT-READABLE', 'ERROR', 'OBJECT'],
  ['STORAGE-CONDITION', 'SERIOUS-CONDITION'],
];

/** Conditions of our own, in the package PARLEY. */
const BUDGET_CONDITIONS: readonly Row[] = [
  ['BUDGET-EXCEEDED', 'STORAGE-CONDITION'],
  ['STEPS-EXCEEDED', 'BUDGET-EXCEEDED'],
  ['TIME-EXCEEDED', 'BUDGET-EXCEEDED'],
  ['MEMORY-EXCEEDED', 'BUDGET-EXCEEDED'],
  ['DEPTH-EXCEEDED', 'BUDGET-EXCEEDED'],
  ['SIZE-EXCEEDED', 'BUDGET-EXCEEDED'],
];

/** The precedence list of a class with these classes right above it, or `undefined` when there is none. */
export function precedence(self: Class, supers: readonly Class[]): Class[] | undefined {
  const lists = [...supers.map((each) => [...each.order]), [...supers]];
  const order: Class[] = [self];
  for (;;) {
    const open = lists.filter((each) => each.length > 0);
    if (open.length === 0) return order;
    const next = open.map((each) => each[0] as Class).find((head) => !open.some((each) => each.indexOf(head) > 0));
    if (next === undefined) return undefined;
    order.push(next);
    for (const each of open) if (each[0] === next) each.shift();
  }
}

/** Gives a class its place and all slots it inherits; the most specific slot of a name wins. */
export function place(type: Class, supers: readonly Class[], own: readonly SlotSpec[]): boolean {
  const order = precedence(type, supers);
  if (order === undefined) return false;
  type.supers = supers;
  type.order = order;
  const slots = new Map<Sym, SlotSpec>();
  for (const above of [...supers].reverse()) for (const slot of above.slots) slots.set(slot.name, slot);
  for (const slot of own) slots.set(slot.name, inherit(slot, slots.get(slot.name)));
  type.slots = [...slots.values()];
  type.index = new Map(type.slots.map((slot, index) => [slot.name, index]));
  return true;
}

function inherit(slot: SlotSpec, above: SlotSpec | undefined): SlotSpec {
  if (above === undefined) return slot;
  return { ...slot, initargs: [...slot.initargs, ...above.initargs], init: slot.init ?? above.init };
}

interface Defining {
  readonly kind: ClassKind;
  readonly symbol: (name: string) => Sym;
}

function defineRow(world: World, [name, supers, slots = '']: Row, { kind, symbol }: Defining): void {
  const named = symbol(name);
  const type = new Class(named, kind);
  const above = supers
    .split(' ')
    .flatMap((each) => world.classes.get(world.sym(each)) ?? world.classes.get(symbol(each)) ?? []);
  const own = slots.split(' ').filter((slot) => slot !== '');
  const specs = own.map((slot) => {
    return { name: world.sym(slot), initargs: [world.key(slot)], init: undefined, shared: undefined };
  });
  place(type, above, specs);
  world.classes.set(named, type);
}

export function installClasses(world: World): void {
  const symbol = (name: string) => world.sym(name);
  for (const row of BUILT_IN) {
    const standard = row[0] === 'STANDARD-OBJECT' || row[0] === 'CLASS';
    defineRow(world, row, { kind: standard ? 'standard' : 'built-in', symbol });
  }
  for (const row of CONDITIONS) defineRow(world, row, { kind: 'condition', symbol });
  for (const row of BUDGET_CONDITIONS) {
    world.parley.exported.add(row[0]);
    defineRow(world, row, { kind: 'condition', symbol: (name) => world.intern(name, world.parley) });
  }
}

type Kind = new (...args: never[]) => Value & object;

const BY_KIND: readonly (readonly [Kind, string])[] = [
  [Cons, 'CONS'],
  [Str, 'STRING'],
  [Char, 'CHARACTER'],
  [Ratio, 'RATIO'],
  [Func, 'FUNCTION'],
  [Table, 'HASH-TABLE'],
  [Pack, 'PACKAGE'],
  [Output, 'STREAM'],
  [Input, 'STREAM'],
  [Class, 'CLASS'],
];

function classNameOf(value: Value): string {
  if (typeof value === 'bigint') return 'INTEGER';
  if (typeof value === 'number') return 'DOUBLE-FLOAT';
  if (value === NIL) return 'NULL';
  if (value instanceof Sym) return 'SYMBOL';
  if (value instanceof Vec) return value.dimensions !== undefined ? 'ARRAY' : value.bits ? 'BIT-VECTOR' : 'VECTOR';
  return BY_KIND.find(([kind]) => value instanceof kind)?.[1] ?? 'T';
}

export function classOf(value: Value, world: World): Class {
  if (value instanceof Instance) return value.type;
  const generic = value instanceof Func && value.constructor !== Func;
  return world.classes.get(generic ? world.sym('GENERIC-FUNCTION') : world.sym(classNameOf(value))) as Class;
}

export function isA(value: Value, type: Class, world: World): boolean {
  return classOf(value, world).order.includes(type);
}

/** The class a symbol names. */
export function findClass(name: Value, world: World): Class | undefined {
  if (name instanceof Class) return name;
  return name instanceof Sym ? world.classes.get(name === T ? T : name) : undefined;
}
