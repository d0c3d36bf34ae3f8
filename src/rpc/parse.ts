import { isAscii, isUtf8 } from 'node:buffer';
import { Fault } from '../model/fault.ts';
import type { Json } from '../model/json.ts';
import { LIMITS } from '../model/limits.ts';
import { faultPosition } from './json-position.ts';

export interface ParseLimits {
  /** Deepest nesting of objects and arrays. */
  readonly depth: number;
  /** Most members of all objects together; the default of `jsonKeys` unless given. */
  readonly keys?: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const BRACKET = 91;
const BRACE = 123;
/** From this length on it is worth looking first whether a message is plain. */
const LONG = 16 * 1024;
const FEW_STRINGS = 256;
const SHORT_GAP = 256;
const SHORTEST_MEMBER = 5;

/** A line to a JSON value; throws a fault when it is not UTF-8, not JSON, nested too deep, or too wide. */
export function parseMessage(bytes: Buffer | string, limits: ParseLimits): Json {
  if (typeof bytes === 'string') return parseText(bytes, limits);
  // Nearly every message is ASCII, whose bytes are its characters: nothing is decoded then.
  if (isAscii(bytes)) return parseText(bytes.toString('latin1'), limits);
  if (!isUtf8(bytes)) throw new Fault('E_PARSE', 'Cannot read the message: not valid UTF-8');
  return parseText(bytes.toString('utf8'), limits);
}

/** Text to a JSON value; throws a fault when it is not JSON, nested too deep, or too wide. */
export function parseText(text: string, { depth, keys = LIMITS.jsonKeys.default }: ParseLimits): Json {
  if (text.length < LONG || !isPlain(text, depth, keys)) requireBounds(text, depth, keys);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw notJson(text);
  }
}

function requireBounds(text: string, depth: number, keys: number): void {
  // What is opened must be closed: a text this short cannot nest that deep and be JSON.
  if (text.length > 2 * depth && mayNestDeeper(text, depth) && nestsDeeper(text, depth)) {
    throw new Fault('E_TOO_DEEP', `Cannot read the message: nested deeper than ${depth} levels`, {
      data: { limit: depth },
    });
  }
  // The shortest member is `"":0` and a comma or bracket, so that most messages are not counted at all.
  if (text.length > SHORTEST_MEMBER * keys && mayHoldMore(text, keys) && holdsMore(text, keys)) {
    throw new Fault('E_TOO_WIDE', `Cannot read the message: more than ${keys} members`, { data: { limit: keys } });
  }
}

/** The engine's own message would echo the text, and names a position only sometimes. */
function notJson(text: string): Fault {
  const position = faultPosition(text) ?? text.length;
  const detail = position === text.length ? 'the JSON ends too early' : `not JSON at position ${position}`;
  return new Fault('E_PARSE', `Cannot read the message: ${detail}`, { data: { position } });
}

/**
 * Whether a long text is little more than a few long strings, with too little between them to be too deep or too wide:
 * one look at it tells then. No says nothing.
 */
function isPlain(text: string, depth: number, keys: number): boolean {
  let room = Math.min(depth, keys);
  let start = 0;
  for (let strings = 0; strings < FEW_STRINGS; strings += 1) {
    const quote = text.indexOf('"', start);
    const end = quote === -1 ? text.length : quote;
    if (end - start > SHORT_GAP) return false;
    room -= countMarks(text, start, end);
    if (room < 0) return false;
    if (quote === -1) return true;
    start = stringEnd(text, quote) + 1;
  }
  return false;
}

/** How many brackets open, and how many members begin, in a part of a text that is no string. */
function countMarks(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === BRACKET || unit === BRACE || unit === COLON) count += 1;
  }
  return count;
}

/** Whether there are brackets enough to nest deeper than `depth`, in strings or not: no for nearly every message. */
function mayNestDeeper(text: string, depth: number): boolean {
  let left = depth;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) if (left-- === 0) return true;
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) if (left-- === 0) return true;
  return false;
}

/** Whether there are colons enough for more members than `keys`, in strings or not. */
function mayHoldMore(text: string, keys: number): boolean {
  let left = keys;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) if (left-- === 0) return true;
  return false;
}

function holdsMore(text: string, keys: number): boolean {
  let left = keys;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = stringEnd(text, at);
    else if (unit === COLON && left-- === 0) return true;
  }
  return false;
}

function nestsDeeper(text: string, depth: number): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at);
        break;
      case BRACKET:
      case BRACE:
        level += 1;
        if (level > depth) return true;
        break;
      case 93:
      case 125:
        level -= 1;
    }
  }
  return false;
}

/** The closing quote of the string that opens at `start`; past the text when there is none. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

function isEscaped(text: string, quote: number): boolean {
  let before = quote;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 1;
}
