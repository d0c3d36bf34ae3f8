import { Machine, type Meter } from './regex/match.ts';
import { buildProgram } from './regex/program.ts';
import { isForeign, isSafe } from './regex/safe.ts';
import { parsePattern } from './regex/syntax.ts';

/** Whether a text matches; false also when the meter runs out. */
export type Matcher = (text: string, meter: Meter) => boolean;

const LONGEST = 10_000;
const CHARACTERS_A_STEP = 64;

/**
 * Compiles a regular expression so that no text can stall it, or says why it is refused.
 * The native engine runs what it is sure to run in linear time; an automaton of our own runs the rest.
 */
export function compilePattern(source: string): Matcher | string {
  if (source.length > LONGEST) return `is longer than ${LONGEST} characters`;
  const native = nativePattern(source);
  if (native === undefined) return 'is not a regular expression';
  const syntax = parsePattern(source, native.flags);
  if (syntax === undefined) return 'uses syntax that is not supported';
  if (isSafe(syntax)) return nativeMatcher(native);
  if (isForeign(syntax)) return 'may take too long: it has a look behind or a back reference beside repetition';
  const program = buildProgram(syntax);
  if (program === undefined) return 'repeats too often: use smaller counts';
  const machine = new Machine(program, { unicode: native.flags !== '', search: true });
  return (text, meter) => machine.matches(text, meter);
}

function nativeMatcher(native: RegExp): Matcher {
  return (text, meter) => meter.spend(Math.ceil(text.length / CHARACTERS_A_STEP)) && native.test(text);
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
