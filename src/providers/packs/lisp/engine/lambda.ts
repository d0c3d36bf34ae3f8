import { Cons, Func, NIL, Str, Sym, type Value } from './data.ts';
import { match, matchList, type Pattern, readPattern, wrongCount } from './lambda-list.ts';
import { items } from './lists.ts';
import { charge, meter } from './meter.ts';
import { type Block, type Code, Exit, Frame, Scope } from './scope.ts';
import { type Site, settle } from './world.ts';

export interface Body {
  readonly forms: Value;
  readonly specials: ReadonlySet<Sym>;
  readonly documentation: string | undefined;
}

/** Parts declarations and the documentation from the forms of a body. */
export function readBody(forms: Value, site: Site): Body {
  const specials = new Set<Sym>();
  let [rest, documentation]: [Value, string | undefined] = [forms, undefined];
  while (rest instanceof Cons) {
    const { car: form } = rest;
    if (form instanceof Cons && form.car === site.world.sym('DECLARE')) declared(form.cdr, specials);
    else if (form instanceof Str && documentation === undefined && rest.cdr !== NIL) documentation = form.text;
    else break;
    rest = rest.cdr;
  }
  return { forms: rest, specials, documentation };
}

function declared(clauses: Value, specials: Set<Sym>): void {
  for (const clause of items(clauses)) {
    if (!(clause instanceof Cons && clause.car instanceof Sym && clause.car.name === 'SPECIAL')) continue;
    for (const name of items(clause.cdr)) if (name instanceof Sym) specials.add(name);
  }
}

export interface LambdaParts {
  readonly name: string;
  readonly list: Value;
  readonly body: Value;
  /** The block the body is in. */
  readonly block?: Sym;
  /** Takes one list apart instead of arguments: a macro. */
  readonly macro?: boolean;
}

/** Makes code that makes the function. */
export function lambda(parts: LambdaParts, site: Site): (frame: Frame) => Func {
  const { name, list, block, macro = false } = parts;
  const { forms, specials, documentation } = readBody(parts.body, site);
  const inside = site.inside(new Scope(site.scope));
  const pattern = readPattern(list, inside, { nested: macro, specials });
  const place = pattern.dynamic ? inside.inner() : inside.outer();
  const body = block === undefined ? place.body(forms) : blockCode({ name: block, forms }, place);
  const start = starter({ pattern, body, macro, site });
  const shown = showLambda(list);
  return (frame) => {
    charge(128);
    const made = new Func(name, start(frame), shown);
    made.documentation = documentation;
    made.held = frame;
    return made;
  };
}

interface Start {
  readonly pattern: Pattern;
  readonly body: Code;
  readonly macro: boolean;
  readonly site: Site;
}

function starter({ pattern, body, macro, site }: Start): (frame: Frame) => (args: Value[]) => Value {
  const { world } = site;
  if (macro) {
    return (frame) =>
      ([form]) => {
        const inside = new Frame([], frame);
        const height = world.bound;
        try {
          pattern.whole?.(form as Value, inside);
          matchList({ ...pattern, whole: undefined }, (form as Cons).cdr, inside);
          return settle(body(inside));
        } finally {
          world.unbind(height);
        }
      };
  }
  if (pattern.dynamic) {
    return (frame) => (args) => {
      const inside = new Frame([], frame);
      const height = world.bound;
      try {
        match(pattern, args, { frame: inside, tail: NIL });
        return settle(body(inside));
      } finally {
        world.unbind(height);
      }
    };
  }
  return isPlain(pattern) ? plainStarter(pattern.required.length, body) : openStarter(pattern, body);
}

function isPlain({ optional, rest, keys, aux }: Pattern): boolean {
  return optional.length === 0 && rest === undefined && keys === undefined && aux.length === 0;
}

function plainStarter(count: number, body: Code): (frame: Frame) => (args: Value[]) => Value {
  return (frame) => (args) => {
    if (args.length !== count) wrongCount(args.length);
    return body(new Frame(args, frame));
  };
}

function openStarter(pattern: Pattern, body: Code): (frame: Frame) => (args: Value[]) => Value {
  return (frame) => (args) => {
    const inside = new Frame([], frame);
    match(pattern, args, { frame: inside, tail: NIL });
    return body(inside);
  };
}

function showLambda(list: Value): string {
  const parts: string[] = [];
  let rest = list;
  while (rest instanceof Cons) {
    parts.push(
      rest.car instanceof Sym
        ? rest.car.name
        : rest.car instanceof Cons && rest.car.car instanceof Sym
          ? `(${rest.car.car.name})`
          : '…',
    );
    rest = rest.cdr;
  }
  if (rest instanceof Sym && rest !== NIL) parts.push('.', rest.name);
  return parts.join(' ');
}

/** Code of a block. It borrows a slot of the frame it stands in, and costs nothing when nobody leaves it early. */
export function blockCode({ name, forms }: { name: Sym; forms: Value }, site: Site): Code {
  const { scope } = site;
  const block: Block = { scope, slot: scope.slot(), used: false };
  const before = scope.blocks.get(name);
  scope.blocks.set(name, block);
  const body = site.body(forms);
  if (before === undefined) scope.blocks.delete(name);
  else scope.blocks.set(name, before);
  return block.used ? exitCode(block.slot, body) : body;
}

function exitCode(slot: number, body: Code): Code {
  return (frame) => {
    const exit = new Exit(NIL);
    const { depth } = meter;
    frame.slots[slot] = exit;
    try {
      return settle(body(frame));
    } catch (thrown) {
      if (thrown !== exit) throw thrown;
      meter.depth = depth;
      return exit.value;
    } finally {
      exit.live = false;
    }
  };
}
