import { findClass, place } from '../engine/classes.ts';
import { evaluate } from '../engine/compile.ts';
import { Cons, Func, NIL, Str, Sym, T, type Value } from '../engine/data.ts';
import { Generic, type Method, type Next, type Specializer } from '../engine/generic.ts';
import { lambda } from '../engine/lambda.ts';
import { bool, car, cdr, items, list, listOf, second } from '../engine/lists.ts';
import { Class, type ClassKind, type Instance, type SlotSpec } from '../engine/objects.ts';
import { raise } from '../engine/raise.ts';
import { type Code, Frame, Scope } from '../engine/scope.ts';
import { call, one, type Rewrite, type Site, type Special, type World } from '../engine/world.ts';
import { unlocked } from './definitions.ts';

/** The generic function of a name, made when there is none. */
export function genericOf(name: Value, world: World): Generic {
  const writer = name instanceof Cons;
  const symbol = (writer ? second(name) : name) as Sym;
  const known = writer ? symbol.setf : symbol.fn;
  if (known instanceof Generic) return known;
  if (!writer) unlocked(symbol, world);
  const made = new Generic(symbol, writer ? `(SETF ${symbol.name})` : symbol.name, world);
  if (writer) symbol.setf = made;
  else {
    symbol.fn = made;
    symbol.macro = undefined;
    world.record('function', symbol);
  }
  return made;
}

interface SlotParts {
  readonly spec: Omit<SlotSpec, 'init' | 'shared'>;
  readonly init: Code | undefined;
  readonly shared: boolean;
  readonly readers: Value[];
  readonly writers: Value[];
}

function slotParts(form: Value, at: Site): SlotParts {
  const [name, ...options] = form instanceof Cons ? items(form) : [form];
  const given = (key: string) =>
    options.flatMap((each, index) =>
      index % 2 === 0 && (each as Sym).name === key ? [options[index + 1] as Value] : [],
    );
  const [init] = given('INITFORM');
  const accessors = given('ACCESSOR');
  return {
    spec: { name: name as Sym, initargs: given('INITARG') as Sym[] },
    init: init === undefined ? undefined : at.one(init),
    shared: (given('ALLOCATION')[0] as Sym | undefined)?.name === 'CLASS',
    readers: [...given('READER'), ...accessors],
    writers: [...given('WRITER'), ...accessors.map((each) => list(at.world.sym('SETF'), each))],
  };
}

interface ClassParts {
  readonly name: Sym;
  readonly supers: Value[];
  readonly slots: SlotParts[];
  readonly defaults: (readonly [Sym, Code])[];
  readonly documentation: string | undefined;
  readonly report: Value | undefined;
}

function classParts(form: Cons, at: Site): ClassParts {
  const [name = NIL, supers = NIL, slots = NIL, ...options] = items(form.cdr);
  const option = (key: string) => options.find((each) => (car(each) as Sym).name === key);
  const defaults = items(cdr(option('DEFAULT-INITARGS') ?? NIL));
  const text = second(option('DOCUMENTATION') ?? NIL);
  const report = option('REPORT');
  return {
    name: unlocked(name, at.world),
    supers: items(supers),
    slots: items(slots).map((slot) => slotParts(slot, at)),
    defaults: defaults.flatMap((key, index) =>
      index % 2 === 0 ? [[key as Sym, at.one(defaults[index + 1] ?? NIL)] as const] : [],
    ),
    documentation: text instanceof Str ? text.text : undefined,
    report: report === undefined ? undefined : second(report),
  };
}

