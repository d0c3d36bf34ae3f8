import { Char, NIL, type Str, type Value } from '../engine/data.ts';
import { items } from '../engine/lists.ts';
import { charge, enter, fits, leave, tick } from '../engine/meter.ts';
import { isReal, toFloat } from '../engine/numbers.ts';
import { caseName, characterName, printCharacter } from '../engine/print-atoms.ts';
import { raise } from '../engine/raise.ts';
import type { World } from '../engine/world.ts';
import { cardinal, exponential, fixedPoint, grouped, ordinal, roman } from './format-numbers.ts';
import { type Directive, parseControl } from './format-parse.ts';

/** Leaves the innermost iteration; `whole` leaves the iteration around it too. */
class Escape {
  readonly whole: boolean;
  constructor(whole: boolean) {
    this.whole = whole;
  }
}

/** The text a control and its arguments make. */
export function formatted(
  control: string,
  args: Value[],
  { world, column = 0 }: { world: World; column?: number },
): string {
  const formatter = new Formatter(world, args, column);
  try {
    formatter.run(parseControl(control));
  } catch (thrown) {
    if (!(thrown instanceof Escape)) throw thrown;
  }
  return formatter.text;
}

class Formatter {
  readonly world: World;
  args: Value[];
  at = 0;
  text = '';
  readonly #column: number;

  constructor(world: World, args: Value[], column: number) {
    this.world = world;
    this.args = args;
    this.#column = column;
  }

  emit(text: string): void {
    charge(text.length * 2);
    this.text += text;
  }

  next(): Value {
    const value = this.args[this.at++];
    return value ?? raise.error('SIMPLE-ERROR', 'error in FORMAT: no more arguments');
  }

  get left(): number {
    return this.args.length - this.at;
  }

  get column(): number {
    const line = this.text.lastIndexOf('\n');
    return line === -1 ? this.#column + this.text.length : this.text.length - line - 1;
  }

  run(directives: readonly Directive[]): void {
    enter();
    for (const directive of directives) {
      tick();
      if (directive.char === '') this.emit(directive.text);
      else this.#one(directive);
    }
    leave();
  }

  #one(directive: Directive): void {
    const act = ACTIONS[directive.char];
    if (act === undefined)
      return raise.error('SIMPLE-ERROR', `error in FORMAT: unknown format directive ~${directive.char}`);
    const values = directive.parameters.map((parameter) => {
      if (parameter === '#') return this.left;
      if (parameter !== 'V') return parameter;
      const value = this.next();
      return value instanceof Char ? value.text : value === NIL ? undefined : Number(value as bigint);
    });
    return act(this, directive, values);
  }

  /** Runs directives on other arguments and gives the text. */
  inner(directives: readonly Directive[], args: Value[]): string {
    const formatter = new Formatter(this.world, args, this.column);
    formatter.run(directives);
    return formatter.text;
  }
}

type Values = readonly (number | string | undefined)[];
type Action = (out: Formatter, directive: Directive, values: Values) => void;

const number = (value: number | string | undefined, otherwise: number) =>
  typeof value === 'number' ? value : otherwise;
const text = (value: number | string | undefined, otherwise: string) => (typeof value === 'string' ? value : otherwise);

function padded(shown: string, [least, step, minimum, pad]: Values, left: boolean): string {
  const fill = text(pad, ' ');
  let size = shown.length + number(minimum, 0);
  const wanted = fits(number(least, 0));
  if (size < wanted) size += Math.ceil((wanted - size) / Math.max(1, number(step, 1))) * Math.max(1, number(step, 1));
  const padding = fill.repeat(Math.max(0, size - shown.length));
  return left ? padding + shown : shown + padding;
}

const printing =
  (escape: boolean): Action =>
  (out, { colon, at }, values) => {
    const value = out.next();
    const shown = colon && value === NIL ? '()' : out.world.hooks.print(value, escape);
    out.emit(padded(shown, values, at));
  };

function integer(
  value: Value,
  base: number,
  { out, directive, values }: { out: Formatter; directive: Directive; values: Values },
): void {
  const [least, pad, comma, interval] = values;
  if (typeof value !== 'bigint') return out.emit(padded(out.world.hooks.print(value, false), [least, 1, 0, pad], true));
  const digits = (value < 0n ? -value : value).toString(base).toUpperCase();
  const body = directive.colon ? grouped(digits, text(comma, ','), Math.max(1, number(interval, 3))) : digits;
  const sign = value < 0n ? '-' : directive.at ? '+' : '';
  return out.emit((sign + body).padStart(fits(number(least, 0)), text(pad, ' ')));
}

