import { Char, charOf, NIL, Str, Sym, type Value } from '../engine/data.ts';
import { bool } from '../engine/lists.ts';
import { fits, tick } from '../engine/meter.ts';
import type { Keys, Native, Natives } from '../engine/native.ts';
import { index } from '../engine/numbers.ts';
import { characterName } from '../engine/print-atoms.ts';
import { raise } from '../engine/raise.ts';
import { CHARACTER_NAMES } from '../engine/read-tokens.ts';
import { span, toArray } from './sequence.ts';

/** The text of a string, symbol or character. */
export function textOf(value: Value): string {
  if (value instanceof Str) return value.text;
  if (value instanceof Sym) return value.name;
  return value instanceof Char ? value.text : raise.type(value, '(OR STRING SYMBOL CHARACTER)');
}

export function stringIn(value: Value): Str {
  return value instanceof Str ? value : raise.type(value, 'STRING');
}

const charIn = (value: Value): Char => (value instanceof Char ? value : raise.type(value, 'CHARACTER'));

function part(value: Value, start: Value | undefined, end: Value | undefined): { text: string; start: number } {
  const text = new Str(textOf(value));
  const bounds = span(text.length, start, end);
  return { text: text.slice(bounds.start, bounds.end), start: bounds.start };
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares two strings; the unequal orders tell where the strings first differ. */
const comparing =
  (holds: (order: number) => boolean, folded: boolean, plain: boolean): Native =>
  ([left, right], keys) => {
    const [a, b] = [part(left, keys.start1, keys.end1), part(right, keys.start2, keys.end2)];
    const [first, second] = folded ? [a.text.toLowerCase(), b.text.toLowerCase()] : [a.text, b.text];
    tick(first.length >> 4);
    if (!holds(order(first, second))) return NIL;
    if (plain) return bool(true);
    let at = 0;
    while (at < first.length && first[at] === second[at]) at++;
    return BigInt(a.start + at);
  };

const comparisons = (suffix: string, folded: boolean): Natives => {
  const names = folded
    ? ['string-lessp', 'string-greaterp', 'string-not-greaterp', 'string-not-lessp', 'string-equal', 'string-not-equal']
    : ['string<', 'string>', 'string<=', 'string>=', 'string=', 'string/='];
  const claims: ((order: number) => boolean)[] = [
    (o) => o < 0,
    (o) => o > 0,
    (o) => o <= 0,
    (o) => o >= 0,
    (o) => o === 0,
    (o) => o !== 0,
  ];
  return Object.fromEntries(
    names.map((name, at) => [
      `${name} left right ${suffix}`,
      comparing(claims[at] as (order: number) => boolean, folded, at === 4),
    ]),
  );
};

const capitalize = (text: string) =>
  text.toLowerCase().replace(/[\p{L}\p{N}]+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1));

const casing =
  (change: (text: string) => string, inPlace = false): Native =>
  ([value], { start, end }) => {
    const whole = new Str(textOf(value));
    const bounds = span(whole.length, start, end);
    const made = whole.slice(0, bounds.start) + change(whole.slice(bounds.start, bounds.end)) + whole.slice(bounds.end);
    if (!inPlace) return new Str(made);
    stringIn(value).text = made;
    return value;
  };

function trim(bag: Value, value: Value, sides: { left: boolean; right: boolean }): Value {
  const chars = new Set(toArray(bag).map((each) => charIn(each).text));
  const points = [...textOf(value)];
  let [start, end] = [0, points.length];
  while (sides.left && start < end && chars.has(points[start] as string)) start++;
  while (sides.right && end > start && chars.has(points[end - 1] as string)) end--;
  return new Str(points.slice(start, end).join(''));
}

const ofChar =
  (claim: (text: string) => boolean): Native =>
  ([char]) =>
    bool(claim(charIn(char).text));

const charChain =
  (holds: (order: number) => boolean, folded: boolean): Native =>
  (chars) => {
    const codes = chars.map(
      (each) => (folded ? charIn(each).text.toLowerCase().codePointAt(0) : charIn(each).code) as number,
    );
    return bool(codes.every((code, at) => at === 0 || holds((codes[at - 1] as number) - code)));
  };

const allDifferent =
  (folded: boolean): Native =>
  (chars) => {
    const texts = chars.map((each) => (folded ? charIn(each).text.toLowerCase() : charIn(each).text));
    return bool(new Set(texts).size === texts.length);
  };

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

function makeString(size: number, keys: Keys): Value {
  const fill = keys.initialElement === undefined ? ' ' : charIn(keys.initialElement).text;
  return new Str(fill.repeat(fits(size)));
}

