import { handled, reportOf, typeName } from '../engine/conditions.ts';
import { Cons, NIL, Sym, T, type Value } from '../engine/data.ts';
import { lambda } from '../engine/lambda.ts';
import { car, cdr, items, list, second } from '../engine/lists.ts';
import { charge, meter, tick } from '../engine/meter.ts';
import type { Instance } from '../engine/objects.ts';
import { type Code, Exit } from '../engine/scope.ts';
import { type Test, typeTest } from '../engine/type-tests.ts';
import {
  call,
  functionOf,
  type Handler,
  invoke,
  type Restart,
  type Rewrite,
  type Site,
  type Special,
  type Unhandled,
  valuesOf,
  type World,
} from '../engine/world.ts';

/** A type test made on first use: a handler may name a type defined later. */
function lazily(type: Value, world: World): Test {
  let test: Test | undefined;
  return (value) => {
    test ??= typeTest(type, world);
    return test(value);
  };
}

interface Clause {
  readonly fits: Test;
  readonly make: Code;
  readonly takes: boolean;
}

function clausesOf(forms: readonly Value[], at: Site): Clause[] {
  return forms.map((clause) => {
    const parameters = second(clause);
    const make = lambda({ name: 'HANDLER', list: parameters, body: cdr(cdr(clause)) }, at);
    return { fits: lazily(car(clause), at.world), make, takes: parameters !== NIL };
  });
}

function handlerCase(form: Cons, at: Site): Code {
  const { world } = at;
  const clauses = items(cdr(cdr(form)));
  const plain = clausesOf(
    clauses.filter((clause) => car(clause) !== world.key('NO-ERROR')),
    at.inner(),
  );
  const otherwise = clauses.find((clause) => car(clause) === world.key('NO-ERROR'));
  const after =
    otherwise === undefined ? undefined : clausesOf([list(T, second(otherwise), ...items(cdr(cdr(otherwise))))], at)[0];
  const body = at.many(second(form));
  return (frame) => {
    const caught = guarded({ world, clauses: plain, body: () => body(frame) });
    if ('value' in caught)
      return after === undefined ? caught.value : invoke(functionOf(after.make(frame)), valuesOf(caught.value));
    const { make, takes } = plain[caught.index] as Clause;
    return invoke(functionOf(make(frame)), takes ? [caught.condition] : []);
  };
}

/** What stands around and what is added, paid for: deep nesting copies long lists. */
function nested<E>(outside: readonly E[], added: readonly E[]): E[] {
  charge(64 + outside.length * 8);
  tick(1 + (outside.length >> 6));
  return [...outside, ...added];
}

interface Guarded {
  readonly world: World;
  readonly clauses: readonly { readonly fits: Test }[];
  readonly body: () => Value;
}

type Caught = { readonly value: Value } | { readonly index: number; readonly condition: Instance };

/** Runs a body; a condition one of the clauses fits ends it. */
function guarded({ world, clauses, body }: Guarded): Caught {
  const exit = new Exit(NIL);
  const outside = world.handlers;
  const { depth } = meter;
  const height = world.bound;
  const added = clauses.map(({ fits }, index): Handler => {
    const run = (condition: Instance) => {
      exit.value = condition;
      exit.target = index;
      throw exit;
    };
    return { base: outside.length, fits, run };
  });
  try {
    world.handlers = nested(outside, added.reverse());
    return { value: body() };
  } catch (thrown) {
    meter.depth = depth;
    world.unbind(height);
    world.handlers = outside;
    if (thrown === exit) return { index: exit.target, condition: exit.value as Instance };
    const condition = handled(thrown, world, meter.limits);
    const index = condition === undefined ? -1 : clauses.findIndex(({ fits }) => fits(condition));
    if (condition === undefined || index === -1) throw thrown;
    return { index, condition };
  } finally {
    world.handlers = outside;
  }
}

function handlerBind(form: Cons, at: Site): Code {
  const { world } = at;
  const clauses = items(second(form)).map((clause) => ({
    fits: lazily(car(clause), world),
    fn: at.one(second(clause)),
  }));
  const body = at.inner().body(cdr(cdr(form)));
  return (frame) => {
    const outside = world.handlers;
    const added = clauses.map(({ fits, fn }): Handler => {
      const made = fn(frame);
      return { base: outside.length, fits, run: (condition) => void call(made, [condition]) };
    });
    try {
      world.handlers = nested(outside, added.reverse());
      return body(frame);
    } finally {
      world.handlers = outside;
    }
  };
}

