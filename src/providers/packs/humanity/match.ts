/** Letters, digits and joiners: what a word may not touch at either end. */
const BEFORE = '(?<![\\p{L}\\p{M}\\p{N}_])';
const AFTER = '(?![\\p{L}\\p{M}\\p{N}_])';

/** Text in the one form phrases are compared in: composed, in lower case, with plain apostrophes and hyphens. */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc\u2032`]/g, "'")
    .replace(/[\u2010\u2011\u2013]/g, '-');
}

/** A pattern that finds a phrase as whole words; a `*` at the end of a word lets the word go on. */
export function phrasePattern(phrase: string): string {
  const words = phrase.trim().split(/\s+/).map(wordPattern);
  return `${BEFORE}${words.join('\\s{1,8}')}${AFTER}`;
}

function wordPattern(word: string): string {
  const open = word.endsWith('*');
  const escaped = (open ? word.slice(0, -1) : word).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll("'", "'?");
  return open ? `${escaped}[\\p{L}\\p{M}]{0,24}` : escaped;
}

/** Makes a value when it is first asked for: patterns over all of Unicode are dear, and most are never used. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The phrases of a list that a text holds, in the order of the list. */
export function createFinder(phrases: readonly string[]): (text: string) => string[] {
  const patterns = lazily(() => phrases.map((phrase) => [phrase, new RegExp(phrasePattern(phrase), 'u')] as const));
  return (text) => {
    const plain = normalise(text);
    return patterns()
      .filter(([, pattern]) => pattern.test(plain))
      .map(([phrase]) => phrase);
  };
}

/** Whether a text holds any phrase of a list. */
export function createTest(phrases: readonly string[]): (text: string) => boolean {
  const pattern = lazily(() => new RegExp(phrases.map(phrasePattern).join('|'), 'u'));
  return (text) => pattern().test(normalise(text));
}

/** A phrase and what stands in its place. */
export type Replacement = readonly [from: string, to: string];

/** Replaces phrases one after the other; a replacement at the start of a sentence keeps its capital. */
export function createReplacer(replacements: readonly Replacement[]): (text: string) => string {
  const rules = lazily(() => replacements.map(([from, to]) => [new RegExp(phrasePattern(from), 'giu'), to] as const));
  return (text) => {
    let result = text.replace(/[\u2018\u2019]/g, "'");
    for (const [pattern, to] of rules()) result = result.replace(pattern, (found) => withCaseOf(found, to));
    return result === text.replace(/[\u2018\u2019]/g, "'") ? text : result;
  };
}

function withCaseOf(found: string, to: string): string {
  const first = found.charAt(0);
  return first !== first.toLowerCase() ? to.charAt(0).toUpperCase() + to.slice(1) : to;
}
