import { Cons, NIL, Str, Sym, T, type Value } from './data.ts';
import { charge, tick } from './meter.ts';
import { raise } from './raise.ts';

export const bool = (claim: boolean): Value => (claim ? T : NIL);

export function car(value: Value): Value {
  if (value instanceof Cons) return value.car;
  return value === NIL ? NIL : raise.type(value, 'LIST');
}

export function cdr(value: Value): Value {
  if (value instanceof Cons) return value.cdr;
  return value === NIL ? NIL : raise.type(value, 'LIST');
}

export function second(value: Value): Value {
  return car(cdr(value));
}

export function list(...values: readonly Value[]): Value {
  return listOf(values);
}

export function listOf(values: readonly Value[], tail: Value = NIL): Value {
  let made = tail;
  for (let index = values.length - 1; index >= 0; index--) made = new Cons(values[index] as Value, made);
  return made;
}

/** The elements of a proper list; a dotted one is a type error. */
export function items(value: Value): Value[] {
  const found: Value[] = [];
  let rest = value;
  while (rest instanceof Cons) {
    tick();
    charge(8);
    found.push(rest.car);
    rest = rest.cdr;
  }
  if (rest !== NIL) raise.type(rest, 'LIST');
  return found;
}

/** Builds a list from its front. */
export class Collector {
  head: Value = NIL;
  #last: Cons | undefined;

  add(value: Value): void {
    const cell = new Cons(value, NIL);
    if (this.#last === undefined) this.head = cell;
    else this.#last.cdr = cell;
    this.#last = cell;
  }

  /** Puts a list at the end as it is. */
  join(value: Value): void {
    if (value === NIL) return;
    if (this.#last === undefined) this.head = value;
    else this.#last.cdr = value;
    let cell: Value = value;
    while (cell instanceof Cons && cell.cdr instanceof Cons) {
      tick();
      cell = cell.cdr;
    }
    if (cell instanceof Cons) this.#last = cell;
  }
}

export function isSymbol(value: Value, name: string): boolean {
  return value instanceof Sym && value.name === name;
}

export const str = (text: string): Str => new Str(text);