const radix =
  (base: number): Action =>
  (out, directive, values) =>
    integer(out.next(), base, { out, directive, values });

const words: Action = (out, directive, values) => {
  const value = out.next();
  const [base, ...rest] = values;
  if (typeof base === 'number')
    return integer(value, Math.min(36, Math.max(2, base)), { out, directive, values: rest });
  if (typeof value !== 'bigint') return raise.type(value, 'INTEGER');
  if (directive.at) return out.emit(roman(value));
  return out.emit(directive.colon ? ordinal(value) : cardinal(value));
};

const fixed: Action = (out, { at }, [width, digits, scale, overflow, pad]) => {
  const value = out.next();
  if (!isReal(value)) return out.emit(padded(out.world.hooks.print(value, false), [width], true));
  const float = toFloat(value) * 10 ** number(scale, 0);
  let shown = fixedPoint(float, typeof digits === 'number' ? digits : undefined);
  if (at && float >= 0) shown = `+${shown}`;
  const wanted = fits(number(width, 0));
  if (wanted > 0 && shown.length > wanted) shown = shown.replace(/^([+-]?)0\./, '$1.');
  if (wanted > 0 && shown.length > wanted && typeof overflow === 'string') return out.emit(overflow.repeat(wanted));
  return out.emit(shown.padStart(wanted, text(pad, ' ')));
};

const scientific: Action = (out, { at }, [width, digits]) => {
  const value = out.next();
  if (!isReal(value)) return out.emit(out.world.hooks.print(value, false));
  const shown = exponential(toFloat(value), typeof digits === 'number' ? digits : undefined);
  return out.emit((at && toFloat(value) >= 0 ? `+${shown}` : shown).padStart(fits(number(width, 0))));
};

const money: Action = (out, { at }, [digits, whole, width, pad]) => {
  const value = out.next();
  if (!isReal(value)) return out.emit(out.world.hooks.print(value, false));
  const [before = '', after = ''] = Math.abs(toFloat(value))
    .toFixed(Math.min(100, number(digits, 2)))
    .split('.');
  const sign = toFloat(value) < 0 ? '-' : at ? '+' : '';
  return out.emit(
    `${sign}${before.padStart(number(whole, 1), '0')}.${after}`.padStart(fits(number(width, 0)), text(pad, ' ')),
  );
};

const character: Action = (out, { colon, at }) => {
  const char = out.next();
  if (!(char instanceof Char)) return raise.type(char, 'CHARACTER');
  if (at) return out.emit(printCharacter(char));
  return out.emit(colon ? (characterName(char) ?? char.text) : char.text);
};

const plural: Action = (out, { colon, at }) => {
  if (colon) out.at--;
  const one = out.next() === 1n;
  out.emit(at ? (one ? 'y' : 'ies') : one ? '' : 's');
};

const skip: Action = (out, { colon, at }, [count]) => {
  if (at) out.at = number(count, 0);
  else out.at += colon ? -number(count, 1) : number(count, 1);
  if (out.at < 0 || out.at > out.args.length) raise.error('SIMPLE-ERROR', 'error in FORMAT: no such argument');
};

const repeated =
  (what: string): Action =>
  (out, _, [count]) =>
    out.emit(what.repeat(fits(number(count, 1))));

const tabulate: Action = (out, { at }, [column, step]) => {
  const [wanted, by] = [number(column, 1), number(step, 1)];
  if (at) {
    const target = out.column + wanted;
    return out.emit(' '.repeat(fits(wanted + (by > 0 ? (by - (target % by)) % by : 0))));
  }
  if (out.column < wanted) return out.emit(' '.repeat(fits(wanted - out.column)));
  return out.emit(by > 0 ? ' '.repeat(fits(by - ((out.column - wanted) % by))) : '');
};

const recursive: Action = (out, { at }) => {
  const control = out.next();
  if (at) return out.run(parseControl((control as Str).text));
  const args = items(out.next());
  return out.emit(out.world.hooks.format((control as Str).text, args));
};

