import { Char, Many, NIL, Ratio, Str, type Value } from '../engine/data.ts';
import { bool } from '../engine/lists.ts';
import { bitLength, tick } from '../engine/meter.ts';
import type { Native, Natives } from '../engine/native.ts';
import {
  add,
  compare,
  denominator,
  divide,
  divisionByZero,
  exactly,
  finite,
  gcd,
  index,
  integerIn,
  isZero,
  multiply,
  negate,
  numerator,
  power,
  type Real,
  real,
  sign,
  subtract,
  toFloat,
} from '../engine/numbers.ts';
import { raise } from '../engine/raise.ts';
import { areDigits, parseDigits } from '../engine/read-tokens.ts';
import { span } from './sequence.ts';

const number = (value: Value): Real => real(value);

/** Whether every pair of neighbours is ordered so. */
const chain =
  (holds: (order: number) => boolean): Native =>
  (values) => {
    for (const value of values) number(value);
    for (let at = 1; at < values.length; at++)
      if (!holds(compare(values[at - 1] as Value, values[at] as Value))) return NIL;
    return bool(true);
  };

const different: Native = (values) => {
  const all = values.map(number);
  return bool(all.every((value, at) => all.slice(at + 1).every((other) => compare(value, other) !== 0)));
};

type Rounding = (value: bigint | Ratio) => bigint;

const floorOf: Rounding = (value) => {
  const [above, below] = [numerator(value), denominator(value)];
  const quotient = above / below;
  return above < 0n && quotient * below !== above ? quotient - 1n : quotient;
};
const ceilingOf: Rounding = (value) => -floorOf(negate(value) as bigint | Ratio);
const truncateOf: Rounding = (value) => numerator(value) / denominator(value);
const roundOf: Rounding = (value) => {
  const twice = floorOf(add(multiply(value, 2n), 1n) as bigint | Ratio);
  const half = twice >= 0n || twice % 2n === 0n ? twice / 2n : (twice - 1n) / 2n;
  const tie = compare(subtract(value, half), new Ratio(-1n, 2n)) === 0;
  return tie && half % 2n !== 0n ? half - 1n : half;
};

/** Both values of a division that rounds; `float` gives the quotient as a float. */
function divided(
  value: Value,
  by: Value | undefined,
  { round, float = false }: { round: Rounding; float?: boolean },
): Value {
  const [dividend, divisor] = [number(value), number(by ?? 1n)];
  if (isZero(divisor)) return divisionByZero('/', toFloat(dividend));
  const inexact = typeof dividend === 'number' || typeof divisor === 'number';
  const quotient = round(divide(exactly(dividend), exactly(divisor)) as bigint | Ratio);
  const rest = subtract(exactly(dividend), multiply(quotient, exactly(divisor)));
  return new Many([float ? Number(quotient) : quotient, inexact ? toFloat(rest) : rest]);
}

const rounding =
  (round: Rounding, float = false): Native =>
  ([value, by]) =>
    divided(value, by, { round, float });

const remainder =
  (round: Rounding): Native =>
  ([value, by]) => {
    if (typeof value === 'bigint' && typeof by === 'bigint') {
      if (by === 0n) return divisionByZero('MOD', value);
      tick(1 + ((bitLength(value) >> 6) * (bitLength(by) >> 6)) / 64);
      const rest = value % by;
      return round === floorOf && rest !== 0n && rest < 0n !== by < 0n ? rest + by : rest;
    }
    return (divided(value, by, { round }) as Many).values[1] as Value;
  };

const floating =
  (compute: (value: number) => number): Native =>
  ([value]) =>
    finite(compute(toFloat(number(value))));