export const STRINGS: Natives = {
  ...comparisons('&key start1 end1 start2 end2', false),
  ...comparisons('&key start1 end1 start2 end2', true),
  'string value': ([value]) => (value instanceof Str ? value : new Str(textOf(value))),
  'make-string size &key initial-element element-type': ([size], keys) => makeString(index(size), keys),
  'string-upcase string &key start end': casing((text) => text.toUpperCase()),
  'string-downcase string &key start end': casing((text) => text.toLowerCase()),
  'string-capitalize string &key start end': casing(capitalize),
  'nstring-upcase string &key start end': casing((text) => text.toUpperCase(), true),
  'nstring-downcase string &key start end': casing((text) => text.toLowerCase(), true),
  'nstring-capitalize string &key start end': casing(capitalize, true),
  'string-trim bag string': ([bag, value]) => trim(bag, value, { left: true, right: true }),
  'string-left-trim bag string': ([bag, value]) => trim(bag, value, { left: true, right: false }),
  'string-right-trim bag string': ([bag, value]) => trim(bag, value, { left: false, right: true }),
  'char string index': ([value, at]) => charAt(stringIn(value), at),
  'schar string index': ([value, at]) => charAt(stringIn(value), at),
  '(setf char) value string index': ([char, value, at]) => putChar(stringIn(value), at, char),
  '(setf schar) value string index': ([char, value, at]) => putChar(stringIn(value), at, char),
};

export function charAt(value: Str, at: Value): Value {
  const where = index(at);
  return where < value.length ? value.at(where) : raise.type(at, `(INTEGER 0 ${value.length - 1})`);
}

export function putChar(value: Str, at: Value, char: Value): Value {
  charAt(value, at);
  value.put(index(at), charIn(char));
  tick(value.length >> 6);
  return char;
}

export const CHARACTERS: Natives = {
  'char-code char': ([char]) => BigInt(charIn(char).code),
  'char-int char': ([char]) => BigInt(charIn(char).code),
  'code-char code': ([code]) => (index(code) > 0x10ffff ? NIL : charOf(index(code))),
  'character value': ([value]) => {
    const text = textOf(value);
    return [...text].length === 1 ? charOf(text.codePointAt(0) as number) : raise.type(value, 'CHARACTER');
  },
  'char-upcase char': ([char]) => single(charIn(char), charIn(char).text.toUpperCase()),
  'char-downcase char': ([char]) => single(charIn(char), charIn(char).text.toLowerCase()),
  'alpha-char-p char': ofChar((text) => LETTER.test(text)),
  'alphanumericp char': ofChar((text) => LETTER.test(text) || DIGIT.test(text)),
  'upper-case-p char': ofChar((text) => text !== text.toLowerCase()),
  'lower-case-p char': ofChar((text) => text !== text.toUpperCase()),
  'both-case-p char': ofChar((text) => text.toLowerCase() !== text.toUpperCase()),
  'graphic-char-p char': ofChar((text) => !/\p{C}/u.test(text)),
  'standard-char-p char': ofChar((text) => /^[\x20-\x7e\n]$/.test(text)),
  'char= char &rest chars': charChain((difference) => difference === 0, false),
  'char/= char &rest chars': allDifferent(false),
  'char< char &rest chars': charChain((difference) => difference < 0, false),
  'char> char &rest chars': charChain((difference) => difference > 0, false),
  'char<= char &rest chars': charChain((difference) => difference <= 0, false),
  'char>= char &rest chars': charChain((difference) => difference >= 0, false),
  'char-equal char &rest chars': charChain((difference) => difference === 0, true),
  'char-not-equal char &rest chars': allDifferent(true),
  'char-lessp char &rest chars': charChain((difference) => difference < 0, true),
  'char-greaterp char &rest chars': charChain((difference) => difference > 0, true),
  'char-name char': ([char]) => {
    const name = characterName(charIn(char));
    return name === undefined ? NIL : new Str(name);
  },
  'name-char name': ([name]) => {
    const code = CHARACTER_NAMES.get(textOf(name).toUpperCase());
    return code === undefined ? NIL : charOf(code);
  },
  'digit-char weight &optional radix': ([weight, radix]) => {
    const [value, base] = [index(weight), radix === undefined ? 10 : index(radix)];
    return value < base ? charOf(value.toString(36).toUpperCase().charCodeAt(0)) : NIL;
  },
};

function single(char: Char, text: string): Char {
  return [...text].length === 1 ? charOf(text.codePointAt(0) as number) : char;
}
