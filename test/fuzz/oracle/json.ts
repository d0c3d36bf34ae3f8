// A JSON reader that shares nothing with the server, or with the engine's own: recursive descent over characters.
// It keeps every member of an object, also those that come twice, and numbers as they were written.

export type Node =
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Node])[] }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'string'; readonly text: string }
  /** Also whatever else a mutation wants to stand for a value, as it is. */
  | { readonly kind: 'raw'; readonly text: string };

/** `deep`: nested deeper than was asked for, so that the rest was not read. */
export type Parsed = Node | 'wrong' | 'deep';

class Trouble extends Error {}
const WRONG = new Trouble('wrong');
const DEEP = new Trouble('deep');
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORDS = ['true', 'false', 'null'];

/** Reads a text that must be exactly one JSON value. */
export function parseJson(text: string, depth = 64): Parsed {
  try {
    return new Reader(text, depth).whole();
  } catch (trouble) {
    if (trouble === DEEP) return 'deep';
    if (trouble === WRONG) return 'wrong';
    throw trouble;
  }
}

class Reader {
  readonly #text: string;
  readonly #depth: number;
  #at = 0;
  #level = 0;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  whole(): Node {
    const node = this.#value();
    if (this.#peek() !== undefined) throw WRONG;
    return node;
  }

  /** The next character that is not white space. */
  #peek(): string | undefined {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] as string;
      if (char !== ' ' && char !== '\t' && char !== '\n' && char !== '\r') return char;
    }
    return undefined;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }

  #value(): Node {
    const char = this.#peek();
    if (char === '{') return this.#nested(() => this.#object());
    if (char === '[') return this.#nested(() => this.#array());
    if (char === '"') return { kind: 'string', text: this.#string() };
    for (const word of WORDS) if (this.#text.startsWith(word, this.#at)) return this.#raw(word);
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text);
    if (number === null) throw WRONG;
    return this.#raw(number[0]);
  }

  #raw(text: string): Node {
    this.#at += text.length;
    return { kind: 'raw', text };
  }

  #nested(read: () => Node): Node {
    this.#level += 1;
    if (this.#level > this.#depth) throw DEEP;
    this.#at += 1;
    const node = read();
    this.#level -= 1;
    return node;
  }

  #object(): Node {
    const members: [string, Node][] = [];
    if (this.#take('}')) return { kind: 'object', members };
    do {
      if (this.#peek() !== '"') throw WRONG;
      const key = this.#string();
      if (!this.#take(':')) throw WRONG;
      members.push([key, this.#value()]);
    } while (this.#take(','));
    if (!this.#take('}')) throw WRONG;
    return { kind: 'object', members };
  }

  #array(): Node {
    const items: Node[] = [];
    if (this.#take(']')) return { kind: 'array', items };
    do items.push(this.#value());
    while (this.#take(','));
    if (!this.#take(']')) throw WRONG;
    return { kind: 'array', items };
  }

  #string(): string {
    let text = '';
    for (this.#at += 1; ; ) {
      const char = this.#text[this.#at];
      if (char === undefined || char < ' ') throw WRONG;
      this.#at += 1;
      if (char === '"') return text;
      text += char === '\\' ? this.#escape() : char;
    }
  }

  #escape(): string {
    const char = this.#text[this.#at] ?? '';
    this.#at += 1;
    if (char !== 'u') {
      const plain = ESCAPES[char];
      if (plain === undefined) throw WRONG;
      return plain;
    }
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw WRONG;
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
}

/** A member of an object: the last of that name counts. */
export function member(node: Node | undefined, key: string): Node | undefined {
  if (node?.kind !== 'object') return undefined;
  for (let at = node.members.length - 1; at >= 0; at -= 1) {
    const found = node.members[at] as readonly [string, Node];
    if (found[0] === key) return found[1];
  }
  return undefined;
}

/** The text of a node as it would be sent. */
export function write(node: Node): string {
  switch (node.kind) {
    case 'object':
      return `{${node.members.map(([key, value]) => `${JSON.stringify(key)}:${write(value)}`).join(',')}}`;
    case 'array':
      return `[${node.items.map(write).join(',')}]`;
    case 'string':
      return JSON.stringify(node.text);
    case 'raw':
      return node.text;
  }
}

/** The node of a plain value. */
export function nodeOf(value: unknown): Node {
  const parsed = parseJson(JSON.stringify(value), 1000);
  if (typeof parsed === 'string') throw new TypeError('Not JSON');
  return parsed;
}

/** Whether bytes are UTF-8, by the table of the standard and not by a decoder. */
export function isText(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; ) {
    const size = sizeAt(bytes, at);
    if (size === 0) return false;
    at += size;
  }
  return true;
}

/** How many bytes the character at a place has; 0 when it is none. */
function sizeAt(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const [low, high] = SECOND[first] ?? [0x80, 0xbf];
  const second = bytes[at + 1] ?? 0;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const rest = [bytes[at + 2], bytes[at + 3]].slice(0, size - 2);
  const good = second >= low && second <= high && rest.every((byte = 0) => (byte & 0xc0) === 0x80);
  return good ? size : 0;
}

/** Second bytes that are bounded more tightly: overlong forms, surrogates, and what lies beyond Unicode. */
const SECOND: Readonly<Record<number, readonly [number, number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};
