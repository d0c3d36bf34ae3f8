import type { Dialect } from '../dialects/dialect.ts';
import { Fault } from '../model/fault.ts';
import type { Limits } from '../model/limits.ts';
import type { Notice, WatchFilter, WireId } from '../model/peer.ts';

/** What changed: a list, or one resource. */
export type Change = Extract<Notice, { kind: 'changed' | 'updated' }>;

export type Watcher = (change: Change) => void;

/** Passes changes on to every conversation that wants them. */
export class Hub {
  readonly #watchers = new Set<Watcher>();

  join(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  publish(change: Change): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}

interface Listener {
  readonly dialect: Dialect;
  readonly filter: WatchFilter;
}

/** What one peer wants to be told: by its session, and by each stream it listens on. */
export class Watching {
  readonly #limits: Limits;
  readonly #uris = new Set<string>();
  readonly #listeners = new Map<WireId, Listener>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get listeners(): ReadonlyMap<WireId, Listener> {
    return this.#listeners;
  }

  watch(uri: string): void {
    if (!this.#uris.has(uri) && this.#uris.size >= this.#limits.watchedUris) {
      throw new Fault('E_BUSY', `Too many subscriptions: at most ${this.#limits.watchedUris} resources may be watched`);
    }
    this.#uris.add(uri);
  }

  unwatch(uri: string): void {
    this.#uris.delete(uri);
  }

  /** Whether a session that does not listen wants to hear of a change. */
  concerns(change: Change): boolean {
    return change.kind === 'changed' || this.#uris.has(change.uri);
  }

  listen(id: WireId, listener: Listener): void {
    const { listens, watchedUris } = this.#limits;
    if (this.#listeners.size >= listens)
      throw new Fault('E_BUSY', `Too many subscriptions: at most ${listens} may be open`);
    if ((listener.filter.uris?.length ?? 0) > watchedUris) {
      throw new Fault('E_BUSY', `Too many subscriptions: at most ${watchedUris} resources may be watched`);
    }
    this.#listeners.set(id, listener);
  }

  /** Whether there was such a listener. */
  stop(id: WireId): boolean {
    return this.#listeners.delete(id);
  }

  /** The messages a change means to those who listen, each for one of them. */
  *told(change: Change): Generator<[WireId, string]> {
    for (const [id, { dialect, filter }] of this.#listeners) {
      const text = wants(filter, change) ? dialect.tell(change, id) : undefined;
      if (text !== undefined) yield [id, text];
    }
  }
}

function wants(filter: WatchFilter, change: Change): boolean {
  return change.kind === 'changed' ? filter[change.list] === true : filter.uris?.includes(change.uri) === true;
}
