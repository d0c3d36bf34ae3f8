import { expandPieces, type TemplateValues } from './template-expand.ts';
import { createMatcher, type Matcher } from './template-match.ts';
import { parseTemplate } from './template-parse.ts';

export type { TemplateValue, TemplateValues } from './template-expand.ts';

/** A URI template of RFC 6570, read both ways. */
export interface UriTemplate {
  readonly text: string;
  /** The names of its variables, each once, in the order they first appear. */
  readonly variables: readonly string[];
  /**
   * The decoded values that make this URI, or `undefined` when none do.
   * `{x}`, `{+x}`, `{.x}` and `{/x}` must have a value of at least one character; `{#x}`, `{;x}`, `{?x}` and `{&x}` may be absent.
   * The parts of an exploded variable come as one text: joined by `/` for `{/x*}`, by `.` for `{.x*}`, else by `,`.
   */
  readonly match: Matcher;
  expand(values: TemplateValues): string;
}

/** Reads a template. Throws `TypeError` when it is not one. */
export function createTemplate(text: string): UriTemplate {
  const pieces = parseTemplate(text);
  const names = pieces.flatMap((piece) => (typeof piece === 'string' ? [] : piece.variables.map(({ name }) => name)));
  return Object.freeze({
    text,
    variables: Object.freeze([...new Set(names)]),
    match: createMatcher(pieces),
    expand: (values: TemplateValues) => expandPieces(pieces, values),
  });
}
