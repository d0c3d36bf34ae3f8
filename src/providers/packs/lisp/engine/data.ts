import { charge, fits, tick } from './meter.ts';

/** Everything a program can hold that is not a number. Plain classes without inherited names: a program sees none of their insides. */
export abstract class Obj {
  declare protected readonly lisp: true;
}

/** A Lisp value: integers are `bigint`, floats are `number`. */
export type Value = bigint | number | Obj;

export class Pack extends Obj {
  readonly name: string;
  nicknames: string[] = [];
  readonly symbols = new Map<string, Sym>();
  readonly exported = new Set<string>();
  uses: Pack[] = [];
  readonly shadowing = new Set<string>();
  locked = false;

  constructor(name: string) {
    super();
    this.name = name;
  }

  find(name: string): Sym | undefined {
    return this.symbols.get(name) ?? this.inherited(name);
  }

  inherited(name: string): Sym | undefined {
    for (const used of this.uses) {
      const found = used.exported.has(name) ? used.symbols.get(name) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  external(name: string): Sym | undefined {
    return this.exported.has(name) ? this.find(name) : undefined;
  }
}

export class Sym extends Obj {
  readonly name: string;
  home: Pack | undefined;
  /** The dynamic value; a binding puts the old one on the stack of the world. */
  value: Value | undefined = undefined;
  fn: Func | undefined = undefined;
  macro: Func | undefined = undefined;
  setf: Func | undefined = undefined;
  special = false;
  constant = false;

  constructor(name: string, home?: Pack) {
    super();
    this.name = name;
    this.home = home;
    charge(160 + name.length * 2);
  }
}

function constant(name: string): Sym {
  const symbol = new Sym(name);
  symbol.value = symbol;
  symbol.special = true;
  symbol.constant = true;
  return symbol;
}

export const NIL = constant('NIL');
export const T = constant('T');

export class Cons extends Obj {
  car: Value;
  cdr: Value;

  constructor(car: Value, cdr: Value) {
    super();
    this.car = car;
    this.cdr = cdr;
    charge(32);
  }
}

export class Ratio extends Obj {
  readonly top: bigint;
  readonly bottom: bigint;

  constructor(top: bigint, bottom: bigint) {
    super();
    this.top = top;
    this.bottom = bottom;
    charge(48);
  }
}

export class Char extends Obj {
  readonly code: number;

  constructor(code: number) {
    super();
    this.code = code;
  }

  get text(): string {
    return String.fromCodePoint(this.code);
  }
}

const CHARS = new Map<number, Char>();

/** The one character of a code. */
export function charOf(code: number): Char {
  const known = CHARS.get(code);
  if (known !== undefined) return known;
  const made = new Char(code);
  if (CHARS.size < 4096) CHARS.set(code, made);
  return made;
}

const SURROGATE = /[\ud800-\udfff]/;

/** A string; its elements are code points. */
export class Str extends Obj {
  #text: string;
  #points: string[] | undefined;
  #plain: boolean | undefined;
  /** Set when the string may grow. */
  adjustable = false;

  constructor(text: string) {
    super();
    this.#text = text;
    charge(40 + fits(text.length) * 2);
    tick(text.length >> 6);
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    charge(Math.max(0, fits(text.length) - this.#text.length) * 2);
    this.#text = text;
    this.#points = undefined;
    this.#plain = undefined;
  }

  get points(): string | string[] {
    if (this.#plain === undefined) tick(this.#text.length >> 6);
    this.#plain ??= !SURROGATE.test(this.#text);
    if (this.#plain) return this.#text;
    if (this.#points === undefined) charge(this.#text.length * 24);
    this.#points ??= [...this.#text];
    return this.#points;
  }

  get length(): number {
    return this.points.length;
  }

  at(index: number): Char {
    return charOf(this.points[index]?.codePointAt(0) ?? 0);
  }

  put(index: number, char: Char): void {
    const { points } = this;
    const before = points.slice(0, index);
    const after = points.slice(index + 1);
    this.text =
      typeof before === 'string' ? `${before}${char.text}${after}` : [...before, char.text, ...after].join('');
  }

  slice(start: number, end?: number): string {
    const part = this.points.slice(start, end);
    return typeof part === 'string' ? part : part.join('');
  }
}

/** A vector or an array of more dimensions, in row-major order. */
export class Vec extends Obj {
  items: Value[];
  /** Absent for vectors. */
  dimensions: number[] | undefined;
  fill: number | undefined = undefined;
  adjustable = false;
  bits = false;

  constructor(items: Value[], dimensions?: number[]) {
    super();
    this.items = items;
    this.dimensions = dimensions;
    charge(64 + fits(items.length) * 8);
    tick(items.length >> 4);
  }

  get length(): number {
    return this.fill ?? this.items.length;
  }
}

export type TableTest = 'EQ' | 'EQL' | 'EQUAL' | 'EQUALP';

/** A hash table; keys that are equal by its test have one entry. */
export class Table extends Obj {
  readonly test: TableTest;
  readonly entries = new Map<unknown, [Value, Value]>();

  constructor(test: TableTest) {
    super();
    this.test = test;
    charge(200);
  }
}

export type Run = (args: Value[]) => Value;

export class Func extends Obj {
  name: string;
  run: Run;
  lambda: string;
  documentation: string | undefined = undefined;
  /** What the closure closes over, for counting what a session holds. */
  held: unknown = undefined;

  constructor(name: string, run: Run, lambda = '') {
    super();
    this.name = name;
    this.run = run;
    this.lambda = lambda;
    charge(96);
  }
}

/** What a form gave when it was not exactly one value. */
export class Many extends Obj {
  readonly values: Value[];

  constructor(values: Value[]) {
    super();
    this.values = values;
    if (values.length > 8) charge(32 + values.length * 8);
  }
}
