import type { Dialect } from '../dialects/dialect.ts';
import { Fault } from '../model/fault.ts';
import type { Limits } from '../model/limits.ts';
import type { ListName, Notice, WatchFilter, WireId } from '../model/peer.ts';

/** What changed: a list, one resource, or one task. */
export type Change = Extract<Notice, { kind: 'changed' | 'updated' | 'task' }>;

export interface Watcher {
  hear(change: Change): void;
  /** Changes may have been missed: everything that is watched may have changed. */
  missed(): void;
}

/** Passes changes on to every conversation that wants them. */
export class Hub {
  readonly #watchers = new Set<Watcher>();
  readonly #followed = new Map<string, number>();
  #relay: ((change: Change) => void) | undefined;

  join(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  /** Hands every change that is published here to somebody who tells it elsewhere. */
  relay(relay: (change: Change) => void): void {
    this.#relay = relay;
  }

  /** Tells everybody, here and elsewhere. */
  publish(change: Change): void {
    this.pass(change);
    this.#relay?.(change);
  }

  /** Tells those who are here: the others hear of it another way. */
  pass(change: Change): void {
    for (const watcher of this.#watchers) watcher.hear(change);
  }

  missed(): void {
    for (const watcher of this.#watchers) watcher.missed();
  }

  /** Some stream listens for these tasks from now on, or no longer does. */
  follow(ids: readonly string[], by: 1 | -1): void {
    for (const id of ids) {
      const count = (this.#followed.get(id) ?? 0) + by;
      if (count > 0) this.#followed.set(id, count);
      else this.#followed.delete(id);
    }
  }

  follows(id: string): boolean {
    return this.#followed.has(id);
  }
}

export interface WatchingParts {
  readonly hub: Hub;
  readonly limits: Limits;
  /** Several requests share the way out, so an ended subscription is also cancelled by name. */
  readonly shared: boolean;
  send(text: string, about?: WireId): void;
  /** The dialect the session is pushed messages in, while it may be. */
  readonly pushed: Dialect | undefined;
  /** The lists whose changes are told. */
  readonly lists: readonly ListName[];
}

interface Listener {
  readonly dialect: Dialect;
  readonly filter: WatchFilter;
}

/** What one peer is told of changes: by its session, and by each stream it listens on. */
export class Watching implements Watcher {
  readonly #parts: WatchingParts;
  #uris: Set<string> | undefined;
  #listeners: Map<WireId, Listener> | undefined;

  constructor(parts: WatchingParts, uris: readonly string[] = []) {
    this.#parts = parts;
    this.uris = uris;
  }

  get uris(): readonly string[] {
    return this.#uris === undefined ? [] : [...this.#uris];
  }

  set uris(uris: readonly string[]) {
    this.#uris = uris.length === 0 ? undefined : new Set(uris);
  }

  /** From here on changes are heard. */
  join(): void {
    this.#parts.hub.join(this);
  }

  leave(): void {
    for (const id of [...(this.#listeners?.keys() ?? [])]) this.stop(id);
    this.#parts.hub.leave(this);
  }

  /** Throws when one more resource cannot be watched. */
  admit(uri: string): void {
    const { watchedUris } = this.#parts.limits;
    const uris = this.#uris;
    if ((uris?.size ?? 0) >= watchedUris && uris?.has(uri) !== true) throw tooManyWatched(watchedUris);
  }

  watch(uri: string): void {
    this.#uris ??= new Set();
    this.#uris.add(uri);
  }

  unwatch(uri: string): void {
    this.#uris?.delete(uri);
  }

  /** Acknowledges a subscription and opens it; false when there is nothing to listen to. */
  listen(id: WireId, { dialect, filter }: Listener): boolean {
    const { listens, watchedUris } = this.#parts.limits;
    this.#listeners ??= new Map();
    if (this.#listeners.size >= listens) {
      throw new Fault('E_BUSY', `Too many subscriptions: at most ${listens} may be open`);
    }
    if (Math.max(filter.uris?.length ?? 0, filter.tasks?.length ?? 0) > watchedUris) throw tooManyWatched(watchedUris);
    this.#send(dialect.tell({ kind: 'listening', filter }, id), id);
    if (Object.keys(filter).length === 0) return false;
    this.#listeners.set(id, { dialect, filter });
    this.#parts.hub.follow(filter.tasks ?? [], 1);
    this.join();
    return true;
  }

  /** The client does not listen any more. */
  stop(id: WireId): void {
    this.#parts.hub.follow(this.#listeners?.get(id)?.filter.tasks ?? [], -1);
    this.#listeners?.delete(id);
  }

  /** Ends every subscription with its result; `finish` is told of each. */
  end(finish: (id: WireId) => void): void {
    for (const [id, { dialect }] of [...(this.#listeners ?? [])]) {
      this.stop(id);
      this.#send(dialect.ended(id), id);
      finish(id);
      const reason = 'The server ended the subscription';
      if (this.#parts.shared) this.#send(dialect.tell({ kind: 'cancelled', id, reason }), id);
    }
  }

  hear(change: Change): void {
    for (const [id, { dialect, filter }] of this.#listeners ?? []) {
      if (wants(filter, change)) this.#send(dialect.tell(change, id), id);
    }
    // A task is told to whoever started it by the task itself.
    if (change.kind === 'task' || (change.kind === 'updated' && this.#uris?.has(change.uri) !== true)) return;
    this.#send(this.#parts.pushed?.tell(change));
  }

  missed(): void {
    for (const [id, { dialect, filter }] of this.#listeners ?? []) {
      const lists = this.#parts.lists.filter((list) => filter[list] === true);
      for (const change of changesOf(lists, filter.uris ?? [])) this.#send(dialect.tell(change, id), id);
    }
    for (const change of changesOf(this.#parts.lists, this.uris)) this.#send(this.#parts.pushed?.tell(change));
  }

  #send(text: string | undefined, about?: WireId): void {
    if (text !== undefined) this.#parts.send(text, about);
  }
}

function changesOf(lists: readonly ListName[], uris: readonly string[]): Change[] {
  return [
    ...lists.map((list) => ({ kind: 'changed', list }) as const),
    ...uris.map((uri) => ({ kind: 'updated', uri }) as const),
  ];
}

function wants(filter: WatchFilter, change: Change): boolean {
  switch (change.kind) {
    case 'changed':
      return filter[change.list] === true;
    case 'updated':
      return filter.uris?.includes(change.uri) === true;
    case 'task':
      return filter.tasks?.includes(change.view.id) === true;
  }
}

function tooManyWatched(most: number): Fault {
  return new Fault('E_BUSY', `Too many subscriptions: at most ${most} resources may be watched`);
}
