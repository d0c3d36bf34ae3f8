const NEWLINE = 10;
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

/**
 * Cuts a byte stream into lines: `push` a chunk, then call `next` until there is none left.
 * A line within one chunk is a view of it; only a line that spans chunks is copied, once, into storage that never
 * outgrows the limit. A line is valid until the next call. `\r\n` ends a line like `\n` does.
 */
export class LineReader {
  readonly #limit: number;
  #chunk: Buffer = NOTHING;
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
    this.#at = 0;
  }

  /** No more chunks will come: what is left without a newline is a line too. */
  end(): void {
    this.#ended = true;
  }

  /** The next line, or `undefined` when more bytes are needed. A line over the limit is reported once, then skipped. */
  next(): Buffer | Overlong | undefined {
    const chunk = this.#chunk;
    while (this.#at < chunk.length) {
      const start = this.#at;
      const newline = chunk.indexOf(NEWLINE, start);
      if (newline === -1) return this.#keep(start);
      this.#at = newline + 1;
      if (!this.#skipping)
        return this.#stored === 0 ? this.#finish(chunk.subarray(start, newline)) : this.#join(start, newline);
      this.#skipping = false;
    }
    return this.#ended && this.#stored > 0 ? this.#join(chunk.length, chunk.length) : undefined;
  }

  #finish(line: Buffer): Buffer | Overlong {
    const last = line.length - 1;
    const text = last >= 0 && line[last] === CARRIAGE_RETURN ? line.subarray(0, last) : line;
    return text.length > this.#limit ? new Overlong(text.length) : text;
  }

  #join(start: number, end: number): Buffer | Overlong {
    const size = this.#stored + end - start;
    if (size > this.#limit + 1) {
      this.#forget();
      return new Overlong(size);
    }
    this.#store(start, end);
    const line = this.#storage.subarray(0, size);
    this.#forget();
    return this.#finish(line);
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
