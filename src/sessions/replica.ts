import { randomBytes } from 'node:crypto';
import { type Eventually, isObject, type Json } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { Principal, WireId } from '../model/peer.ts';
import type { Store } from '../store/store.ts';
import type { Patch } from './session-record.ts';
import type { Change } from './watch.ts';

/** What one replica tells all the others. */
export type Word =
  | { readonly kind: 'change'; readonly change: Change }
  /** Changes could not be told: everything may have changed. */
  | { readonly kind: 'missed' }
  | { readonly kind: 'patch'; readonly session: string; readonly patch: Patch }
  | { readonly kind: 'ended'; readonly session: string }
  | { readonly kind: 'cancelled'; readonly session: string; readonly request: WireId }
  /** The answer to a question of a replica whose inbox was not there just now. */
  | { readonly kind: 'answered'; readonly session: string; readonly answer: Json }
  /** The stream has a reader elsewhere now. */
  | { readonly kind: 'taken'; readonly session: string; readonly stream: string };

/** What one replica sends to another: the answer to a question, or a message for a channel that is open there. */
export type Letter =
  | { readonly kind: 'answer'; readonly session: string; readonly answer: Json }
  | {
      readonly kind: 'post';
      /** Names the letter: one that is sent again because it may not have arrived has the same name. */
      readonly name: string;
      readonly channel: string;
      readonly principal: Principal | null;
      readonly message: Json;
      readonly size: number;
    };

export interface ReplicaOptions {
  readonly limits: Pick<Limits, 'replicaLeaseMs'>;
  readonly log: Log;
}

const TOPIC = 'replicas';
const ID_LENGTH = 8;
const RADIX = 36;
/** Beats in the time of a lease: so many may be late before others take over. */
const BEATS = 4;

/** This process among those that share its store: by what name it is known, and how it reaches the others. */
export class Replica {
  readonly id: string;
  readonly store: Store;
  /** Other processes may serve the same sessions. */
  readonly shared: boolean;
  /** What is kept outlives the process. */
  readonly lasting: boolean;
  readonly #options: ReplicaOptions;
  readonly #hearers: ((word: Word) => void)[] = [];
  readonly #deaf: (() => void)[] = [];
  readonly #receivers: ((letter: Letter) => void)[] = [];
  readonly #feared = new Map<string, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;
  #stops: (() => void)[] = [];
  #joined: Promise<void> | undefined;
  readonly #began = performance.now();
  /** Since when every beat arrived: who cannot be sure of its own lease must not judge others by theirs. */
  #steadySince: number | undefined;
  #streams = 0;
  /** Changes that could not be told. */
  #owes = false;
  #closed = false;

  constructor(store: Store, options: ReplicaOptions) {
    this.id = createId();
    this.store = store;
    this.shared = store.shared;
    this.lasting = store.lasting || store.shared;
    this.#options = options;
    if (!this.shared) return;
    this.#timer = setInterval(() => void this.#beat(), Math.max(1, options.limits.replicaLeaseMs / BEATS)).unref();
    void this.#beat();
  }

  /** Resolves when others can reach this replica, or cannot for now: who is served before that may wait in vain. */
  async ready(): Promise<void> {
    await this.#joined?.catch(() => {});
  }

  /** A name for a stream that says whose it is. */
  nextStream(): string {
    return `${this.id}${(++this.#streams).toString(RADIX)}`;
  }

  /** Calls back with every word of other replicas; `missed` where some may have been lost. */
  hear(hearer: (word: Word) => void, missed?: () => void): void {
    this.#hearers.push(hearer);
    if (missed !== undefined) this.#deaf.push(missed);
  }

  receive(receiver: (letter: Letter) => void): void {
    this.#receivers.push(receiver);
  }

