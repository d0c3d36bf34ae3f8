import type { Eventually } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { Store } from '../store/store.ts';
import { streamClosed, streamOpened } from '../telemetry/signals.ts';

/** Where the messages of a stream go while somebody reads it. */
export interface Sink {
  readonly open: boolean;
  send(event: { id: string; data: string; retryMs?: number }): void;
  end(): void;
}

export interface StreamParts {
  /** The name of the stream, unique in its session. */
  readonly name: string;
  /** The log its events are kept in. */
  readonly log: string;
  readonly store: Store;
  readonly limits: Limits;
  readonly report: Log;
}

const BEGINNING = 0;

/** One stream of a session: events in order, each kept for whoever comes back for it. */
export class Stream {
  readonly name: string;
  readonly #parts: StreamParts;
  #sink: Sink | undefined;
  #sent = BEGINNING;
  #appended = BEGINNING;
  #ended = false;
  #since = 0;
  /** Counts readers: the newest is the only one. */
  #readers = 0;
  /** The last event on its way into the log, where that takes time. */
  #tail: Promise<void> | undefined;

  constructor(parts: StreamParts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  get read(): boolean {
    return this.#sink?.open === true;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Lets a reader in, who has had everything up to a position; who read before is let go. */
  async attach(sink: Sink, after = this.#sent): Promise<void> {
    this.detach();
    this.#sent = after;
    const reader = ++this.#readers;
    // What is appended while the log is being read shows in the next round, or finds the sink in place.
    do {
      const slice = this.#parts.store.logs.read(this.#parts.log, this.#sent);
      const { entries } = slice instanceof Promise ? await slice : slice;
      if (reader !== this.#readers) return sink.end();
      for (const { position, text } of entries) this.#give(sink, position, text);
    } while (this.#sent < this.#appended && sink.open);
    if (this.#ended) sink.end();
    else this.#hold(sink);
  }

  /** An event without a message: it names the beginning, so that the stream can be taken up from there. */
  prime(sink: Sink, retryMs: number): void {
    this.#hold(sink);
    sink.send({ id: this.#id(BEGINNING), data: '', retryMs });
  }

  /** Adds a message: told now if somebody reads, kept in any case. Messages keep their order, however slow the store. */
  push(text: string): Eventually<void> {
    const pushed = this.#tail === undefined ? this.#append(text) : this.#tail.then(() => this.#append(text));
    if (!(pushed instanceof Promise)) return;
    const tail = pushed.then(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
    this.#tail = tail;
    return tail;
  }

  /** Tells the reader when to come back; an event without a message says it. */
  hint(retryMs: number): void {
    this.#sink?.send({ id: this.#id(this.#sent), data: '', retryMs });
  }

  /** Lets the reader go; the stream goes on. */
  detach(): void {
    if (this.#sink === undefined) return;
    this.#sink.end();
    this.#sink = undefined;
    if (streamClosed.heard) streamClosed.publish({ kind: 'session', ms: performance.now() - this.#since });
  }

  /** No more messages will come. */
  end(): void {
    this.#ended = true;
    this.detach();
  }

  #append(text: string): Eventually<void> {
    const { store, log, limits } = this.#parts;
    const bounds = { entries: limits.outboxEvents, bytes: limits.outboxBytes, ttlMs: limits.outboxTtlMs };
    const keep = (position: number | undefined): void => {
      if (position === undefined) return;
      this.#appended = Math.max(this.#appended, position);
      if (this.#sink !== undefined) this.#give(this.#sink, position, text);
    };
    try {
      const appended = store.logs.append(log, text, bounds);
      return appended instanceof Promise ? appended.then(keep).catch((error) => this.#lose(error)) : keep(appended);
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(cause: unknown): void {
    this.#parts.report('error', 'Cannot keep an event: its stream ends here', { cause });
    this.detach();
  }

  #hold(sink: Sink): void {
    this.#sink = sink;
    this.#since = performance.now();
    if (streamOpened.heard) streamOpened.publish({ kind: 'session' });
  }

  #give(sink: Sink, position: number, text: string): void {
    if (!sink.open || position <= this.#sent) return;
    this.#sent = position;
    sink.send({ id: this.#id(position), data: text });
  }

  #id(position: number): string {
    return `${this.name}.${position}`;
  }
}

/** The stream and position an event id names. */
export function readEventId(id: string): { stream: string; position: number } | undefined {
  const match = /^([A-Za-z0-9]{1,16})\.(\d{1,15})$/.exec(id);
  return match === null ? undefined : { stream: match[1] as string, position: Number(match[2]) };
}
