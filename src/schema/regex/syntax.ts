const ASCII = 128;

/** The characters one position of a pattern matches, as the native engine understands its source. */
export class CharSet {
  readonly #literal: number | undefined;
  readonly #native: RegExp | undefined;
  readonly #wide: boolean;
  #ascii: Uint8Array | undefined;

  private constructor(literal: number | undefined, native: RegExp | undefined, wide: boolean) {
    this.#literal = literal;
    this.#native = native;
    this.#wide = wide;
  }

  static of(code: number): CharSet {
    return new CharSet(code, undefined, code >= ASCII);
  }

  /** The set a class or an escape stands for. */
  static parse(source: string, flags: string): CharSet {
    // Only sets made of these are sure to hold nothing outside ASCII.
    const narrow = /^(?:\\[wdtnrfv]|\[(?!\^)(?:[ -Z^-~]|\\[wdtnrfv.\-/^$[\]+*?(){}|@])*\])$/.test(source);
    return new CharSet(undefined, new RegExp(`^${source}$`, flags), !narrow);
  }

  has(code: number): boolean {
    if (this.#literal !== undefined) return this.#literal === code;
    if (code < ASCII) return this.#table()[code] === 1;
    return this.#wide && this.#test(code);
  }

  /** Whether some character may be in both sets; errs on the side of yes. */
  overlaps(other: CharSet): boolean {
    if (this.#wide && other.#wide) return true;
    for (let code = 0; code < ASCII; code += 1) if (this.has(code) && other.has(code)) return true;
    return false;
  }

  #test(code: number): boolean {
    return this.#native?.test(String.fromCodePoint(code)) === true;
  }

  #table(): Uint8Array {
    this.#ascii ??= Uint8Array.from({ length: ASCII }, (_, code) => (this.#test(code) ? 1 : 0));
    return this.#ascii;
  }
}

/** A pattern as a tree; groups do not capture, and lazy repeats are repeats, since only the fact of a match counts. */
export type Syntax =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'choice'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'repeat'; readonly part: Syntax; readonly min: number; readonly max: number }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'word'; readonly negated: boolean }
  | { readonly kind: 'look'; readonly part: Syntax; readonly negated: boolean }
  /** A look behind or a back reference: only the native engine knows these. */
  | { readonly kind: 'foreign'; readonly part: Syntax | undefined };

const DEEPEST = 50;
const COUNT = /\{(\d+)(?:(,)(\d*))?\}/y;
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y;
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<[^>=!][^>]*>))?/y;
const BACK_REFERENCE = /\\(?:[1-9]\d*|k<[^>]*>)/y;
const PROPERTY = /\\[pP]\{[^}]*\}/y;
const NUMERIC =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z])/y;

/** Reads a pattern the native engine has accepted; undefined for syntax only that engine knows. */
export function parsePattern(source: string, flags: string): Syntax | undefined {
  const parser = new Parser(source, flags);
  const syntax = parser.choice(0);
  return parser.done ? syntax : undefined;
}

class Parser {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  get done(): boolean {
    return this.#at === this.#source.length;
  }

  choice(depth: number): Syntax | undefined {
    if (depth > DEEPEST) return undefined;
    const options: Syntax[] = [];
    do {
      const option = this.#sequence(depth);
      if (option === undefined) return undefined;
      options.push(option);
    } while (this.#eat('|'));
    const [only, second] = options;
    return second === undefined ? only : { kind: 'choice', parts: options };
  }

  #sequence(depth: number): Syntax | undefined {
    const parts: Syntax[] = [];
    while (!this.done && this.#peek() !== '|' && this.#peek() !== ')') {
      const atom = this.#atom(depth);
      if (atom === undefined) return undefined;
      parts.push(this.#repeated(atom));
    }
    return { kind: 'sequence', parts };
  }

  #repeated(part: Syntax): Syntax {
    const range = this.#quantifier();
    if (range === undefined) return part;
    this.#eat('?');
    return { kind: 'repeat', part, ...range };
  }

  #quantifier(): { min: number; max: number } | undefined {
    if (this.#eat('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#eat('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#eat('?')) return { min: 0, max: 1 };
    const count = this.#take(COUNT);
    if (count === undefined) return undefined;
    const [, least, comma, most] = count;
    const min = Number(least);
    if (comma === undefined) return { min, max: min };
    return { min, max: most === '' ? Number.POSITIVE_INFINITY : Number(most) };
  }

  #atom(depth: number): Syntax | undefined {
    switch (this.#peek()) {
      case '^':
        this.#at += 1;
        return { kind: 'start' };
      case '$':
        this.#at += 1;
        return { kind: 'end' };
      case '.':
        this.#at += 1;
        return this.#set('.');
      case '(':
        return this.#group(depth);
      case '[':
        return this.#class();
      case '\\':
        return this.#escape();
      default:
        return { kind: 'set', set: CharSet.of(this.#character()) };
    }
  }

  #group(depth: number): Syntax | undefined {
    const opening = this.#take(GROUP)?.[0] ?? '(';
    if (opening === '(' && this.#peek() === '?') return undefined;
    const part = this.choice(depth + 1);
    if (part === undefined || !this.#eat(')')) return undefined;
    if (opening === '(?=' || opening === '(?!') return { kind: 'look', part, negated: opening === '(?!' };
    return opening === '(?<=' || opening === '(?<!' ? { kind: 'foreign', part } : part;
  }

  #class(): Syntax | undefined {
    const found = this.#take(CLASS);
    return found === undefined ? undefined : this.#set(found[0]);
  }

  #escape(): Syntax {
    const next = this.#source[this.#at + 1];
    if (next === 'b' || next === 'B') {
      this.#at += 2;
      return { kind: 'word', negated: next === 'B' };
    }
    if (this.#take(BACK_REFERENCE) !== undefined) return { kind: 'foreign', part: undefined };
    const found = (this.#flags === '' ? undefined : this.#take(PROPERTY)) ?? this.#take(NUMERIC);
    if (found !== undefined) return this.#set(found[0]);
    this.#at += 1;
    return this.#set(`\\${String.fromCodePoint(this.#character())}`);
  }

  #set(source: string): Syntax {
    return { kind: 'set', set: CharSet.parse(source, this.#flags) };
  }

  #character(): number {
    const unicode = this.#flags !== '';
    const code = (unicode ? this.#source.codePointAt(this.#at) : this.#source.charCodeAt(this.#at)) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #peek(): string | undefined {
    return this.#source[this.#at];
  }

  #eat(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}
