import { printFloat } from '../engine/print-atoms.ts';
import { raise } from '../engine/raise.ts';

const ONES = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const GROUPS = [
  '',
  ' thousand',
  ' million',
  ' billion',
  ' trillion',
  ' quadrillion',
  ' quintillion',
  ' sextillion',
  ' septillion',
  ' octillion',
  ' nonillion',
  ' decillion',
];

function belowThousand(value: number): string {
  if (value < 20) return ONES[value] as string;
  if (value < 100) return (TENS[Math.floor(value / 10)] as string) + (value % 10 === 0 ? '' : `-${ONES[value % 10]}`);
  const rest = value % 100;
  return `${ONES[Math.floor(value / 100)]} hundred${rest === 0 ? '' : ` ${belowThousand(rest)}`}`;
}

/** A number in English words. */
export function cardinal(value: bigint): string {
  if (value === 0n) return 'zero';
  if (value < 0n) return `negative ${cardinal(-value)}`;
  const parts: string[] = [];
  for (let [rest, group] = [value, 0]; rest > 0n; rest /= 1000n, group++) {
    const part = Number(rest % 1000n);
    if (group >= GROUPS.length)
      return raise.error('SIMPLE-ERROR', 'error in FORMAT: number too large to print in English');
    if (part > 0) parts.unshift(belowThousand(part) + GROUPS[group]);
  }
  return parts.join(' ');
}

const IRREGULAR: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

export function ordinal(value: bigint): string {
  return cardinal(value).replace(
    /[a-z]+$/,
    (word) => IRREGULAR[word] ?? (word.endsWith('y') ? `${word.slice(0, -1)}ieth` : `${word}th`),
  );
}

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

export function roman(value: bigint): string {
  if (value < 1n || value > 3999n)
    return raise.error('SIMPLE-ERROR', 'error in FORMAT: number out of range for Roman numerals');
  let [rest, text] = [Number(value), ''];
  for (const [size, letters] of ROMAN) {
    while (rest >= size) {
      text += letters;
      rest -= size;
    }
  }
  return text;
}

export function grouped(digits: string, comma: string, interval: number): string {
  const parts: string[] = [];
  for (let end = digits.length; end > 0; end -= interval) parts.unshift(digits.slice(Math.max(0, end - interval), end));
  return parts.join(comma);
}

/** A float with so many digits after the point. */
export function fixedPoint(value: number, digits: number | undefined): string {
  if (digits === undefined) {
    const text = printFloat(value);
    return text.includes('e') ? plain(value) : text;
  }
  const bounded = Math.min(digits, 100);
  if (bounded === 0 && Math.abs(value) < 1e21) return `${value.toFixed(0)}.`;
  return Math.abs(value) < 1e21
    ? value.toFixed(bounded)
    : `${BigInt(Math.round(value))}${bounded > 0 ? `.${'0'.repeat(bounded)}` : '.'}`;
}

function plain(value: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.0`;
  const text = Math.abs(value) < 1 ? value.toFixed(100).replace(/0+$/, '') : String(value);
  return text.includes('.') ? text : `${text}.0`;
}

export function exponential(value: number, digits: number | undefined): string {
  const [mantissa = '', power = '0'] = value
    .toExponential(digits === undefined ? undefined : Math.min(digits, 100))
    .split('e');
  const point = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
  return `${point}e${Number(power) < 0 ? '-' : '+'}${Math.abs(Number(power))}`;
}
