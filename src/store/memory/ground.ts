import type { Log } from '../../model/log.ts';
import { StoreError } from '../store.ts';

/** What a map slot and the objects behind it take beside the text itself, roughly. */
export const SLOT_BYTES = 200;

/** Bytes a text takes in UTF-8. */
export const sizeOf = (text: string): number => Buffer.byteLength(text);

export interface GroundOptions {
  readonly now: () => number;
  readonly log: Log;
  readonly maxBytes: number;
  readonly sweepMs: number;
  /** Drops what has expired and answers whether anything is left to wait for. */
  readonly sweep: () => boolean;
  /** Hears of every record and log that is removed or has expired. */
  readonly gone?: (gone: Gone) => void;
}

/** What is no longer there; a log with the positions it held. */
export type Gone =
  | { readonly kind: 'record'; readonly key: string }
  | { readonly kind: 'log'; readonly key: string; readonly first: number; readonly next: number };

/** What the four parts of the memory engine stand on: one clock, one bound, one sweep, one end. */
export class Ground {
  readonly now: () => number;
  readonly log: Log;
  readonly gone: (gone: Gone) => void;
  readonly #options: GroundOptions;
  #bytes = 0;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: GroundOptions) {
    this.now = options.now;
    this.log = options.log;
    this.gone = options.gone ?? (() => {});
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get closed(): boolean {
    return this.#closed;
  }

  requireOpen(): void {
    if (this.#closed) throw new StoreError('closed', 'Cannot use store: it is closed');
  }

  /** Counts bytes before they are kept, fewer than none when something shrinks; refuses what does not fit. */
  charge(bytes: number): void {
    const { maxBytes } = this.#options;
    if (this.#bytes + bytes > maxBytes)
      throw new StoreError('full', `Cannot keep more: the memory store holds its limit of ${maxBytes} bytes`);
    this.#bytes += bytes;
    this.#wake();
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }

  close(): void {
    this.#closed = true;
    this.#bytes = 0;
    this.#rest();
  }

  #wake(): void {
    this.#timer ??= setInterval(() => {
      if (!this.#options.sweep()) this.#rest();
    }, this.#options.sweepMs).unref();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
