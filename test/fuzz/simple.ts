import type { Random } from './random.ts';
import type { Target } from './target.ts';

/** A target that needs nothing but its input: text, bytes, or a value written as JSON. */
export interface Simple<T> {
  readonly name: string;
  readonly says: string;
  readonly weight?: number;
  make(random: Random): T;
  check(value: T): void | Promise<void>;
}

/** A target whose inputs are bytes. */
export function bytesTarget({ name, says, weight = 1, make, check }: Simple<Buffer>): Target {
  return { name, says, weight, open: () => ({ generate: make, check }) };
}

/** A target whose inputs are values; while one is being made smaller, what is not JSON any more counts as good. */
export function valueTarget<T>({ name, says, weight = 1, make, check }: Simple<T>): Target {
  return {
    name,
    says,
    weight,
    open: () => ({
      generate: (random) => Buffer.from(JSON.stringify(make(random))),
      check(input) {
        let value: T;
        try {
          value = JSON.parse(input.toString('utf8')) as T;
        } catch {
          return undefined;
        }
        return check(value);
      },
    }),
  };
}

/** What a call gave, or what it threw; anything thrown that is not of these kinds is thrown on. */
export function tried<T>(call: () => T, ...kinds: readonly (abstract new (...args: never[]) => Error)[]): T | Error {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error && kinds.some((kind) => error instanceof kind)) return error;
    throw error;
  }
}

/** Whether somebody reached the prototype all objects share. */
export function isPolluted(): boolean {
  return 'polluted' in {};
}

const SPICE = [
  '',
  ' ',
  '/',
  '..',
  '.',
  '\\',
  '%2e',
  '%2F',
  '%00',
  '\0',
  '\n',
  '\r\n',
  '\t',
  ':',
  '@',
  '#',
  '?',
  '=',
  ';',
  ',',
  '"',
  "'",
  '<',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '*',
  '+',
  '|',
  '^',
  '$',
  '~',
  'é',
  '\u{1f600}',
  '\ud800',
  '\udc00',
  '\u202e',
  '\ufeff',
  '__proto__',
  'constructor',
  '-',
  '--',
  '_',
  '__',
  '0',
  '1',
  '255',
  '2147483648',
  '1e9',
  'a',
  'Z',
];

/** A text of odd pieces, with some of the given ones among them. */
export function oddWords(random: Random, words: readonly string[] = [], most = 12): string {
  const pieces = Array.from({ length: random.small(most) }, () =>
    words.length > 0 && random.once(2) ? random.pick(words) : random.pick(SPICE),
  );
  return pieces.join('');
}
