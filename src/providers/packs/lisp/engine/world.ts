import { Cons, Func, Many, NIL, Pack, Sym, T, type Value } from './data.ts';
import { listOf } from './lists.ts';
import { enter, leave, tick } from './meter.ts';
import { type Class, Input, type Instance, Output } from './objects.ts';
import { raise } from './raise.ts';
import type { Code, Scope } from './scope.ts';

/** Where a form stands while it is made ready. */
export interface Site {
  readonly world: World;
  readonly scope: Scope;
  readonly tail: boolean;
  /** Code that gives exactly one value. */
  one(form: Value): Code;
  /** Code that gives all values, settled. */
  many(form: Value): Code;
  /** Code in the position of this site: a call there may be left to the caller. */
  last(form: Value): Code;
  /** Code for forms in order. */
  body(forms: Value): Code;
  /** The same place with other names. */
  inside(scope: Scope): Site;
  /** The same place, not in tail position. */
  inner(): Site;
  /** The same place in tail position. */
  outer(): Site;
  fail(message: string): never;
}

export type Special = (form: Cons, at: Site) => Code;
/** Rewrites a form into a simpler one. */
export type Rewrite = (form: Cons, at: Site) => Value;

/** An error nobody handled, on its way out of the evaluation. */
export class Unhandled {
  readonly condition: Instance;
  constructor(condition: Instance) {
    this.condition = condition;
  }
}

export interface Handler {
  /** How many handlers stand outside the form this one belongs to. */
  readonly base: number;
  readonly fits: (condition: Instance) => boolean;
  readonly run: (condition: Instance) => void;
}

export interface Hooks {
  format: (control: string, args: Value[]) => string;
  print: (value: Value, readable: boolean) => string;
  /** How a program wants an instance printed, if it does. */
  printObject?: (value: Instance, readable: boolean) => string | undefined;
  /** How to store into places defined by a program, given the names of their arguments and of the value. */
  setters?: Map<Sym, (names: readonly Value[], value: Value) => Value>;
}

export interface Restart {
  readonly name: Value;
  readonly run: (args: Value[]) => Value;
  readonly report: string;
}

export interface Definition {
  readonly kind: string;
  readonly name: string;
}

const TAIL = new Many([]);
const waiting: { fn: Func | undefined; args: Value[] } = { fn: undefined, args: [] };

/** Leaves a call to whoever settles the result. */
export function later(fn: Func, args: Value[]): Value {
  waiting.fn = fn;
  waiting.args = args;
  return TAIL;
}

/** Runs the calls that were left until there is a result. */
export function settle(result: Value): Value {
  let value = result;
  while (value === TAIL) {
    tick();
    const { fn, args } = waiting;
    value = (fn as Func).run(args);
  }
  return value;
}

export function invoke(fn: Func, args: Value[]): Value {
  tick();
  enter();
  let value = fn.run(args);
  if (value === TAIL) value = settle(value);
  leave();
  return value;
}

/** Calls a function or the function a symbol names. */
export function call(designator: Value, args: Value[]): Value {
  return invoke(functionOf(designator), args);
}

/** The first value of a call. */
export function callOne(designator: Value, args: Value[]): Value {
  return one(call(designator, args));
}

export function one(value: Value): Value {
  return value instanceof Many ? (value.values[0] ?? NIL) : value;
}

export function valuesOf(value: Value): Value[] {
  return value instanceof Many ? value.values : [value];
}

export function functionOf(designator: Value): Func {
  if (designator instanceof Func) return designator;
  if (!(designator instanceof Sym)) return raise.type(designator, 'FUNCTION');
  return designator.fn ?? undefinedFunction(designator);
}

export function undefinedFunction(name: Value): never {
  const shown = name instanceof Sym ? name.name : '?';
  return raise.error('UNDEFINED-FUNCTION', `The function ${shown} is undefined.`, { name });
}

