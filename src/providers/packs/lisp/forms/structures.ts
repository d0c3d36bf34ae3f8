import { place } from '../engine/classes.ts';
import { Cons, Func, NIL, Str, Sym, type Value } from '../engine/data.ts';
import { car, cdr, items, list, listOf, second } from '../engine/lists.ts';
import { Class, Instance, type SlotSpec } from '../engine/objects.ts';
import { raise } from '../engine/raise.ts';
import type { Code, Frame } from '../engine/scope.ts';
import { call, type Site, type Special, type World } from '../engine/world.ts';
import { unlocked } from './definitions.ts';

interface Options {
  prefix: string;
  readonly constructors: Value[];
  copier: Value | undefined;
  predicate: Value | undefined;
  include: Value;
  overrides: Value[];
  printer: Value | undefined;
}

function optionsOf(name: Sym, given: readonly Value[]): Options {
  const options: Options = {
    prefix: `${name.name}-`,
    constructors: [],
    copier: undefined,
    predicate: undefined,
    include: NIL,
    overrides: [],
    printer: undefined,
  };
  for (const option of given) {
    const [key, ...args] = option instanceof Cons ? items(option) : [option];
    OPTIONS[(key as Sym).name]?.(options, args);
  }
  return options;
}

const OPTIONS: Readonly<Record<string, (options: Options, args: Value[]) => void>> = {
  'CONC-NAME': (options, [name]) => {
    options.prefix = name === undefined || name === NIL ? '' : textOf(name);
  },
  CONSTRUCTOR: (options, args) => void options.constructors.push(listOf(args)),
  COPIER: (options, [name]) => {
    options.copier = name;
  },
  PREDICATE: (options, [name]) => {
    options.predicate = name;
  },
  INCLUDE: (options, [name = NIL, ...overrides]) => {
    options.include = name;
    options.overrides = overrides;
  },
  'PRINT-FUNCTION': (options, [fn]) => {
    options.printer = fn;
  },
  'PRINT-OBJECT': (options, [fn]) => {
    options.printer = fn;
  },
};

const textOf = (value: Value) => (value instanceof Str ? value.text : (value as Sym).name);

interface Slot {
  readonly name: Sym;
  readonly form: Value;
  readonly readOnly: boolean;
}

function slotsOf(forms: readonly Value[], at: Site): Slot[] {
  return forms.map((form) => {
    const [name, init = NIL, ...rest] = form instanceof Cons ? items(form) : [form];
    if (!(name instanceof Sym)) return at.fail('a slot needs a name');
    const flag = rest.indexOf(at.world.key('READ-ONLY'));
    return { name, form: init, readOnly: flag !== -1 && rest[flag + 1] !== NIL };
  });
}

function defstruct(form: Cons, at: Site): Code {
  const { world } = at;
  const [head, ...parts] = items(form.cdr);
  const name = unlocked(head instanceof Cons ? head.car : (head as Value), world);
  const options = optionsOf(name, head instanceof Cons ? items(head.cdr) : []);
  const [documentation] = parts[0] instanceof Str ? [(parts.shift() as Str).text] : [undefined];
  const own = slotsOf([...parts, ...options.overrides], at);
  const inits = own.map((slot) => at.one(slot.form));
  const printer = options.printer === undefined ? undefined : at.one(world.form('FUNCTION', options.printer));
  return (frame) => {
    const type = new Class(name, 'structure');
    type.documentation = documentation;
    const above = world.classes.get(options.include === NIL ? world.sym('STRUCTURE-OBJECT') : (options.include as Sym));
    if (above === undefined) raise.error('SIMPLE-ERROR', 'the structure to include is not defined');
    else
      place(
        type,
        [above],
        own.map((slot, index) => specOf(slot, { init: inits[index] as Code, frame, world })),
      );
    world.classes.set(name, type);
    if (printer !== undefined) type.report = reporter(printer(frame), world);
    defineFunctions({ name, type, options, own }, at);
    world.record('structure', name);
    return name;
  };
}

function specOf(slot: Slot, { init, frame, world }: { init: Code; frame: Frame; world: World }): SlotSpec {
  return { name: slot.name, initargs: [world.key(slot.name.name)], init: () => init(frame), shared: undefined };
}

