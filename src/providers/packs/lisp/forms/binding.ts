import { Cons, type Func, NIL, Sym, type Value, Vec } from '../engine/data.ts';
import { lambda, readBody } from '../engine/lambda.ts';
import { declareVariable, matchList, readPattern } from '../engine/lambda-list.ts';
import { car, cdr, items, list, second } from '../engine/lists.ts';
import { type Code, Frame, Scope } from '../engine/scope.ts';
import { type Rewrite, type Site, type Special, valuesOf, type World } from '../engine/world.ts';

interface Binding {
  readonly name: Sym;
  readonly init: Value;
}

function bindingsOf(form: Cons, at: Site): Binding[] {
  return items(second(form)).map((each) => {
    const name = each instanceof Cons ? each.car : each;
    if (!(name instanceof Sym)) return at.fail('a binding needs a name');
    if (name.constant) return at.fail(`${name.name} is a constant and cannot be bound`);
    return { name, init: each instanceof Cons ? car(each.cdr) : NIL };
  });
}

function letForm(form: Cons, at: Site): Code {
  const bindings = bindingsOf(form, at);
  const { forms, specials } = readBody(cdr(cdr(form)), at);
  const inits = bindings.map(({ init }) => at.one(init));
  const scope = new Scope(at.scope);
  const dynamic: { name: Sym; index: number }[] = [];
  for (const { name } of bindings) {
    const slot = declareVariable(name, scope);
    if (!name.special && !specials.has(name)) continue;
    scope.variables.set(name, 'special');
    dynamic.push({ name, index: slot });
  }
  for (const name of specials) if (!scope.variables.has(name)) scope.variables.set(name, 'special');
  const inside = at.inside(scope);
  const body = (dynamic.length === 0 ? inside : inside.inner()).body(forms);
  if (dynamic.length === 0) return lexicalLet(inits, body);
  return dynamicLet({ inits, body, dynamic, world: at.world });
}

function lexicalLet(inits: readonly Code[], body: Code): Code {
  const [only] = inits;
  if (inits.length === 1 && only !== undefined) {
    return (frame) => {
      return body(new Frame([only(frame)], frame));
    };
  }
  return (frame) => {
    const slots = new Array<Value>(inits.length);
    for (let index = 0; index < inits.length; index++) slots[index] = (inits[index] as Code)(frame);
    return body(new Frame(slots, frame));
  };
}

interface DynamicLet {
  readonly inits: readonly Code[];
  readonly body: Code;
  readonly dynamic: readonly { name: Sym; index: number }[];
  readonly world: World;
}

function dynamicLet({ inits, body, dynamic, world }: DynamicLet): Code {
  return (frame) => {
    const slots = inits.map((init) => init(frame));
    const height = world.bound;
    try {
      for (const { name, index } of dynamic) world.bind(name, slots[index] as Value);
      return body(new Frame(slots, frame));
    } finally {
      world.unbind(height);
    }
  };
}

function letStar(form: Cons, at: Site): Code {
  const bindings = bindingsOf(form, at);
  const { forms, specials } = readBody(cdr(cdr(form)), at);
  const inside = at.inside(new Scope(at.scope));
  let dynamic = false;
  const steps = bindings.map(({ name, init }) => {
    const code = inside.one(init);
    if (name.special || specials.has(name)) {
      dynamic = true;
      inside.scope.variables.set(name, 'special');
      return (frame: Frame) => at.world.bind(name, code(frame));
    }
    const slot = declareVariable(name, inside.scope);
    return (frame: Frame) => {
      frame.slots[slot] = code(frame);
    };
  });
  const body = (dynamic ? inside.inner() : inside).body(forms);
  if (!dynamic) return (frame) => body(stepped(steps, frame));
  return (frame) => {
    const height = at.world.bound;
    try {
      return body(stepped(steps, frame));
    } finally {
      at.world.unbind(height);
    }
  };
}

function stepped(steps: readonly ((frame: Frame) => void)[], frame: Frame): Frame {
  const made = new Frame([], frame);
  for (const step of steps) step(made);
  return made;
}

/** The name of a local function: a symbol or `(setf symbol)`. */
function localName(name: Value, at: Site): { key: Sym | string; block: Sym; shown: string } {
  if (name instanceof Sym) return { key: name, block: name, shown: name.name };
  const place = second(name);
  if (!(place instanceof Sym)) return at.fail('a local function needs a name');
  return { key: `(SETF ${place.name})`, block: place, shown: `(SETF ${place.name})` };
}

const functionsForm =
  (recursive: boolean): Special =>
  (form, at) => {
    const scope = new Scope(at.scope);
    const named = items(second(form)).map((definition) => ({ definition, ...localName(car(definition), at) }));
    const slots = named.map(({ key }) => {
      const slot = scope.slot();
      scope.functions.set(key, slot);
      return slot;
    });
    const place = recursive ? at.inside(scope) : at;
    const makers = named.map(({ definition, block, shown }) =>
      lambda({ name: shown, list: second(definition), body: cdr(cdr(definition)), block }, place),
    );
    const { forms } = readBody(cdr(cdr(form)), at);
    const body = at.inside(scope).body(forms);
    return (frame) => {
      const inside = new Frame([], frame);
      for (const [index, make] of makers.entries())
        inside.slots[slots[index] as number] = make(recursive ? inside : frame);
      return body(inside);
    };
  };

