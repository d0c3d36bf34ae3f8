import { reportOf, typeName } from './conditions.ts';
import { Char, Cons, Func, NIL, type Obj, Pack, Ratio, Str, Sym, Table, type Value, Vec } from './data.ts';
import { charge, enter, leave, tick } from './meter.ts';
import { Class, Input, Instance, Output } from './objects.ts';
import {
  caseName,
  printCharacter,
  printFloat,
  printInteger,
  printRatio,
  printString,
  printSymbol,
} from './print-atoms.ts';
import type { World } from './world.ts';

interface Style {
  readonly readable: boolean;
  readonly base: number;
  readonly radix: boolean;
  readonly length: number;
  readonly level: number;
  readonly printCase: string;
  readonly circle: boolean;
  readonly array: boolean;
}

function number(value: Value | undefined, otherwise: number): number {
  return typeof value === 'bigint' ? Number(value) : otherwise;
}

function styleOf(world: World, readable: boolean): Style {
  const variable = (name: string) => world.sym(name).value;
  const printCase = variable('*PRINT-CASE*');
  return {
    readable,
    base: Math.min(36, Math.max(2, number(variable('*PRINT-BASE*'), 10))),
    radix: variable('*PRINT-RADIX*') !== NIL,
    length: number(variable('*PRINT-LENGTH*'), Number.POSITIVE_INFINITY),
    level: number(variable('*PRINT-LEVEL*'), Number.POSITIVE_INFINITY),
    printCase: printCase instanceof Sym ? printCase.name : 'UPCASE',
    circle: variable('*PRINT-CIRCLE*') !== NIL,
    array: variable('*PRINT-ARRAY*') !== NIL,
  };
}

/** A value as text; with `readable` as the reader takes it back. */
export function print(value: Value, world: World, readable: boolean): string {
  if (value instanceof Str && !readable) return value.text;
  const printer = new Printer(world, styleOf(world, readable));
  return printer.run(value);
}

class Printer {
  readonly #world: World;
  readonly #style: Style;
  #text = '';
  #labels: Map<Obj, number> | undefined;
  #next = 1;

  constructor(world: World, style: Style) {
    this.#world = world;
    this.#style = style;
  }

  run(value: Value): string {
    if (value instanceof Cons || value instanceof Vec || value instanceof Instance) {
      const found = repeated(value, this.#style.circle);
      if (found.size > 0) this.#labels = new Map([...found].map((each) => [each, 0]));
    }
    this.#value(value, 0);
    return this.#text;
  }

  #emit(text: string): undefined {
    charge(text.length * 2);
    tick(text.length >> 2);
    this.#text += text;
  }

  #value(value: Value, level: number): undefined {
    tick();
    enter();
    if (!this.#labelled(value)) this.#plain(value, level);
    leave();
  }

