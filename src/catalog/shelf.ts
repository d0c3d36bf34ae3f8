import type { Eventually } from '../model/json.ts';
import { all, isPromise } from './eventually.ts';

/** Takes something out of its server again. */
export interface MountHandle {
  /** Takes it away; a second time does nothing. */
  remove(): void;
}

/** Changes an item or takes it out of its server, also while it is being served. Calls under way finish as they began. */
export interface ItemHandle<S> extends MountHandle {
  /** Replaces what is given and keeps the rest; `undefined` takes a field away. Throws `TypeError` after `remove`. */
  update(changes: { readonly [K in keyof S]?: S[K] | undefined }): void;
}

/** The items of one kind, in the order they were added; an updated item keeps its place. */
export class Shelf<E> {
  readonly #kind: string;
  readonly #changed: () => void;
  readonly #entries = new Map<string, Eventually<E>>();

  constructor(kind: string, changed: () => void) {
    this.#kind = kind;
    this.#changed = changed;
  }

  entries(): Eventually<readonly E[]> {
    return all([...this.#entries.values()]);
  }

  /** Adds the item `make` makes of a spec. Throws `TypeError` when the key is taken. */
  add<S extends object>(key: string, spec: S, make: (spec: S) => Eventually<E>): ItemHandle<S> {
    if (this.#entries.has(key)) throw new TypeError(`Cannot add ${this.#kind} "${key}": it is already there`);
    this.#put(key, make(spec));
    let current: S | undefined = spec;
    return {
      update: (changes) => {
        if (current === undefined) throw new TypeError(`Cannot update ${this.#kind} "${key}": it was removed`);
        const changed = { ...current, ...changes };
        this.#put(key, make(changed));
        current = changed;
      },
      remove: () => {
        if (current === undefined) return;
        current = undefined;
        this.#entries.delete(key);
        this.#changed();
      },
    };
  }

  #put(key: string, entry: Eventually<E>): void {
    this.#entries.set(key, entry);
    if (isPromise(entry)) {
      // A failure is told to whoever loads; an entry that came is kept, so that later loads need not wait.
      const keep = (made: E) => void (this.#entries.get(key) === entry && this.#entries.set(key, made));
      entry.then(keep, () => {});
    }
    this.#changed();
  }
}
