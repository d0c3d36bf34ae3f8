/** Counts who is inside: how many each key has, and how many there are of all. A key that has none takes no memory. */
export class Crowd {
  readonly #counts = new Map<string, number>();
  #size = 0;

  /** How many are inside, of all keys together. */
  get size(): number {
    return this.#size;
  }

  /** How many a key has inside. */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  enter(key: string): void {
    this.#size += 1;
    this.#counts.set(key, this.of(key) + 1);
  }

  /** Lets one of a key out; one that never came in does nothing. */
  leave(key: string): void {
    const count = this.of(key);
    if (count === 0) return;
    this.#size -= 1;
    if (count === 1) this.#counts.delete(key);
    else this.#counts.set(key, count - 1);
  }
}
