import { Cons, type Func, Many, NIL, Sym, type Value } from './data.ts';
import { INLINE } from './inline.ts';
import { items } from './lists.ts';
import { enter, leave, tick } from './meter.ts';
import { raise } from './raise.ts';
import { type Code, Frame, Scope } from './scope.ts';
import { invoke, later, one, type Site, settle, undefinedFunction, type World } from './world.ts';

/** A place in the code being made ready. */
class Place implements Site {
  readonly world: World;
  readonly scope: Scope;
  readonly tail: boolean;

  constructor(world: World, scope: Scope, tail: boolean) {
    this.world = world;
    this.scope = scope;
    this.tail = tail;
  }

  one(form: Value): Code {
    const code = compile(form, this.inner());
    if (!(form instanceof Cons)) return code;
    return (frame) => {
      const value = code(frame);
      return value instanceof Many ? one(value) : value;
    };
  }

  many(form: Value): Code {
    return compile(form, this.inner());
  }

  last(form: Value): Code {
    return compile(form, this);
  }

  body(forms: Value): Code {
    const all = items(forms);
    const last = all.pop();
    if (last === undefined) return () => NIL;
    const before = all.map((form) => this.many(form));
    return sequence(before, this.last(last));
  }

  inside(scope: Scope): Site {
    return new Place(this.world, scope, this.tail);
  }

  inner(): Site {
    return this.tail ? new Place(this.world, this.scope, false) : this;
  }

  outer(): Site {
    return this.tail ? this : new Place(this.world, this.scope, true);
  }

  fail(message: string): never {
    return raise.error('PROGRAM-ERROR', message);
  }
}

function sequence(before: readonly Code[], last: Code): Code {
  const [first, second] = before;
  if (first === undefined) return last;
  if (second === undefined) {
    return (frame) => {
      first(frame);
      return last(frame);
    };
  }
  return (frame) => {
    for (const code of before) code(frame);
    return last(frame);
  };
}

/** Makes a form ready to run where the site stands. */
export function compile(form: Value, site: Site): Code {
  if (form instanceof Sym) return variable(form, site);
  if (!(form instanceof Cons)) return () => form;
  tick();
  enter();
  const code = compound(form, site);
  leave();
  return code;
}

/** Runs a form with no lexical names around it. */
export function evaluate(form: Value, world: World): Value {
  const top = topForms(form, world);
  if (top !== undefined) return evaluateAll(top, world);
  const code = compile(form, new Place(world, new Scope(), false));
  return settle(code(new Frame([], undefined)));
}

/** The forms of a top-level PROGN, which stand at the top level themselves: each may use what the one before defined. */
function topForms(form: Value, world: World): Value | undefined {
  if (!(form instanceof Cons && form.car instanceof Sym)) return undefined;
  if (form.car === world.sym('PROGN')) return form.cdr;
  if (form.car === world.sym('EVAL-WHEN') && form.cdr instanceof Cons) return form.cdr.cdr;
  return form.car.macro === undefined ? undefined : new Cons(expand(form.car.macro, form), NIL);
}

function evaluateAll(forms: Value, world: World): Value {
  let value: Value = NIL;
  enter();
  for (const form of items(forms)) value = evaluate(form, world);
  leave();
  return value;
}

/** A place with no lexical names around it. */
export function topSite(world: World): Site {
  return new Place(world, new Scope(), false);
}

function compound(form: Cons, site: Site): Code {
  const { car: operator } = form;
  if (!(operator instanceof Sym)) return immediate(form, site);
  const local = localFunction(operator, site.scope);
  if (local !== undefined) return localCall({ form, site, local });
  const special = site.world.specials.get(operator);
  if (special !== undefined) return special(form, site);
  const rewrite = site.world.rewrites.get(operator);
  if (rewrite !== undefined) return compile(rewrite(form, site), site);
  if (operator.macro !== undefined) return compile(expand(operator.macro, form), site);
  return globalCall(operator, form, site);
}

function expand(macro: Func, form: Cons): Value {
  return one(invoke(macro, [form]));
}

/** One step of macro expansion, or `undefined` when the form is not a macro call. */
export function expandOnce(form: Value, site: Site): Value | undefined {
  if (!(form instanceof Cons && form.car instanceof Sym)) return undefined;
  const local = localFunction(form.car, site.scope);
  if (local !== undefined) return typeof local.found === 'number' ? undefined : expand(local.found.macro, form);
  if (form.car.macro !== undefined) return expand(form.car.macro, form);
  return site.world.rewrites.get(form.car)?.(form, site);
}

