import { randomUUID } from 'node:crypto';
import type { Json } from '../../model/json.ts';
import type { Log } from '../../model/log.ts';
import { freeze } from '../freeze.ts';
import { INBOX_BYTES, INBOX_MESSAGES, INBOX_TTL_MS, type Inboxes, type Listener, StoreError } from '../store.ts';
import type { Channels } from './channels.ts';
import type { Keys } from './keys.ts';
import { LET_GO, OPEN, RENEW, SEND } from './scripts.ts';

// So many messages are heard before Redis is told to drop them, if the next renewal is not due earlier.
const TAKEN_AT_ONCE = 1000;

const MESSAGE = /^(\S+) (\d+) /;

/** An inbox held here: messages come over its channel, and from the list in Redis where the channel had a gap. */
class HeldInbox {
  readonly #keys: Keys;
  readonly #key: string;
  readonly #hear: (text: string) => void;
  #holder = '';
  /** Position of the last message heard. */
  #heard = 0;
  /** Position up to which Redis has dropped messages. */
  #dropped = 0;
  #live = true;
  #renewal: Promise<void> | undefined;

  constructor(keys: Keys, key: string, hear: (text: string) => void) {
    this.#keys = keys;
    this.#key = key;
    this.#hear = hear;
  }

  async hold(): Promise<void> {
    this.#holder = randomUUID();
    this.#heard = 0;
    this.#dropped = 0;
    await this.#keys.run(OPEN, this.#key, [this.#holder, INBOX_TTL_MS]);
  }

  /** Takes a message off the channel; one that is not the next makes it look at the list. */
  take(text: string): void {
    const match = MESSAGE.exec(text);
    if (match === null || match[1] !== this.#holder) return;
    const position = Number(match[2]);
    if (position !== this.#heard + 1) {
      if (position > this.#heard) void this.renew();
      return;
    }
    this.#give(text.slice(match[0].length));
    if (this.#heard - this.#dropped >= TAKEN_AT_ONCE) void this.renew();
  }

  /** Stays the holder, lets Redis drop what was heard, and hears what the channel lost; never rejects. */
  renew(): Promise<void> {
    this.#renewal ??= this.#renew()
      // While Redis is away there is nothing to renew; the next renewal comes soon.
      .catch(() => {})
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  async letGo(): Promise<void> {
    this.#live = false;
    await this.#keys.run(LET_GO, this.#key, [this.#holder]);
  }

  async #renew(): Promise<void> {
    if (!this.#live) return;
    const [holder, heard] = [this.#holder, this.#heard];
    const answer = await this.#keys.run(RENEW, this.#key, [holder, heard, INBOX_TTL_MS]);
    if (!this.#live || holder !== this.#holder) return;
    if (answer === -1) this.#live = false;
    // Redis was away for longer than it keeps an inbox, or has forgotten everything.
    else if (answer === 0) await this.hold();
    else if (Array.isArray(answer)) this.#catchUp(heard, answer as string[]);
  }

  /** Hears of the messages after a position those that were not heard meanwhile. */
  #catchUp(after: number, texts: readonly string[]): void {
    this.#dropped = after;
    for (const text of texts.slice(this.#heard - after)) this.#give(text);
  }

  #give(text: string): void {
    if (!this.#live) return;
    this.#heard += 1;
    this.#hear(text);
  }
}

/** Inboxes as lists that live as long as their holder renews them. */
export class RedisInboxes implements Inboxes {
  readonly #keys: Keys;
  readonly #channels: Channels;
  readonly #log: Log;
  readonly #held = new Map<HeldInbox, () => void>();

  constructor(keys: Keys, channels: Channels, log: Log) {
    this.#keys = keys;
    this.#channels = channels;
    this.#log = log;
  }

  async send(inbox: string, message: Json): Promise<boolean> {
    const key = this.#keys.name('i', inbox);
    const answer = await this.#keys.run(SEND, key, [JSON.stringify(message), INBOX_MESSAGES, INBOX_BYTES, key]);
    if (answer === -1) throw new StoreError('full', 'Cannot send to an inbox: its holder is too far behind');
    return answer === 1;
  }

  async open(inbox: string, listener: Listener): Promise<() => void> {
    const key = this.#keys.name('i', inbox);
    const held = new HeldInbox(this.#keys, key, (text) => this.#tell(listener, text));
    const leave = await this.#channels.join(
      key,
      (text) => held.take(text),
      () => held.renew(),
    );
    try {
      await held.hold();
    } catch (error) {
      leave();
      throw error;
    }
    this.#held.set(held, leave);
    return () => {
      if (this.#held.delete(held)) leave();
      else return;
      held.letGo().catch(() => {});
    };
  }

  /** Stays the holder of every inbox opened here. */
  renew(): void {
    for (const held of this.#held.keys()) void held.renew();
  }

  /** Lets everything go; never rejects. */
  async clear(): Promise<void> {
    const letGo = [...this.#held.keys()].map((held) => held.letGo());
    this.#held.clear();
    await Promise.allSettled(letGo);
  }

  #tell(listener: Listener, text: string): void {
    const failed = (error: unknown) => this.#log('error', 'Inbox listener failed', { error });
    try {
      const result: unknown = listener(freeze(JSON.parse(text) as Json));
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
