import type { Json } from '../../model/json.ts';
import type { Log } from '../../model/log.ts';
import { freeze } from '../freeze.ts';
import { Hearers } from '../hearers.ts';
import type { Listener, Topics } from '../store.ts';
import type { Wire } from './dial.ts';
import type { Keys } from './keys.ts';
import type { Link } from './link.ts';

/** Who listens to which channel in this process: Redis is asked once for each channel, and again when it was away. */
export class Channels {
  readonly #link: Link;
  readonly #awake: () => boolean;
  readonly #hearers: Hearers<string>;
  readonly #standing = new Map<string, Promise<unknown>>();
  readonly #asked = new Map<string, Promise<void>>();

  constructor(link: Link, awake: () => boolean, log: Log) {
    this.#link = link;
    this.#awake = awake;
    this.#hearers = new Hearers('Store listener', log);
  }

  /** Listens once the subscription stands. */
  async join(channel: string, hear: (text: string) => unknown, missed?: () => unknown): Promise<() => void> {
    // A server that does not answer commands would only make the caller wait here as well.
    if (!this.#awake()) await this.#link.fail();
    const leave = this.#hearers.join(channel, hear, { missed, emptied: () => this.#leave(channel) });
    try {
      const standing =
        this.#standing.get(channel) ?? this.#next(channel, (wire) => wire.subscribe([channel], this.#heard));
      this.#standing.set(channel, standing);
      await standing;
      return leave;
    } catch (error) {
      this.#standing.delete(channel);
      leave();
      throw error;
    }
  }

  /** Takes up every subscription on a new connection. */
  async prepare(wire: Wire): Promise<void> {
    const channels = this.#hearers.names();
    if (channels.length > 0) await wire.subscribe(channels, this.#heard);
    for (const channel of channels) this.#standing.set(channel, Promise.resolve());
  }

  /** Tells every listener that the connection was lost for a while. */
  miss(): void {
    this.#hearers.miss();
  }

  clear(): void {
    this.#hearers.clear();
  }

  readonly #heard = (text: string, channel: string): void => this.#hearers.tell(channel, text);

  #leave(channel: string): void {
    this.#standing.delete(channel);
    const unsubscribe = async (wire: Wire) => (this.#hearers.has(channel) ? undefined : wire.unsubscribe([channel]));
    // A connection that is gone has forgotten the channel by itself.
    this.#next(channel, unsubscribe).catch(() => {});
  }

  /** Asks for one thing after the other about a channel: who leaves must not take it from who comes. */
  #next(channel: string, ask: (wire: Wire) => Promise<unknown>): Promise<unknown> {
    const before = this.#asked.get(channel);
    const asked = before === undefined ? this.#link.use(ask) : before.then(() => this.#link.use(ask));
    const settled = asked
      .catch(() => {})
      .then(() => {
        if (this.#asked.get(channel) === settled) this.#asked.delete(channel);
      });
    this.#asked.set(channel, settled);
    return asked;
  }
}

/** Topics as channels. */
export class RedisTopics implements Topics {
  readonly #keys: Keys;
  readonly #channels: Channels;

  constructor(keys: Keys, channels: Channels) {
    this.#keys = keys;
    this.#channels = channels;
  }

  async publish(topic: string, message: Json): Promise<void> {
    const channel = this.#keys.name('t', topic);
    await this.#keys.send(channel, ['PUBLISH', channel, JSON.stringify(message)]);
  }

  subscribe(topic: string, listener: Listener, missed?: () => void): Promise<() => void> {
    const hear = (text: string) => listener(freeze(JSON.parse(text) as Json));
    return this.#channels.join(this.#keys.name('t', topic), hear, missed);
  }
}
