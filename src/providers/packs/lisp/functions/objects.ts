import { findClass } from '../engine/classes.ts';
import { NIL, type Sym, T, type Value } from '../engine/data.ts';
import { Generic } from '../engine/generic.ts';
import { bool, listOf } from '../engine/lists.ts';
import type { Natives } from '../engine/native.ts';
import { type Class, Instance } from '../engine/objects.ts';
import { raise } from '../engine/raise.ts';
import { call, type World } from '../engine/world.ts';
import { readSlot, writeSlot } from '../forms/classes.ts';
import { copyOf, structureMaker } from '../forms/structures.ts';

const instanceIn = (value: Value): Instance =>
  value instanceof Instance ? value : raise.type(value, 'STANDARD-OBJECT');

function classIn(value: Value, world: World): Class {
  return (
    findClass(value, world) ?? raise.error('SIMPLE-ERROR', `There is no class named ${world.hooks.print(value, true)}.`)
  );
}

/** Fills the slots from the arguments, then from the initial forms. */
function initialize(self: Instance, args: readonly Value[]): void {
  const { type } = self;
  for (const [index, slot] of type.slots.entries()) {
    const at = args.findIndex((arg, place) => place % 2 === 0 && slot.initargs.includes(arg as Sym));
    const given = at === -1 ? undefined : args[at + 1];
    if (slot.shared !== undefined) slot.shared.value = given ?? slot.shared.value;
    else self.slots[index] = given ?? self.slots[index] ?? slot.init?.();
  }
}

function withDefaults(type: Class, args: readonly Value[]): Value[] {
  const missing = type.defaults.filter(([key]) => !args.some((arg, at) => at % 2 === 0 && arg === key));
  return [...args, ...missing.flatMap(([key, make]) => [key, make()])];
}

function checkArguments(type: Class, args: readonly Value[], world: World): void {
  if (args.length % 2 === 1) raise.error('PROGRAM-ERROR', 'odd number of initialization arguments');
  const open = initializer(world).methods.length > 1;
  for (const [at, arg] of args.entries()) {
    const known = at % 2 === 1 || open || type.slots.some(({ initargs }) => initargs.includes(arg as Sym));
    if (!known) raise.error('PROGRAM-ERROR', `Invalid initialization argument: ${world.hooks.print(arg, true)}`);
  }
}

const initializer = (world: World) => world.sym('INITIALIZE-INSTANCE').fn as Generic;

function make(type: Class, given: readonly Value[], world: World): Instance {
  if (type.kind === 'built-in') return raise.error('SIMPLE-ERROR', `Cannot make an instance of ${type.name.name}.`);
  if (type.kind === 'structure') return structureMaker(type, given);
  const args = withDefaults(type, given);
  checkArguments(type, args, world);
  const self = new Instance(type);
  call(initializer(world), [self, ...args]);
  return self;
}

export const OBJECTS: Natives = {
  'make-instance class &rest args': ([type, ...args], _, world) => make(classIn(type, world), args, world),
  'make-condition type &rest args': ([type, ...args], _, world) => {
    const self = new Instance(classIn(type, world));
    initialize(self, withDefaults(self.type, args));
    return self;
  },
  'allocate-instance class &rest args': ([type], _, world) => new Instance(classIn(type, world)),
  'reinitialize-instance instance &rest args': ([self, ...args]) => {
    initialize(instanceIn(self), args);
    return self;
  },
  'shared-initialize instance slots &rest args': ([self, , ...args]) => {
    initialize(instanceIn(self), args);
    return self;
  },
  'slot-value instance name': ([self, name]) => readSlot(instanceIn(self), name as Sym),
  '(setf slot-value) value instance name': ([value, self, name]) => writeSlot(instanceIn(self), name as Sym, value),
  'slot-boundp instance name': ([self, name]) => {
    const { type, slots } = instanceIn(self);
    const at = type.index.get(name as Sym);
    const shared = at === undefined ? undefined : type.slots[at]?.shared;
    return bool(at !== undefined && (shared === undefined ? slots[at] : shared.value) !== undefined);
  },
  'slot-makunbound instance name': ([self, name]) => {
    writeSlot(instanceIn(self), name as Sym, undefined);
    return self;
  },
  'slot-exists-p instance name': ([self, name]) => bool(self instanceof Instance && self.type.index.has(name as Sym)),
  'find-class name &optional errorp': ([name, strict = T], _, world) =>
    strict === NIL ? (findClass(name, world) ?? NIL) : classIn(name, world),
  'class-name class': ([type]) => (type as Class).name,
  'class-precedence-list class': ([type]) => listOf((type as Class).order),
  'class-direct-superclasses class': ([type]) => listOf((type as Class).supers),
  'copy-structure structure': ([value]) => copyOf(value),
  'change-class instance class &rest args': ([self, type, ...args], _, world) => {
    const [before, after] = [instanceIn(self), classIn(type, world)];
    const kept = after.slots.map(({ name }) => {
      const at = before.type.index.get(name);
      return at === undefined ? undefined : before.slots[at];
    });
    before.type = after;
    before.slots = kept;
    initialize(before, args);
    return self;
  },
  'compute-applicable-methods function args': ([fn]) => (fn instanceof Generic ? listOf(fn.methods.map(() => T)) : NIL),
};

/** Generic functions a program may extend. */
export function installGenerics(world: World): void {
  const top = world.classes.get(T) as Class;
  const define = (name: string) => {
    const symbol = world.sym(name);
    const made = new Generic(symbol, name, world);
    symbol.fn = made;
    return made;
  };
  define('INITIALIZE-INSTANCE').add({
    qualifier: '',
    specializers: [top],
    run: ([self, ...args]) => {
      initialize(instanceIn(self as Value), args);
      return self as Value;
    },
  });
  const printing = define('PRINT-OBJECT');
  world.hooks.printObject = (value) => {
    const own =
      value.type.kind === 'structure' ? value.type.order.find((type) => type.report !== undefined)?.report : undefined;
    if (own !== undefined) return own(value);
    if (printing.methods.length === 0) return undefined;
    const stream = call(world.sym('MAKE-STRING-OUTPUT-STREAM'), []);
    if (printing.applicable([value, stream]).length === 0) return undefined;
    call(printing, [value, stream]);
    return world.hooks.print(call(world.sym('GET-OUTPUT-STREAM-STRING'), [stream]), false);
  };
}
