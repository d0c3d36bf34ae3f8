import type { Random } from './random.ts';

/** One part of the server under attack. */
export interface Target {
  readonly name: string;
  /** One line for the list. */
  readonly says: string;
  /** How much of the time of a run it gets, beside the others; 1 unless given. */
  readonly weight?: number;
  open(): OpenTarget | Promise<OpenTarget>;
}

/** A target ready to be fed. Every input is bytes, so that any of them can be kept in a file and sent again. */
export interface OpenTarget {
  generate(random: Random): Buffer;
  /** Throws when something is wrong with what became of the input. */
  check(input: Buffer): void | Promise<void>;
  /** How many inputs the last one counts for, and what came of them. */
  readonly tally?: Tally;
  close?(): void | Promise<void>;
}

/** What a target that talks to a whole server counted. */
export interface Tally {
  /** Messages sent that were meant to be wrong. */
  lines: number;
  /** Those of them the oracle calls malformed, or the server refused. */
  malformed: number;
  /** Answers that came back to them. */
  answers: number;
  /** Good requests between them that were answered well. */
  good: number;
}

/** Thrown by a check: what was expected and what came. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Throws a failure unless the claim holds. */
export function expect(claim: boolean, says: string | (() => string)): asserts claim {
  if (!claim) throw new Failure(typeof says === 'string' ? says : says());
}

/** A text for a report: short, and with every unusual character escaped. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text;
}
