import type { ServerResponse } from 'node:http';
import type { Limits } from '../../model/limits.ts';
import { commentText, eventText } from '../../rpc/sse.ts';
import type { EventStream, ServerEvent } from './exchange.ts';

/** Cuts the connection of a reader that takes nothing of what waits for it, however little comes after. */
export function watchReader(response: ServerResponse, readerMs: number): void {
  response.setTimeout(readerMs);
  response.once('timeout', () => response.destroy());
}

/** An event stream over a Node response. */
export class NodeStream implements EventStream {
  readonly #response: ServerResponse;
  readonly #limits: Pick<Limits, 'unreadBytes' | 'readerMs'>;
  readonly #onLost: () => void;
  #open: boolean;
  #ended = false;
  #stalled = false;
  #watched = false;

  constructor(
    response: ServerResponse,
    limits: Pick<Limits, 'unreadBytes' | 'readerMs'>,
    /** Called once, when the reader is gone or too far behind before the stream was ended. */
    onLost: () => void,
  ) {
    this.#response = response;
    this.#limits = limits;
    this.#onLost = onLost;
    this.#open = !response.destroyed;
    response.on('error', () => {});
    response.once('close', () => this.#leave());
  }

  get open(): boolean {
    return this.#open;
  }

  /** Whether the sender ended it, and not the reader. */
  get ended(): boolean {
    return this.#ended;
  }

  send(event: ServerEvent): void {
    if (this.#open) this.#write(eventText(event));
  }

  comment(text: string): void {
    if (this.#open && !this.#stalled) this.#write(commentText(text));
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#ended = true;
    this.#finish();
  }

  /** Lets the reader go before the stream is over: whoever writes to it takes it for gone. */
  cut(): void {
    if (!this.#open) return;
    this.#leave();
    this.#finish();
  }

  #write(text: string): void {
    const response = this.#response;
    // What cannot be buffered is lost to this connection: it ends here, so that nothing later hides the gap.
    if (response.writableLength > this.#limits.unreadBytes) {
      this.cut();
      return;
    }
    if (response.write(text) || this.#stalled) return;
    this.#stalled = true;
    this.#watch();
    response.once('drain', () => {
      this.#stalled = false;
      if (this.#open) response.setTimeout(0);
    });
  }

  #finish(): void {
    this.#response.end();
    if (this.#response.writableLength > 0) this.#watch();
  }

  #watch(): void {
    if (this.#watched) this.#response.setTimeout(this.#limits.readerMs);
    else watchReader(this.#response, this.#limits.readerMs);
    this.#watched = true;
  }

  #leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#onLost();
  }
}
