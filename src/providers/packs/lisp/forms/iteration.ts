import { Cons, NIL, type Sym, T, type Value } from '../engine/data.ts';
import { car, cdr, items, list, listOf, second } from '../engine/lists.ts';
import type { Rewrite, World } from '../engine/world.ts';

const until = (world: World, test: Value) => list(world.key('UNTIL'), test);
const doing = (world: World, form: Value) => list(world.key('DO'), form);

/** A body whose tags may be gone to; without tags just its forms. */
function tagged(body: Value, world: World): Value {
  const forms = items(body);
  const operator = forms.some((form) => !(form instanceof Cons)) ? 'TAGBODY' : 'PROGN';
  return new Cons(world.sym(operator), body);
}

function declarations(body: Value, world: World): { declared: Value[]; rest: Value } {
  const declared: Value[] = [];
  let rest = body;
  while (rest instanceof Cons && rest.car instanceof Cons && rest.car.car === world.sym('DECLARE')) {
    declared.push(rest.car);
    rest = rest.cdr;
  }
  return { declared, rest };
}

const dolist: Rewrite = (form, { world }) => {
  const [name = NIL, source = NIL, result = NIL] = items(second(form));
  const rest = world.gensym();
  const { declared, rest: body } = declarations(cdr(cdr(form)), world);
  const round = world.form('LET', list(list(name, world.form('CAR', rest))), ...declared, tagged(body, world));
  const cycle = world.form(
    '%CYCLE',
    until(world, world.form('ENDP', rest)),
    doing(world, round),
    doing(world, world.form('SETQ', rest, world.form('CDR', rest))),
  );
  const end = result === NIL ? NIL : world.form('LET', list(list(name, NIL)), name, result);
  return world.form('BLOCK', NIL, world.form('LET', list(list(rest, source)), cycle, end));
};

const dotimes: Rewrite = (form, { world }) => {
  const [name = NIL, count = NIL, result = NIL] = items(second(form));
  const limit = world.gensym();
  const { declared, rest: body } = declarations(cdr(cdr(form)), world);
  const cycle = world.form(
    '%CYCLE',
    until(world, world.form('>=', name, limit)),
    doing(world, tagged(body, world)),
    doing(world, world.form('SETQ', name, world.form('1+', name))),
  );
  return world.form(
    'BLOCK',
    NIL,
    world.form('LET', list(list(limit, count), list(name, 0n)), ...declared, cycle, result),
  );
};

const doLoop =
  (sequential: boolean): Rewrite =>
  (form, { world }) => {
    const bindings = items(second(form)).map((each) => (each instanceof Cons ? items(each) : [each]));
    const [test = NIL, ...results] = items(second(cdr(form)));
    const { declared, rest: body } = declarations(cdr(cdr(cdr(form))), world);
    const steps = bindings.flatMap(([name = NIL, , step]) => (step === undefined ? [] : [name, step]));
    const cycle = world.form(
      '%CYCLE',
      until(world, test),
      doing(world, tagged(body, world)),
      doing(world, new Cons(world.sym(sequential ? 'SETQ' : 'PSETQ'), listOf(steps))),
    );
    const names = listOf(bindings.map(([name = NIL, init = NIL]) => list(name, init)));
    const inside = world.form(sequential ? 'LET*' : 'LET', names, ...declared, cycle, world.form('PROGN', ...results));
    return world.form('BLOCK', NIL, inside);
  };

const caseForm =
  (otherwise: 'nil' | 'error'): Rewrite =>
  (form, { world }) => {
    const [key, clauses] = [world.gensym(), items(cdr(cdr(form)))];
    const branches = clauses.map((clause) => {
      const wanted = car(clause);
      const body = cdr(clause) === NIL ? list(NIL) : cdr(clause);
      if (otherwise === 'nil' && (wanted === T || wanted === world.sym('OTHERWISE'))) return new Cons(T, body);
      const test =
        wanted instanceof Cons ? world.form('MEMBER', key, world.form('QUOTE', wanted)) : keyTest(key, wanted, world);
      return new Cons(test, body);
    });
    const keys = listOf([
      world.sym('MEMBER'),
      ...clauses.flatMap((clause) => (car(clause) instanceof Cons ? items(car(clause)) : [car(clause)])),
    ]);
    const failing = otherwise === 'error' ? [list(T, world.form('%FELL-THROUGH', key, world.form('QUOTE', keys)))] : [];
    return world.form('LET', list(list(key, second(form))), world.form('COND', ...branches, ...failing));
  };

function keyTest(key: Value, wanted: Value, world: World): Value {
  return wanted === NIL ? NIL : world.form('EQL', key, world.form('QUOTE', wanted));
}

