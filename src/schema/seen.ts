/** Which members of one object or array a schema and the schemas it applied in place have looked at. */
export class Seen {
  everyKey = false;
  /** Items before this index have been looked at; infinite when all have. */
  prefix = 0;
  #keys: Set<string> | undefined;
  #items: Set<number> | undefined;

  addKey(key: string): void {
    this.#keys ??= new Set();
    this.#keys.add(key);
  }

  addItem(index: number): void {
    this.#items ??= new Set();
    this.#items.add(index);
  }

  hasKey(key: string): boolean {
    return this.everyKey || this.#keys?.has(key) === true;
  }

  hasItem(index: number): boolean {
    return index < this.prefix || this.#items?.has(index) === true;
  }

  merge(other: Seen): void {
    this.everyKey ||= other.everyKey;
    this.prefix = Math.max(this.prefix, other.prefix);
    for (const key of other.#keys ?? []) this.addKey(key);
    for (const index of other.#items ?? []) this.addItem(index);
  }
}