function immediate(form: Cons, site: Site): Code {
  const { car: operator } = form;
  if (!(operator instanceof Cons && operator.car === site.world.sym('LAMBDA')))
    return site.fail('illegal function call');
  const fn = site.one(operator);
  const args = items(form.cdr).map((arg) => site.one(arg));
  return (frame) =>
    invoke(
      fn(frame) as Func,
      args.map((arg) => arg(frame)),
    );
}

interface Local {
  readonly depth: number;
  readonly found: number | { readonly macro: Func };
}

/** What a name means as a function in the scopes around. */
export function localFunction(name: Sym | string, from: Scope): Local | undefined {
  let depth = 0;
  for (let scope: Scope | undefined = from; scope !== undefined; scope = scope.up) {
    const found = scope.functions.get(name);
    if (found !== undefined) return { depth, found };
    depth++;
  }
  return undefined;
}

function localCall({ form, site, local }: { form: Cons; site: Site; local: Local }): Code {
  const { depth, found } = local;
  if (typeof found !== 'number') return compile(expand(found.macro, form), site);
  const args = items(form.cdr).map((arg) => site.one(arg));
  const fn = slotCode(depth, found);
  if (site.tail) return (frame) => later(fn(frame) as Func, evaluated(args, frame));
  return (frame) => invoke(fn(frame) as Func, evaluated(args, frame));
}

export function evaluated(args: readonly Code[], frame: Frame): Value[] {
  const values = new Array<Value>(args.length);
  for (let index = 0; index < args.length; index++) values[index] = (args[index] as Code)(frame);
  return values;
}

function globalCall(name: Sym, form: Cons, site: Site): Code {
  const args = items(form.cdr).map((arg) => site.one(arg));
  const native = name.home === site.world.cl ? name.fn : undefined;
  if (native !== undefined) return nativeCall(native, args);
  if (site.tail) return (frame) => later(name.fn ?? undefinedFunction(name), evaluated(args, frame));
  const [first, second, third] = args;
  if (first === undefined) return () => invoke(name.fn ?? undefinedFunction(name), []);
  if (second === undefined) return (frame) => invoke(name.fn ?? undefinedFunction(name), [first(frame)]);
  if (third === undefined) {
    return (frame) => invoke(name.fn ?? undefinedFunction(name), [first(frame), second(frame)]);
  }
  return (frame) => invoke(name.fn ?? undefinedFunction(name), evaluated(args, frame));
}

function nativeCall(native: Func, args: readonly Code[]): Code {
  const inline = INLINE.get(`${native.name}/${args.length}`);
  const [first, second] = args as [Code, Code];
  if (inline !== undefined && args.length === 1) return (frame) => inline(first(frame), NIL);
  if (inline !== undefined) return (frame) => inline(first(frame), second(frame));
  return (frame) => {
    tick();
    return native.run(evaluated(args, frame));
  };
}

/** Code that reads a slot so many frames out. */
export function slotCode(depth: number, slot: number): Code {
  if (depth === 0) return (frame) => frame.slots[slot] as Value;
  if (depth === 1) return (frame) => (frame.up as Frame).slots[slot] as Value;
  if (depth === 2) return (frame) => ((frame.up as Frame).up as Frame).slots[slot] as Value;
  return (frame) => frameAt(frame, depth).slots[slot] as Value;
}

export function frameAt(frame: Frame, depth: number): Frame {
  let found = frame;
  for (let left = depth; left > 0; left--) found = found.up as Frame;
  return found;
}

export interface Found {
  readonly depth: number;
  readonly slot: number;
}

/** Where a variable lives: a slot, a symbol macro, or the symbol itself. */
export function lookup(name: Sym, from: Scope): Found | { readonly expansion: Value } | undefined {
  if (name.special && !hasMacro(name, from)) return undefined;
  let depth = 0;
  for (let scope: Scope | undefined = from; scope !== undefined; scope = scope.up) {
    const found = scope.variables.get(name);
    if (found === 'special') return undefined;
    if (found !== undefined) return typeof found === 'number' ? { depth, slot: found } : found;
    depth++;
  }
  return undefined;
}

function hasMacro(name: Sym, from: Scope): boolean {
  for (let scope: Scope | undefined = from; scope !== undefined; scope = scope.up) {
    if (typeof scope.variables.get(name) === 'object') return true;
  }
  return false;
}

function variable(name: Sym, site: Site): Code {
  const found = lookup(name, site.scope);
  if (found === undefined) return () => name.value ?? unbound(name);
  if ('expansion' in found) return compile(found.expansion, site);
  return slotCode(found.depth, found.slot);
}

export function unbound(name: Sym): never {
  return raise.error('UNBOUND-VARIABLE', `The variable ${name.name} is unbound.`, { name });
}
