import { CRISIS_SIGNALS, type CrisisSignal } from './crisis-signals.ts';
import { lazily, normalise } from './match.ts';

const BEFORE = '(?<![\\p{L}\\p{M}\\p{N}_])';
const AFTER = '(?![\\p{L}\\p{M}\\p{N}_])';

/** What a text says about somebody's safety. */
export interface Crisis {
  /** What was found, in our words. */
  readonly names: readonly string[];
  /** Somebody speaks about themselves: their words must not be edited or sent on by a program. */
  readonly personal: boolean;
}

const signals = lazily(() => CRISIS_SIGNALS.map((signal) => ({ signal, pattern: new RegExp(sourceOf(signal), 'u') })));

function sourceOf({ pattern, anywhere }: CrisisSignal): string {
  return anywhere === true ? pattern : `${BEFORE}(?:${pattern})${AFTER}`;
}

/** Looks for signs of crisis; `undefined` when there are none. */
export function findCrisis(text: string): Crisis | undefined {
  const plain = normalise(text);
  const found = signals()
    .filter(({ pattern }) => pattern.test(plain))
    .map(({ signal }) => signal);
  if (found.length === 0) return undefined;
  return {
    names: [...new Set(found.map(({ name }) => name))],
    personal: found.some(({ topic }) => topic !== true),
  };
}

const LONGEST_ECHO = 200;

/** A parameter as an answer may repeat it: one short line, and never somebody's cry for help. */
export function shown(text: string): string {
  if (findCrisis(text)?.personal === true) return '(withheld)';
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > LONGEST_ECHO ? `${line.slice(0, LONGEST_ECHO)}…` : line;
}
