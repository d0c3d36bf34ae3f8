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
