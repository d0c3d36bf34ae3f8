import { randomBytes } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import type { Eventually, Json } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { Principal } from '../model/peer.ts';
import { INBOX_MESSAGES, StoreError } from '../store/store.ts';
import { giverOf, type Letter, type Replica } from './replica.ts';
import { digest } from './seal.ts';

/** A message for a channel, and who sent it. */
export interface Posted {
  readonly principal: Principal | undefined;
  readonly message: Json;
  readonly size: number;
}

export interface ChannelsOptions {
  readonly limits: Pick<Limits, 'sessionIdleMs'>;
  readonly log: Log;
}

const ID_BYTES = 24;
const SIGN = '.';
const ID = /^[a-z0-9]{8}\.[A-Za-z0-9_-]{32}$/;
const UNSURE =
  'The message may not have arrived: wait for its answer for a while, and send it again if doing it twice does no harm';
const NAME_BYTES = 9;
/** For how long, and how often, a letter is sent again that may not have arrived. */
const INSISTS_MS = 3000;
const AGAIN_MS = 100;
/** In how many parts of its life a record that is in use is prolonged. */
const PARTS = 3;

/** Channels live with their connection, on one replica. What is posted elsewhere is sent there. */
export class Channels {
  readonly #replica: Replica;
  readonly #options: ChannelsOptions;
  readonly #open = new Set<string>();
  /** The names of the letters that came last. */
  readonly #received = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(replica: Replica, options: ChannelsOptions) {
    this.#replica = replica;
    this.#options = options;
  }

  /** Messages for channels of this replica may come from others. */
  get shared(): boolean {
    return this.#replica.shared;
  }

  /** An id for a new channel of this principal, known to all replicas. */
  create(principal: Principal | undefined): Eventually<string> {
    const secret = randomBytes(ID_BYTES).toString('base64url');
    const { id, shared } = this.#replica;
    return shared ? this.#register(`${id}${SIGN}${secret}`, principal) : secret;
  }

  /** The connection of a channel is gone. */
  forget(id: string, principal: Principal | undefined): void {
    const key = keyOf(id, principal);
    if (!this.#open.delete(key)) return;
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#safely(async () => this.#replica.store.records.remove(key));
  }

  /** Whether another replica holds a channel of this principal under the id. */
  known(id: string, principal: Principal | undefined): Eventually<boolean> {
    if (!this.#replica.shared || !ID.test(id) || giverOf(id, SIGN) === this.#replica.id) return false;
    const held = this.#replica.store.records.get(keyOf(id, principal));
    return held instanceof Promise ? held.then((record) => record !== undefined) : held !== undefined;
  }

  /**
   * Sends a message to the replica that holds the channel; false when it is gone. What may have arrived is sent again
   * under the same name, and the client must not be asked for it again: the same call would run twice.
   */
  async send(id: string, { principal, message, size }: Posted): Promise<boolean> {
    const holder = giverOf(id, SIGN);
    if (holder === undefined) return false;
    const name = randomBytes(NAME_BYTES).toString('base64url');
    const letter = { kind: 'post', name, channel: id, principal: principal ?? null, message, size } as const;
    try {
      return await this.#replica.send(holder, letter);
    } catch (error) {
      if (!(error instanceof StoreError && error.unsure)) throw error;
      if (await this.#insist(holder, letter)) return true;
      throw new Fault('E_UNSURE', UNSURE, { cause: error });
    }
  }

  /** Calls back with what was posted elsewhere for channels of this replica. */
  receive(receiver: (posted: Posted & { readonly id: string }) => void): void {
    this.#replica.receive((letter) => {
      if (letter.kind !== 'post') return;
      const { channel: id, principal, message, size } = letter;
      if (this.#repeats(letter.name)) return;
      receiver({ id, principal: principal ?? undefined, message, size });
    });
  }

  /** Sends a letter that may have arrived again; false when that is still not known after a while. */
  async #insist(holder: string, letter: Letter): Promise<boolean> {
    for (const until = performance.now() + INSISTS_MS; performance.now() < until; ) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      try {
        return await this.#replica.send(holder, letter);
      } catch (error) {
        if (!(error instanceof StoreError) || error.trouble === 'closed') return false;
      }
    }
    return false;
  }

  /** Whether a letter of this name came before. No more can wait to be read than are remembered. */
  #repeats(name: string): boolean {
    if (this.#received.has(name)) return true;
    this.#received.add(name);
    const [oldest] = this.#received.size > INBOX_MESSAGES ? this.#received : [];
    if (oldest !== undefined) this.#received.delete(oldest);
    return false;
  }

  async #register(id: string, principal: Principal | undefined): Promise<string> {
    const { sessionIdleMs: ttlMs } = this.#options.limits;
    const key = keyOf(id, principal);
    await this.#replica.store.records.put(key, true, { ttlMs });
    this.#open.add(key);
    this.#timer ??= setInterval(() => this.#prolong(), Math.max(1, ttlMs / PARTS)).unref();
    return id;
  }

  #prolong(): void {
    const { sessionIdleMs: ttlMs } = this.#options.limits;
    for (const key of this.#open) this.#safely(async () => this.#replica.store.records.put(key, true, { ttlMs }));
  }

  #safely(work: () => Promise<unknown>): void {
    work().catch((error: unknown) => this.#options.log('debug', 'Cannot tend a channel', { error }));
  }
}

function keyOf(id: string, principal: Principal | undefined): string {
  return `channel/${principal === undefined ? '-' : digest(principal.id)}/${id}`;
}
