import { Cons, NIL, Sym, type Value } from '../engine/data.ts';
import { list, listOf } from '../engine/lists.ts';
import { raise } from '../engine/raise.ts';
import type { World } from '../engine/world.ts';

const ENDS = new Set([
  'FOR',
  'AS',
  'WITH',
  'DO',
  'DOING',
  'COLLECT',
  'COLLECTING',
  'APPEND',
  'NCONC',
  'SUM',
  'COUNT',
  'WHEN',
  'IF',
  'UNLESS',
  'WHILE',
  'UNTIL',
  'REPEAT',
  'FINALLY',
  'INITIALLY',
  'RETURN',
  'ALWAYS',
  'NEVER',
  'THEREIS',
  'MAXIMIZE',
  'MINIMIZE',
]);

interface Accumulator {
  readonly kind: 'list' | 'number' | 'extreme';
  readonly value: Value;
  readonly tail?: Sym;
}

/** A LOOP form being read: what to bind, what to do in each round, and what to give at the end. */
export class LoopState {
  readonly world: World;
  readonly #words: readonly Value[];
  #at = 0;
  name: Value = NIL;
  readonly bindings: [Value, Value][] = [];
  readonly macros: Value[] = [];
  readonly before: Value[] = [];
  readonly rounds: Value[] = [];
  readonly after: Value[] = [];
  readonly #accumulators = new Map<Sym | undefined, Accumulator>();
  #first: Sym | undefined;
  result: Value | undefined;
  /** The assignments of an `and` group, made when all its values are known. */
  group: Value[] | undefined;
  /** What `it` means in the action of a conditional. */
  it: Sym | undefined;

  constructor(world: World, words: readonly Value[]) {
    this.world = world;
    this.#words = words;
  }

  get done(): boolean {
    return this.#at >= this.#words.length;
  }

  /** The next word, when it is a loop keyword or any other symbol. */
  get word(): string {
    const next = this.#words[this.#at];
    return next instanceof Sym ? next.name : '';
  }

  take(): Value {
    const next = this.#words[this.#at++];
    return next ?? raise.error('PROGRAM-ERROR', 'LOOP source ran out');
  }

  /** Whether the clause being read is followed by `and`. */
  get grouped(): boolean {
    const rest = this.#words.slice(this.#at);
    const end = rest.findIndex((word) => word instanceof Sym && ENDS.has(word.name));
    const part = end === -1 ? rest : rest.slice(0, end);
    return part.some((word) => word instanceof Sym && word.name === 'AND');
  }

  /** Takes the next word if it is one of these. */
  skip(...names: readonly string[]): string | undefined {
    const { word } = this;
    if (this.done || !names.includes(word)) return undefined;
    this.#at++;
    return word;
  }

  /** Takes a type after a variable, which says nothing we need. */
  skipType(): undefined {
    if (this.skip('OF-TYPE') !== undefined) this.take();
    else this.skip('FIXNUM', 'FLOAT', 'INTEGER', 'NUMBER', 'T', 'LIST', 'SINGLE-FLOAT', 'DOUBLE-FLOAT');
  }

  /** Compound forms up to the next keyword. */
  forms(): Value[] {
    const found: Value[] = [];
    while (!this.done && this.#words[this.#at] instanceof Cons) found.push(this.take());
    return found;
  }

  fresh(init: Value): Sym {
    const name = this.world.gensym('LOOP-');
    this.bindings.push([name, init]);
    return name;
  }

  until(test: Value): undefined {
    this.rounds.push(list(this.world.key('UNTIL'), test));
  }

  run(form: Value): undefined {
    this.rounds.push(list(this.world.key('DO'), form));
  }

  form(operator: string, ...rest: readonly Value[]): Value {
    return this.world.form(operator, ...rest);
  }

  /** A variable that is true in the first round. */
  get first(): Sym {
    this.#first ??= this.fresh(this.world.sym('T'));
    return this.#first;
  }

  /** Binds the names of a variable or a tree of variables. */
  declare(pattern: Value, init: Value = NIL): undefined {
    if (pattern instanceof Cons) {
      this.declare(pattern.car);
      this.declare(pattern.cdr);
    } else if (pattern !== NIL) this.bindings.push([pattern, init]);
  }

  /** A form that gives a variable, or a tree of variables, its value. */
  assign(pattern: Value, value: Value): Value {
    if (!(pattern instanceof Cons)) return pattern === NIL ? value : this.form('SETQ', pattern, value);
    const whole = this.world.gensym('LOOP-');
    const parts = [this.assign(pattern.car, this.form('CAR', whole))];
    if (pattern.cdr !== NIL) parts.push(this.assign(pattern.cdr, this.form('CDR', whole)));
    return this.form('LET', list(list(whole, value)), ...parts);
  }

  /** Gives a variable its value in each round, together with the others of an `and` group; says what holds it by then. */
  step(pattern: Value, value: Value): Value {
    if (this.group === undefined) {
      this.run(this.assign(pattern, value));
      return pattern;
    }
    const kept = this.fresh(NIL);
    this.run(this.form('SETQ', kept, value));
    this.group.push(this.assign(pattern, kept));
    return kept;
  }

  /** Where a clause like `collect … into name` gathers. */
  accumulator(kind: Accumulator['kind']): Accumulator {
    const into = this.skip('INTO') === undefined ? undefined : (this.take() as Sym);
    this.skipType();
    const known = this.#accumulators.get(into);
    if (known !== undefined) return known;
    const made = kind === 'list' ? this.#listAccumulator(into) : this.#numberAccumulator(kind, into);
    this.#accumulators.set(into, made);
    if (into === undefined) this.result = made.value;
    return made;
  }

  #listAccumulator(into: Sym | undefined): Accumulator {
    const head = this.fresh(this.form('LIST', NIL));
    const tail = this.fresh(head);
    const value = this.form('CDR', head);
    if (into !== undefined) this.macros.push(list(into, value));
    return { kind: 'list', value, tail };
  }

  #numberAccumulator(kind: 'number' | 'extreme', into: Sym | undefined): Accumulator {
    const init = kind === 'number' ? 0n : NIL;
    const value = into ?? this.fresh(init);
    if (into !== undefined) this.bindings.push([into, init]);
    return { kind, value };
  }

  /** The whole form. */
  finish(): Value {
    if (this.#first !== undefined) this.run(this.form('SETQ', this.#first, NIL));
    const cycle = this.form('BLOCK', this.world.sym('%LOOP-END'), this.form('%CYCLE', ...this.rounds));
    const body = [...this.before, cycle, ...this.after, this.result ?? NIL];
    const bound = this.form(
      'LET*',
      listOf(this.bindings.map(([name, init]) => list(name, init))),
      ...this.#within(body),
    );
    return this.form('BLOCK', this.name, bound);
  }

  #within(body: Value[]): Value[] {
    return this.macros.length === 0 ? body : [this.form('SYMBOL-MACROLET', listOf(this.macros), ...body)];
  }
}
