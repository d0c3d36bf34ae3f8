import { isAscii } from 'node:buffer';

const CARRIAGE_RETURN = 13;
const SMALL = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** Stands for a line over the limit; `size` is how much of it had been seen when the limit was passed. */
export class Overlong {
  readonly size: number;

  constructor(size: number) {
    this.size = size;
  }
}

/** A line as it was read; text when that was known to be ASCII, so that nothing is decided about other bytes here. */
export type Line = Buffer | string;

/**
 * Cuts a byte stream into lines: `push` a chunk, then call `next` until there is none left.
 * Lines of an ASCII chunk are decoded together, other lines within one chunk are views of it, and only a line that spans
 * chunks is copied, once, into storage that never outgrows the limit. A line is valid until the next call.
 * `\r\n` ends a line like `\n` does.
 */
export class LineReader {
  readonly #limit: number;
  #chunk: Buffer = NOTHING;
  /** The chunk, one character a byte: a string is searched and cut faster than a buffer. */
  #text = '';
  #ascii = false;
  #at = 0;
  #storage: Buffer = NOTHING;
  #stored = 0;
  #skipping = false;
  #ended = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunk = this.#at < this.#chunk.length ? Buffer.concat([this.#chunk.subarray(this.#at), chunk]) : chunk;
    this.#text = this.#chunk.toString('latin1');
    this.#ascii = isAscii(this.#chunk);
    this.#at = 0;
  }

  /** No more chunks will come: what is left without a newline is a line too. */
  end(): void {
    this.#ended = true;
  }

  /** The next line, or `undefined` when more bytes are needed. A line over the limit is reported once, then skipped. */
  next(): Line | Overlong | undefined {
    const text = this.#text;
    while (this.#at < text.length) {
      const start = this.#at;
      const newline = text.indexOf('\n', start);
      if (newline === -1) return this.#keep(start);
      this.#at = newline + 1;
      if (!this.#skipping) return this.#stored === 0 ? this.#cut(start, newline) : this.#join(start, newline);
      this.#skipping = false;
    }
    return this.#ended && this.#stored > 0 ? this.#join(text.length, text.length) : undefined;
  }

  #cut(start: number, newline: number): Line | Overlong {
    const end = newline > start && this.#text.charCodeAt(newline - 1) === CARRIAGE_RETURN ? newline - 1 : newline;
    if (end - start > this.#limit) return new Overlong(end - start);
    return this.#ascii ? this.#text.slice(start, end) : this.#chunk.subarray(start, end);
  }

  #join(start: number, end: number): Buffer | Overlong {
    const size = this.#stored + end - start;
    if (size > this.#limit + 1) {
      this.#forget();
      return new Overlong(size);
    }
    this.#store(start, end);
    const length = size > 0 && this.#storage[size - 1] === CARRIAGE_RETURN ? size - 1 : size;
    const line = this.#storage.subarray(0, length);
    this.#forget();
    return length > this.#limit ? new Overlong(length) : line;
  }

  #keep(start: number): Overlong | undefined {
    const end = this.#chunk.length;
    this.#at = end;
    if (this.#skipping) return undefined;
    const size = this.#stored + end - start;
    // A carriage return may turn out to be half of the line's end, which is not counted.
    const allowed = this.#chunk[end - 1] === CARRIAGE_RETURN ? this.#limit + 1 : this.#limit;
    if (size > allowed) {
      this.#skipping = true;
      this.#forget();
      return new Overlong(size);
    }
    this.#store(start, end);
    return undefined;
  }

  #store(start: number, end: number): void {
    const size = this.#stored + end - start;
    if (size > this.#storage.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(size, 2 * this.#storage.length, 4096), this.#limit + 1));
      this.#storage.copy(grown, 0, 0, this.#stored);
      this.#storage = grown;
    }
    this.#chunk.copy(this.#storage, this.#stored, start, end);
    this.#stored = size;
  }

  #forget(): void {
    this.#stored = 0;
    if (this.#storage.length > SMALL) this.#storage = NOTHING;
  }
}
