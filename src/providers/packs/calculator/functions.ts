import { ArithmeticTrouble } from './numbers.ts';

export interface NumberFunction {
  /** How many numbers it takes; `some` is one or more. */
  readonly takes: 1 | 'some';
  run(...given: number[]): number;
}

const one = (run: (value: number) => number): NumberFunction => ({ takes: 1, run: (value = 0) => run(value) });

/** The numbers that have names. */
export const NAMED: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
]);

export const FUNCTIONS: ReadonlyMap<string, NumberFunction> = new Map<string, NumberFunction>([
  ['abs', one(Math.abs)],
  ['ceil', one(Math.ceil)],
  ['cos', one(Math.cos)],
  ['exp', one(Math.exp)],
  ['floor', one(Math.floor)],
  ['ln', one((value) => Math.log(positive('ln', value)))],
  ['log', one((value) => Math.log10(positive('log', value)))],
  ['max', { takes: 'some', run: Math.max }],
  ['min', { takes: 'some', run: Math.min }],
  // Halves go away from zero, as people round.
  ['round', one((value) => Math.sign(value) * Math.round(Math.abs(value)))],
  ['sin', one(Math.sin)],
  ['sqrt', one(root)],
  ['tan', one(Math.tan)],
]);

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new ArithmeticTrouble(`"${name}" takes a number above zero`);
}

function root(value: number): number {
  if (value < 0) throw new ArithmeticTrouble('"sqrt" takes no number below zero');
  return Math.sqrt(value);
}
