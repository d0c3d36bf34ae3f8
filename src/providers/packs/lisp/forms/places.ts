import { expandOnce, localFunction, lookup } from '../engine/compile.ts';
import { Cons, NIL, Sym, type Value } from '../engine/data.ts';
import { cdr, items, list, listOf, second } from '../engine/lists.ts';
import type { Rewrite, Site } from '../engine/world.ts';

/** A place taken apart, so that each of its forms is evaluated once. */
export interface Access {
  /** Names to bind in order, and to what. */
  readonly temps: readonly (readonly [Sym, Value])[];
  readonly get: Value;
  readonly set: (value: Value) => Value;
}

const SETTERS_OF_PLACE: Readonly<Record<string, string>> = {
  GETF: '%PUTF',
  LDB: '%PUT-BYTE',
  'MASK-FIELD': '%PUT-FIELD',
};

/** Takes a place apart. */
export function accessOf(place: Value, at: Site): Access {
  if (place instanceof Sym) return variableAccess(place, at);
  if (!(place instanceof Cons && place.car instanceof Sym)) return at.fail('a place must be a variable or a form');
  const { world } = at;
  const name = place.car;
  if (name === world.sym('THE')) return accessOf(second(cdr(place)), at);
  if (name === world.sym('VALUES')) return valuesAccess(place, at);
  if (name === world.sym('APPLY')) return applyAccess(place, at);
  if (name.home === world.cl && SETTERS_OF_PLACE[name.name] !== undefined) return innerAccess(place, at);
  const expanded = isPlainCall(name, at) ? undefined : expandOnce(place, at);
  return expanded === undefined ? callAccess(place, at) : accessOf(expanded, at);
}

function isPlainCall(name: Sym, at: Site): boolean {
  return name.setf !== undefined || (name.macro === undefined && localFunction(name, at.scope) === undefined);
}

function variableAccess(name: Sym, at: Site): Access {
  const found = lookup(name, at.scope);
  if (found !== undefined && 'expansion' in found) return accessOf(found.expansion, at);
  return { temps: [], get: name, set: (value) => at.world.form('SETQ', name, value) };
}

function temporaries(forms: readonly Value[], at: Site): { temps: [Sym, Value][]; names: Value[] } {
  const temps: [Sym, Value][] = [];
  const names = forms.map((form) => {
    const constant =
      !(form instanceof Cons || form instanceof Sym) ||
      (form instanceof Sym && form.constant) ||
      car2(form) === at.world.sym('QUOTE');
    if (constant) return form;
    const name = at.world.gensym();
    temps.push([name, form]);
    return name;
  });
  return { temps, names };
}

const car2 = (form: Value) => (form instanceof Cons ? form.car : NIL);

function callAccess(place: Cons, at: Site): Access {
  const { world } = at;
  const { temps, names } = temporaries(items(place.cdr), at);
  const writer = list(world.sym('FUNCTION'), list(world.sym('SETF'), place.car));
  const long = world.hooks.setters?.get(place.car as Sym);
  return {
    temps,
    get: new Cons(place.car, listOf(names)),
    set: (value) => long?.(names, value) ?? world.form('FUNCALL', writer, value, ...names),
  };
}

function valuesAccess(place: Cons, at: Site): Access {
  const { world } = at;
  const parts = items(place.cdr).map((each) => accessOf(each, at));
  const names = parts.map(() => world.gensym());
  return {
    temps: parts.flatMap(({ temps }) => temps),
    get: world.form('VALUES', ...parts.map(({ get }) => get)),
    set: (value) =>
      world.form(
        'MULTIPLE-VALUE-BIND',
        listOf(names),
        value,
        world.form('VALUES', ...parts.map(({ set }, index) => set(names[index] as Sym))),
      ),
  };
}

function applyAccess(place: Cons, at: Site): Access {
  const { world } = at;
  const [fn = NIL, ...args] = items(place.cdr);
  const { temps, names } = temporaries(args, at);
  const writer = world.form('FUNCTION', world.form('SETF', second(fn)));
  return {
    temps,
    get: world.form('APPLY', fn, ...names),
    set: (value) => world.form('APPLY', writer, value, ...names),
  };
}

/** `(getf place key)` and `(ldb bytes place)`: storing stores into the place inside. */
function innerAccess(place: Cons, at: Site): Access {
  const { world } = at;
  const name = (place.car as Sym).name;
  const [first = NIL, second_ = NIL, otherwise] = items(place.cdr);
  const [inside, key] = name === 'GETF' ? [first, second_] : [second_, first];
  const access = accessOf(inside, at);
  const { temps, names } = temporaries([key], at);
  const [keyName = NIL] = names;
  const kept = world.gensym();
  const read =
    name === 'GETF' ? [access.get, keyName, ...(otherwise === undefined ? [] : [otherwise])] : [keyName, access.get];
  return {
    temps: [...access.temps, ...temps],
    get: new Cons(place.car, listOf(read)),
    set: (value) =>
      world.form(
        'LET',
        list(list(kept, value)),
        access.set(world.form(SETTERS_OF_PLACE[name] as string, access.get, keyName, kept)),
        kept,
      ),
  };
}

