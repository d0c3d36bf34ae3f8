import type { Eventually } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { ListName, WireId } from '../model/peer.ts';
import type { ConversationOptions } from './conversation-options.ts';
import type { House } from './house.ts';
import { tooEarly } from './refusals.ts';
import type { Patch } from './session-record.ts';
import { type Resumed, Standing } from './standing.ts';
import { type Hub, Watching, type WatchingParts } from './watch.ts';

/** Where a peer stands and what it watches: everything about it that outlives a request, and how that changes. */
export class Place extends Standing implements WatchingParts {
  readonly #house: House;
  readonly #options: ConversationOptions;
  // Most peers watch nothing.
  #watching: Watching | undefined;

  constructor(house: House, options: ConversationOptions) {
    const { resumed } = options;
    super(house, resumed);
    this.#house = house;
    this.#options = options;
    if (resumed === undefined) return;
    const { watched = [] } = resumed;
    if (watched.length > 0) this.watching.uris = watched;
    this.attend();
  }

  get hub(): Hub {
    return this.#house.hub;
  }

  get limits(): Limits {
    return this.#house.limits;
  }

  get lists(): readonly ListName[] {
    return this.#house.lists();
  }

  get shared(): boolean {
    return this.#options.shared === true;
  }

  send(text: string, about?: WireId): void {
    this.#options.outlet(text, about);
  }

  get watching(): Watching {
    this.#watching ??= new Watching(this);
    return this.#watching;
  }

  /** What a session must remember to go on with this peer later, once there is something to remember. */
  override memory(): Resumed | undefined {
    const memory = super.memory();
    return memory === undefined ? undefined : { ...memory, watched: this.#watching?.uris ?? [] };
  }

  /** Goes on from what is remembered, where others went on with this peer meanwhile. */
  renew({ level = 'info', watched = [], ready = true }: Resumed): void {
    this.level = level;
    if (watched.length > 0 || this.#watching !== undefined) this.watching.uris = watched;
    if (ready) this.becomeReady();
  }

  /** Keeps a change, and then lets it hold. */
  keep(patch: Patch): Eventually<true> {
    if (patch.watch !== undefined) this.#admit(patch.watch);
    const kept = this.#options.keep?.(patch);
    if (kept instanceof Promise) return kept.then(() => this.apply(patch));
    return this.apply(patch);
  }

  /** Lets a change hold that is kept. */
  apply({ level, watch, unwatch, ready }: Patch): true {
    if (level !== undefined) this.level = level;
    if (watch !== undefined) this.watching.watch(watch);
    if (unwatch !== undefined) this.#watching?.unwatch(unwatch);
    if (ready === true) this.becomeReady();
    return true;
  }

  override becomeReady(): void {
    if (!this.awaited) return;
    super.becomeReady();
    this.attend();
  }

  /** Tells the peer of changes from here on, if it may be told and nobody else does it. */
  attend(): void {
    if (this.pushed === undefined) return;
    const { mute, home } = this.#options;
    if (mute !== true && home !== false) this.watching.join();
  }

  /** Tells the peer of nothing any more: somebody else does, or nobody. */
  retire(): void {
    this.#watching?.leave();
  }

  /** Tells the peer that everything it watches may have changed. */
  catchUp(): void {
    if (this.pushed !== undefined) this.watching.missed();
  }

  /** Ends one subscription, without a word. */
  stop(id: WireId): void {
    this.#watching?.stop(id);
  }

  /** Ends every subscription with its result; `finish` is told of each. */
  endListening(finish: (id: WireId) => void): void {
    this.#watching?.end(finish);
  }

  #admit(uri: string): void {
    if (this.#options.mute === true) throw tooEarly();
    this.watching.admit(uri);
  }
}