  /** Whether the value was printed before and its label says it all. */
  #labelled(value: Value): boolean {
    const label = this.#labels?.get(value as Obj);
    if (label === undefined) return false;
    if (label > 0) {
      this.#emit(`#${label}#`);
      return true;
    }
    this.#labels?.set(value as Obj, this.#next);
    this.#emit(`#${this.#next++}=`);
    return false;
  }

  #plain(value: Value, level: number): undefined {
    const text = this.#atom(value);
    if (text !== undefined) return this.#emit(text);
    if (level >= this.#style.level && !(value instanceof Instance && value.type.kind !== 'structure'))
      return this.#emit('#');
    if (value instanceof Cons) this.#list(value, level);
    else if (value instanceof Vec) this.#vector(value, level);
    else if (value instanceof Instance) this.#instance(value, level);
  }

  #atom(value: Value): string | undefined {
    const { readable, base, radix, printCase } = this.#style;
    if (typeof value === 'bigint') return printInteger(value, base, radix);
    if (typeof value === 'number') return printFloat(value);
    if (value instanceof Sym)
      return readable ? printSymbol(value, this.#world, printCase) : caseName(value.name, printCase);
    if (value instanceof Str) return readable ? printString(value) : value.text;
    if (value instanceof Char) return readable ? printCharacter(value) : value.text;
    return value instanceof Ratio ? printRatio(value, base) : this.#opaque(value);
  }

  #opaque(value: Value): string | undefined {
    if (value instanceof Func)
      return value.constructor === Func ? `#<FUNCTION ${value.name}>` : `#<STANDARD-GENERIC-FUNCTION ${value.name}>`;
    if (value instanceof Table) return `#<HASH-TABLE :TEST ${value.test} :COUNT ${value.entries.size}>`;
    if (value instanceof Pack) return `#<PACKAGE "${value.name}">`;
    if (value instanceof Class)
      return `#<${value.kind.toUpperCase()}-CLASS ${printSymbol(value.name, this.#world, 'UPCASE')}>`;
    if (value instanceof Output) return '#<STRING-OUTPUT-STREAM>';
    if (value instanceof Input) return '#<STRING-INPUT-STREAM>';
    return value instanceof Cons || value instanceof Vec || value instanceof Instance ? undefined : '#<OBJECT>';
  }

  #list(value: Cons, level: number): undefined {
    if (this.#abbreviated(value, level)) return;
    this.#emit('(');
    let [rest, count]: [Value, number] = [value, 0];
    for (;;) {
      const cell = rest as Cons;
      if (count++ >= this.#style.length) {
        this.#emit('...');
        break;
      }
      this.#value(cell.car, level + 1);
      rest = cell.cdr;
      if (!(rest instanceof Cons) || this.#labels?.has(rest) === true) break;
      this.#emit(' ');
    }
    if (rest !== NIL && !(rest instanceof Cons && this.#labels?.has(rest) !== true)) {
      this.#emit(' . ');
      this.#value(rest, level + 1);
    }
    this.#emit(')');
  }

  /** `'x`, `#'x` and the parts of a backquote. */
  #abbreviated({ car, cdr }: Cons, level: number): boolean {
    if (!(car instanceof Sym && cdr instanceof Cons && cdr.cdr === NIL)) return false;
    const prefix = car.home === this.#world.cl || car.home === this.#world.parley ? PREFIXES.get(car.name) : undefined;
    if (prefix === undefined || this.#labels?.has(cdr) === true) return false;
    this.#emit(prefix);
    this.#value(cdr.car, level);
    return true;
  }

  #vector(value: Vec, level: number): undefined {
    if (!this.#style.array) return this.#emit('#<ARRAY>');
    if (value.bits) return this.#emit(`#*${value.items.slice(0, value.length).join('')}`);
    if (value.dimensions !== undefined) return this.#array(value, level);
    this.#emit('#(');
    this.#row(value.items.slice(0, value.length), (item) => this.#value(item, level + 1));
    this.#emit(')');
  }

  #row<V>(items: readonly V[], each: (item: V) => void): undefined {
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#emit(' ');
      if (index >= this.#style.length) return this.#emit('...');
      each(item);
    }
  }

  #array(value: Vec, level: number): undefined {
    const dimensions = value.dimensions ?? [];
    this.#emit(`#${dimensions.length}A`);
    const part = (axis: number, offset: number): undefined => {
      const [size = 0, stride] = [dimensions[axis], dimensions.slice(axis + 1).reduce((all, each) => all * each, 1)];
      if (axis === dimensions.length) return this.#value(value.items[offset] ?? NIL, level + 1);
      this.#emit('(');
      this.#row(
        Array.from({ length: size }, (_, index) => offset + index * stride),
        (start) => part(axis + 1, start),
      );
      return this.#emit(')');
    };
    part(0, 0);
  }

  #instance(value: Instance, level: number): undefined {
    const custom = this.#custom(value);
    if (custom !== undefined) return this.#emit(custom);
    const { type } = value;
    if (type.kind === 'condition' && !this.#style.readable) return this.#emit(reportOf(value, this.#world));
    if (type.kind === 'condition') return this.#emit(`#<${typeName(value, this.#world)}>`);
    if (type.kind !== 'structure') return this.#emit(`#<${printSymbol(type.name, this.#world, 'UPCASE')}>`);
    this.#emit(`#S(${printSymbol(type.name, this.#world, this.#style.printCase)}`);
    for (const [index, slot] of type.slots.entries()) {
      this.#emit(` :${slot.name.name} `);
      this.#value(value.slots[index] ?? NIL, level + 1);
    }
    return this.#emit(')');
  }

  #custom(value: Instance): string | undefined {
    return this.#world.hooks.printObject?.(value, this.#style.readable);
  }
}

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['QUOTE', "'"],
  ['FUNCTION', "#'"],
  ['%QUASIQUOTE', '`'],
  ['%UNQUOTE', ','],
  ['%UNQUOTE-SPLICING', ',@'],
]);

function parts(value: Value): readonly Value[] {
  if (value instanceof Cons) return [value.car, value.cdr];
  if (value instanceof Vec) return value.items;
  return value instanceof Instance && value.type.kind === 'structure'
    ? (value.slots.filter((slot) => slot !== undefined) as Value[])
    : [];
}

const inner = (value: Value): value is Obj =>
  value instanceof Cons || value instanceof Vec || value instanceof Instance;

/** What must be labelled: what contains itself, and with `shared` all that is there twice. */
function repeated(root: Value, shared: boolean): Set<Obj> {
  const walk = new Walk(shared);
  walk.stack.push(root);
  for (let item = walk.stack.pop(); item !== undefined; item = walk.stack.pop()) walk.visit(item);
  return walk.found;
}

/** Goes through a structure without recursion; what is met again while it is open contains itself. */
class Walk {
  readonly found = new Set<Obj>();
  readonly stack: (Value | Closing)[] = [];
  readonly #done = new Map<Obj, boolean>();
  readonly #shared: boolean;

  constructor(shared: boolean) {
    this.#shared = shared;
  }

  visit(item: Value | Closing): void {
    tick();
    if (item instanceof Closing) this.#done.set(item.of, true);
    else if (inner(item)) this.#enter(item);
  }

  #enter(item: Obj): void {
    const done = this.#done.get(item);
    if (done === false || (done === true && this.#shared)) this.found.add(item);
    if (done !== undefined) return;
    charge(64);
    this.#done.set(item, false);
    this.stack.push(new Closing(item));
    for (const part of parts(item).toReversed()) if (inner(part)) this.stack.push(part);
  }
}

class Closing {
  readonly of: Obj;
  constructor(of: Obj) {
    this.of = of;
  }
}