/** Binds the names of an access around a form. */
export function withTemps(temps: Access['temps'], body: Value, at: Site): Value {
  if (temps.length === 0) return body;
  return at.world.form('LET*', listOf(temps.map(([name, form]) => list(name, form))), body);
}

function pairs(form: Cons, at: Site): [Value, Value][] {
  const parts = items(form.cdr);
  if (parts.length % 2 === 1) at.fail('odd number of arguments to SETF');
  return Array.from({ length: parts.length / 2 }, (_, index) => [
    parts[index * 2] as Value,
    parts[index * 2 + 1] as Value,
  ]);
}

const setf: Rewrite = (form, at) => {
  const forms = pairs(form, at).map(([place, value]) => {
    const access = accessOf(place, at);
    return withTemps(access.temps, access.set(value), at);
  });
  return forms.length === 1 ? (forms[0] as Value) : at.world.form('PROGN', ...forms);
};

const psetf: Rewrite = (form, at) => {
  const all = pairs(form, at).map(([place, value]) => ({
    access: accessOf(place, at),
    value,
    name: at.world.gensym(),
  }));
  const temps = all.flatMap(({ access, value, name }) => [...access.temps, [name, value] as const]);
  return withTemps(temps, at.world.form('PROGN', ...all.map(({ access, name }) => access.set(name)), NIL), at);
};

/** Stores what a form made from the old value gives. */
export function modify(place: Value, at: Site, change: (old: Value) => Value): Value {
  const access = accessOf(place, at);
  return withTemps(access.temps, access.set(change(access.get)), at);
}

const step =
  (operator: string): Rewrite =>
  (form, at) =>
    modify(second(form), at, (old) => at.world.form(operator, old, cdr(cdr(form)) === NIL ? 1n : second(cdr(form))));

const push: Rewrite = (form, at) => {
  const name = at.world.gensym();
  return withTemps(
    [[name, second(form)]],
    modify(second(cdr(form)), at, (old) => at.world.form('CONS', name, old)),
    at,
  );
};

const pushnew: Rewrite = (form, at) => {
  const name = at.world.gensym();
  const [, , ...options] = items(form.cdr);
  return withTemps(
    [[name, second(form)]],
    modify(second(cdr(form)), at, (old) => at.world.form('ADJOIN', name, old, ...options)),
    at,
  );
};

const pop: Rewrite = (form, at) => {
  const { world } = at;
  const access = accessOf(second(form), at);
  const old = world.gensym();
  const body = world.form('PROG1', world.form('CAR', old), access.set(world.form('CDR', old)));
  return withTemps([...access.temps, [old, access.get]], body, at);
};

const rotatef: Rewrite = (form, at) => {
  const all = items(form.cdr).map((place) => ({ access: accessOf(place, at), old: at.world.gensym() }));
  const temps = all.flatMap(({ access, old }) => [...access.temps, [old, access.get] as const]);
  const stores = all.map(({ access }, index) => access.set(all[(index + 1) % all.length]?.old as Sym));
  return withTemps(temps, at.world.form('PROGN', ...stores, NIL), at);
};

const shiftf: Rewrite = (form, at) => {
  const places = items(form.cdr);
  const fresh = places.pop() ?? NIL;
  const all = places.map((place) => ({ access: accessOf(place, at), old: at.world.gensym() }));
  const last = at.world.gensym();
  const temps = [
    ...all.flatMap(({ access, old }) => [...access.temps, [old, access.get] as const]),
    [last, fresh] as const,
  ];
  const stores = all.map(({ access }, index) => access.set(all[index + 1]?.old ?? last));
  return withTemps(temps, at.world.form('PROGN', ...stores, all[0]?.old ?? NIL), at);
};

const remf: Rewrite = (form, at) => {
  const { world } = at;
  const access = accessOf(second(form), at);
  const [key, made] = [world.gensym(), world.gensym()];
  const body = world.form(
    'LET',
    list(list(made, world.form('%REMOVE-KEY', access.get, key))),
    access.set(world.form('CAR', made)),
    world.form('CDR', made),
  );
  return withTemps([...access.temps, [key, second(cdr(form))]], body, at);
};

export const PLACES: Readonly<Record<string, Rewrite>> = {
  SETF: setf,
  PSETF: psetf,
  PSETQ: psetf,
  INCF: step('+'),
  DECF: step('-'),
  PUSH: push,
  PUSHNEW: pushnew,
  POP: pop,
  ROTATEF: rotatef,
  SHIFTF: shiftf,
  REMF: remf,
};