/** A macro's expander, made at once: it sees global definitions only. */
export function expander(parts: { name: string; list: Value; body: Value; block: Sym }, at: Site): Func {
  const site = at.inside(new Scope()).inner();
  return lambda({ ...parts, macro: true }, site)(new Frame([], undefined));
}

function macrolet(form: Cons, at: Site): Code {
  const scope = new Scope(at.scope);
  for (const definition of items(second(form))) {
    const name = car(definition) as Sym;
    const macro = expander({ name: name.name, list: second(definition), body: cdr(cdr(definition)), block: name }, at);
    scope.functions.set(name, { macro });
  }
  const body = at.inside(scope).body(readBody(cdr(cdr(form)), at).forms);
  return (frame) => body(new Frame([], frame));
}

function symbolMacrolet(form: Cons, at: Site): Code {
  const scope = new Scope(at.scope);
  for (const definition of items(second(form))) {
    scope.variables.set(car(definition) as Sym, { expansion: second(definition) });
  }
  const body = at.inside(scope).body(readBody(cdr(cdr(form)), at).forms);
  return (frame) => body(new Frame([], frame));
}

function takenApart(form: Cons, at: Site): Code {
  const [value, rest] = [at.one(second(cdr(form))), cdr(cdr(cdr(form)))];
  const { forms, specials } = readBody(rest, at);
  const inside = at.inside(new Scope(at.scope));
  const pattern = readPattern(second(form), inside, { nested: true, specials });
  const body = inside.inner().body(forms);
  return (frame) => {
    const made = new Frame([], frame);
    const height = at.world.bound;
    try {
      matchList(pattern, value(frame), made);
      return body(made);
    } finally {
      at.world.unbind(height);
    }
  };
}

function multipleValueBind(form: Cons, at: Site): Code {
  const names = items(second(form)) as Sym[];
  const value = at.many(second(cdr(form)));
  const { forms, specials } = readBody(cdr(cdr(cdr(form))), at);
  const inside = at.inside(new Scope(at.scope));
  const dynamic = names.filter((name) => name.special || specials.has(name));
  for (const name of names) declareVariable(name, inside.scope);
  for (const name of dynamic) inside.scope.variables.set(name, 'special');
  const body = (dynamic.length === 0 ? inside : inside.inner()).body(forms);
  return (frame) => {
    const given = valuesOf(value(frame));
    const slots = names.map((_, index) => given[index] ?? NIL);
    if (dynamic.length === 0) return body(new Frame(slots, frame));
    const height = at.world.bound;
    try {
      for (const name of dynamic) at.world.bind(name, slots[names.indexOf(name)] as Value);
      return body(new Frame(slots, frame));
    } finally {
      at.world.unbind(height);
    }
  };
}

/** What a backquoted form builds, as a form. */
function quasi(form: Value, depth: number, world: World): Value {
  if (form instanceof Vec)
    return list(
      world.sym('APPLY'),
      world.form('FUNCTION', world.sym('VECTOR')),
      quasi(list(...form.items), depth, world),
    );
  if (!(form instanceof Cons)) return form instanceof Sym && !form.constant ? world.form('QUOTE', form) : form;
  const name = form.car instanceof Sym ? form.car.name : '';
  if (name === '%UNQUOTE') return depth === 1 ? second(form) : rebuilt(form, depth - 1, world);
  if (name === '%QUASIQUOTE') return rebuilt(form, depth + 1, world);
  return quasiList(form, depth, world);
}

function rebuilt(form: Cons, depth: number, world: World): Value {
  return world.form('LIST', world.form('QUOTE', form.car), quasi(second(form), depth, world));
}

function quasiList(form: Cons, depth: number, world: World): Value {
  const parts: Value[] = [];
  let rest: Value = form;
  while (rest instanceof Cons && !(parts.length > 0 && rest.car instanceof Sym && rest.car.name === '%UNQUOTE')) {
    parts.push(rest.car);
    rest = rest.cdr;
  }
  let made = rest === NIL ? NIL : quasi(rest, depth, world);
  for (const part of parts.reverse()) made = joined({ part, made, depth }, world);
  return made;
}

function joined({ part, made, depth }: { part: Value; made: Value; depth: number }, world: World): Value {
  const splices = part instanceof Cons && part.car instanceof Sym && part.car.name === '%UNQUOTE-SPLICING';
  if (splices && depth === 1) return made === NIL ? second(part) : world.form('APPEND', second(part), made);
  const element = splices ? rebuilt(part as Cons, depth - 1, world) : quasi(part, depth, world);
  return world.form('CONS', element, made);
}

export const BINDING: Readonly<Record<string, Special>> = {
  LET: letForm,
  'LET*': letStar,
  FLET: functionsForm(false),
  LABELS: functionsForm(true),
  MACROLET: macrolet,
  'SYMBOL-MACROLET': symbolMacrolet,
  'DESTRUCTURING-BIND': takenApart,
  'MULTIPLE-VALUE-BIND': multipleValueBind,
};

export const QUASI: Readonly<Record<string, Rewrite>> = {
  '%QUASIQUOTE': (form, { world }) => quasi(second(form), 1, world),
};
