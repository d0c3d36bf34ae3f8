/** From this length on a text is worth being put together only once, as bytes. */
export const LONG = 16 * 1024;

/** A long text that is given many times: from the first time its bytes are asked for, they are what is kept. */
export class KeptText {
  #text: string | undefined;
  #bytes: Buffer | undefined;
  /** How many characters it has. */
  readonly length: number;

  constructor(text: string) {
    this.#text = text;
    this.length = text.length;
  }

  get text(): string {
    return this.#text ?? (this.#bytes as Buffer).toString('utf8');
  }

  get bytes(): Buffer {
    if (this.#bytes === undefined) {
      this.#bytes = Buffer.from(this.text);
      this.#text = undefined;
    }
    return this.#bytes;
  }
}

/** What a text is put between. */
export interface Frame {
  readonly head: string;
  readonly tail: string;
}

/** A message with a long middle, which is copied once on its way out, or not at all. */
export class Framed {
  readonly #frame: Frame;
  readonly #middle: KeptText | string;

  constructor(frame: Frame, middle: KeptText | string) {
    this.#frame = frame;
    this.#middle = middle;
  }

  /** The same within another frame. */
  within({ head, tail }: Frame): Framed {
    const own = this.#frame;
    return new Framed({ head: `${head}${own.head}`, tail: `${own.tail}${tail}` }, this.#middle);
  }

  get text(): string {
    const { head, tail } = this.#frame;
    return `${head}${typeof this.#middle === 'string' ? this.#middle : this.#middle.text}${tail}`;
  }

  /** How many characters it has. */
  get length(): number {
    return this.#frame.head.length + this.#middle.length + this.#frame.tail.length;
  }

  /** How many bytes it has. */
  get size(): number {
    const { head, tail } = this.#frame;
    const middle = typeof this.#middle === 'string' ? Buffer.byteLength(this.#middle) : this.#middle.bytes.length;
    return Buffer.byteLength(head) + middle + Buffer.byteLength(tail);
  }

  /** All of it in one piece. */
  get bytes(): Buffer {
    const { head, tail } = this.#frame;
    const bytes = Buffer.allocUnsafeSlow(this.size);
    const start = bytes.write(head);
    bytes.write(tail, start + this.#fill(bytes, start));
    return bytes;
  }

  /** All of it in order, and what follows it, in pieces that can be had without copying what is long. */
  pieces(end = ''): readonly (string | Buffer)[] {
    const { head, tail } = this.#frame;
    return [head, typeof this.#middle === 'string' ? this.#middle : this.#middle.bytes, `${tail}${end}`];
  }

  #fill(bytes: Buffer, start: number): number {
    const middle = this.#middle;
    if (typeof middle !== 'string') return middle.bytes.copy(bytes, start);
    const size = bytes.length - start - Buffer.byteLength(this.#frame.tail);
    // What is ASCII is as long in bytes as in characters, and need not be encoded.
    return bytes.write(middle, start, size === middle.length ? 'latin1' : 'utf8');
  }
}

/** A message on its way out. */
export type Wire = string | Framed;

/** A message as one text. */
export function textOf(wire: Wire): string {
  return typeof wire === 'string' ? wire : wire.text;
}

/** How many bytes a message has. */
export function sizeOf(wire: Wire): number {
  return typeof wire === 'string' ? Buffer.byteLength(wire) : wire.size;
}
