/** Numbers that are the same every time for the same seed; never the source of a secret. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  /** `parts` name what the numbers are for, so that one seed gives every input numbers of its own. */
  constructor(seed: number, ...parts: readonly (string | number)[]) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = hash(parts.join('\0'));
    for (let at = 0; at < 12; at += 1) this.#next();
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#count) >>> 0;
    this.#count = (this.#count + 1) >>> 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) >>> 0;
    this.#c = (this.#c + sum) >>> 0;
    return sum;
  }

  /** A whole number from 0 to one less than `below`. */
  below(below: number): number {
    return below <= 1 ? 0 : Math.floor((this.#next() / 2 ** 32) * below);
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  /** A whole number, small much more often than large. */
  small(most: number): number {
    return this.below(this.below(most + 1) + 1);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** Several values, each chosen alone. */
  many<T>(values: readonly T[], count: number): T[] {
    return Array.from({ length: count }, () => this.pick(values));
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at += 1) bytes[at] = this.#next() >>> 24;
    return bytes;
  }
}

/** FNV-1a: enough to tell texts apart, and nothing more. */
export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return state >>> 0;
}
