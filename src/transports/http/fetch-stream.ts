import type { Limits } from '../../model/limits.ts';
import { commentText, eventText } from '../../rpc/sse.ts';
import type { EventStream, Headers, ServerEvent } from './exchange.ts';
import { STREAM_HEADERS } from './stream-headers.ts';

const encoder = new TextEncoder();

/** An event stream as the body of a web-standard response. */
export class FetchStream implements EventStream {
  readonly #limits: Pick<Limits, 'unreadBytes' | 'readerMs'>;
  readonly #onLost: () => void;
  readonly #body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #open = true;
  #ended = false;

  constructor(
    limits: Pick<Limits, 'unreadBytes' | 'readerMs'>,
    /** Called once, when the reader is gone or too far behind before the stream was ended. */
    onLost: () => void,
  ) {
    this.#limits = limits;
    this.#onLost = onLost;
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: Math.max(1, limits.unreadBytes) });
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#rest(),
        cancel: () => this.#leave(),
      },
      strategy,
    );
  }

  response(headers: Headers | undefined): Response {
    return new Response(this.#body, { status: 200, headers: { ...STREAM_HEADERS, ...headers } });
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
    if (this.#open && !this.#behind) this.#write(commentText(text));
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#ended = true;
    this.#rest();
    this.#controller?.close();
  }

  /** Ends the stream where it stands. */
  abort(): void {
    if (!this.#open) return;
    this.#leave();
    this.#controller?.error(new Error('The stream was cut'));
  }

  /** Lets the reader go before the stream is over: whoever writes to it takes it for gone. */
  cut(): void {
    if (!this.#open) return;
    this.#leave();
    this.#controller?.close();
  }

  get #behind(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0;
  }

  #write(text: string): void {
    // What cannot be buffered is lost to this reader: the stream ends here, so that nothing later hides the gap.
    if (this.#behind) {
      this.cut();
      return;
    }
    this.#controller?.enqueue(encoder.encode(text));
    if (this.#behind) this.#timer ??= setTimeout(() => this.abort(), this.#limits.readerMs).unref();
  }

  /** The reader reads again, or there is no need that it does. */
  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#rest();
    this.#onLost();
  }
}
