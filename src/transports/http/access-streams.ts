import { Crowd } from '../../model/crowd.ts';
import type { EventStream, HttpExchange, StreamTable } from './exchange.ts';
import { isListening } from './headers.ts';

/** An event stream whose reader can be let go. */
export interface CuttableStream extends Pick<EventStream, 'open'> {
  cut(): void;
}

interface Held {
  readonly stream: CuttableStream;
  /** The principal that listens; `undefined` for a stream that answers a request, or of nobody known. */
  readonly listener: string | undefined;
  /** When the token it was opened with ends. */
  readonly until: number;
  /** Whether that token is good still, where it can be taken back. */
  readonly good: (() => boolean) | undefined;
}

const SWEEP_MS = 1000;
/** So many streams are held before it is worth looking which of them are over. */
const FEW = 64;

export interface OpenStreamsOptions {
  /** How long a stream that answers a request may outlast its token: the work it answers began in time. */
  readonly graceMs: number;
  readonly now?: () => number;
}

/**
 * Counts the event streams that are open and ends those whose token has, or was taken back: their readers come back
 * with a new one.
 * One timer for all of them, and none while there is no stream.
 */
export class OpenStreams implements StreamTable {
  readonly #options: OpenStreamsOptions;
  #held: Held[] = [];
  #most = FEW;
  readonly #listeners = new Crowd();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#held.length;
  }

  of(principal: string): number {
    return this.#listeners.of(principal);
  }

  add(stream: CuttableStream, exchange: Pick<HttpExchange, 'method' | 'principal' | 'good' | 'header'>): void {
    const { principal, good } = exchange;
    const listens = isListening(exchange);
    const { expires = Number.POSITIVE_INFINITY } = principal ?? {};
    const listener = listens ? principal?.id : undefined;
    const until = listens ? expires : expires + this.#options.graceMs;
    this.#held.push({ stream, listener, until, good: listens ? good : undefined });
    if (listener !== undefined) this.#listeners.enter(listener);
    this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
    if (this.#held.length >= this.#most) this.sweep();
  }

  /** Forgets what is closed, and ends what has come to its end. */
  sweep(): void {
    const { now = Date.now } = this.#options;
    const time = now();
    const [kept, over]: [Held[], Held[]] = [[], []];
    for (const held of this.#held) (isGood(held, time) ? kept : over).push(held);
    this.#held = kept;
    this.#most = Math.max(FEW, 2 * kept.length);
    for (const { stream, listener } of over) {
      if (listener !== undefined) this.#listeners.leave(listener);
      if (stream.open) stream.cut();
    }
    if (this.#held.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function isGood({ stream, until, good }: Held, time: number): boolean {
  return stream.open && until > time && good?.() !== false;
}
