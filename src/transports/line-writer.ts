import type { Writable } from 'node:stream';
import type { Framed, Wire } from '../rpc/framed.ts';

const BATCH_LENGTH = 64 * 1024;

export interface LineWriterOptions {
  /** Unread output, in bytes, from which on the writer counts as full. */
  readonly highWater: number;
  /** The reader caught up after the writer was full. */
  readonly onDrain: () => void;
  /** Nobody can be written to any more. */
  readonly onBroken: (error: Error | undefined) => void;
}

/** Writes whole lines and as few chunks as it can: those of one batch, or of one turn of the event loop, go together. */
export class LineWriter {
  readonly #output: Writable;
  readonly #options: LineWriterOptions;
  #pending = '';
  #batching = false;
  #scheduled = false;
  #full = false;
  #broken = false;

  constructor(output: Writable, options: LineWriterOptions) {
    this.#output = output;
    this.#options = options;
    output.on('drain', this.#drained);
    output.on('error', this.#failed);
    output.on('close', this.#failed);
  }

  /** Whether the peer reads too slowly for more work to be taken on. */
  get full(): boolean {
    return this.#full;
  }

  /** Queues one line; false when the peer is behind and what can wait should. */
  write(line: Wire): boolean {
    if (this.#broken) return false;
    if (typeof line !== 'string') return this.#writePieces(line);
    this.#pending += `${line}\n`;
    if (this.#pending.length >= BATCH_LENGTH) this.flush();
    else if (!this.#batching && !this.#scheduled) this.#schedule();
    return !this.#full;
  }

  /** A long line leaves at once and as it is: joined to others it would be copied. */
  #writePieces(line: Framed): boolean {
    const output = this.#output;
    const before = this.#pending;
    this.#pending = '';
    output.cork();
    if (before !== '') output.write(before);
    for (const piece of line.pieces('\n')) output.write(piece);
    output.uncork();
    if (output.writableNeedDrain && output.writableLength >= this.#options.highWater) this.#full = true;
    return !this.#full;
  }

  /** Everything written by `work` leaves together when it returns. */
  batch(work: () => void): void {
    this.#batching = true;
    try {
      work();
    } finally {
      this.#batching = false;
      this.flush();
    }
  }

  flush(): void {
    if (this.#pending === '' || this.#broken) return;
    const text = this.#pending;
    this.#pending = '';
    if (!this.#output.write(text) && this.#output.writableLength >= this.#options.highWater) this.#full = true;
  }

  /** Resolves when everything has left the process, or cannot, or `graceMs` are over. */
  settle(graceMs: number): Promise<void> {
    this.flush();
    if (this.#broken || this.#output.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#output.once('close', done);
      this.#output.write('', done);
    });
  }

  /** Lets go of the output, which others may go on using. An error of a write under way is still caught. */
  stop(): void {
    this.flush();
    this.#broken = true;
    this.#output.off('drain', this.#drained);
    this.#output.off('close', this.#failed);
  }

  #schedule(): void {
    this.#scheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#scheduled = false;
    this.flush();
  };

  readonly #drained = (): void => {
    if (!this.#full) return;
    this.#full = false;
    this.#options.onDrain();
  };

  readonly #failed = (error?: Error): void => {
    if (this.#broken) return;
    this.#broken = true;
    this.#pending = '';
    this.#options.onBroken(error);
  };
}