const typecase =
  (otherwise: 'nil' | 'error'): Rewrite =>
  (form, { world }) => {
    const [key, clauses] = [world.gensym(), items(cdr(cdr(form)))];
    const branches = clauses.map((clause) => {
      const type = car(clause);
      const body = cdr(clause) === NIL ? list(NIL) : cdr(clause);
      const rest = type === T || type === world.sym('OTHERWISE');
      return new Cons(rest ? T : world.form('TYPEP', key, world.form('QUOTE', type)), body);
    });
    const types = listOf([world.sym('OR'), ...clauses.map(car)]);
    const failing =
      otherwise === 'error' ? [list(T, world.form('%FELL-THROUGH', key, world.form('QUOTE', types)))] : [];
    return world.form('LET', list(list(key, second(form))), world.form('COND', ...branches, ...failing));
  };

const prog =
  (binder: string): Rewrite =>
  (form, { world }) => {
    const { declared, rest } = declarations(cdr(cdr(form)), world);
    return world.form(
      'BLOCK',
      NIL,
      world.form(binder, second(form), ...declared, new Cons(world.sym('TAGBODY'), rest)),
    );
  };

const doSymbols: Rewrite = (form, { world }) => {
  const [name = NIL, home] = items(second(form));
  const source = world.form('%PACKAGE-SYMBOLS', home ?? world.sym('*PACKAGE*'), world.form('QUOTE', form.car));
  return world.form('DOLIST', list(name, source), ...items(cdr(cdr(form))));
};

export const ITERATION: Readonly<Record<string, Rewrite>> = {
  DOLIST: dolist,
  DOTIMES: dotimes,
  DO: doLoop(false),
  'DO*': doLoop(true),
  CASE: caseForm('nil'),
  ECASE: caseForm('error'),
  CCASE: caseForm('error'),
  TYPECASE: typecase('nil'),
  ETYPECASE: typecase('error'),
  CTYPECASE: typecase('error'),
  PROG: prog('LET'),
  'PROG*': prog('LET*'),
  PROG2: (form, { world }) => world.form('PROGN', second(form), new Cons(world.sym('PROG1'), cdr(cdr(form)))),
  RETURN: (form, { world }) => world.form('RETURN-FROM', NIL, ...items(form.cdr)),
  'DO-SYMBOLS': doSymbols,
  'DO-EXTERNAL-SYMBOLS': doSymbols,
  'MULTIPLE-VALUE-SETQ': (form, { world }) =>
    world.form('VALUES', world.form('SETF', new Cons(world.sym('VALUES'), second(form)), second(cdr(form)))),
  'WITH-OUTPUT-TO-STRING': (form, { world }) => {
    const name = car(second(form)) as Sym;
    const stream = world.form('MAKE-STRING-OUTPUT-STREAM');
    return world.form(
      'LET',
      list(list(name, stream)),
      ...items(cdr(cdr(form))),
      world.form('GET-OUTPUT-STREAM-STRING', name),
    );
  },
  'WITH-INPUT-FROM-STRING': (form, { world }) => {
    const [name = NIL, text = NIL] = items(second(form));
    return world.form('LET', list(list(name, world.form('MAKE-STRING-INPUT-STREAM', text))), ...items(cdr(cdr(form))));
  },
  'WITH-STANDARD-IO-SYNTAX': (form, { world }) => world.form('PROGN', ...items(form.cdr)),
  'WITH-COMPILATION-UNIT': (form, { world }) => world.form('PROGN', ...items(cdr(cdr(form)))),
  TIME: (form, { world }) => world.form('%TIME', world.form('LAMBDA', NIL, second(form))),
  ASSERT: (form, { world }) => {
    const [test = NIL, , ...message] = items(form.cdr);
    const failing =
      message.length === 0
        ? world.form('%FAILED-ASSERTION', world.form('QUOTE', test))
        : world.form('ERROR', ...message);
    return world.form('UNLESS', test, failing);
  },
  'CHECK-TYPE': (form, { world }) => {
    const [place = NIL, type = NIL] = items(form.cdr);
    return world.form('%CHECK-TYPE', place, world.form('QUOTE', type), world.form('QUOTE', place));
  },
  'PRINT-UNREADABLE-OBJECT': (form, { world }) => {
    const [object = NIL, stream = NIL, ...options] = items(second(form));
    const type = options[options.indexOf(world.key('TYPE')) + 1] ?? NIL;
    const typed = options.includes(world.key('TYPE')) ? type : NIL;
    const body = cdr(cdr(form)) === NIL ? NIL : world.form('LAMBDA', NIL, ...items(cdr(cdr(form))));
    return world.form('%UNREADABLE', object, stream, typed, body);
  },
  TRACE: () => NIL,
  UNTRACE: () => NIL,
};