const ignoreErrors: Rewrite = (form, { world }) => {
  const name = world.gensym();
  const clause = list(world.sym('ERROR'), list(name), world.form('VALUES', NIL, name));
  return world.form('HANDLER-CASE', world.form('PROGN', ...items(form.cdr)), clause);
};

interface RestartClause {
  readonly name: Value;
  readonly make: Code;
  readonly report: string;
}

/** Options like `:report` stand between the lambda list and the body. */
function restartClause(clause: Value, at: Site): RestartClause {
  let body = cdr(cdr(clause));
  let report = '';
  while (body instanceof Cons && body.car instanceof Sym && body.car.home === at.world.keyword) {
    if (body.car.name === 'REPORT') report = at.world.hooks.print(second(body), false);
    body = cdr(cdr(body));
  }
  return { name: car(clause), make: lambda({ name: 'RESTART', list: second(clause), body }, at), report };
}

function restartCase(form: Cons, at: Site): Code {
  const { world } = at;
  const clauses = items(cdr(cdr(form))).map((clause) => restartClause(clause, at.inner()));
  const body = at.many(second(form));
  return (frame) => {
    const exit = new Exit(NIL);
    let given: Value[] = [];
    const added = clauses.map(({ name, report }, index): Restart => {
      const run = (args: Value[]) => {
        given = args;
        exit.target = index;
        throw exit;
      };
      return { name, report, run };
    });
    const caught = withRestarts({ world, added, exit, body: () => body(frame) });
    if ('value' in caught) return caught.value;
    return invoke(functionOf((clauses[exit.target] as RestartClause).make(frame)), given);
  };
}

interface Restarting {
  readonly world: World;
  readonly added: readonly Restart[];
  readonly exit: Exit;
  readonly body: () => Value;
}

/** Runs a body with restarts; says whether it gave a value or was left through one of them. */
export function withRestarts({ world, added, exit, body }: Restarting): { value: Value } | { left: true } {
  const outside = world.restarts;
  const inside = world.handlers;
  const { depth } = meter;
  const height = world.bound;
  try {
    world.restarts = nested(outside, [...added].reverse());
    return { value: body() };
  } catch (thrown) {
    if (thrown !== exit) throw thrown;
    meter.depth = depth;
    world.unbind(height);
    world.handlers = inside;
    return { left: true };
  } finally {
    world.restarts = outside;
  }
}

function restartBind(form: Cons, at: Site): Code {
  const { world } = at;
  const clauses = items(second(form)).map((clause) => ({ name: car(clause), fn: at.one(second(clause)) }));
  const body = at.inner().body(cdr(cdr(form)));
  return (frame) => {
    const outside = world.restarts;
    const added = clauses.map(({ name, fn }): Restart => {
      const made = fn(frame);
      return { name, report: '', run: (args) => call(made, args) };
    });
    try {
      world.restarts = nested(outside, added);
      return body(frame);
    } finally {
      world.restarts = outside;
    }
  };
}

const withSimpleRestart: Rewrite = (form, { world }) => {
  const [name = NIL] = items(second(form));
  const body = world.form('PROGN', ...items(cdr(cdr(form))));
  return world.form('RESTART-CASE', body, list(name, NIL, world.form('VALUES', NIL, T)));
};

export const HANDLING: Readonly<Record<string, Special>> = {
  'HANDLER-CASE': handlerCase,
  'HANDLER-BIND': handlerBind,
  'RESTART-CASE': restartCase,
  'RESTART-BIND': restartBind,
};

export const HANDLING_REWRITES: Readonly<Record<string, Rewrite>> = {
  'IGNORE-ERRORS': ignoreErrors,
  'WITH-SIMPLE-RESTART': withSimpleRestart,
};

/** What to say of an error nobody handled. */
export function describeUnhandled({ condition }: Unhandled, world: World): { type: string; message: string } {
  return { type: typeName(condition, world), message: reportOf(condition, world) };
}
