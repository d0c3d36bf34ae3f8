import { classOf } from './classes.ts';
import { Func, NIL, type Sym, type Value } from './data.ts';
import { isEql } from './equality.ts';
import { tick } from './meter.ts';
import { Class } from './objects.ts';
import { raise } from './raise.ts';
import { invoke, one, type World } from './world.ts';

export type Specializer = Class | { readonly eql: Value };
/** Runs the next most specific method, or tells that there is none. */
export type Next = ((args: Value[]) => Value) | undefined;

export interface Method {
  readonly qualifier: string;
  readonly specializers: readonly Specializer[];
  run(args: Value[], next: Next): Value;
}

/** How the values of all applicable methods become one; by name. */
const COMBINATIONS: Readonly<Record<string, string>> = {
  '+': '+',
  MAX: 'MAX',
  MIN: 'MIN',
  LIST: 'LIST',
  APPEND: 'APPEND',
  NCONC: 'NCONC',
};

/** A function that does what the methods fitting its arguments say. */
export class Generic extends Func {
  readonly methods: Method[] = [];
  readonly symbol: Sym;
  combination = 'STANDARD';
  readonly #world: World;

  constructor(symbol: Sym, name: string, world: World) {
    super(name, () => NIL);
    this.symbol = symbol;
    this.#world = world;
    this.run = (args) => this.#dispatch(args);
  }

  /** Adds a method in place of one for the same arguments. */
  add(method: Method): void {
    const same = this.methods.findIndex(
      (other) => other.qualifier === method.qualifier && sameSpecializers(other.specializers, method.specializers),
    );
    if (same !== -1) this.methods.splice(same, 1);
    this.methods.push(method);
  }

  /** The methods that fit, most specific first. */
  applicable(args: readonly Value[]): Method[] {
    tick(this.methods.length);
    const classes = args.map((arg) => classOf(arg, this.#world));
    const fitting = this.methods.filter(({ specializers }) =>
      specializers.every((each, index) => fits(each, args[index], classes[index])),
    );
    return fitting.sort((a, b) => byPrecedence(a, b, classes));
  }

  #dispatch(args: Value[]): Value {
    const methods = this.applicable(args);
    const having = (qualifier: string) => methods.filter((method) => method.qualifier === qualifier);
    const around = having('AROUND');
    const core =
      this.combination === 'STANDARD' ? () => this.#standard(methods, args) : () => this.#combined(methods, args);
    if (around.length === 0) return core();
    const chain = (index: number): Next =>
      index < around.length
        ? (given) => (around[index] as Method).run(given, chain(index + 1))
        : (given) => this.#inner(methods, given);
    return (around[0] as Method).run(args, chain(1));
  }

  #inner(methods: readonly Method[], args: Value[]): Value {
    return this.combination === 'STANDARD' ? this.#standard(methods, args) : this.#combined(methods, args);
  }

  #standard(methods: readonly Method[], args: Value[]): Value {
    const having = (qualifier: string) => methods.filter((method) => method.qualifier === qualifier);
    const primary = having('');
    if (primary.length === 0) return this.#missing(args);
    for (const method of having('BEFORE')) method.run(args, undefined);
    const chain = (index: number): Next =>
      index < primary.length ? (given) => (primary[index] as Method).run(given, chain(index + 1)) : undefined;
    const value = (primary[0] as Method).run(args, chain(1));
    for (const method of having('AFTER').reverse()) method.run(args, undefined);
    return value;
  }

  #combined(methods: readonly Method[], args: Value[]): Value {
    const kind = this.combination;
    const primary = methods.filter(({ qualifier }) => qualifier === kind || qualifier === '');
    if (primary.length === 0) return this.#missing(args);
    if (kind === 'AND' || kind === 'OR' || kind === 'PROGN') return shortCircuit(kind, primary, args);
    const values = primary.map((method) => one(method.run(args, undefined)));
    const operator = this.#world.sym(COMBINATIONS[kind] ?? 'LIST').fn;
    return invoke(operator as Func, values);
  }

  #missing(args: readonly Value[]): never {
    const shown = args.map((arg) => this.#world.hooks.print(arg, true)).join(' ');
    const message = `There is no applicable method for the generic function\n  ${this.name}\nwhen called with arguments\n  (${shown}).`;
    return raise.error('SIMPLE-ERROR', message);
  }
}

function shortCircuit(kind: string, methods: readonly Method[], args: Value[]): Value {
  let value: Value = NIL;
  for (const method of methods) {
    value = method.run(args, undefined);
    if (kind === 'AND' && one(value) === NIL) return NIL;
    if (kind === 'OR' && one(value) !== NIL) return value;
  }
  return value;
}

function fits(specializer: Specializer, arg: Value | undefined, type: Class | undefined): boolean {
  if (arg === undefined || type === undefined) return false;
  return specializer instanceof Class ? type.order.includes(specializer) : isEql(specializer.eql, arg);
}

function rank(specializer: Specializer, type: Class | undefined): number {
  return specializer instanceof Class ? (type?.order.indexOf(specializer) ?? 0) : -1;
}

function byPrecedence(a: Method, b: Method, classes: readonly Class[]): number {
  for (const [index, specializer] of a.specializers.entries()) {
    const other = b.specializers[index];
    if (other === undefined) return 0;
    const difference = rank(specializer, classes[index]) - rank(other, classes[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function sameSpecializers(a: readonly Specializer[], b: readonly Specializer[]): boolean {
  return a.length === b.length && a.every((each, index) => same(each, b[index] as Specializer));
}

function same(a: Specializer, b: Specializer): boolean {
  if (a instanceof Class || b instanceof Class)
    return a === b || (a instanceof Class && b instanceof Class && a.name === b.name);
  return isEql(a.eql, b.eql);
}
