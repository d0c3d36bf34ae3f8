import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const WINDOW_MS = 1000;
/** Longest line that is passed on whole. */
const LINE_CHARS = 2000;

export interface PrintedOptions {
  /** Most bytes taken in a second; whoever prints more waits. */
  readonly bytes: number;
  /** Most lines passed on in a second; more are counted. */
  readonly lines: number;
  line(text: string): void;
  /** Told at the end of a second in which lines were left out. */
  leftOut(count: number): void;
}

/** Cuts what a process prints into lines, and takes no more of it than it may print. */
export class Printed {
  readonly #options: PrintedOptions;
  readonly #source: Readable;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #cut = false;
  #bytes = 0;
  #lines = 0;
  #window: NodeJS.Timeout | undefined;

  constructor(source: Readable, options: PrintedOptions) {
    this.#source = source;
    this.#options = options;
    source.on('data', (chunk: Buffer) => this.#take(chunk));
    source.on('end', () => this.#end());
    source.on('error', () => {});
  }

  /** The process is gone: what it left is taken at once. */
  finish(): void {
    this.#bytes = Number.NEGATIVE_INFINITY;
    this.#source.resume();
  }

  #take(chunk: Buffer): void {
    this.#window ??= setTimeout(() => this.#renew(), WINDOW_MS).unref();
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.bytes) this.#source.pause();
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    this.#add(first);
    for (const text of others) {
      this.#pass();
      this.#add(text);
    }
  }

  #add(text: string): void {
    const room = LINE_CHARS - this.#rest.length;
    this.#cut ||= text.length > room;
    if (room > 0) this.#rest += text.slice(0, room);
  }

  #pass(): void {
    const line = this.#rest.endsWith('\r') ? this.#rest.slice(0, -1) : this.#rest;
    const whole = this.#cut ? `${line}…` : line;
    this.#rest = '';
    this.#cut = false;
    if (whole !== '' && ++this.#lines <= this.#options.lines) this.#options.line(whole);
  }

  #renew(): void {
    this.#window = undefined;
    const left = this.#lines - this.#options.lines;
    this.#lines = 0;
    this.#bytes = Math.min(this.#bytes, 0);
    if (left > 0) this.#options.leftOut(left);
    if (this.#source.isPaused()) this.#source.resume();
  }

  #end(): void {
    this.#add(this.#decoder.end());
    this.#pass();
    clearTimeout(this.#window);
    this.#renew();
  }
}
