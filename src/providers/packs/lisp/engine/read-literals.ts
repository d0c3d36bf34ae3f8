import { Cons, NIL, type Value, Vec } from './data.ts';
import { items } from './lists.ts';
import { tick } from './meter.ts';
import { parseNumber } from './read-tokens.ts';

export interface Token {
  readonly text: string;
  /** Part of it was escaped, so that it is no number. */
  readonly escaped: boolean;
  /** Where colons stand that part a package from a name. */
  readonly colons: readonly number[];
  readonly at: number;
}

export const TERMINATOR = /[\s()"';`,]/;

const PIECE = /\|((?:[^|\\]|\\[\s\S])*)\||\\([\s\S])|([^\s()"';`,|\\]+)/y;

/** Reads a token up to what ends it; `undefined` when the text ends inside an escape. */
export function scanToken(text: string, start: number): Token | undefined {
  let [made, escaped] = ['', false];
  const colons: number[] = [];
  PIECE.lastIndex = start;
  let at = start;
  for (let piece = PIECE.exec(text); piece !== null; piece = PIECE.exec(text)) {
    const [, barred, single, plain] = piece;
    at = PIECE.lastIndex;
    for (const { index } of plain?.matchAll(/:/g) ?? []) colons.push(made.length + index);
    escaped ||= plain === undefined;
    made += plain?.toUpperCase() ?? single ?? (barred as string).replace(/\\([\s\S])/g, '$1');
  }
  tick((at - start) >> 6);
  const next = text[at];
  return next === '|' || next === '\\' ? undefined : { text: made, escaped, colons, at };
}

const RANK = 16;

/** The array some nested lists are, or what is wrong with them. */
export function arrayOf(contents: Value, rank: number): Vec | string {
  if (rank > RANK) return `an array has at most ${RANK} dimensions`;
  const dimensions: number[] = [];
  let level: Value[] = [contents];
  for (let axis = 0; axis < rank; axis++) {
    if (!level.every((row) => row === NIL || row instanceof Cons)) return 'ragged array';
    const rows = level.map(items);
    const size = rows[0]?.length ?? 0;
    if (rows.some((row) => row.length !== size)) return 'ragged array';
    dimensions.push(size);
    level = rows.flat();
  }
  return new Vec(level, rank === 1 ? undefined : dimensions);
}

export function bitsOf(text: string): Vec | string {
  if (!/^[01]*$/.test(text)) return 'a bit vector holds zeros and ones';
  const made = new Vec([...text].map((bit) => BigInt(bit)));
  made.bits = true;
  return made;
}

/** An integer or ratio in another radix. */
export function rationalOf(text: string, radix: number): Value | string {
  if (radix < 2 || radix > 36) return 'illegal radix';
  const [above = '', below = '1'] = text.split('/');
  const [top, bottom] = [above, below].map((part) => parseNumber(part, radix));
  if (typeof top !== 'bigint' || typeof bottom !== 'bigint')
    return `not a number of radix ${radix}: ${text.slice(0, 40)}`;
  return parseNumber(`${top}/${bottom}`) ?? 'division by zero';
}
