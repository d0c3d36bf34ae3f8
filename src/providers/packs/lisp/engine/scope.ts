import type { Func, Sym, Value } from './data.ts';

/** The variables of one binding form at run time. */
export class Frame {
  readonly up: Frame | undefined;
  readonly slots: (Value | Exit)[];

  constructor(slots: (Value | Exit)[], up: Frame | undefined) {
    this.slots = slots;
    this.up = up;
  }
}

/** A place a block, tagbody or catch can be left through; thrown to leave it. */
export class Exit {
  live = true;
  value: Value;
  target = 0;

  constructor(value: Value) {
    this.value = value;
  }
}

/** A form made ready to run. */
export type Code = (frame: Frame) => Value;

export interface Block {
  readonly scope: Scope;
  readonly slot: number;
  used: boolean;
}

export interface Tag extends Block {
  readonly target: number;
  readonly owner: { used: boolean };
}

/** What names mean while a form is made ready; a scope is one frame at run time. */
export class Scope {
  readonly up: Scope | undefined;
  readonly variables = new Map<Sym, number | { expansion: Value } | 'special'>();
  readonly functions = new Map<Sym | string, number | { macro: Func }>();
  readonly blocks = new Map<Sym, Block>();
  readonly tags = new Map<Sym | bigint, Tag>();
  size = 0;

  constructor(up?: Scope) {
    this.up = up;
  }

  slot(): number {
    return this.size++;
  }
}