const choose: Action = (out, { colon, at, clauses, otherwise }, [given]) => {
  if (at) {
    if (out.args[out.at] === NIL) out.at++;
    else out.run(clauses[0] ?? []);
    return undefined;
  }
  const value = typeof given === 'number' ? BigInt(given) : out.next();
  const which = colon ? (value === NIL ? 0 : 1) : Number(value as bigint);
  const clause = clauses[which] ?? (otherwise ? clauses.at(-1) : undefined);
  return clause === undefined || (which < 0 && !otherwise) ? undefined : out.run(clause);
};

const changeCase: Action = (out, { colon, at, clauses }) => {
  const start = out.text;
  out.text = '';
  out.run(clauses[0] ?? []);
  const made = out.text;
  out.text = start;
  if (colon && at) return out.emit(made.toUpperCase());
  if (colon) return out.emit(caseName(made, 'CAPITALIZE'));
  const lower = made.toLowerCase();
  return out.emit(at ? lower.replace(/[a-z]/, (letter) => letter.toUpperCase()) : lower);
};

const iterate: Action = (out, { colon, at, clauses, atLeastOnce }, [most]) => {
  const body = clauses[0]?.length === 0 ? parseControl((out.next() as Str).text) : (clauses[0] ?? []);
  const list = at ? out.args.slice(out.at) : items(out.next());
  const inside = new Formatter(out.world, list, out.column);
  const rounds = typeof most === 'number' ? most : Number.POSITIVE_INFINITY;
  try {
    for (let round = 0; round < rounds && (inside.left > 0 || (round === 0 && atLeastOnce)); round++) {
      tick();
      if (colon) subList(inside, body);
      else inside.run(body);
    }
  } catch (thrown) {
    if (!(thrown instanceof Escape)) throw thrown;
  }
  out.emit(inside.text);
  if (at) out.at = out.args.length - inside.left;
};

/** One round over a list of its own; an escape there ends only the round. */
function subList(outer: Formatter, body: readonly Directive[]): void {
  const inside = new Formatter(outer.world, items(outer.next()), outer.column);
  try {
    inside.run(body);
  } catch (thrown) {
    if (!(thrown instanceof Escape) || thrown.whole) throw thrown;
  } finally {
    outer.emit(inside.text);
  }
}

const escape: Action = (out, { colon }, [first, second]) => {
  const done = first === undefined ? out.left <= 0 : second === undefined ? first === 0 : first === second;
  if (done) throw new Escape(colon);
};

const justify: Action = (out, { colon, at, clauses }, [least, , , pad]) => {
  const parts = clauses.map((clause) => {
    const before = out.text;
    out.text = '';
    out.run(clause);
    const made = out.text;
    out.text = before;
    return made;
  });
  const fill = text(pad, ' ');
  const slack = Math.max(0, fits(number(least, 0)) - parts.join('').length);
  if (parts.length === 1)
    return out.emit(
      at
        ? (parts[0] ?? '') + fill.repeat(slack)
        : colon || !at
          ? fill.repeat(slack) + (parts[0] ?? '')
          : (parts[0] ?? ''),
    );
  const gap = Math.floor(slack / (parts.length - 1));
  return out.emit(
    parts
      .map((part, index) =>
        index < parts.length - 1 ? part + fill.repeat(gap) : fill.repeat(slack - gap * (parts.length - 1)) + part,
      )
      .join(''),
  );
};

const ACTIONS: Readonly<Record<string, Action>> = {
  A: printing(false),
  S: printing(true),
  W: printing(true),
  D: radix(10),
  B: radix(2),
  O: radix(8),
  X: radix(16),
  R: words,
  F: fixed,
  E: scientific,
  G: fixed,
  $: money,
  C: character,
  P: plural,
  '*': skip,
  '%': repeated('\n'),
  '~': repeated('~'),
  '|': repeated('\f'),
  '&': (out, _, [count]) => {
    const rows = number(count, 1);
    if (rows > 0) out.emit('\n'.repeat(fits(out.column === 0 ? rows - 1 : rows)));
  },
  T: tabulate,
  '?': recursive,
  '[': choose,
  '(': changeCase,
  '{': iterate,
  '<': justify,
  '^': escape,
  '\n': () => undefined,
  _: () => undefined,
  I: () => undefined,
};
