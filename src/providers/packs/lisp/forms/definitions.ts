import { Cons, Func, NIL, Str, Sym, type Value } from '../engine/data.ts';
import { lambda } from '../engine/lambda.ts';
import { car, cdr, items, list, second } from '../engine/lists.ts';
import { raise } from '../engine/raise.ts';
import type { Code } from '../engine/scope.ts';
import type { Rewrite, Site, Special, World } from '../engine/world.ts';
import { expander } from './binding.ts';
import { modify } from './places.ts';

/** Refuses to change what belongs to the language. */
export function unlocked(name: Value, world: World): Sym {
  if (!(name instanceof Sym)) return raise.type(name, 'SYMBOL');
  if (name.home === world.cl || name.constant)
    raise.error('PACKAGE-ERROR', `Lock on package COMMON-LISP violated when defining ${name.name}.`, {
      package: world.cl,
    });
  return name;
}

/** The symbol a definition is for, and whether it is for writing. */
export function nameOf(name: Value, world: World): { symbol: Sym; writer: boolean; shown: string } {
  if (name instanceof Cons && name.car === world.sym('SETF')) {
    const symbol = second(name) as Sym;
    return { symbol, writer: true, shown: `(SETF ${symbol.name})` };
  }
  const symbol = unlocked(name, world);
  return { symbol, writer: false, shown: symbol.name };
}

function defun(form: Cons, at: Site): Code {
  const { world } = at;
  const { symbol, writer, shown } = nameOf(second(form), world);
  const make = lambda({ name: shown, list: second(cdr(form)), body: cdr(cdr(cdr(form))), block: symbol }, at);
  return (frame) => {
    const fn = make(frame);
    if (writer) symbol.setf = fn;
    else {
      symbol.fn = fn;
      symbol.macro = undefined;
      world.record('function', symbol);
    }
    return second(form);
  };
}

/** Defines the macro while the form is made ready too, so that the same form may use it. */
function defmacro(form: Cons, at: Site): Code {
  const { world } = at;
  const name = unlocked(second(form), world);
  const make = () => expander({ name: name.name, list: second(cdr(form)), body: cdr(cdr(cdr(form))), block: name }, at);
  const macro = make();
  return () => {
    name.macro = macro;
    name.fn = undefined;
    world.record('macro', name);
    return name;
  };
}

const variable =
  (keeps: boolean, constant: boolean): Special =>
  (form, at) => {
    const { world } = at;
    const name = unlockedVariable(second(form), world);
    const [, , init, text] = items(form);
    name.special = true;
    const value = init === undefined ? undefined : at.one(init);
    return (frame) => {
      if (value !== undefined && !(keeps && name.value !== undefined)) name.value = value(frame);
      if (constant) name.constant = true;
      if (text instanceof Str) world.documents.set(`variable ${name.name}`, text.text);
      world.record('variable', name);
      return name;
    };
  };

function unlockedVariable(name: Value, world: World): Sym {
  if (name instanceof Sym && name.constant && name.home !== world.cl && name.home !== world.keyword && name !== NIL)
    return name;
  return unlocked(name, world);
}

function deftype(form: Cons, at: Site): Code {
  const { world } = at;
  const name = unlocked(second(form), world);
  const type = expander({ name: name.name, list: second(cdr(form)), body: cdr(cdr(cdr(form))), block: name }, at);
  return () => {
    world.types.set(name, type);
    world.record('type', name);
    return name;
  };
}

/** `(define-modify-macro name lambda-list function)`. */
function defineModifyMacro(form: Cons, at: Site): Code {
  const { world } = at;
  const [, name = NIL, , fn = NIL] = items(form);
  const symbol = unlocked(name, world);
  const macro = new Func(symbol.name, ([call]) => {
    const [, place = NIL, ...args] = items(call as Value);
    return modify(place, at, (old) => list(fn, old, ...args));
  });
  return () => {
    symbol.macro = macro;
    world.record('macro', symbol);
    return symbol;
  };
}

/** `(defsetf name writer)` and `(defsetf name lambda-list (store) form…)`. */
function defsetf(form: Cons, at: Site): Code {
  const { world } = at;
  const [, name = NIL, how = NIL, stores = NIL] = items(form);
  const symbol = unlocked(name, world);
  world.hooks.setters ??= new Map();
  const { setters } = world.hooks;
  if (!(how instanceof Cons) && how !== NIL) {
    return () => {
      setters.set(symbol, (names, value) => list(how, ...names, value));
      return symbol;
    };
  }
  const store = car(stores);
  const macro = expander(
    { name: symbol.name, list: new Cons(store, how), body: cdr(cdr(cdr(cdr(form)))), block: symbol },
    at,
  );
  return () => {
    setters.set(symbol, (names, value) => {
      const kept = world.gensym();
      return world.form('LET', list(list(kept, value)), macro.run([list(symbol, kept, ...names)]));
    });
    return symbol;
  };
}

export const DEFINITIONS: Readonly<Record<string, Special>> = {
  DEFUN: defun,
  DEFMACRO: defmacro,
  DEFVAR: variable(true, false),
  DEFPARAMETER: variable(false, false),
  DEFCONSTANT: variable(false, true),
  DEFTYPE: deftype,
  'DEFINE-MODIFY-MACRO': defineModifyMacro,
  DEFSETF: defsetf,
};

/** A `defpackage` form as calls. */
const defpackage: Rewrite = (form, { world }) => {
  const [, name = NIL, ...options] = items(form);
  const quoted = (value: Value) => world.form('QUOTE', value);
  const calls = options.map((option) => {
    const kind = (car(option) as Sym).name;
    return world.form('%PACKAGE-OPTION', quoted(name), quoted(world.key(kind)), quoted(cdr(option)));
  });
  return world.form(
    'PROGN',
    world.form('%OPEN-PACKAGE', quoted(name)),
    ...calls,
    world.form('FIND-PACKAGE', quoted(name)),
  );
};

const inPackage: Rewrite = (form, { world }) => world.form('%IN-PACKAGE', world.form('QUOTE', second(form)));

export const PACKAGES: Readonly<Record<string, Rewrite>> = { DEFPACKAGE: defpackage, 'IN-PACKAGE': inPackage };
