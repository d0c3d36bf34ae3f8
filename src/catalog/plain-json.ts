import { Fault } from '../model/fault.ts';
import type { Json } from '../model/json.ts';

/** Deeper nesting is refused before it can exhaust the stack. */
const DEEPEST = 1000;

/** What a handler returned as JSON: dates and the like as they write themselves, everything JSON cannot carry refused. */
export function plainJson(value: unknown): Json {
  const walk = new Walk();
  walk.visit(value);
  return (walk.rewrites ? JSON.parse(JSON.stringify(value)) : value) as Json;
}

class Walk {
  /** Whether a value writes itself as something else, so that a copy is needed. */
  rewrites = false;
  readonly #open = new Set<object>();
  readonly #path: (string | number)[] = [];

  visit(value: unknown): void {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw this.#unfit(`the number ${value}`);
    } else if (typeof value === 'object') {
      this.#enter(value);
    } else {
      throw this.#unfit(NAMES[typeof value] ?? typeof value);
    }
  }

  #enter(value: object): void {
    if (this.#open.has(value)) throw this.#unfit('a cycle');
    if (this.#open.size >= DEEPEST)
      throw new Fault('E_BAD_RESULT', `Bad result: it is nested over ${DEEPEST} levels deep`);
    this.#open.add(value);
    if (!ArrayBuffer.isView(value) && writesItself(value)) {
      this.rewrites = true;
      this.visit(value.toJSON());
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.#member(index, item);
    } else {
      this.#members(value);
    }
    this.#open.delete(value);
  }

  #members(value: object): void {
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    if (tag !== 'Object') throw this.#unfit(`a value of type ${tag}`);
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) this.#member(key, item);
    }
  }

  #member(key: string | number, value: unknown): void {
    this.#path.push(key);
    this.visit(value);
    this.#path.pop();
  }

  #unfit(what: string): Fault {
    const where = this.#path.length === 0 ? '' : ` at "${this.#path.join('.')}"`;
    return new Fault('E_BAD_RESULT', `Bad result: JSON cannot carry ${what}${where}`);
  }
}

const NAMES: Readonly<Record<string, string>> = {
  bigint: 'a BigInt',
  function: 'a function',
  symbol: 'a symbol',
  undefined: 'undefined',
};

function writesItself(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
