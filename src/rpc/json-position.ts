const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\n\r]*/y;

type Expected = 'value' | 'item' | 'key' | 'member' | 'colon' | 'next';

/** Where in `text` JSON stops being JSON: its length when it ends too early, `undefined` when nothing is wrong. */
export function faultPosition(text: string): number | undefined {
  return new Walk(text).run();
}

class Walk {
  readonly #text: string;
  #at = 0;
  readonly #open: ('{' | '[')[] = [];
  #expected: Expected = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  run(): number | undefined {
    for (;;) {
      this.#match(SPACE);
      const complete = this.#expected === 'next' && this.#open.length === 0;
      if (this.#at === this.#text.length) return complete ? undefined : this.#at;
      if (complete || !this.#step(this.#text.charAt(this.#at))) return this.#at;
    }
  }

  #step(char: string): boolean {
    switch (this.#expected) {
      case 'colon':
        return char === ':' && this.#punctuation('value');
      case 'next':
        return this.#afterValue(char);
      case 'member':
        return char === '}' ? this.#close() : this.#key(char);
      case 'key':
        return this.#key(char);
      case 'item':
        return char === ']' ? this.#close() : this.#value(char);
      case 'value':
        return this.#value(char);
    }
  }

  #afterValue(char: string): boolean {
    const inObject = this.#open.at(-1) === '{';
    if (char === ',') return this.#punctuation(inObject ? 'key' : 'value');
    return char === (inObject ? '}' : ']') && this.#close();
  }

  #key(char: string): boolean {
    if (char !== '"' || !this.#string()) return false;
    this.#expected = 'colon';
    return true;
  }

  #value(char: string): boolean {
    if (char === '{' || char === '[') {
      this.#open.push(char);
      return this.#punctuation(char === '{' ? 'member' : 'item');
    }
    this.#expected = 'next';
    return char === '"' ? this.#string() : this.#match(SCALAR);
  }

  #close(): boolean {
    this.#open.pop();
    return this.#punctuation('next');
  }

  #punctuation(expected: Expected): true {
    this.#at += 1;
    this.#expected = expected;
    return true;
  }

  #string(): boolean {
    for (this.#at += 1; this.#at < this.#text.length; ) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 34) {
        this.#at += 1;
        return true;
      }
      if (code < 32) return false;
      if (code !== 92) this.#at += 1;
      else if (!this.#match(ESCAPE)) return false;
    }
    return false;
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}
