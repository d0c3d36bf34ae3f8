import { Char, NIL, type Str, type Value } from '../engine/data.ts';
import { items } from '../engine/lists.ts';
import { fits, tick } from '../engine/meter.ts';
import { caseName, characterName, printCharacter } from '../engine/print-atoms.ts';
import { raise } from '../engine/raise.ts';
import type { World } from '../engine/world.ts';
import { AMOUNTS } from './format-amounts.ts';
import { type Directive, parseControl } from './format-parse.ts';
import { type Action, type Actions, Escape, Formatter, number, padded, text } from './format-state.ts';

/** The text a control and its arguments make. */
export function formatted(
  control: string,
  args: Value[],
  { world, column = 0 }: { world: World; column?: number },
): string {
  const formatter = new Formatter(world, args, { column, actions: ACTIONS });
  try {
    formatter.run(parseControl(control));
  } catch (thrown) {
    if (!(thrown instanceof Escape)) throw thrown;
  }
  return formatter.text;
}

const printing =
  (readable: boolean): Action =>
  (out, { colon, at }, values) => {
    const value = out.next();
    const shown = colon && value === NIL ? '()' : out.world.hooks.print(value, readable);
    out.emit(padded(shown, values, at));
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
  if (at) return out.args[out.at] === NIL ? skipOne(out) : out.run(clauses[0] ?? []);
  const value = typeof given === 'number' ? BigInt(given) : out.next();
  const flag = value === NIL ? 0 : 1;
  const which = colon ? flag : Number(value as bigint);
  const clause = clauses[which] ?? (otherwise ? clauses.at(-1) : undefined);
  return clause === undefined ? undefined : out.run(clause);
};

function skipOne(out: Formatter): undefined {
  out.at++;
}

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

const iterate: Action = (out, directive, [most]) => {
  const { at, clauses } = directive;
  const body = clauses[0]?.length === 0 ? parseControl((out.next() as Str).text) : (clauses[0] ?? []);
  const list = at ? out.args.slice(out.at) : items(out.next());
  const inside = new Formatter(out.world, list, { column: out.column, actions: ACTIONS });
  try {
    rounds({ inside, body, directive, most: number(most, Number.POSITIVE_INFINITY) });
  } catch (thrown) {
    if (!(thrown instanceof Escape)) throw thrown;
  }
  out.emit(inside.text);
  if (at) out.at = out.args.length - inside.left;
};

interface Rounds {
  readonly inside: Formatter;
  readonly body: readonly Directive[];
  readonly directive: Directive;
  readonly most: number;
}

function rounds({ inside, body, directive, most }: Rounds): void {
  for (let round = 0; round < most && (inside.left > 0 || (round === 0 && directive.atLeastOnce)); round++) {
    tick();
    if (directive.colon) subList(inside, body);
    else inside.run(body);
  }
}

/** One round over a list of its own; an escape there ends only the round. */
function subList(outer: Formatter, body: readonly Directive[]): undefined {
  const inside = new Formatter(outer.world, items(outer.next()), { column: outer.column, actions: ACTIONS });
  try {
    inside.run(body);
  } catch (thrown) {
    if (!(thrown instanceof Escape) || thrown.whole) throw thrown;
  } finally {
    outer.emit(inside.text);
  }
}

const leaveEarly: Action = (out, { colon }, [first, second]) => {
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

const ACTIONS: Actions = {
  A: printing(false),
  S: printing(true),
  W: printing(true),
  ...AMOUNTS,
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
  '^': leaveEarly,
  '\n': () => undefined,
  _: () => undefined,
  I: () => undefined,
};
