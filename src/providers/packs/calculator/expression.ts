import { FUNCTIONS, NAMED } from './functions.ts';
import { ArithmeticTrouble, inRange } from './numbers.ts';
import { type Token, tokensOf } from './tokens.ts';

export const LONGEST_EXPRESSION = 1000;
export const DEEPEST_EXPRESSION = 64;

/** How tightly an operator binds; `^` binds to the right and more tightly than a minus before it. */
const BINDS: ReadonlyMap<string, number> = new Map([
  ['+', 1],
  ['-', 1],
  ['*', 2],
  ['/', 2],
  ['%', 2],
  ['^', 4],
]);
const MINUS_BINDS = 3;

/** Works out an expression. Throws `ArithmeticTrouble` when it cannot be read or has no finite result. */
export function evaluate(expression: string): number {
  if (expression.length > LONGEST_EXPRESSION) {
    throw new ArithmeticTrouble(`The expression is longer than ${LONGEST_EXPRESSION} characters`);
  }
  return new Reading(tokensOf(expression)).whole();
}

class Reading {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): number {
    const value = this.#expression(0);
    const { kind } = this.#peek();
    if (kind !== 'end') throw this.#surprise();
    return value;
  }

  #expression(least: number): number {
    if (++this.#depth > DEEPEST_EXPRESSION) {
      throw new ArithmeticTrouble(`The expression is nested deeper than ${DEEPEST_EXPRESSION} levels`);
    }
    let left = this.#operand();
    for (;;) {
      const token = this.#peek();
      const binds = token.kind === 'sign' ? BINDS.get(token.text) : undefined;
      if (token.kind !== 'sign' || binds === undefined || binds < least) break;
      this.#next++;
      const right = this.#expression(token.text === '^' ? binds : binds + 1);
      left = inRange(combine(token.text, left, right));
    }
    this.#depth--;
    return left;
  }

  #operand(): number {
    const token = this.#take();
    if (token.kind === 'number') return inRange(token.value);
    if (token.kind === 'name') return this.#named(token.text);
    if (token.kind === 'sign' && token.text === '-') return inRange(-this.#expression(MINUS_BINDS));
    if (token.kind === 'sign' && token.text === '+') return this.#expression(MINUS_BINDS);
    if (token.kind === 'sign' && token.text === '(') {
      const value = this.#expression(0);
      this.#expect(')');
      return value;
    }
    this.#next--;
    throw this.#surprise();
  }

  #named(name: string): number {
    const constant = NAMED.get(name);
    if (constant !== undefined) return constant;
    const known = FUNCTIONS.get(name);
    if (known === undefined) throw new ArithmeticTrouble(`Unknown name: "${name.slice(0, 40)}"`);
    this.#expect('(');
    const given = [this.#expression(0)];
    while (this.#isNext(',')) {
      this.#next++;
      given.push(this.#expression(0));
    }
    this.#expect(')');
    if (known.takes !== 'some' && given.length !== known.takes) {
      throw new ArithmeticTrouble(`"${name}" takes ${known.takes} number, not ${given.length}`);
    }
    return inRange(known.run(...given));
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', at: 0 };
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #isNext(text: string): boolean {
    const token = this.#peek();
    return token.kind === 'sign' && token.text === text;
  }

  #expect(text: string): void {
    if (!this.#isNext(text)) throw this.#surprise(`, where "${text}" was expected`);
    this.#next++;
  }

  #surprise(expected = ''): ArithmeticTrouble {
    const token = this.#peek();
    if (token.kind === 'end') return new ArithmeticTrouble(`The expression ends too early${expected}`);
    const text = token.kind === 'number' ? String(token.value) : token.text.slice(0, 40);
    return new ArithmeticTrouble(`Unexpected "${text}" at character ${token.at}${expected}`);
  }
}

function combine(operator: string, a: number, b: number): number {
  if ((operator === '/' || operator === '%') && b === 0) throw new ArithmeticTrouble('Division by zero');
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    default:
      if (a === 0 && b < 0) throw new ArithmeticTrouble('Division by zero');
      return a ** b;
  }
}