function reporter(fn: Value, world: World): (self: Instance) => string {
  return (self) => {
    const stream = call(world.sym('MAKE-STRING-OUTPUT-STREAM'), []);
    call(fn, (fn as Func).lambda.split(' ').length > 2 ? [self, stream, 0n] : [self, stream]);
    return (call(world.sym('GET-OUTPUT-STREAM-STRING'), [stream]) as Str).text;
  };
}

interface Structure {
  readonly name: Sym;
  readonly type: Class;
  readonly options: Options;
  readonly own: readonly Slot[];
}

function defineFunctions({ name, type, options, own }: Structure, at: Site): void {
  const { world } = at;
  const named = (text: string) => world.intern(text, world.package);
  const define = (symbol: Value, run: (args: Value[]) => Value, shown: string) => {
    if (symbol !== NIL) unlocked(symbol, world).fn = new Func((symbol as Sym).name, run, shown);
  };
  const constructors = options.constructors.length === 0 ? [list(named(`MAKE-${name.name}`))] : options.constructors;
  for (const each of constructors)
    defineConstructor({ type, each: each === NIL ? list(named(`MAKE-${name.name}`)) : each }, at);
  define(options.copier ?? named(`COPY-${name.name}`), ([value]) => copyOf(value as Value), 'STRUCTURE');
  const isIt = (value: Value | undefined) => value instanceof Instance && value.type.order.includes(type);
  define(options.predicate ?? named(`${name.name}-P`), ([value]) => world.sym(isIt(value) ? 'T' : 'NIL'), 'OBJECT');
  for (const [index, slot] of type.slots.entries()) {
    const accessor = named(`${options.prefix}${slot.name.name}`);
    const check = (value: Value | undefined): Instance =>
      isIt(value) ? (value as Instance) : wrongStructure(value as Value, type);
    define(accessor, ([value]) => check(value).slots[index] ?? NIL, name.name);
    const fixed = own.some((each) => each.name === slot.name && each.readOnly);
    if (fixed) continue;
    accessor.setf = new Func(`(SETF ${accessor.name})`, ([made, value]) => {
      check(value).slots[index] = made;
      return made as Value;
    });
  }
}

function wrongStructure(value: Value, type: Class): never {
  return raise.type(value, type.name);
}

/** A copy of a structure, slot by slot. */
export function copyOf(value: Value): Value {
  if (!(value instanceof Instance)) return raise.type(value, 'STRUCTURE-OBJECT');
  const made = new Instance(value.type);
  made.slots = [...value.slots];
  return made;
}

/** Defines `make-…` with keywords, or a constructor with a lambda list of its own. */
function defineConstructor({ type, each }: { type: Class; each: Value }, at: Site): void {
  const { world } = at;
  const name = car(each) as Sym;
  if (name === NIL) return;
  unlocked(name, world);
  if (cdr(each) === NIL) {
    name.fn = new Func(
      name.name,
      (args) => makeInstance(type, args),
      type.slots.map((slot) => `:${slot.name.name}`).join(' '),
    );
    return;
  }
  const given = items(second(each)).flatMap((item) => (item instanceof Cons ? [item.car] : [item]));
  const names = given.filter((item) => item instanceof Sym && !item.name.startsWith('&')) as Sym[];
  const pairs = names.flatMap((item) => [world.key(item.name), item]);
  const make = list(world.sym('FUNCALL'), new Func(name.name, (args) => makeInstance(type, args)), ...pairs);
  const fn = at.one(world.form('FUNCTION', world.form('LAMBDA', second(each), make)));
  name.fn = fn({ slots: [], up: undefined }) as Func;
}

function makeInstance(type: Class, args: readonly Value[]): Instance {
  const made = new Instance(type);
  if (args.length % 2 === 1) raise.error('PROGRAM-ERROR', 'odd number of keyword arguments');
  for (let index = 0; index < args.length; index += 2) {
    const slot = type.slots.findIndex(({ initargs }) => initargs.includes(args[index] as Sym));
    if (slot === -1) raise.error('PROGRAM-ERROR', `unknown keyword argument for a ${type.name.name}`);
    made.slots[slot] ??= args[index + 1] as Value;
  }
  for (const [index, slot] of type.slots.entries()) made.slots[index] ??= slot.init?.() ?? NIL;
  return made;
}

export const STRUCTURES: Readonly<Record<string, Special>> = { DEFSTRUCT: defstruct };
export const structureMaker = makeInstance;