  /** Tells all other replicas, where there may be some. */
  tell(word: Word): Eventually<void> {
    if (!this.shared || this.#closed) return undefined;
    return this.store.topics.publish(TOPIC, { from: this.id, word: word as unknown as Json });
  }

  /** Tells all other replicas of a change, as soon as they can be reached: late, it is told that all may have changed. */
  async tellChange(change: Change): Promise<void> {
    try {
      await this.tell({ kind: 'change', change });
    } catch {
      this.#owes = true;
    }
  }

  /** Sends to one replica; false when it is not there. */
  send(to: string, letter: Letter): Eventually<boolean> {
    if (!this.shared) return false;
    return this.store.inboxes.send(inboxOf(to), letter as unknown as Json);
  }

  /** Whether a replica is not heard of at the moment. */
  gone(replica: string): Eventually<boolean> {
    if (replica === this.id) return false;
    if (!this.shared || replica === '') return true;
    const held = this.store.records.get(leaseOf(replica));
    return held instanceof Promise ? held.then((lease) => lease === undefined) : held === undefined;
  }

  /**
   * Whether a replica is gone, and this one may say so: it has seen no gap itself for as long as a lease, and its own
   * lease is there, so that the engine did not just lose them all.
   */
  async lost(replica: string): Promise<boolean> {
    if (!(await this.gone(replica))) return false;
    if (!this.shared) return true;
    return (await this.store.records.get(leaseOf(this.id))) !== undefined && this.#steady;
  }

  /** Calls back once when a replica is gone and this one may say so, until the returned function is called. */
  onLost(replica: string, lost: () => void): () => void {
    if (replica === this.id) return () => {};
    if (!this.shared) {
      lost();
      return () => {};
    }
    const listeners = this.#feared.get(replica) ?? new Set();
    this.#feared.set(replica, listeners.add(lost));
    return () => {
      listeners.delete(lost);
      if (listeners.size === 0) this.#feared.delete(replica);
    };
  }

  /** Says goodbye: what this replica ran counts as lost at once. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    if (!this.shared) return;
    await this.#joined?.catch(() => {});
    for (const stop of this.#stops.splice(0)) stop();
    try {
      await this.store.records.remove(leaseOf(this.id));
    } catch (error) {
      this.#options.log('debug', 'Cannot give up the lease of this replica', { error });
    }
  }

  async #beat(): Promise<void> {
    const { log } = this.#options;
    try {
      this.#joined ??= this.#join();
      await Promise.all([this.#joined, this.#renew()]);
      this.#steadySince ??= performance.now();
      await this.#payUp();
      if (this.#steady) await this.#lookAround();
    } catch (error) {
      if (this.#steadySince !== undefined) log('warn', 'This replica cannot reach the others for now', { error });
      this.#steadySince = undefined;
    }
    if (this.#closed) await this.#withdraw();
  }

  /** Whether this replica was there all the time, for as long as others may be silent. */
  get #steady(): boolean {
    const { replicaLeaseMs } = this.#options.limits;
    return this.#steadySince !== undefined && performance.now() - this.#steadySince >= replicaLeaseMs;
  }

  /** Gives a sign of life; an engine that was slow, or has lost the last one, may have lost those of others too. */
  async #renew(): Promise<void> {
    const { replicaLeaseMs: ttlMs } = this.#options.limits;
    const from = performance.now();
    const { records } = this.store;
    const held = await records.touch(leaseOf(this.id), ttlMs);
    if (!held) await records.put(leaseOf(this.id), true, { ttlMs });
    if (!held && this.#steadySince !== undefined) this.#missed();
    if (!held || performance.now() - from > ttlMs - ttlMs / BEATS) this.#steadySince = undefined;
  }

  async #payUp(): Promise<void> {
    if (!this.#owes) return;
    this.#owes = false;
    try {
      await this.tell({ kind: 'missed' });
    } catch (error) {
      this.#owes = true;
      throw error;
    }
  }

  /** A beat that was under way while this replica closed must leave no lease behind. */
  async #withdraw(): Promise<void> {
    try {
      await this.store.records.remove(leaseOf(this.id));
    } catch {
      // It ends by itself.
    }
  }

  async #join(): Promise<void> {
    try {
      const topic = await this.store.topics.subscribe(
        TOPIC,
        (message) => this.#heard(message),
        () => this.#missed(),
      );
      this.#stops.push(topic);
      this.#stops.push(await this.store.inboxes.open(inboxOf(this.id), (letter) => this.#received(letter)));
      // Who was served long before this replica could hear may have missed something.
      if (performance.now() - this.#began > this.#options.limits.replicaLeaseMs / BEATS) this.#missed();
    } catch (error) {
      for (const stop of this.#stops.splice(0)) stop();
      this.#joined = undefined;
      throw error;
    }
  }

  #missed(): void {
    for (const deaf of this.#deaf) deaf();
  }

  async #lookAround(): Promise<void> {
    for (const [replica, listeners] of [...this.#feared]) {
      if (!(await this.lost(replica))) continue;
      this.#feared.delete(replica);
      for (const lost of listeners) lost();
    }
  }

  #heard(message: Json): void {
    if (!isObject(message) || message['from'] === this.id) return;
    for (const hearer of this.#hearers) hearer(message['word'] as unknown as Word);
  }

  #received(letter: Json): void {
    for (const receiver of this.#receivers) receiver(letter as unknown as Letter);
  }
}

const OWNED = /^[a-z0-9]{9,16}$/;

/** The replica whose stream this is; `undefined` where no replica gives such names. */
export function ownerOf(stream: string): string | undefined {
  return OWNED.test(stream) ? stream.slice(0, ID_LENGTH) : undefined;
}

/** The replica at the beginning of an id it gave, before this sign. */
export function giverOf(id: string, sign: string): string | undefined {
  return id[ID_LENGTH] === sign && OWNED.test(`${id.slice(0, ID_LENGTH)}0`) ? id.slice(0, ID_LENGTH) : undefined;
}

function createId(): string {
  const bytes = randomBytes(ID_LENGTH);
  return Array.from(bytes, (byte) => (byte % RADIX).toString(RADIX)).join('');
}

function leaseOf(replica: string): string {
  return `replica/${replica}`;
}

function inboxOf(replica: string): string {
  return `replica/${replica}`;
}
