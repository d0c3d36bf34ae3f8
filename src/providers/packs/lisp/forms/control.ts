import { evaluated, frameAt, localFunction, lookup, slotCode } from '../engine/compile.ts';
import { Cons, NIL, Sym, type Value } from '../engine/data.ts';
import { blockCode, lambda, readBody } from '../engine/lambda.ts';
import { car, cdr, items, list, second } from '../engine/lists.ts';
import { tick } from '../engine/meter.ts';
import { raise } from '../engine/raise.ts';
import { type Block, type Code, type Exit, Frame, Scope } from '../engine/scope.ts';
import { functionOf, invoke, later, type Site, type Special, undefinedFunction } from '../engine/world.ts';

const nothing: Code = () => NIL;

function ifForm(form: Cons, at: Site): Code {
  const [test = NIL, then = NIL, otherwise] = items(form.cdr);
  const [asked, yes] = [at.one(test), at.last(then)];
  const no = otherwise === undefined ? nothing : at.last(otherwise);
  return (frame) => (asked(frame) === NIL ? no(frame) : yes(frame));
}

function andForm(form: Cons, at: Site): Code {
  const forms = items(form.cdr);
  const last = forms.pop();
  if (last === undefined) return () => at.world.sym('T');
  const tests = forms.map((test) => at.one(test));
  const end = at.last(last);
  return (frame) => {
    for (const test of tests) if (test(frame) === NIL) return NIL;
    return end(frame);
  };
}

function orForm(form: Cons, at: Site): Code {
  const forms = items(form.cdr);
  const last = forms.pop();
  if (last === undefined) return nothing;
  const tests = forms.map((test) => at.one(test));
  const end = at.last(last);
  return (frame) => {
    for (const test of tests) {
      const value = test(frame);
      if (value !== NIL) return value;
    }
    return end(frame);
  };
}

function condForm(form: Cons, at: Site): Code {
  const clauses = items(form.cdr).map((clause) => {
    const test = at.one(car(clause));
    return { test, body: cdr(clause) === NIL ? undefined : at.body(cdr(clause)) };
  });
  return (frame) => {
    for (const { test, body } of clauses) {
      const value = test(frame);
      if (value !== NIL) return body === undefined ? value : body(frame);
    }
    return NIL;
  };
}

const whenForm =
  (wanted: boolean): Special =>
  (form, at) => {
    const test = at.one(second(form));
    const body = at.body(cdr(cdr(form)));
    return (frame) => ((test(frame) !== NIL) === wanted ? body(frame) : NIL);
  };

/** Code that stores into a variable. */
export function assign(name: Value, value: Code, at: Site): Code {
  if (!(name instanceof Sym)) return at.fail('a place to assign is no variable');
  if (name.constant) return at.fail(`${name.name} is a constant`);
  const found = lookup(name, at.scope);
  if (found === undefined) {
    return (frame) => {
      const made = value(frame);
      name.value = made;
      return made;
    };
  }
  if ('expansion' in found) return at.fail('a symbol macro is assigned by SETF');
  const { depth, slot } = found;
  if (depth === 0) {
    return (frame) => {
      const made = value(frame);
      frame.slots[slot] = made;
      return made;
    };
  }
  return (frame) => {
    const made = value(frame);
    frameAt(frame, depth).slots[slot] = made;
    return made;
  };
}

function setqForm(form: Cons, at: Site): Code {
  const parts = items(form.cdr);
  if (parts.length % 2 === 1) at.fail('odd number of arguments to SETQ');
  const codes: Code[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const [name, value] = [parts[index] as Value, parts[index + 1] as Value];
    const found = name instanceof Sym ? lookup(name, at.scope) : undefined;
    const macro = found !== undefined && 'expansion' in found;
    codes.push(macro ? at.one(list(at.world.sym('SETF'), name, value)) : assign(name, at.one(value), at));
  }
  return (frame) => {
    let value: Value = NIL;
    for (const code of codes) value = code(frame);
    return value;
  };
}

function functionForm(form: Cons, at: Site): Code {
  const name = second(form);
  if (name instanceof Sym) {
    const local = localFunction(name, at.scope);
    if (local !== undefined && typeof local.found === 'number') return slotCode(local.depth, local.found);
    return () => name.fn ?? undefinedFunction(name);
  }
  if (car(name) === at.world.sym('LAMBDA')) {
    return lambda({ name: 'LAMBDA', list: second(name), body: cdr(cdr(name)) }, at);
  }
  const place = second(name);
  if (!(place instanceof Sym)) return at.fail('FUNCTION needs a name or a lambda expression');
  const local = localFunction(`(SETF ${place.name})`, at.scope);
  if (local !== undefined && typeof local.found === 'number') return slotCode(local.depth, local.found);
  return () => place.setf ?? undefinedFunction(name);
}

