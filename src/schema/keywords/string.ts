import { quote } from '../issue.ts';
import { compilePattern, type Matcher } from '../pattern.ts';
import { countOf, type Keyword, type Site } from '../rule.ts';

/** The compiled form of a regular expression in a schema, or the error that says why it is refused. */
export function matcherOf(site: Site, source: unknown, ...steps: string[]): Matcher {
  if (typeof source !== 'string') return site.refuse('a pattern must be a string', ...steps);
  const pattern = compilePattern(source);
  return typeof pattern === 'string' ? site.refuse(`pattern ${quote(source)} ${pattern}`, ...steps) : pattern;
}

/** `pattern`. */
export const pattern: Keyword = (site) => {
  const { pattern: source } = site.schema;
  if (source === undefined) return undefined;
  const matches = matcherOf(site, source, 'pattern');
  const message = `must match pattern ${quote(source)}`;
  return (value, run) => typeof value !== 'string' || matches(value, run) || run.fail(message);
};

/** `minLength`, in code points. */
export const minLength: Keyword = (site) => {
  const least = countOf(site, 'minLength');
  if (least === undefined) return undefined;
  const message = least === 1 ? 'must not be empty' : `must have at least ${least} characters`;
  return (value, run) =>
    typeof value !== 'string' || value.length >= 2 * least || characters(value) >= least || run.fail(message);
};

/** `maxLength`, in code points. */
export const maxLength: Keyword = (site) => {
  const most = countOf(site, 'maxLength');
  if (most === undefined) return undefined;
  const message = `must have at most ${most} characters`;
  return (value, run) =>
    typeof value !== 'string' || value.length <= most || characters(value) <= most || run.fail(message);
};

function characters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    if (isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
