import { evaluated } from '../engine/compile.ts';
import { type Cons, Many, NIL } from '../engine/data.ts';
import { car, cdr, items, list, second } from '../engine/lists.ts';
import type { Code } from '../engine/scope.ts';
import { functionOf, invoke, one, type Site, type Special, valuesOf } from '../engine/world.ts';

function multipleValueCall(form: Cons, at: Site): Code {
  const [fn, ...args] = items(form.cdr);
  const [made, codes] = [at.one(fn ?? NIL), args.map((arg) => at.many(arg))];
  return (frame) => {
    const callee = functionOf(made(frame));
    return invoke(
      callee,
      codes.flatMap((code) => valuesOf(code(frame))),
    );
  };
}

function firstOf(form: Cons, at: Site): Code {
  const [first = NIL, ...rest] = items(form.cdr);
  const [value, after] = [at.many(first), rest.map((each) => at.many(each))];
  return (frame) => {
    const made = value(frame);
    for (const code of after) code(frame);
    return made;
  };
}

const prog1: Special = (form, at) => {
  const code = firstOf(form, at);
  return (frame) => one(code(frame));
};

function valuesForm(form: Cons, at: Site): Code {
  const args = items(form.cdr).map((arg) => at.one(arg));
  if (args.length === 1) return args[0] as Code;
  return (frame) => new Many(evaluated(args, frame));
}

export const VALUES: Readonly<Record<string, Special>> = {
  PROG1: prog1,
  'MULTIPLE-VALUE-PROG1': firstOf,
  'MULTIPLE-VALUE-CALL': multipleValueCall,
  'MULTIPLE-VALUE-LIST': (form, at) => {
    const code = at.many(second(form));
    return (frame) => list(...valuesOf(code(frame)));
  },
  'NTH-VALUE': (form, at) => {
    const [which, code] = [at.one(second(form)), at.many(car(cdr(cdr(form))))];
    return (frame) => {
      const wanted = Number(which(frame));
      return valuesOf(code(frame))[wanted] ?? NIL;
    };
  },
  VALUES: valuesForm,
};
