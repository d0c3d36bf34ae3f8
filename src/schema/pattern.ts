import { buildProgram, Machine, type Meter } from './regex/automaton.ts';
import { type CharSet, parsePattern, type Syntax } from './regex/syntax.ts';

/** Whether a text matches; false also when the meter runs out. */
export type Matcher = (text: string, meter: Meter) => boolean;

/** A compiled pattern, and how many states its automaton has. */
export interface Pattern {
  readonly matches: Matcher;
  readonly states: number;
}

const LONGEST = 10_000;
const CHARACTERS_A_STEP = 64;
/** What asking the native engine costs, in steps. */
const STEPS_A_TEST = 8;
const MOST_PATHS = 500;
const MOST_LENGTH = 2000;

/**
 * Compiles a regular expression so that no text can stall it, or says why it is refused.
 * The native engine runs what it is sure to run in linear time; an automaton of our own runs the rest.
 */
export function compilePattern(source: string): Pattern | string {
  if (source.length > LONGEST) return `is longer than ${LONGEST} characters`;
  const native = nativePattern(source);
  if (native === undefined) return 'is not a regular expression';
  const syntax = parsePattern(source, native.flags);
  if (syntax === undefined) return 'uses syntax that is not supported';
  if (isSafe(syntax)) return { matches: nativeMatcher(native), states: 0 };
  if (isForeign(syntax)) return 'may take too long: it has a look behind or a back reference beside repetition';
  const program = buildProgram(syntax);
  if (program === undefined) return 'repeats too often: use smaller counts';
  const machine = new Machine(program, { unicode: native.flags !== '', search: true });
  return { matches: (text, meter) => machine.matches(text, meter), states: program.size };
}

function nativeMatcher(native: RegExp): Matcher {
  return (text, meter) => meter.spend(STEPS_A_TEST + text.length / CHARACTERS_A_STEP) && native.test(text);
}

// The standard asks for Unicode mode; escapes that mode refuses are common enough to be read the older way.
function nativePattern(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {}
  }
  return undefined;
}

// Whether the native engine is sure to match in time that grows no faster than the text.
function isSafe(syntax: Syntax): boolean {
  if (paths(syntax) * Math.max(1, length(syntax)) <= MOST_LENGTH) return true;
  return syntax.kind === 'sequence' && isDeterministic(syntax.parts);
}

// Whether a pattern holds what only the native engine knows.
function isForeign(syntax: Syntax): boolean {
  return syntax.kind === 'foreign' || inside(syntax).some(isForeign);
}

function inside(syntax: Syntax): readonly Syntax[] {
  if ('parts' in syntax) return syntax.parts;
  return 'part' in syntax && syntax.part !== undefined ? [syntax.part] : [];
}

// How many ways there are through a pattern, whatever the text: what backtracking may have to try.
function paths(syntax: Syntax): number {
  const counts = inside(syntax).map(paths);
  if (syntax.kind === 'choice') return counts.reduce((sum, count) => sum + count, 0);
  if (syntax.kind === 'repeat') return repeatedPaths(counts[0] ?? 1, syntax);
  return counts.reduce((product, count) => product * count, 1);
}

function repeatedPaths(count: number, { min, max }: { min: number; max: number }): number {
  if (max === Number.POSITIVE_INFINITY) return max;
  return (max - min + 1) * count ** max;
}

function length(syntax: Syntax): number {
  if (syntax.kind === 'set') return 1;
  const lengths = inside(syntax).map(length);
  if (syntax.kind === 'choice') return Math.max(...lengths);
  const sum = lengths.reduce((total, one) => total + one, 0);
  return syntax.kind === 'repeat' && sum > 0 ? sum * syntax.max : sum;
}

// Anchored, and after every repeat of one set comes something that set cannot match: giving a character back never helps.
function isDeterministic(parts: readonly Syntax[]): boolean {
  if (parts[0]?.kind !== 'start') return false;
  let ways = 1;
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'repeat' && part.part.kind === 'set') {
      if (part.min !== part.max && mayFollow(part.part.set, parts.slice(index + 1))) return false;
    } else {
      ways *= paths(part) * Math.max(1, length(part));
    }
  }
  return ways <= MOST_PATHS;
}

function mayFollow(set: CharSet, rest: readonly Syntax[]): boolean {
  for (const part of rest) {
    if (isAssertion(part)) continue;
    const first = part.kind === 'repeat' ? part.part : part;
    if (first.kind !== 'set' || first.set.overlaps(set)) return true;
    if (part.kind === 'set' || (part.kind === 'repeat' && part.min > 0)) return false;
  }
  return false;
}

function isAssertion(part: Syntax): boolean {
  return part.kind === 'start' || part.kind === 'end' || part.kind === 'word';
}
