import type { Eventually } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { Route, Session } from '../../sessions/session.ts';
import type { Sink, Stream } from '../../sessions/stream.ts';
import type { Reply } from '../../sessions/trouble.ts';
import type { EventStream, HttpExchange } from './exchange.ts';
import type { KeepAlive } from './keep-alive.ts';
import { retryAfter, statusOf } from './status.ts';

export interface PostParts {
  readonly exchange: HttpExchange;
  readonly limits: Limits;
  /** The client reads event streams. */
  readonly streams: boolean;
  /** The session whose streams can be taken up again; none for requests that speak for themselves. */
  readonly session: Session | undefined;
  /** A stream begins with an event that only has an id, so that nothing is lost when the client is cut off. */
  readonly primes: boolean;
  /** Keeps a stream alive while nothing is said. */
  readonly keepAlive: KeepAlive;
}

/** The response to one POST: JSON if the answer is all there is to say, an event stream as soon as it is not. */
export class Post implements Route {
  readonly #parts: PostParts;
  #events: EventStream | undefined;
  #stream: Stream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(parts: PostParts) {
    this.#parts = parts;
  }

  /** Says something before the answer. */
  send(text: string): void {
    if (this.#over) return;
    if (!this.#parts.streams) {
      void this.#parts.session?.main.push(text);
      return;
    }
    this.#open();
    void this.#write(text);
  }

  /** The answer takes its time: a client that is cut off now should be able to come back for it. */
  expectWait(): void {
    const { streams, primes, limits } = this.#parts;
    if (streams && primes) this.#timer = setTimeout(() => this.#open(), limits.streamAfterMs);
  }

  release(): void {
    const { streams, primes, session } = this.#parts;
    if (!streams || !primes || session === undefined || this.#over) return;
    this.#open();
    this.#stream?.detach();
  }

  /** Says the answer, and nothing after it. */
  finish(reply: Reply | undefined): void | Promise<void> {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    if (this.#events !== undefined) return this.#end(this.#events, reply);
    this.#parts.exchange.reply(statusOf(reply), reply?.text, retryAfter(reply));
  }

  async #end(events: EventStream, reply: Reply | undefined): Promise<void> {
    if (reply !== undefined) await this.#write(reply.text);
    if (this.#stream === undefined) events.end();
    else this.#stream.end();
  }

  #open(): void {
    if (this.#events !== undefined) return;
    const { exchange, session, primes, limits, keepAlive } = this.#parts;
    const events = exchange.stream();
    this.#events = events;
    keepAlive.add(events);
    if (session === undefined) return;
    this.#stream = session.open();
    const sink = sinkOf(events);
    if (primes) this.#stream.prime(sink, limits.retryMs);
    else void this.#stream.attach(sink);
  }

  #write(text: string): Eventually<void> {
    if (this.#stream !== undefined) return this.#stream.push(text);
    this.#events?.send({ data: text });
    return undefined;
  }
}

/** An event stream as a session's stream writes to it. */
export function sinkOf(events: EventStream): Sink {
  return {
    get open() {
      return events.open;
    },
    send: ({ id, data, retryMs }) => events.send({ id, data, ...(retryMs === undefined ? {} : { retryMs }) }),
    end: () => events.end(),
  };
}
