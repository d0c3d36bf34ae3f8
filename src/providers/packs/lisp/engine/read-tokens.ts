import type { Ratio, Value } from './data.ts';
import { fitsBits, integer } from './meter.ts';
import { ratio } from './numbers.ts';

/** A text that cannot be read, and where. */
export class ReadFault {
  readonly message: string;
  /** Where in the text; made into line and column by whoever reports it. */
  readonly offset: number;
  /** The text ended too early. */
  readonly ended: boolean;

  constructor(message: string, offset: number, ended = false) {
    this.message = message;
    this.offset = offset;
    this.ended = ended;
  }
}

/** The line and column of an offset, from one. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}

const INTEGER = /^[+-]?\d+\.?$/;
const RATIO = /^([+-]?\d+)\/(\d+)$/;
const FLOAT = /^([+-]?(?:\d*\.\d+|\d+(?:\.\d*)?(?=[esfdl])))(?:[esfdl]([+-]?\d+))?$/i;

/** The integer some digits stand for. */
export function parseDigits(digits: string, radix: number): bigint {
  const negative = digits.startsWith('-');
  const plain = digits.replace(/^[+-]/, '');
  fitsBits((plain.length - 1) * Math.log2(radix));
  const value = radix === 10 ? BigInt(plain) : radixDigits(plain, radix);
  return integer(negative ? -value : value);
}

function radixDigits(digits: string, radix: number): bigint {
  const prefix = { 2: '0b', 8: '0o', 16: '0x' }[radix];
  if (prefix !== undefined) return BigInt(prefix + digits);
  const base = BigInt(radix);
  let value = 0n;
  for (const digit of digits) value = value * base + BigInt(Number.parseInt(digit, 36));
  return integer(value);
}

/** Whether all characters are digits of a radix, after a sign. */
export function areDigits(text: string, radix: number): boolean {
  const plain = text.replace(/^[+-]/, '');
  return plain !== '' && [...plain].every((digit) => /^[0-9a-z]$/i.test(digit) && Number.parseInt(digit, 36) < radix);
}

/** The number a token stands for, if it does. */
export function parseNumber(token: string, radix = 10): Value | undefined {
  if (INTEGER.test(token))
    return token.endsWith('.') || radix === 10 ? parseDigits(token.replace('.', ''), 10) : based(token, radix);
  const parts = RATIO.exec(token);
  if (parts !== null) return parseRatio(parts[1] as string, parts[2] as string);
  const float = FLOAT.exec(token);
  if (float !== null) return Number(`${float[1]}e${float[2] ?? 0}`);
  return radix > 10 ? based(token, radix) : undefined;
}

function based(token: string, radix: number): Value | undefined {
  return areDigits(token, radix) ? parseDigits(token, radix) : undefined;
}

function parseRatio(above: string, below: string): bigint | Ratio | undefined {
  const bottom = parseDigits(below, 10);
  return bottom === 0n ? undefined : ratio(parseDigits(above, 10), bottom);
}

/** Names of characters, by name. */
export const CHARACTER_NAMES: ReadonlyMap<string, number> = new Map([
  ['SPACE', 32],
  ['NEWLINE', 10],
  ['LINEFEED', 10],
  ['TAB', 9],
  ['RETURN', 13],
  ['PAGE', 12],
  ['BACKSPACE', 8],
  ['RUBOUT', 127],
  ['DELETE', 127],
  ['NULL', 0],
  ['NUL', 0],
  ['ESCAPE', 27],
  ['ESC', 27],
  ['ALTMODE', 27],
]);
