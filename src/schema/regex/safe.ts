import type { CharSet } from './char-set.ts';
import type { Syntax } from './syntax.ts';

const MOST_PATHS = 500;
const MOST_LENGTH = 2000;

/** Whether the native engine is sure to match in time that grows no faster than the text. */
export function isSafe(syntax: Syntax): boolean {
  if (paths(syntax) * Math.max(1, length(syntax)) <= MOST_LENGTH) return true;
  return syntax.kind === 'sequence' && isDeterministic(syntax.parts);
}

/** Whether a pattern holds what only the native engine knows. */
export function isForeign(syntax: Syntax): boolean {
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
