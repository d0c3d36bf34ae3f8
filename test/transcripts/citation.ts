import { test } from 'node:test';
import { type Way, waysOf } from './transcript.ts';

/** Which rules something holds the server to, and over what. */
export interface Citation {
  readonly covers: readonly string[];
  readonly over: readonly Way[];
}

const CITATION = /^([\w-]+(?:, [\w-]+)*) over ([\w, ]+)$/;
const CALL = /\brule\(\s*'([^']*)'/g;

/** Reads `C19, C20 over stdio, http`. */
export function readCitation(text: string): Citation {
  const [, covers, over] = CITATION.exec(text) ?? [];
  if (covers === undefined || over === undefined) throw new TypeError(`Not a citation: "${text}"`);
  return { covers: covers.split(', '), over: waysOf(over) };
}

/** What the source of a test file cites. */
export function citationsIn(source: string): Citation[] {
  return [...source.matchAll(CALL)].map(([, text = '']) => readCitation(text));
}

/** A test of rules that no transcript can tell: what a client does, and what happens when a connection breaks. */
export function rule(cited: string, sentence: string, body: () => Promise<void>): void {
  readCitation(cited);
  test(`${cited}: ${sentence}`, body);
}
