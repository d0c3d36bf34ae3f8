import type { Value } from '../engine/data.ts';
import { fits } from '../engine/meter.ts';
import { isReal, toFloat } from '../engine/numbers.ts';
import { raise } from '../engine/raise.ts';
import { cardinal, exponential, fixedPoint, grouped, ordinal, roman } from './format-numbers.ts';
import type { Directive } from './format-parse.ts';
import { type Action, type Actions, type Formatter, number, padded, text, type Values } from './format-state.ts';

function integer(
  value: Value,
  base: number,
  { out, directive, values }: { out: Formatter; directive: Directive; values: Values },
): undefined {
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

/** The directives that show numbers. */
export const AMOUNTS: Actions = {
  D: radix(10),
  B: radix(2),
  O: radix(8),
  X: radix(16),
  R: words,
  F: fixed,
  E: scientific,
  G: fixed,
  $: money,
};
