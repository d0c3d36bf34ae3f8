import { Char, NIL, type Value } from '../engine/data.ts';
import { charge, enter, fits, leave, tick } from '../engine/meter.ts';
import { raise } from '../engine/raise.ts';
import type { World } from '../engine/world.ts';
import type { Directive } from './format-parse.ts';

/** Leaves the innermost iteration; `whole` leaves the iteration around it too. */
export class Escape {
  readonly whole: boolean;
  constructor(whole: boolean) {
    this.whole = whole;
  }
}

/** A control at work: its arguments and the text so far. */
export class Formatter {
  readonly world: World;
  args: Value[];
  at = 0;
  text = '';
  readonly #column: number;
  readonly #actions: Actions;

  constructor(world: World, args: Value[], { column, actions }: { column: number; actions: Actions }) {
    this.#actions = actions;
    this.world = world;
    this.args = args;
    this.#column = column;
  }

  emit(text: string): undefined {
    charge(text.length * 2);
    this.text += text;
  }

  next(): Value {
    const value = this.args[this.at++];
    return value ?? raise.error('SIMPLE-ERROR', 'error in FORMAT: no more arguments');
  }

  get left(): number {
    return this.args.length - this.at;
  }

  get column(): number {
    const line = this.text.lastIndexOf('\n');
    return line === -1 ? this.#column + this.text.length : this.text.length - line - 1;
  }

  run(directives: readonly Directive[]): undefined {
    enter();
    for (const directive of directives) {
      tick();
      if (directive.char === '') this.emit(directive.text);
      else this.#one(directive);
    }
    leave();
  }

  #one(directive: Directive): undefined {
    const act = this.#actions[directive.char];
    if (act === undefined)
      return raise.error('SIMPLE-ERROR', `error in FORMAT: unknown format directive ~${directive.char}`);
    const values = directive.parameters.map((parameter) => {
      if (parameter === '#') return this.left;
      if (parameter !== 'V') return parameter;
      const value = this.next();
      return value instanceof Char ? value.text : value === NIL ? undefined : Number(value as bigint);
    });
    return act(this, directive, values);
  }
}

export type Actions = Readonly<Record<string, Action>>;
export type Values = readonly (number | string | undefined)[];
export type Action = (out: Formatter, directive: Directive, values: Values) => undefined;

export const number = (value: number | string | undefined, otherwise: number) =>
  typeof value === 'number' ? value : otherwise;
export const text = (value: number | string | undefined, otherwise: string) =>
  typeof value === 'string' ? value : otherwise;

export function padded(shown: string, [least, step, minimum, pad]: Values, left: boolean): string {
  const fill = text(pad, ' ');
  let size = shown.length + number(minimum, 0);
  const wanted = fits(number(least, 0));
  if (size < wanted) size += Math.ceil((wanted - size) / Math.max(1, number(step, 1))) * Math.max(1, number(step, 1));
  const padding = fill.repeat(Math.max(0, size - shown.length));
  return left ? padding + shown : shown + padding;
}
