import { Cons, charOf, NIL, Str, Sym, T, type Value, Vec } from './data.ts';
import { Collector } from './lists.ts';
import { enter, leave, tick } from './meter.ts';
import { arrayOf, bitsOf, rationalOf, scanToken, TERMINATOR, type Token } from './read-literals.ts';
import { CHARACTER_NAMES, parseNumber, ReadFault } from './read-tokens.ts';

/** Finds the symbols of a text; `internal` is `a::b`, and an absent package the current one. */
export interface Names {
  symbol(name: string, home: string | undefined, internal: boolean): Value | string;
  language(name: string): Sym;
  readonly radix: number;
  feature(name: string): boolean;
}

const SPACE = /\s/;
const END = Symbol('end');
const CLOSE = Symbol('close');
const DOT = Symbol('dot');
const NOTHING = Symbol('nothing');
type Item = Value | typeof END | typeof CLOSE | typeof DOT | typeof NOTHING;

/** Turns text into forms, one at a time. */
export class Reader {
  readonly text: string;
  at: number;
  /** Where each list that is still open began. */
  readonly open: number[] = [];
  readonly #names: Names;
  readonly #labels = new Map<number, Value>();
  #quoted = 0;

  constructor(text: string, names: Names, at = 0) {
    this.text = text;
    this.#names = names;
    this.at = at;
  }

  /** The next form, or `undefined` at the end of the text. */
  next(): Value | undefined {
    for (;;) {
      const start = this.at;
      const item = this.#item();
      if (item === END) return undefined;
      if (item === CLOSE) throw new ReadFault('unmatched close parenthesis', this.at - 1);
      if (item === DOT) throw new ReadFault('dot context error', start);
      if (item !== NOTHING) return item as Value;
    }
  }

  fail(message: string): never {
    throw new ReadFault(message, Math.max(0, this.at - 1));
  }

