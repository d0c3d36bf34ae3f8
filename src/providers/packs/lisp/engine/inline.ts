import { Cons, NIL, T, type Value } from './data.ts';
import { isEql } from './equality.ts';
import { bool, car, cdr, second } from './lists.ts';
import { add, compare, multiply, subtract } from './numbers.ts';

type Direct = (a: Value, b: Value) => Value;

/** Functions called without an argument list, by name and number of arguments. */
export const INLINE: ReadonlyMap<string, Direct> = new Map<string, Direct>([
  ['+/2', add],
  ['-/2', subtract],
  ['*/2', multiply],
  ['1+/1', (a) => add(a, 1n)],
  ['1-/1', (a) => subtract(a, 1n)],
  ['</2', (a, b) => bool(compare(a, b) < 0)],
  ['>/2', (a, b) => bool(compare(a, b) > 0)],
  ['<=/2', (a, b) => bool(compare(a, b) <= 0)],
  ['>=/2', (a, b) => bool(compare(a, b) >= 0)],
  ['=/2', (a, b) => bool(compare(a, b) === 0)],
  ['CAR/1', car],
  ['FIRST/1', car],
  ['CDR/1', cdr],
  ['REST/1', cdr],
  ['CADR/1', second],
  ['SECOND/1', second],
  ['CONS/2', (a, b) => new Cons(a, b)],
  ['NOT/1', (a) => (a === NIL ? T : NIL)],
  ['NULL/1', (a) => (a === NIL ? T : NIL)],
  ['CONSP/1', (a) => bool(a instanceof Cons)],
  ['ATOM/1', (a) => bool(!(a instanceof Cons))],
  ['EQ/2', (a, b) => bool(isEql(a, b))],
  ['EQL/2', (a, b) => bool(isEql(a, b))],
]);