/** Everything a program can reach: its packages, classes, bindings and handlers. */
export class World {
  readonly packages = new Map<string, Pack>();
  readonly cl = this.makePackage('COMMON-LISP', ['CL']);
  readonly keyword = this.makePackage('KEYWORD', []);
  readonly parley = this.makePackage('PARLEY', []);
  readonly user = this.makePackage('COMMON-LISP-USER', ['CL-USER']);
  readonly specials = new Map<Sym, Special>();
  readonly rewrites = new Map<Sym, Rewrite>();
  readonly classes = new Map<Sym, Class>();
  readonly types = new Map<Sym, Func>();
  readonly plists = new Map<Sym, Value>();
  readonly documents = new Map<string, string>();
  readonly definitions: Definition[] = [];
  readonly gensyms = { next: 1n };
  /** Parts of the image other parts need without importing them. */
  readonly hooks: Hooks = {
    format: (control) => control,
    print: () => '',
  };
  handlers: Handler[] = [];
  restarts: Restart[] = [];
  warnings: { type: string; message: string }[] = [];
  stdout = new Output();
  stderr = new Output();
  readonly stdin = new Input('');
  readonly #bindings: [Sym, Value | undefined][] = [];

  constructor() {
    for (const symbol of [NIL, T]) {
      this.cl.symbols.set(symbol.name, symbol);
      this.cl.exported.add(symbol.name);
    }
    this.user.uses = [this.cl];
  }

  makePackage(name: string, nicknames: string[]): Pack {
    const made = new Pack(name);
    made.nicknames = nicknames;
    for (const key of [name, ...nicknames]) this.packages.set(key, made);
    return made;
  }

  /** The symbol of the language with this name. */
  sym(name: string): Sym {
    if (name.startsWith('%')) return this.intern(name, this.parley);
    this.cl.exported.add(name);
    return this.intern(name, this.cl);
  }

  key(name: string): Sym {
    return this.intern(name, this.keyword);
  }

  intern(name: string, home: Pack): Sym {
    const known = home.find(name);
    if (known !== undefined) return known;
    const made = new Sym(name, home);
    home.symbols.set(name, made);
    if (home === this.keyword) {
      made.value = made;
      made.constant = true;
      made.special = true;
      home.exported.add(name);
    }
    return made;
  }

  get package(): Pack {
    const current = this.sym('*PACKAGE*').value;
    return current instanceof Pack ? current : this.user;
  }

  set package(home: Pack) {
    this.sym('*PACKAGE*').value = home;
  }

  bind(symbol: Sym, value: Value): void {
    if (symbol.constant) raise.error('PROGRAM-ERROR', `Cannot bind the constant ${symbol.name}.`);
    this.#bindings.push([symbol, symbol.value]);
    symbol.value = value;
  }

  get bound(): number {
    return this.#bindings.length;
  }

  /** Takes back bindings until so many are left. */
  unbind(height: number): void {
    while (this.#bindings.length > height) {
      const [symbol, before] = this.#bindings.pop() as [Sym, Value | undefined];
      symbol.value = before;
    }
  }

  gensym(prefix = 'G'): Sym {
    return new Sym(`${prefix}${this.gensyms.next++}`);
  }

  /** Runs the handlers that fit, innermost first, each seeing only those outside it. */
  signal(condition: Instance): void {
    const all = this.handlers;
    try {
      for (let index = all.length - 1; index >= 0; index--) {
        tick();
        const handler = all[index] as Handler;
        if (!handler.fits(condition)) continue;
        this.handlers = all.slice(0, handler.base);
        handler.run(condition);
      }
    } finally {
      this.handlers = all;
    }
  }

  throw(condition: Instance): never {
    enter();
    this.signal(condition);
    leave();
    throw new Unhandled(condition);
  }

  record(kind: string, name: Sym): void {
    const home = name.home === this.user || name.home === undefined ? '' : `${name.home.name}::`;
    const entry = { kind, name: `${home}${name.name}` };
    const known = this.definitions.findIndex((other) => other.kind === kind && other.name === entry.name);
    if (known !== -1) this.definitions.splice(known, 1);
    this.definitions.push(entry);
  }

  /** A form of the language: its operator by name. */
  form(operator: string, ...rest: readonly Value[]): Cons {
    return new Cons(this.sym(operator), listOf(rest));
  }
}