function integerRoot(value: bigint): bigint {
  if (value < 0n) return raise.type(value, 'UNSIGNED-BYTE');
  if (value < 2n) return value;
  let guess = 1n << BigInt((bitLength(value) + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

function squareRoot(value: Real): Value {
  if (sign(value) < 0)
    return raise.error(
      'SIMPLE-ERROR',
      'The root of a negative number is complex, and complex numbers are not provided.',
    );
  if (typeof value !== 'bigint') return finite(Math.sqrt(toFloat(value)));
  const root = integerRoot(value);
  return root * root === value ? Number(root) : finite(Math.sqrt(toFloat(value)));
}

function expt(base: Real, exponent: Real): Value {
  if (typeof exponent === 'bigint' && typeof base !== 'number') {
    const size = exponent < 0n ? -exponent : exponent;
    const [above, below] = [power(numerator(base), size), power(denominator(base), size)];
    return exponent < 0n ? divide(below, above) : divide(above, below);
  }
  if (sign(base) < 0 && !(typeof exponent === 'bigint' || Number.isInteger(toFloat(exponent))))
    return raise.error('SIMPLE-ERROR', 'The power is complex, and complex numbers are not provided.');
  return finite(toFloat(base) ** toFloat(exponent));
}

function logarithm(value: Real, base: Value | undefined): number {
  if (isZero(value)) return divisionByZero('LOG', 0);
  if (sign(value) < 0)
    return raise.error(
      'SIMPLE-ERROR',
      'The logarithm of a negative number is complex, and complex numbers are not provided.',
    );
  const natural =
    typeof value === 'bigint' && value > 2n ** 1000n ? bitLength(value) * Math.LN2 : Math.log(toFloat(value));
  if (base === undefined) return natural;
  const [exact, power10] = [toFloat(number(base)), toFloat(value)];
  if (exact === 2) return Math.log2(power10);
  return exact === 10 ? Math.log10(power10) : natural / Math.log(exact);
}

function parseInteger(
  text: Str,
  { radix, lenient, start, end }: { radix: number; lenient: boolean; start: number; end: number },
): Value {
  const part = text.slice(start, end);
  const match = /^\s*([+-]?[0-9a-zA-Z]+)/.exec(part);
  let digits = match?.[1] ?? '';
  while (digits !== '' && !areDigits(digits, radix)) digits = digits.slice(0, -1);
  const used =
    digits === ''
      ? part.length - part.trimStart().length
      : (match?.[0].length ?? 0) - ((match?.[1]?.length ?? 0) - digits.length);
  const clean = digits !== '' && part.slice(used).trim() === '';
  if (!clean && !lenient) return raise.error('PARSE-ERROR', `not an integer string: "${text.text}"`);
  return new Many([digits === '' ? NIL : parseDigits(digits, radix), BigInt(clean && !lenient ? end : start + used)]);
}

const byNumber =
  (claim: (value: Real) => boolean): Native =>
  ([value]) =>
    bool(claim(number(value)));
const least =
  (wanted: number): Native =>
  (values) =>
    values
      .map(number)
      .reduce<Real>((best, each) => (compare(each, best) * wanted > 0 ? each : best), number(values[0]));

function randomBelow(limit: Value): Value {
  if (typeof limit === 'number' && limit > 0) return Math.random() * limit;
  if (typeof limit !== 'bigint' || limit <= 0n) return raise.type(limit, '(OR INTEGER FLOAT)');
  let made = 0n;
  for (let bits = bitLength(limit) + 64; bits > 0; bits -= 32)
    made = (made << 32n) | BigInt(Math.floor(Math.random() * 2 ** 32));
  return made % limit;
}

export const NUMBERS: Natives = {
  '+ &rest numbers': (values) => values.reduce<Value>(add, 0n),
  '* &rest numbers': (values) => values.reduce<Value>(multiply, 1n),
  '- number &rest numbers': ([first, ...rest]) =>
    rest.length === 0 ? negate(first) : rest.reduce<Value>(subtract, number(first)),
  '/ number &rest numbers': ([first, ...rest]) =>
    rest.length === 0 ? divide(1n, first) : rest.reduce<Value>(divide, number(first)),
  '= number &rest numbers': chain((order) => order === 0),
  '/= number &rest numbers': different,
  '< number &rest numbers': chain((order) => order < 0),
  '> number &rest numbers': chain((order) => order > 0),
  '<= number &rest numbers': chain((order) => order <= 0),
  '>= number &rest numbers': chain((order) => order >= 0),
  'max number &rest numbers': least(1),
  'min number &rest numbers': least(-1),
  '1+ number': ([value]) => add(value, 1n),
  '1- number': ([value]) => subtract(value, 1n),
  'abs number': ([value]) => (sign(value) < 0 ? negate(value) : typeof value === 'number' ? Math.abs(value) : value),
  'signum number': ([value]) => (typeof value === 'number' ? sign(value) : BigInt(sign(value))),
  'floor number &optional divisor': rounding(floorOf),
  'ceiling number &optional divisor': rounding(ceilingOf),
  'truncate number &optional divisor': rounding(truncateOf),
  'round number &optional divisor': rounding(roundOf),
  'ffloor number &optional divisor': rounding(floorOf, true),
  'fceiling number &optional divisor': rounding(ceilingOf, true),
  'ftruncate number &optional divisor': rounding(truncateOf, true),
  'fround number &optional divisor': rounding(roundOf, true),
  'mod number divisor': remainder(floorOf),
  'rem number divisor': remainder(truncateOf),
  'gcd &rest integers': (values) => values.reduce<bigint>((made, each) => gcd(made, integerIn(each)), 0n),
  'lcm &rest integers': (values) =>
    values.reduce<bigint>((made, each) => {
      const value = integerIn(each);
      if (value === 0n || made === 0n) return 0n;
      const found = multiply(made / gcd(made, value), value) as bigint;
      return found < 0n ? -found : found;
    }, 1n),
  'expt base power': ([base, exponent]) => expt(number(base), number(exponent)),
  'sqrt number': ([value]) => squareRoot(number(value)),
  'isqrt integer': ([value]) => integerRoot(integerIn(value)),
  'exp number': floating(Math.exp),
  'log number &optional base': ([value, base]) => finite(logarithm(number(value), base)),
  'sin number': floating(Math.sin),
  'cos number': floating(Math.cos),
  'tan number': floating(Math.tan),
  'asin number': floating(Math.asin),
  'acos number': floating(Math.acos),
  'atan number &optional number2': ([y, x]) =>
    x === undefined ? Math.atan(toFloat(number(y))) : Math.atan2(toFloat(number(y)), toFloat(number(x))),
  'sinh number': floating(Math.sinh),
  'cosh number': floating(Math.cosh),
  'tanh number': floating(Math.tanh),
  'asinh number': floating(Math.asinh),
  'acosh number': floating(Math.acosh),
  'atanh number': floating(Math.atanh),
  'zerop number': byNumber(isZero),
  'plusp number': byNumber((value) => sign(value) > 0),
  'minusp number': byNumber((value) => sign(value) < 0),
  'evenp integer': ([value]) => bool(integerIn(value) % 2n === 0n),
  'oddp integer': ([value]) => bool(integerIn(value) % 2n !== 0n),
  'numerator rational': ([value]) => numerator(rational(value)),
  'denominator rational': ([value]) => denominator(rational(value)),
  'rational number': ([value]) => exactly(number(value)),
  'rationalize number': ([value]) => (typeof value === 'number' ? simplest(value) : exactly(number(value))),
  'float number &optional prototype': ([value]) => toFloat(number(value)),
  'realpart number': ([value]) => number(value),
  'imagpart number': ([value]) => multiply(number(value), 0n),
  'random limit &optional state': ([limit]) => randomBelow(limit),
  'make-random-state &optional state': () => NIL,
  'parse-integer string &key start end radix junk-allowed': ([text], { start, end, radix, junkAllowed }) => {
    if (!(text instanceof Str)) return raise.type(text, 'STRING');
    const part = span(text.length, start, end);
    return parseInteger(text, {
      radix: radix === undefined ? 10 : index(radix),
      lenient: junkAllowed !== undefined && junkAllowed !== NIL,
      ...part,
    });
  },
  'digit-char-p char &optional radix': ([char, radix]) => {
    const base = radix === undefined ? 10 : index(radix);
    if (!(char instanceof Char)) return raise.type(char, 'CHARACTER');
    return areDigits(char.text, base) && !/[+-]/.test(char.text) ? BigInt(Number.parseInt(char.text, 36)) : NIL;
  },
  'float-sign float': ([value]) => (Object.is(value, -0) || (value as number) < 0 ? -1 : 1),
  'float-digits float': () => 53n,
  'integer-decode-float float': ([value]) => {
    const exact = exactly(number(value));
    const shift = bitLength(denominator(exact)) - 1;
    return new Many([
      numerator(exact) < 0n ? -numerator(exact) : numerator(exact),
      BigInt(-shift),
      sign(value) < 0 ? -1n : 1n,
    ]);
  },
};

function rational(value: Value): bigint | Ratio {
  return typeof value === 'bigint' || value instanceof Ratio ? value : raise.type(value, 'RATIONAL');
}

/** The simplest ratio that reads back as the same float. */
function simplest(value: number): Value {
  if (Number.isInteger(value)) return BigInt(value);
  let [a, b, c, d] = [0n, 1n, 1n, 0n];
  let rest = exactly(Math.abs(value));
  for (;;) {
    const whole = floorOf(rest);
    [a, b, c, d] = [c, d, whole * c + a, whole * d + b];
    if (Number(c) / Number(d) === Math.abs(value)) break;
    rest = divide(1n, subtract(rest, whole)) as bigint | Ratio;
  }
  return divide(value < 0 ? -c : c, d);
}