  #ended(what: string): never {
    throw new ReadFault(`end of file${what}`, this.text.length, true);
  }

  #item(): Item {
    tick();
    while (this.at < this.text.length && SPACE.test(this.text[this.at] as string)) this.at++;
    const char = this.text[this.at];
    if (char === undefined) return END;
    const macro = MACROS[char];
    if (macro === undefined) return this.#token();
    this.at++;
    enter();
    const item = macro(this);
    leave();
    return item;
  }

  /** A form that has to be there. */
  form(): Value {
    for (;;) {
      const item = this.#item();
      if (item === END) return this.#ended('');
      if (item === CLOSE) return this.fail('unmatched close parenthesis');
      if (item === DOT) return this.fail('dot context error');
      if (item !== NOTHING) return item as Value;
    }
  }

  list(): Value {
    this.open.push(this.at - 1);
    const made = new Collector();
    for (;;) {
      const item = this.#item();
      if (item === END) return this.#ended(' inside a list');
      if (item === CLOSE) break;
      if (item === DOT) {
        this.#dotted(made);
        break;
      }
      if (item !== NOTHING) made.add(item as Value);
    }
    this.open.pop();
    return made.head;
  }

  #dotted(made: Collector): void {
    if (made.head === NIL) this.fail('nothing before the dot');
    let cell = made.head as Cons;
    while (cell.cdr instanceof Cons) cell = cell.cdr;
    cell.cdr = this.form();
    for (;;) {
      const item = this.#item();
      if (item === CLOSE) return;
      if (item === END) this.#ended(' inside a list');
      if (item !== NOTHING) this.fail('more than one form after the dot');
    }
  }

  string(): Value {
    const start = this.at;
    let text = '';
    for (;;) {
      const char = this.text[this.at++];
      if (char === undefined) {
        this.open.push(start - 1);
        return this.#ended(' inside a string');
      }
      if (char === '"') return new Str(text);
      text += char === '\\' ? (this.text[this.at++] ?? this.#ended(' inside a string')) : char;
    }
  }

  comment(): Item {
    const end = this.text.indexOf('\n', this.at);
    this.at = end === -1 ? this.text.length : end + 1;
    return NOTHING;
  }

  blockComment(): Item {
    let depth = 1;
    while (depth > 0) {
      const pair = this.text.slice(this.at, this.at + 2);
      if (pair === '') return this.#ended(' inside a comment');
      tick();
      depth += pair === '|#' ? -1 : pair === '#|' ? 1 : 0;
      this.at += pair === '|#' || pair === '#|' ? 2 : 1;
    }
    return NOTHING;
  }

  quote(name: string): Value {
    return new Cons(this.#names.language(name), new Cons(this.form(), NIL));
  }

  backquote(): Value {
    this.#quoted++;
    const form = this.form();
    this.#quoted--;
    return new Cons(this.#names.language('%QUASIQUOTE'), new Cons(form, NIL));
  }

  unquote(): Value {
    if (this.#quoted === 0) this.fail('comma not inside a backquote');
    const splicing = this.text[this.at] === '@' || this.text[this.at] === '.';
    if (splicing) this.at++;
    this.#quoted--;
    const made = this.quote(splicing ? '%UNQUOTE-SPLICING' : '%UNQUOTE');
    this.#quoted++;
    return made;
  }

  /** The raw text of a token and whether any of it was escaped. */
  token(): Token {
    const found = scanToken(this.text, this.at);
    if (found === undefined) return this.#ended(' inside a symbol');
    this.at = found.at;
    return found;
  }

  #token(): Item {
    const start = this.at;
    const { text, escaped, colons } = this.token();
    if (!escaped && colons.length === 0) {
      if (text === '.') return DOT;
      if (/^\.+$/.test(text)) this.fail('too many dots');
      const number = parseNumber(text, this.#names.radix);
      if (number !== undefined) return number;
    }
    return this.#symbol({ text, colons, start });
  }

  #symbol({ text, colons, start }: { text: string; colons: readonly number[]; start: number }): Value {
    const [first, second] = colons;
    if (first === undefined) return this.#found(this.#names.symbol(text, undefined, true), start);
    const internal = second === first + 1;
    const name = text.slice(first + (internal ? 2 : 1));
    if (colons.length > (internal ? 2 : 1) || name === '') throw new ReadFault('too many colons in a symbol', start);
    return this.#found(this.#names.symbol(name, text.slice(0, first), internal), start);
  }

  #found(symbol: Value | string, start: number): Value {
    if (typeof symbol === 'string') throw new ReadFault(symbol, start);
    return symbol;
  }

  sharp(): Item {
    const digits = /^\d*/.exec(this.text.slice(this.at, this.at + 10))?.[0] ?? '';
    this.at += digits.length;
    const letter = this.text[this.at++];
    if (letter === undefined) return this.#ended(' after #');
    const read = SHARPS[letter.toLowerCase()];
    if (read === undefined) return this.fail(`no dispatch function defined for #${letter}`);
    return read(this, digits === '' ? undefined : Number(digits));
  }

  character(): Value {
    const first = String.fromCodePoint(this.text.codePointAt(this.at) ?? this.#ended(' after #\\'));
    this.at += first.length;
    const start = this.at;
    while (this.at < this.text.length && !TERMINATOR.test(this.text[this.at] as string)) this.at++;
    const name = first + this.text.slice(start, this.at);
    if ([...name].length === 1) return charOf(name.codePointAt(0) as number);
    const code = CHARACTER_NAMES.get(name.toUpperCase()) ?? /^u\+?([0-9a-f]+)$/i.exec(name)?.[1];
    if (code === undefined) return this.fail(`unrecognized character name: ${name}`);
    const number = typeof code === 'number' ? code : Number.parseInt(code, 16);
    return number > 0x10ffff ? this.fail(`unrecognized character name: ${name}`) : charOf(number);
  }

  vector(): Value {
    const made: Value[] = [];
    for (let rest = this.list(); rest instanceof Cons; rest = rest.cdr) made.push(rest.car);
    return new Vec(made);
  }

  literal(made: Value | string): Value {
    return typeof made === 'string' ? this.fail(made) : made;
  }

  uninterned(): Value {
    return new Sym(this.token().text);
  }

  conditional(wanted: boolean): Item {
    const test = this.form();
    if (this.#featured(test) === wanted) return this.form();
    this.form();
    return NOTHING;
  }

  #featured(test: Value): boolean {
    if (test instanceof Sym) return this.#names.feature(test.name);
    if (!(test instanceof Cons && test.car instanceof Sym)) return false;
    const tests: Value[] = [];
    for (let rest = test.cdr; rest instanceof Cons; rest = rest.cdr) tests.push(rest.car);
    if (test.car.name === 'NOT') return !this.#featured(tests[0] ?? T);
    return test.car.name === 'AND'
      ? tests.every((each) => this.#featured(each))
      : tests.some((each) => this.#featured(each));
  }

  label(number: number): Value {
    const value = this.form();
    this.#labels.set(number, value);
    return value;
  }

  labelled(number: number): Value {
    return this.#labels.get(number) ?? this.fail(`label #${number}# is not defined before it is used`);
  }
}

const MACROS: Readonly<Record<string, (reader: Reader) => Item>> = {
  '(': (reader) => reader.list(),
  ')': () => CLOSE,
  "'": (reader) => reader.quote('QUOTE'),
  '"': (reader) => reader.string(),
  ';': (reader) => reader.comment(),
  '`': (reader) => reader.backquote(),
  ',': (reader) => reader.unquote(),
  '#': (reader) => reader.sharp(),
};

const SHARPS: Readonly<Record<string, (reader: Reader, number?: number) => Item>> = {
  "'": (reader) => reader.quote('FUNCTION'),
  '(': (reader) => reader.vector(),
  '\\': (reader) => reader.character(),
  ':': (reader) => reader.uninterned(),
  '|': (reader) => reader.blockComment(),
  b: (reader) => reader.literal(rationalOf(reader.token().text, 2)),
  o: (reader) => reader.literal(rationalOf(reader.token().text, 8)),
  x: (reader) => reader.literal(rationalOf(reader.token().text, 16)),
  r: (reader, number = 10) => reader.literal(rationalOf(reader.token().text, number)),
  a: (reader, number = 1) => reader.literal(arrayOf(reader.form(), number)),
  '*': (reader) => reader.literal(bitsOf(reader.token().text)),
  '+': (reader) => reader.conditional(true),
  '-': (reader) => reader.conditional(false),
  '=': (reader, number = 0) => reader.label(number),
  '#': (reader, number = 0) => reader.labelled(number),
  '.': (reader) => reader.fail("can't read #. while *READ-EVAL* is NIL"),
};