function funcallForm(form: Cons, at: Site): Code {
  const [fn, ...args] = items(form.cdr).map((arg) => at.one(arg));
  if (fn === undefined) return at.fail('FUNCALL needs a function');
  if (at.tail) {
    return (frame) => {
      const made = functionOf(fn(frame));
      return later(made, evaluated(args, frame));
    };
  }
  return (frame) => invoke(functionOf(fn(frame)), evaluated(args, frame));
}

function findBlock(name: Sym, from: Scope): { block: Block; depth: number } | undefined {
  let depth = 0;
  for (let scope: Scope | undefined = from; scope !== undefined; scope = scope.up) {
    const block = scope.blocks.get(name);
    if (block !== undefined) return { block, depth };
    depth++;
  }
  return undefined;
}

function returnFrom(form: Cons, at: Site): Code {
  const name = second(form) as Sym;
  const found = findBlock(name, at.scope);
  if (found === undefined) return at.fail(`return for unknown block: ${name.name}`);
  found.block.used = true;
  const { depth, block } = found;
  const value = at.many(car(cdr(cdr(form))));
  return (frame) => leaveBy(frameAt(frame, depth).slots[block.slot] as Exit, value(frame));
}

export function leaveBy(exit: Exit, value: Value, target = 0): never {
  if (!exit.live) raise.error('CONTROL-ERROR', 'attempt to leave a block or tagbody that is no longer active');
  exit.value = value;
  exit.target = target;
  throw exit;
}

/** `(%cycle (:until test) (:do form) …)`: rounds over its items until a test is true. What every loop becomes. */
function cycleForm(form: Cons, at: Site): Code {
  const steps = items(form.cdr).map((item) => {
    const ends = (car(item) as Sym).name === 'UNTIL';
    return { ends, code: ends ? at.one(second(item)) : at.many(second(item)) };
  });
  return (frame) => {
    for (;;) {
      tick();
      for (const { ends, code } of steps) {
        const value = code(frame);
        if (ends && value !== NIL) return NIL;
      }
    }
  };
}

function progv(form: Cons, at: Site): Code {
  const { world } = at;
  const [names, values] = [at.one(second(form)), at.one(car(cdr(cdr(form))))];
  const body = at.inner().body(cdr(cdr(cdr(form))));
  return (frame) => {
    const [symbols, given] = [items(names(frame)), items(values(frame))];
    const height = world.bound;
    try {
      for (const [index, name] of symbols.entries()) world.bind(name as Sym, given[index] ?? NIL);
      return body(frame);
    } finally {
      world.unbind(height);
    }
  };
}

function locally(form: Cons, at: Site): Code {
  const { forms, specials } = readBody(form.cdr, at);
  if (specials.size === 0) return at.body(forms);
  const scope = new Scope(at.scope);
  for (const name of specials) scope.variables.set(name, 'special');
  const body = at.inside(scope).body(forms);
  return (frame) => body(new Frame([], frame));
}

function namedLambda(form: Cons, at: Site): Code {
  return lambda({ name: 'LAMBDA', list: second(form), body: cdr(cdr(form)) }, at);
}

export const CONTROL: Readonly<Record<string, Special>> = {
  QUOTE: (form) => {
    const value = second(form);
    return () => value;
  },
  IF: ifForm,
  AND: andForm,
  OR: orForm,
  COND: condForm,
  WHEN: whenForm(true),
  UNLESS: whenForm(false),
  PROGN: (form, at) => at.body(form.cdr),
  SETQ: setqForm,
  FUNCTION: functionForm,
  LAMBDA: namedLambda,
  FUNCALL: funcallForm,
  BLOCK: (form, at) => blockCode({ name: second(form) as Sym, forms: cdr(cdr(form)) }, at),
  'RETURN-FROM': returnFrom,
  '%CYCLE': cycleForm,
  PROGV: progv,
  LOCALLY: locally,
  THE: (form, at) => at.last(car(cdr(cdr(form)))),
  'EVAL-WHEN': (form, at) => at.body(cdr(cdr(form))),
  DECLAIM: (form, at) => {
    for (const clause of items(form.cdr)) {
      if (!(clause instanceof Cons) || (clause.car as Sym).name !== 'SPECIAL') continue;
      for (const name of items(clause.cdr)) (name as Sym).special = true;
    }
    return at.last(NIL);
  },
  DECLARE: (_form, at) => at.fail('a declaration stands where no declaration may'),
};
