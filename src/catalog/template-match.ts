import { encodeForeign, hasBadEscape, type Piece } from './template-parse.ts';
import { type Group, type Literal, type Part, partsOf, type Take } from './template-parts.ts';
import { type Found, readPart } from './template-values.ts';

// Matching is two passes over a table of (part, position), never a search with backtracking: the time is
// the length of the URI times the number of parts of the template, whatever the URI holds.

interface Borders {
  readonly next: Uint8Array;
  readonly inside: Uint8Array;
}

/** A template's matching half: says which values make a URI, or `undefined` when none do. */
export type Matcher = (uri: string) => Record<string, string> | undefined;

/** No URI longer than this is compared with a template. */
export const LONGEST_URI = 65_536;

export function createMatcher(pieces: readonly Piece[]): Matcher {
  const parts = partsOf(pieces);
  const first = parts[0];
  const start = first?.kind === 'literal' ? first.text : '';
  return (uri) => {
    if (!begins(uri, start) || uri.length > LONGEST_URI || hasBadEscape(uri)) return undefined;
    const text = encodeForeign(uri);
    return text?.startsWith(start) ? matchParts(parts, text) : undefined;
  };
}

/** Rules most URIs out before they are read; a start that holds an escape may be written without it. */
function begins(uri: string, start: string): boolean {
  return start.includes('%') || uri.startsWith(start);
}

function matchParts(parts: readonly Part[], text: string): Record<string, string> | undefined {
  const reach = reachOf(parts, text);
  if (reach[0]?.[0] !== 1) return undefined;
  const found: Found = new Map();
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const end = endOf(part, text, { at, next: reach[index + 1] as Uint8Array });
    if (end === undefined || !readPart(part, text.slice(at, end), found)) return undefined;
    at = end;
  }
  return Object.fromEntries([...found].map(([name, { value }]) => [name, value]));
}

/** For each part and position: whether this part and all after it can make the rest of the text from there. */
function reachOf(parts: readonly Part[], text: string): Uint8Array[] {
  const inside = insideEscapes(text);
  const last = new Uint8Array(text.length + 1);
  last[text.length] = 1;
  const reach: Uint8Array[] = [last];
  for (const part of parts.toReversed()) {
    const next = reach[0] as Uint8Array;
    reach.unshift(part.kind === 'literal' ? reachLiteral(part, text, next) : reachRun(part, text, { next, inside }));
  }
  return reach;
}

function reachLiteral({ text: literal }: Literal, text: string, next: Uint8Array): Uint8Array {
  const row = new Uint8Array(text.length + 1);
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
    row[at] = next[at + literal.length] as number;
  }
  return row;
}

function reachRun(part: Take | Group, text: string, { next, inside }: Borders): Uint8Array {
  const row = new Uint8Array(text.length + 1);
  let open = false; // whether a value that already began can go on at the position to the right
  for (let at = text.length; at >= 0; at--) {
    const canEnd = inside[at] === 0 && next[at] === 1;
    const goesOn: boolean = open && holds(part, text.charAt(at));
    const begins = part.kind === 'take' ? goesOn && inside[at] === 0 : canEnd || (open && leads(part, text.charAt(at)));
    row[at] = begins ? 1 : 0;
    open = canEnd || goesOn;
  }
  return row;
}

function holds(part: Take | Group, character: string): boolean {
  return character !== '' && !part.stops.includes(character);
}

function leads(part: Group, character: string): boolean {
  return character !== '' && part.leads.includes(character);
}

/** Marks the positions where no value may begin or end: inside an escape, and between the bytes of one character. */
function insideEscapes(text: string): Uint8Array {
  const inside = new Uint8Array(text.length + 1);
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 3)) {
    inside[at + 1] = 1;
    inside[at + 2] = 1;
    if ('89abAB'.includes(text.charAt(at + 1))) inside[at] = 1;
  }
  return inside;
}

/** Where a part ends that begins at `at`: as far right as the parts after it allow. */
function endOf(part: Part, text: string, { at, next }: { at: number; next: Uint8Array }): number | undefined {
  if (part.kind === 'literal') return at + part.text.length;
  if (part.kind === 'take') return lastEnd(part, text, { at, next });
  const absent = next[at] === 1 ? at : undefined;
  if (!leads(part, text.charAt(at))) return absent;
  const empty = next[at + 1] === 1 ? at + 1 : absent;
  return lastEnd(part, text, { at: at + 1, next }) ?? empty;
}

function lastEnd(part: Take | Group, text: string, { at, next }: { at: number; next: Uint8Array }): number | undefined {
  let room = part.kind === 'take' ? (part.variable.prefix ?? text.length) : text.length;
  let end: number | undefined;
  for (let position = at; room > 0 && holds(part, text.charAt(position)); room--) {
    position = afterCharacter(text, position);
    if (next[position] === 1) end = position;
  }
  return end;
}

/** The position after the character at `at`, which may be written as several escapes. */
function afterCharacter(text: string, at: number): number {
  if (text.charAt(at) !== '%') return at + 1;
  let end = at + 3;
  while (text.charAt(end) === '%' && '89abAB'.includes(text.charAt(end + 1))) end += 3;
  return end;
}
