/** One thing that is wrong with a value; `path` is a JSON pointer, empty for the value itself. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** What every check of a valid value returns. */
export const NO_ISSUES: readonly Issue[] = Object.freeze([]);

const SHOWN_CHARACTERS = 80;
const SHOWN_VALUES = 12;

/** A JSON pointer made of raw keys and indices; keys too long to be read are cut. */
export function pointer(steps: readonly (string | number)[]): string {
  let path = '';
  for (const step of steps) {
    path += `/${cut(String(step)).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return path;
}

/** A value as JSON, cut to a length a message can hold. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value));
  return cut(JSON.stringify(value) ?? 'nothing');
}

/** Values as a comma-separated list that ends early when there are too many. */
export function quoteAll(values: readonly unknown[]): string {
  const shown = values.slice(0, SHOWN_VALUES).map(quote).join(', ');
  return values.length > SHOWN_VALUES ? `${shown} and ${values.length - SHOWN_VALUES} more` : shown;
}

/** The kind of a value in words that follow "got". */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
      return Number.isFinite(value) ? 'a number' : String(value);
    case 'boolean':
      return 'a boolean';
    case 'object':
      return 'an object';
    case 'undefined':
      return 'nothing';
    default:
      return `a ${typeof value}`;
  }
}

function cut(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
