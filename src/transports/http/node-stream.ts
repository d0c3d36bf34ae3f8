import type { ServerResponse } from 'node:http';
import type { Limits } from '../../model/limits.ts';
import { commentText, eventText } from '../../rpc/sse.ts';
import type { EventStream, ServerEvent } from './exchange.ts';

/** Cuts the connection of a reader that takes nothing of what waits for it, however little comes after. */
export function watchReader(response: ServerResponse, readerMs: number): void {
  response.setTimeout(readerMs);
  response.once('timeout', () => response.destroy());
}

/** So much is gathered before it leaves, however much more comes in the same turn of the event loop. */
const BATCH_LENGTH = 16 * 1024;

/** An event stream over a Node response. What is said in one turn of the event loop leaves together. */
export class NodeStream implements EventStream {
  /** Gone when the stream is over: whoever still has the stream then holds no connection. */
  #response: ServerResponse | undefined;
  readonly #limits: Pick<Limits, 'unreadBytes' | 'readerMs'>;
  #onLost: (() => void) | undefined;
  #ended = false;
  #stalled = false;
  #watched = false;
  #pending = '';
  /** There was nothing to say yet: the first turn sends the head at least. */
  #scheduled = true;

  constructor(
    response: ServerResponse,
    limits: Pick<Limits, 'unreadBytes' | 'readerMs'>,
    /** Called once, when the reader is gone or too far behind before the stream was ended. */
    onLost: () => void,
  ) {
    this.#response = response.destroyed ? undefined : response;
    this.#limits = limits;
    this.#onLost = onLost;
    response.on('error', ignore);
    response.once('close', () => this.#leave());
    setImmediate(begin, this);
  }

  get open(): boolean {
    return this.#response !== undefined;
  }

  /** Whether the sender ended it, and not the reader. */
  get ended(): boolean {
    return this.#ended;
  }

  send(event: ServerEvent): void {
    if (this.#response !== undefined) this.#write(this.#response, eventText(event));
  }

  comment(text: string): void {
    if (this.#response !== undefined && !this.#stalled) this.#write(this.#response, commentText(text));
  }

  end(): void {
    const response = this.#response;
    if (response === undefined) return;
    this.#ended = true;
    this.#response = undefined;
    this.#onLost = undefined;
    this.#finish(response);
  }

  /** Lets the reader go before the stream is over: whoever writes to it takes it for gone. */
  cut(): void {
    const response = this.#response;
    if (response === undefined) return;
    this.#leave();
    this.#finish(response);
  }

  /** Sends what was gathered, and the head if there is nothing else. */
  flush(): void {
    this.#scheduled = false;
    const response = this.#response;
    if (response === undefined) return;
    const text = this.#pending;
    this.#pending = '';
    if (text === '') response.flushHeaders();
    else if (!response.write(text) && !this.#stalled) this.#stall(response);
  }

  #write(response: ServerResponse, text: string): void {
    // What cannot be buffered is lost to this connection: it ends here, so that nothing later hides the gap.
    if (response.writableLength > this.#limits.unreadBytes) {
      this.cut();
      return;
    }
    this.#pending += text;
    if (this.#pending.length >= BATCH_LENGTH) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(begin, this);
    }
  }

  #stall(response: ServerResponse): void {
    this.#stalled = true;
    this.#watch(response);
    response.once('drain', () => {
      this.#stalled = false;
      if (this.open) response.setTimeout(0);
    });
  }

  #finish(response: ServerResponse): void {
    if (this.#pending === '') response.end();
    else response.end(this.#pending);
    this.#pending = '';
    if (response.writableLength > 0) this.#watch(response);
  }

  #watch(response: ServerResponse): void {
    if (this.#watched) response.setTimeout(this.#limits.readerMs);
    else watchReader(response, this.#limits.readerMs);
    this.#watched = true;
  }

  #leave(): void {
    if (this.#response === undefined) return;
    this.#response = undefined;
    const onLost = this.#onLost;
    this.#onLost = undefined;
    onLost?.();
  }
}

function ignore(): void {}

function begin(stream: NodeStream): void {
  stream.flush();
}
