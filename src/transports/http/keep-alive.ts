import type { EventStream } from './exchange.ts';

/** Gives every open stream a sign of life now and then: one timer for all of them. */
export class KeepAlive {
  readonly #streams = new Set<EventStream>();
  readonly #timer: NodeJS.Timeout;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#beat(), everyMs).unref();
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
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
