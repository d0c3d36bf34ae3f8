import type { EventStream } from './exchange.ts';

/** So many streams are kept before it is worth looking which of them are over. */
const FEW = 64;

/** Gives every open stream a sign of life now and then: one timer for all of them. */
export class KeepAlive {
  #streams: EventStream[] = [];
  readonly #timer: NodeJS.Timeout;
  #most = FEW;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#beat(), everyMs).unref();
  }

  /** Streams that are over are let go of before they outnumber those that are open, however rarely the timer beats. */
  add(stream: EventStream): void {
    this.#streams.push(stream);
    if (this.#streams.length < this.#most) return;
    this.#streams = this.#streams.filter(({ open }) => open);
    this.#most = Math.max(FEW, 2 * this.#streams.length);
  }

  get size(): number {
    return this.#streams.length;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#streams = [];
  }

  #beat(): void {
    this.#streams = this.#streams.filter(({ open }) => open);
    for (const stream of this.#streams) stream.comment('alive');
  }
}
