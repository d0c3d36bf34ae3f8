import { Obj, type Sym, type Value } from './data.ts';
import { charge, fits, tick } from './meter.ts';

export interface SlotSpec {
  readonly name: Sym;
  readonly initargs: readonly Sym[];
  readonly init: (() => Value) | undefined;
  readonly shared: { value: Value | undefined } | undefined;
}

export type ClassKind = 'built-in' | 'standard' | 'structure' | 'condition';

/** A class; `order` is its precedence list, itself first. */
export class Class extends Obj {
  readonly name: Sym;
  readonly kind: ClassKind;
  order: readonly Class[] = [this];
  supers: readonly Class[] = [];
  slots: readonly SlotSpec[] = [];
  index = new Map<Sym, number>();
  defaults: readonly (readonly [Sym, () => Value])[] = [];
  /** How a condition or a structure says what it is. */
  report: ((self: Instance) => string) | undefined = undefined;
  documentation: string | undefined = undefined;

  constructor(name: Sym, kind: ClassKind) {
    super();
    this.name = name;
    this.kind = kind;
    charge(400);
  }
}

export class Instance extends Obj {
  type: Class;
  slots: (Value | undefined)[];

  constructor(type: Class) {
    super();
    this.type = type;
    this.slots = new Array<Value | undefined>(type.slots.length).fill(undefined);
    charge(48 + type.slots.length * 8);
  }
}

export class Output extends Obj {
  #text = '';
  column = 0;
  dropped = 0;
  readonly #limit: number;

  constructor(limit = Number.POSITIVE_INFINITY) {
    super();
    this.#limit = limit;
  }

  write(text: string): void {
    const room = this.#limit - this.#text.length;
    const kept = text.length > room ? text.slice(0, Math.max(0, room)) : text;
    this.dropped += text.length - kept.length;
    charge(kept.length * 2);
    tick(text.length >> 6);
    fits(this.#text.length + kept.length);
    this.#text += kept;
    const line = text.lastIndexOf('\n');
    this.column = line === -1 ? this.column + text.length : text.length - line - 1;
  }

  get text(): string {
    return this.#text;
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

export class Input extends Obj {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    super();
    this.text = text;
  }
}
