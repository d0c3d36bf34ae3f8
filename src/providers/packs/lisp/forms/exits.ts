import { frameAt } from '../engine/compile.ts';
import { type Cons, NIL, Sym, type Value } from '../engine/data.ts';
import { isEql } from '../engine/equality.ts';
import { car, cdr, items, second } from '../engine/lists.ts';
import { meter, Stop, tick } from '../engine/meter.ts';
import { raise } from '../engine/raise.ts';
import { type Code, Exit, type Scope, type Tag } from '../engine/scope.ts';
import type { Site, Special } from '../engine/world.ts';
import { leaveBy } from './control.ts';

const isTag = (item: Value): item is Sym | bigint => (item instanceof Sym && item !== NIL) || typeof item === 'bigint';

interface Section {
  readonly codes: Code[];
}

function tagbody(form: Cons, at: Site): Code {
  const { scope } = at;
  const statements = items(form.cdr);
  const owner = { used: false };
  const slot = scope.slot();
  const before = new Map(scope.tags);
  let target = 0;
  for (const item of statements) {
    if (isTag(item)) scope.tags.set(item, { scope, slot, used: false, target: ++target, owner });
  }
  const sections: Section[] = [{ codes: [] }];
  for (const item of statements) {
    if (isTag(item)) sections.push({ codes: [] });
    else (sections.at(-1) as Section).codes.push(at.many(item));
  }
  scope.tags.clear();
  for (const [tag, known] of before) scope.tags.set(tag, known);
  const run = runFrom(sections);
  return owner.used ? looping(slot, run) : (frame) => run(frame, 0);
}

type RunFrom = (frame: Parameters<Code>[0], target: number) => Value;

function runFrom(sections: readonly Section[]): RunFrom {
  return (frame, target) => {
    for (let index = target; index < sections.length; index++) {
      for (const code of (sections[index] as Section).codes) code(frame);
    }
    return NIL;
  };
}

function looping(slot: number, run: RunFrom): Code {
  return (frame) => {
    const exit = new Exit(NIL);
    const { depth } = meter;
    frame.slots[slot] = exit;
    let target = 0;
    try {
      for (;;) {
        try {
          return run(frame, target);
        } catch (thrown) {
          if (thrown !== exit) throw thrown;
          tick();
          meter.depth = depth;
          target = exit.target;
        }
      }
    } finally {
      exit.live = false;
    }
  };
}

function go(form: Cons, at: Site): Code {
  const name = second(form) as Sym | bigint;
  let depth = 0;
  for (let scope: Scope | undefined = at.scope; scope !== undefined; scope = scope.up) {
    const tag: Tag | undefined = scope.tags.get(name);
    if (tag !== undefined) {
      tag.owner.used = true;
      const out = depth;
      return (frame) => leaveBy(frameAt(frame, out).slots[tag.slot] as Exit, NIL, tag.target);
    }
    depth++;
  }
  return at.fail(`attempt to GO to nonexistent tag: ${name instanceof Sym ? name.name : name}`);
}

const catching: { tag: Value; exit: Exit }[] = [];

/** Forgets catchers a stopped evaluation left behind. */
export function forgetCatchers(): void {
  catching.length = 0;
}

function catchForm(form: Cons, at: Site): Code {
  const [tag, body] = [at.one(second(form)), at.inner().body(cdr(cdr(form)))];
  return (frame) => {
    const exit = new Exit(NIL);
    const { depth } = meter;
    const height = catching.length;
    catching.push({ tag: tag(frame), exit });
    try {
      return body(frame);
    } catch (thrown) {
      if (thrown !== exit) throw thrown;
      meter.depth = depth;
      return exit.value;
    } finally {
      catching.length = height;
    }
  };
}

function throwForm(form: Cons, at: Site): Code {
  const [tag, value] = [at.one(second(form)), at.many(car(cdr(cdr(form))))];
  return (frame) => {
    const wanted = tag(frame);
    const made = value(frame);
    const found = catching.findLast((each) => isEql(each.tag, wanted));
    if (found === undefined) return raise.error('CONTROL-ERROR', 'attempt to THROW to a tag that does not exist');
    return leaveBy(found.exit, made);
  };
}

function unwindProtect(form: Cons, at: Site): Code {
  const inner = at.inner();
  const [work, cleanup] = [inner.many(second(form)), inner.body(cdr(cdr(form)))];
  return (frame) => {
    const { depth } = meter;
    let value: Value;
    try {
      value = work(frame);
    } catch (thrown) {
      if (thrown instanceof Stop) throw thrown;
      meter.depth = depth;
      cleanup(frame);
      throw thrown;
    }
    cleanup(frame);
    return value;
  };
}

export const EXITS: Readonly<Record<string, Special>> = {
  TAGBODY: tagbody,
  GO: go,
  CATCH: catchForm,
  THROW: throwForm,
  'UNWIND-PROTECT': unwindProtect,
};
