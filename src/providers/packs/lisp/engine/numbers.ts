import { Ratio, type Value } from './data.ts';
import { bitLength, fitsBits, integer, tick } from './meter.ts';
import { raise } from './raise.ts';

/** A number that is no complex one. */
export type Real = bigint | number | Ratio;

export function isReal(value: Value): value is Real {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Ratio;
}

export function real(value: Value): Real {
  return isReal(value) ? value : raise.type(value, 'NUMBER');
}

export function integerIn(value: Value): bigint {
  return typeof value === 'bigint' ? value : raise.type(value, 'INTEGER');
}

/** A non-negative integer small enough to be an index. */
export function index(value: Value): number {
  if (typeof value === 'bigint' && value >= 0n && value <= 9_007_199_254_740_991n) return Number(value);
  return raise.type(value, 'UNSIGNED-BYTE');
}

const magnitude = (value: bigint) => (value < 0n ? -value : value);

export function gcd(left: bigint, right: bigint): bigint {
  let [a, b] = [magnitude(left), magnitude(right)];
  while (b !== 0n) {
    tick(1 + (b > 0xffff_ffff_ffff_ffffn ? bitLength(b) >> 8 : 0));
    [a, b] = [b, a % b];
  }
  return a;
}

/** The exact quotient of two integers. */
export function ratio(top: bigint, bottom: bigint): bigint | Ratio {
  if (bottom === 0n) return divisionByZero('/', top);
  const shared = gcd(top, bottom);
  const sign = bottom < 0n ? -1n : 1n;
  const [above, below] = [(top / shared) * sign, (bottom / shared) * sign];
  return below === 1n ? above : new Ratio(integer(above), integer(below));
}

export function divisionByZero(operator: string, dividend: bigint | number): never {
  return raise.error(
    'DIVISION-BY-ZERO',
    `arithmetic error DIVISION-BY-ZERO signalled\nOperation was (${operator} ${dividend} 0).`,
  );
}

const top = (value: bigint | Ratio) => (typeof value === 'bigint' ? value : value.top);
const bottom = (value: bigint | Ratio) => (typeof value === 'bigint' ? 1n : value.bottom);

export function toFloat(value: Real): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return finite(Number(value));
  return ratioToFloat(value);
}

function ratioToFloat(value: Ratio): number {
  const quick = Number(value.top) / Number(value.bottom);
  const sizes = Math.max(bitLength(value.top), bitLength(value.bottom));
  if (sizes <= 53) return quick;
  const shift = BigInt(Math.max(0, 66 - bitLength(value.top) + bitLength(value.bottom)));
  const scaled = Number((value.top << shift) / value.bottom);
  return shift > 1000n ? (scaled / 2 ** 500) * 2 ** (500 - Number(shift)) : scaled / 2 ** Number(shift);
}

/** Refuses infinities and what is no number: arithmetic traps on them. */
export function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return raise.error('FLOATING-POINT-INVALID-OPERATION', 'invalid floating point operation');
  return raise.error('FLOATING-POINT-OVERFLOW', 'floating point overflow');
}

interface Operator {
  readonly whole: (a: bigint, b: bigint) => bigint | Ratio;
  readonly float: (a: number, b: number) => number;
  readonly exact: (a: bigint | Ratio, b: bigint | Ratio) => bigint | Ratio;
}

function combine({ whole, float, exact }: Operator): (a: Value, b: Value) => Real {
  return (a, b) => {
    if (typeof a === 'bigint' && typeof b === 'bigint') return whole(a, b);
    const [left, right] = [real(a), real(b)];
    if (typeof left === 'number' || typeof right === 'number') return finite(float(toFloat(left), toFloat(right)));
    return exact(left, right);
  };
}

export const add = combine({
  whole: (a, b) => integer(a + b),
  float: (a, b) => a + b,
  exact: (a, b) => ratio(integer(top(a) * bottom(b) + top(b) * bottom(a)), integer(bottom(a) * bottom(b))),
});

export const subtract = combine({
  whole: (a, b) => integer(a - b),
  float: (a, b) => a - b,
  exact: (a, b) => ratio(integer(top(a) * bottom(b) - top(b) * bottom(a)), integer(bottom(a) * bottom(b))),
});

export const multiply = combine({
  whole: product,
  float: (a, b) => a * b,
  exact: (a, b) => ratio(product(top(a), top(b)), product(bottom(a), bottom(b))),
});

export const divide = combine({
  whole: ratio,
  float: (a, b) => (b === 0 ? divisionByZero('/', a) : a / b),
  exact: (a, b) => ratio(product(top(a), bottom(b)), product(bottom(a), top(b))),
});

const WORD = 1n << 64n;

function product(a: bigint, b: bigint): bigint {
  const small = a < WORD && a > -WORD && b < WORD && b > -WORD;
  if (small) return integer(a * b);
  const [left, right] = [bitLength(a), bitLength(b)];
  fitsBits(left + right - 1);
  tick(1 + ((left >> 6) * (right >> 6)) / 64);
  return integer(a * b);
}

/** Less than zero, zero or more, as `a` is to `b`. */
export function compare(a: Value, b: Value): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  return compareReals(real(a), real(b));
}

function compareReals(a: Real, b: Real): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [exactly(a), exactly(b)];
  const difference = top(left) * bottom(right) - top(right) * bottom(left);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The rational a number is exactly. */
export function exactly(value: Real): bigint | Ratio {
  if (typeof value !== 'number') return value;
  if (Number.isInteger(value)) return integer(BigInt(value));
  let [scaled, power] = [value, 0n];
  while (!Number.isInteger(scaled) && power < 1100n) {
    scaled *= 2;
    power++;
  }
  return ratio(BigInt(scaled), 1n << power);
}

export function negate(value: Value): Real {
  return typeof value === 'number' ? -value : subtract(0n, value);
}

export function isZero(value: Real): boolean {
  return value === 0n || value === 0;
}

export function sign(value: Value): number {
  const number = real(value);
  if (typeof number === 'number') return Math.sign(number);
  const above = top(number);
  return above > 0n ? 1 : above < 0n ? -1 : 0;
}

export const numerator = (value: bigint | Ratio): bigint => top(value);
export const denominator = (value: bigint | Ratio): bigint => bottom(value);

/** An integer to a power, refused before it is computed when it would be too long. */
export function power(base: bigint, exponent: bigint): bigint {
  if (base === 0n || base === 1n || exponent === 0n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  fitsBits((bitLength(base) - 1) * Number(exponent));
  const bits = bitLength(base) * Number(exponent);
  tick(1 + bits / 256);
  return integer(base ** exponent);
}