/** Makes the class of a definition and its accessors. */
function define(
  parts: ClassParts,
  { kind, base, world, frame }: { kind: ClassKind; base: string; world: World; frame: Frame },
): Class {
  const above = parts.supers.map((each) => findClass(each, world) ?? missingClass(each, world));
  const fallback = world.classes.get(world.sym(base)) as Class;
  const type = new Class(parts.name, kind);
  const inherited = above.flatMap((each) => each.defaults);
  const own = parts.slots.map(({ spec, init, shared }): SlotSpec => {
    const value = init === undefined ? undefined : () => init(frame);
    return { ...spec, init: value, shared: shared ? { value: value?.() } : undefined };
  });
  if (!place(type, above.length === 0 ? [fallback] : above, own))
    raise.error('SIMPLE-ERROR', `no precedence order fits the classes above ${parts.name.name}`);
  const defaults = parts.defaults.map(([key, code]) => [key, () => code(frame)] as const);
  type.defaults = [...defaults, ...inherited.filter(([key]) => !defaults.some(([other]) => other === key))];
  type.documentation = parts.documentation;
  world.classes.set(parts.name, type);
  for (const slot of parts.slots) defineAccessors(slot, type, world);
  return type;
}

function missingClass(name: Value, world: World): never {
  return raise.error('SIMPLE-ERROR', `There is no class named ${world.hooks.print(name, true)}.`);
}

function defineAccessors({ spec, readers, writers }: SlotParts, type: Class, world: World): void {
  for (const name of readers) {
    genericOf(name, world).add({
      qualifier: '',
      specializers: [type],
      run: ([self]) => readSlot(self as Instance, spec.name),
    });
  }
  const top = world.classes.get(T) as Class;
  for (const name of writers) {
    genericOf(name, world).add({
      qualifier: '',
      specializers: [top, type],
      run: ([value, self]) => writeSlot(self as Instance, spec.name, value as Value),
    });
  }
}

function slotIndex(self: Instance, name: Sym): number {
  const found = self.type.index.get(name);
  return (
    found ??
    raise.error('SIMPLE-ERROR', `When attempting to use the slot, the slot ${name.name} is missing from the object.`)
  );
}

export function readSlot(self: Instance, name: Sym): Value {
  const index = slotIndex(self, name);
  const shared = self.type.slots[index]?.shared;
  const value = shared === undefined ? self.slots[index] : shared.value;
  return (
    value ?? raise.error('UNBOUND-SLOT', `The slot ${name.name} is unbound in the object.`, { name, instance: self })
  );
}

export function writeSlot(self: Instance, name: Sym, value: Value | undefined): Value {
  const index = slotIndex(self, name);
  const shared = self.type.slots[index]?.shared;
  if (shared === undefined) self.slots[index] = value;
  else shared.value = value;
  return value ?? NIL;
}

function defclass(form: Cons, at: Site): Code {
  const parts = classParts(form, at);
  return (frame) => {
    const type = define(parts, { kind: 'standard', base: 'STANDARD-OBJECT', world: at.world, frame });
    at.world.record('class', parts.name);
    return type;
  };
}

function defineCondition(form: Cons, at: Site): Code {
  const { world } = at;
  const parts = classParts(form, at);
  const { report } = parts;
  const made = report === undefined || report instanceof Str ? undefined : at.one(world.form('FUNCTION', report));
  return (frame) => {
    const type = define(parts, { kind: 'condition', base: 'CONDITION', world, frame });
    if (report instanceof Str) type.report = () => report.text;
    const fn = made?.(frame);
    if (fn !== undefined) type.report = (self) => reported(fn, self, world);
    world.record('condition', parts.name);
    return parts.name;
  };
}

function reported(fn: Value, self: Instance, world: World): string {
  const stream = call(world.sym('MAKE-STRING-OUTPUT-STREAM'), []);
  call(fn, [self, stream]);
  return (call(world.sym('GET-OUTPUT-STREAM-STRING'), [stream]) as Str).text;
}

function defgeneric(form: Cons, at: Site): Code {
  const [name = NIL, , ...options] = items(form.cdr);
  const option = (key: string) => options.filter((each) => (car(each) as Sym).name === key);
  const methods = option('METHOD').map((each) =>
    at.many(new Cons(at.world.sym('DEFMETHOD'), new Cons(name, cdr(each)))),
  );
  const combination = second(option('METHOD-COMBINATION')[0] ?? NIL);
  const text = second(option('DOCUMENTATION')[0] ?? NIL);
  return (frame) => {
    const generic = genericOf(name, at.world);
    if (combination !== NIL) generic.combination = (combination as Sym).name;
    if (text instanceof Str) generic.documentation = text.text;
    for (const method of methods) method(frame);
    return generic;
  };
}

