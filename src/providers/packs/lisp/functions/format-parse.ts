import { raise } from '../engine/raise.ts';

export type Parameter = number | string | 'V' | '#' | undefined;

/** One directive of a format control, or text as it is. */
export interface Directive {
  /** Empty for text. */
  readonly char: string;
  readonly text: string;
  readonly parameters: readonly Parameter[];
  readonly colon: boolean;
  readonly at: boolean;
  /** What stands between an opening directive and its end, split at `~;`. */
  readonly clauses: readonly (readonly Directive[])[];
  /** The last clause is for everything else. */
  readonly otherwise: boolean;
  /** The closing directive had a colon. */
  readonly atLeastOnce: boolean;
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')', '<': '>' };
const DIRECTIVE = /~((?:(?:[+-]?\d+|'[\s\S]|[vV#])?,)*(?:[+-]?\d+|'[\s\S]|[vV#])?)([:@]*)([\s\S])/y;

interface Cursor {
  readonly control: string;
  at: number;
}

interface Raw {
  readonly char: string;
  readonly parameters: readonly Parameter[];
  readonly colon: boolean;
  readonly at: boolean;
  readonly text: string;
}

function bad(message: string): never {
  return raise.error('SIMPLE-ERROR', `error in FORMAT: ${message}`);
}

function parameter(text: string): Parameter {
  if (text === '') return undefined;
  if (text.startsWith("'")) return text.slice(1);
  if (text === '#') return '#';
  return /^[vV]$/.test(text) ? 'V' : Number(text);
}

/** The parameters of a directive: a quoted comma does not part them. */
function parametersOf(text: string): Parameter[] {
  return text === '' ? [] : (text.match(/'[\s\S]|[+-]?\d+|[vV#]|(?<=^|,)(?=,|$)/g) ?? []).map(parameter);
}

function next(cursor: Cursor): Raw | undefined {
  const { control } = cursor;
  if (cursor.at >= control.length) return undefined;
  if (control[cursor.at] !== '~') {
    const end = control.indexOf('~', cursor.at);
    const text = control.slice(cursor.at, end === -1 ? undefined : end);
    cursor.at += text.length;
    return { char: '', text, parameters: [], colon: false, at: false };
  }
  DIRECTIVE.lastIndex = cursor.at;
  const found = DIRECTIVE.exec(control);
  if (found === null) return bad('string ended before a directive was found');
  cursor.at += found[0].length;
  const [, given = '', flags = '', char = ''] = found;
  return {
    char: char.toUpperCase(),
    text: '',
    parameters: parametersOf(given),
    colon: flags.includes(':'),
    at: flags.includes('@'),
  };
}

function directives(
  cursor: Cursor,
  closer: string | undefined,
): { clauses: Directive[][]; otherwise: boolean; end: Raw | undefined } {
  const clauses: Directive[][] = [[]];
  let otherwise = false;
  for (;;) {
    const raw = next(cursor);
    if (raw === undefined)
      return closer === undefined
        ? { clauses, otherwise, end: undefined }
        : bad(`no corresponding close for ~${closer}`);
    if (raw.char === closer) return { clauses, otherwise, end: raw };
    if (raw.char === ';' && closer !== undefined) {
      otherwise ||= raw.colon;
      clauses.push([]);
    } else (clauses.at(-1) as Directive[]).push(whole(raw, cursor));
  }
}

function whole(raw: Raw, cursor: Cursor): Directive {
  const closer = CLOSERS[raw.char];
  if (closer === undefined) return { ...raw, clauses: [], otherwise: false, atLeastOnce: false };
  const { clauses, otherwise, end } = directives(cursor, closer);
  return { ...raw, clauses, otherwise, atLeastOnce: end?.colon === true };
}

const PARSED = new Map<string, readonly Directive[]>();

/** Reads a format control. */
export function parseControl(control: string): readonly Directive[] {
  const known = PARSED.get(control);
  if (known !== undefined) return known;
  const made = directives({ control, at: 0 }, undefined).clauses.flat();
  if (PARSED.size > 200) PARSED.clear();
  if (control.length < 1000) PARSED.set(control, made);
  return made;
}
