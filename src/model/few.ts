/**
 * A map for what comes and goes all the time and is never much. V8 chains each table a `Map` outgrew to the next one, so
 * that as soon as one of them is old, all that ever passed through stays until a full collection; an array has no such
 * past. Looking something up takes as long as there is much of it.
 */
export class Few<K, V> {
  readonly #keys: K[] = [];
  readonly #values: V[] = [];

  get size(): number {
    return this.#keys.length;
  }

  has(key: K): boolean {
    return this.#keys.includes(key);
  }

  get(key: K): V | undefined {
    const at = this.#keys.indexOf(key);
    return at === -1 ? undefined : this.#values[at];
  }

  /** Adds something under a key nobody has. */
  add(key: K, value: V): void {
    this.#keys.push(key);
    this.#values.push(value);
  }

  delete(key: K): boolean {
    const at = this.#keys.indexOf(key);
    if (at === -1) return false;
    const lastKey = this.#keys.pop() as K;
    const lastValue = this.#values.pop() as V;
    // The last one fills the gap: there is no order to keep.
    if (at < this.#keys.length) {
      this.#keys[at] = lastKey;
      this.#values[at] = lastValue;
    }
    return true;
  }

  clear(): void {
    this.#keys.length = 0;
    this.#values.length = 0;
  }

  values(): V[] {
    return [...this.#values];
  }
}
