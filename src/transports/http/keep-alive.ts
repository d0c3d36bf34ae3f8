import type { EventStream } from './exchange.ts';

/** So many streams are kept before it is worth looking which of them are over. */
const FEW = 64;

/** Gives every open stream a sign of life now and then: one timer for all of them. */
export class KeepAlive {
  readonly #streams = new Set<EventStream>();
  readonly #timer: NodeJS.Timeout;
  #most = FEW;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#beat(), everyMs).unref();
  }

  /** Streams that are over are let go of before they outnumber those that are open, however rarely the timer beats. */
  add(stream: EventStream): void {
    this.#streams.add(stream);
    if (this.#streams.size < this.#most) return;
    for (const kept of this.#streams) if (!kept.open) this.#streams.delete(kept);
    this.#most = Math.max(FEW, 2 * this.#streams.size);
  }

  get size(): number {
    return this.#streams.size;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#streams.clear();
  }

  #beat(): void {
    for (const stream of this.#streams) {
      if (stream.open) stream.comment('alive');
      else this.#streams.delete(stream);
    }
  }
}
