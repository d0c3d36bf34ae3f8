import type { Eventually } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { WireId } from '../../model/peer.ts';
import { Framed } from '../../rpc/framed.ts';
import type { Route } from '../../sessions/routes.ts';
import type { Session } from '../../sessions/session.ts';
import type { Sink, Stream } from '../../sessions/stream.ts';
import type { Reply } from '../../sessions/trouble.ts';
import type { EventStream, HttpExchange, ReplyBody } from './exchange.ts';
import type { KeepAlive } from './keep-alive.ts';
import { refusalHeaders, statusOf } from './status.ts';

export interface PostParts {
  readonly exchange: HttpExchange;
  readonly limits: Limits;
  /** The client reads event streams. */
  readonly streams: boolean;
  /** The session whose streams can be taken up again; none for requests that speak for themselves. */
  readonly session: Session | undefined;
  /** The requests that are answered. */
  readonly ids: readonly WireId[];
  /** A stream begins with an event that only has an id, so that nothing is lost when the client is cut off. */
  readonly primes: boolean;
  /** Keeps a stream alive while nothing is said. */
  readonly keepAlive: KeepAlive;
}

/** The response to one POST: JSON if the answer is all there is to say, an event stream as soon as it is not. */
export class Post implements Route {
  readonly #parts: PostParts;
  /** What is being opened becomes a stream, whatever comes next. */
  #opened = false;
  #opening: Promise<void> | undefined;
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
    if (!this.#opened && !this.#parts.streams) {
      void this.#parts.session?.main.push(text);
      return;
    }
    this.#open();
    if (this.#opening === undefined) void this.#write(text);
    else void this.#opening.then(() => this.#write(text));
  }

  /** The answer takes its time: a client that is cut off now should be able to come back for it. */
  expectWait(): void {
    const { streams, primes, limits } = this.#parts;
    if (streams && primes) this.#timer = setTimeout(() => this.#open(), limits.streamAfterMs);
  }

  get ids(): readonly WireId[] {
    return this.#parts.ids;
  }

  carries(id: WireId): boolean {
    return this.#parts.ids.includes(id);
  }

  release(): void {
    const { streams, primes, session } = this.#parts;
    if (!streams || !primes || session === undefined || this.#over) return;
    this.#open();
    if (this.#opening === undefined) this.#stream?.detach();
    else void this.#opening.then(() => this.#stream?.detach());
  }

  /** Says the answer, and nothing after it. */
  finish(reply: Reply | undefined): void | Promise<void> {
    if (this.#over) return;
    this.#over = true;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    if (this.#opening !== undefined) return this.#opening.then(() => this.#end(reply));
    if (this.#opened) return this.#end(reply);
    this.#parts.exchange.reply(statusOf(reply), bodyOf(reply), refusalHeaders(reply));
  }

  #end(reply: Reply | undefined): Eventually<void> {
    if (this.#stream !== undefined) return this.#stream.finish(reply?.text);
    if (reply !== undefined) this.#events?.send({ data: reply.text });
    this.#events?.end();
  }

  #open(): void {
    if (this.#opened) return;
    this.#opened = true;
    const stream = this.#parts.session?.streams.open();
    const begun = stream?.begin({ ids: this.#parts.ids, revision: this.#revision }) ?? false;
    if (!(begun instanceof Promise)) this.#show(begun, stream);
    else
      this.#opening = begun.then((kept) => {
        this.#opening = undefined;
        this.#show(kept, stream);
      });
  }

  /** Where a stream cannot be kept, its client hears everything all the same, and cannot come back. */
  #show(kept: boolean, stream: Stream | undefined): void {
    const { exchange, primes, limits, keepAlive } = this.#parts;
    const events = exchange.stream();
    this.#events = events;
    keepAlive.add(events);
    if (!kept) stream?.abandon();
    if (!kept || stream === undefined) return;
    this.#stream = stream;
    stream.prime(sinkOf(events), primes ? limits.retryMs : undefined);
  }

  get #revision(): string {
    return this.#parts.session?.conversation.dialect?.revision ?? '';
  }

  #write(text: string): Eventually<void> {
    if (this.#stream !== undefined) return this.#stream.push(text);
    this.#events?.send({ data: text });
    return undefined;
  }
}

function bodyOf(reply: Reply | undefined): ReplyBody | undefined {
  return reply instanceof Framed ? reply : reply?.text;
}

/** An event stream as a session's stream writes to it. */
export function sinkOf(events: EventStream): Sink {
  return events;
}