function specializerOf(item: Value, world: World): Specializer {
  if (!(item instanceof Cons)) return world.classes.get(T) as Class;
  const type = second(item);
  if (type instanceof Cons) return { eql: one(evaluate(second(type), world)) };
  return findClass(type, world) ?? missingClass(type, world);
}

/** `call-next-method` and `next-method-p` are local functions of the frame around the method. */
function defmethod(form: Cons, at: Site): Code {
  const { world } = at;
  const name = second(form);
  let rest = cdr(cdr(form));
  const qualifiers: string[] = [];
  while (rest instanceof Cons && rest.car instanceof Sym && rest.car !== NIL) {
    qualifiers.push(rest.car.name);
    rest = rest.cdr;
  }
  const parameters = items(car(rest));
  const marker = parameters.findIndex((each) => each instanceof Sym && each.name.startsWith('&'));
  const required = marker === -1 ? parameters : parameters.slice(0, marker);
  const plain = listOf(
    parameters.map((each, index) => (index < required.length && each instanceof Cons ? each.car : each)),
  );
  const scope = new Scope(at.scope);
  for (const local of ['CALL-NEXT-METHOD', 'NEXT-METHOD-P']) scope.functions.set(world.sym(local), scope.slot());
  const block = (name instanceof Cons ? second(name) : name) as Sym;
  const open = parameters.includes(world.sym('&KEY')) && !parameters.includes(world.sym('&ALLOW-OTHER-KEYS'));
  const accepted = open ? listOf([...items(plain), world.sym('&ALLOW-OTHER-KEYS')]) : plain;
  const make = lambda({ name: block.name, list: accepted, body: cdr(rest), block }, at.inside(scope));
  return (frame) => {
    const specializers = required.map((each) => specializerOf(each, world));
    genericOf(name, world).add(methodOf({ qualifier: qualifiers[0] ?? '', specializers }, { make, frame }));
    world.record('method', block);
    return new Func(`METHOD ${block.name}`, () => NIL);
  };
}

interface MethodCode {
  readonly make: (frame: Frame) => Func;
  readonly frame: Frame;
}

function methodOf(parts: Omit<Method, 'run'>, { make, frame }: MethodCode): Method {
  return {
    ...parts,
    run: (args, next) =>
      call(
        make(new Frame([nextFunction(args, next), new Func('NEXT-METHOD-P', () => bool(next !== undefined))], frame)),
        args,
      ),
  };
}

function nextFunction(args: Value[], next: Next): Func {
  return new Func('CALL-NEXT-METHOD', (given) => {
    if (next === undefined) return raise.error('SIMPLE-ERROR', 'There is no next method.');
    return next(given.length === 0 ? args : given);
  });
}

const withSlots: Rewrite = (form, { world }) => {
  const object = world.gensym();
  const macros = items(second(form)).map((each) => {
    const [name, slot] = each instanceof Cons ? [each.car, second(each)] : [each, each];
    return list(name, world.form('SLOT-VALUE', object, world.form('QUOTE', slot)));
  });
  const body = world.form('SYMBOL-MACROLET', listOf(macros), ...items(cdr(cdr(cdr(form)))));
  return world.form('LET', list(list(object, second(cdr(form)))), body);
};

const withAccessors: Rewrite = (form, { world }) => {
  const object = world.gensym();
  const macros = items(second(form)).map((each) => list(car(each), list(second(each), object)));
  const body = world.form('SYMBOL-MACROLET', listOf(macros), ...items(cdr(cdr(cdr(form)))));
  return world.form('LET', list(list(object, second(cdr(form)))), body);
};

export const CLASSES: Readonly<Record<string, Special>> = {
  DEFCLASS: defclass,
  'DEFINE-CONDITION': defineCondition,
  DEFGENERIC: defgeneric,
  DEFMETHOD: defmethod,
};

export const CLASS_REWRITES: Readonly<Record<string, Rewrite>> = {
  'WITH-SLOTS': withSlots,
  'WITH-ACCESSORS': withAccessors,
};
