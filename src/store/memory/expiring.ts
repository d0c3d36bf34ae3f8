export interface Mortal {
  /** When it is gone, on the clock of its map. */
  expires: number;
}

const SHARE = 10;
const LEAST = 100;

/** A map whose entries die: on access at once, and unseen ones within ten sweeps, so no entry needs a timer. */
export class ExpiringMap<Entry extends Mortal> {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  readonly #dropped: (entry: Entry, key: string) => void;
  #walk: IterableIterator<[string, Entry]> | undefined;

  constructor(now: () => number, dropped: (entry: Entry, key: string) => void) {
    this.#now = now;
    this.#dropped = dropped;
  }

  /** Counts the dead that no sweep has met yet. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expires > this.#now()) return entry;
    this.#drop(key, entry);
    return undefined;
  }

  /** Adds a key that `get` did not find. */
  add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
  }

  touch(key: string, ttlMs: number): boolean {
    const entry = this.get(key);
    if (entry === undefined) return false;
    entry.expires = this.#now() + ttlMs;
    return true;
  }

  remove(key: string): boolean {
    const entry = this.get(key);
    if (entry === undefined) return false;
    this.#drop(key, entry);
    return true;
  }

  /** The living, oldest key first. */
  *living(): Generator<[string, Entry]> {
    const now = this.#now();
    for (const pair of this.#entries) if (pair[1].expires > now) yield pair;
  }

  /** Looks at a tenth of the entries, going on where the last sweep stopped. */
  sweep(): void {
    const now = this.#now();
    let looks = Math.max(LEAST, Math.ceil(this.#entries.size / SHARE));
    this.#walk ??= this.#entries.entries();
    for (; looks > 0; looks -= 1) {
      const { done, value } = this.#walk.next();
      if (done === true) {
        this.#walk = undefined;
        return;
      }
      if (value[1].expires <= now) this.#drop(value[0], value[1]);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#walk = undefined;
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#dropped(entry, key);
  }
}
