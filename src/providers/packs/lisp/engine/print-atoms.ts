import { type Char, NIL, type Ratio, type Str, type Sym, T } from './data.ts';
import { CHARACTER_NAMES, parseNumber } from './read-tokens.ts';
import type { World } from './world.ts';

const FIXED_FROM = 1e-3;
const FIXED_TO = 1e7;

/** A float as the reader takes it back: the shortest digits that mean the same number. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return '#<NaN>';
  if (!Number.isFinite(value)) return value > 0 ? '#<INFINITY>' : '#<-INFINITY>';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential().split('e');
  const sign = value < 0 ? '-' : '';
  const size = Math.abs(value);
  if (size >= FIXED_FROM && size < FIXED_TO) return sign + fixed(mantissa.replace('.', ''), Number(power));
  return `${sign}${mantissa.includes('.') ? mantissa : `${mantissa}.0`}e${Number(power)}`;
}

function fixed(digits: string, power: number): string {
  if (power < 0) return `0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0');
  return `${whole}.${digits.slice(power + 1) || '0'}`;
}

export function printInteger(value: bigint, base: number, radix: boolean): string {
  const digits = value.toString(base).toUpperCase();
  if (!radix) return digits;
  if (base === 10) return `${digits}.`;
  return `${{ 2: '#b', 8: '#o', 16: '#x' }[base] ?? `#${base}r`}${digits}`;
}

export function printRatio(value: Ratio, base: number): string {
  return `${value.top.toString(base).toUpperCase()}/${value.bottom.toString(base).toUpperCase()}`;
}

const NAMES = new Map([...CHARACTER_NAMES].reverse().map(([name, code]) => [code, capital(name)]));
NAMES.set(10, 'Newline').set(127, 'Rubout').set(0, 'Nul').set(27, 'Esc');

function capital(name: string): string {
  return name.charAt(0) + name.slice(1).toLowerCase();
}

export function characterName(char: Char): string | undefined {
  return (
    NAMES.get(char.code) ??
    (char.code < 32 || (char.code > 127 && char.code < 161)
      ? `U${char.code.toString(16).toUpperCase().padStart(4, '0')}`
      : undefined)
  );
}

export function printCharacter(char: Char): string {
  return `#\\${characterName(char) ?? char.text}`;
}

export function printString(value: Str): string {
  return `"${value.text.replace(/[\\"]/g, '\\$&')}"`;
}

const PLAIN = /^[^\s()"'`,;:|\\#a-z][^\s()"'`,;:|\\a-z]*$/;

function needsBars(name: string): boolean {
  return !PLAIN.test(name) || name !== name.toUpperCase() || /^\.+$/.test(name) || parseNumber(name) !== undefined;
}

export function caseName(name: string, printCase: string): string {
  if (printCase === 'DOWNCASE') return name.toLowerCase();
  if (printCase === 'CAPITALIZE')
    return name.toLowerCase().replace(/[a-z0-9]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  return name;
}

function shownName(name: string, printCase: string): string {
  return needsBars(name) ? `|${name.replace(/[\\|]/g, '\\$&')}|` : caseName(name, printCase);
}

/** A symbol as it would be read back in the current package. */
export function printSymbol(symbol: Sym, world: World, printCase: string): string {
  const name = shownName(symbol.name, printCase);
  const { home } = symbol;
  if (symbol === NIL || symbol === T) return name;
  if (home === undefined) return `#:${name}`;
  if (home === world.keyword) return `:${name}`;
  if (world.package.find(symbol.name) === symbol) return name;
  return `${shownName(home.name, printCase)}${home.exported.has(symbol.name) ? ':' : '::'}${name}`;
}
