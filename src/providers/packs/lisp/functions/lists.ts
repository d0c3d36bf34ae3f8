import { Cons, NIL, type Value } from '../engine/data.ts';
import { bool, Collector, car, cdr, items, listOf } from '../engine/lists.ts';
import { charge, enter, fits, leave, tick } from '../engine/meter.ts';
import type { Native, Natives } from '../engine/native.ts';
import { index } from '../engine/numbers.ts';
import { raise } from '../engine/raise.ts';
import { functionOf, invoke, one } from '../engine/world.ts';

/** `cadr` and its like: the letters, last first. */
function path(letters: string): Native {
  const steps = [...letters].reverse();
  return ([value]) => steps.reduce<Value>((at, letter) => (letter === 'a' ? car(at) : cdr(at)), value);
}

function pathSetter(letters: string): Native {
  const [last, ...outer] = letters;
  const reach = path(outer.join(''));
  return ([value, target], keys, world) => {
    const cell = reach([target, NIL, NIL, NIL], keys, world);
    if (!(cell instanceof Cons)) return raise.type(cell, 'CONS');
    if (last === 'a') cell.car = value;
    else cell.cdr = value;
    return value;
  };
}

const PATHS = [
  'a',
  'd',
  'aa',
  'ad',
  'da',
  'dd',
  'aaa',
  'aad',
  'ada',
  'add',
  'daa',
  'dad',
  'dda',
  'ddd',
  'addd',
  'dddd',
];

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

function paths(): Natives {
  const found: Record<string, Native> = {};
  const add = (name: string, letters: string) => {
    found[`${name} list`] = path(letters);
    found[`(setf ${name}) value list`] = pathSetter(letters);
  };
  for (const letters of PATHS) add(`c${letters}r`, letters);
  for (const [at, name] of ORDINALS.entries()) add(name, `a${'d'.repeat(at)}`);
  add('rest', 'd');
  return found;
}

function nthcdr(count: number, list: Value): Value {
  let rest = list;
  for (let left = count; left > 0 && rest !== NIL; left--) {
    tick();
    rest = cdr(rest);
  }
  return rest;
}

function cells(list: Value): Cons[] {
  const found: Cons[] = [];
  for (let rest = list; rest instanceof Cons; rest = rest.cdr) {
    tick();
    charge(8);
    found.push(rest);
  }
  return found;
}

function append(lists: readonly Value[]): Value {
  const made = new Collector();
  for (const list of lists.slice(0, -1)) for (const each of items(list)) made.add(each);
  const last = lists.at(-1);
  if (last === undefined) return NIL;
  if (made.head === NIL) return last;
  made.join(last);
  if (!(last instanceof Cons) && last !== NIL) (cells(made.head).at(-1) as Cons).cdr = last;
  return made.head;
}

function nconc(lists: readonly Value[]): Value {
  let made: Value = NIL;
  let end: Cons | undefined;
  for (const list of lists) {
    if (end === undefined) made = list;
    else end.cdr = list;
    if (list instanceof Cons) end = cells(list).at(-1);
  }
  return made;
}

function copyTree(value: Value): Value {
  if (!(value instanceof Cons)) return value;
  enter();
  const all = cells(value);
  const made = listOf(
    all.map((cell) => copyTree(cell.car)),
    (all.at(-1) as Cons).cdr,
  );
  leave();
  return made;
}

/** What the mapping functions walk: rows of the elements, or of the rests, of several lists. */
function rows(lists: readonly Value[], rests: boolean): Value[][] {
  const found: Value[][] = [];
  let at = lists;
  while (at.every((each) => each instanceof Cons)) {
    tick();
    charge(48);
    found.push(at.map((each) => (rests ? each : (each as Cons).car)));
    at = at.map((each) => (each as Cons).cdr);
  }
  for (const rest of at) if (!(rest instanceof Cons) && rest !== NIL) raise.type(rest, 'LIST');
  return found;
}

type Gather = 'collect' | 'join' | 'first';

function mapping(rests: boolean, gather: Gather): Native {
  return ([fn, ...lists]) => {
    const made = functionOf(fn);
    const collected = new Collector();
    for (const row of rows(lists, rests)) {
      const value = one(invoke(made, row));
      if (gather === 'collect') collected.add(value);
      else if (gather === 'join' && value !== NIL) collected.join(value);
    }
    return gather === 'first' ? (lists[0] ?? NIL) : collected.head;
  };
}

function last(list: Value, count: number): Value {
  const all = cells(list);
  if (count === 0) return all.length === 0 ? list : (all.at(-1) as Cons).cdr;
  return all[Math.max(0, all.length - count)] ?? NIL;
}

function listLength(list: Value): Value {
  let [slow, fast]: [Value, Value] = [list, list];
  let count = 0n;
  while (fast instanceof Cons) {
    tick();
    count++;
    fast = fast.cdr;
    if (!(fast instanceof Cons)) break;
    count++;
    fast = fast.cdr;
    slow = cdr(slow);
    if (fast === slow) return NIL;
  }
  return count;
}

export const LISTS: Natives = {
  ...paths(),
  'cons car cdr': ([head, tail]) => new Cons(head, tail),
  'list &rest values': (values) => listOf(values),
  'list* value &rest values': (values) => listOf(values.slice(0, -1), values.at(-1)),
  'make-list size &key initial-element': ([size], { initialElement }) =>
    listOf(new Array<Value>(fits(index(size))).fill(initialElement ?? NIL)),
  'append &rest lists': (lists) => append(lists),
  'nconc &rest lists': (lists) => nconc(lists),
  'revappend list tail': ([list, tail]) => items(list).reduce<Value>((made, each) => new Cons(each, made), tail),
  'nreconc list tail': ([list, tail]) => items(list).reduce<Value>((made, each) => new Cons(each, made), tail),
  'copy-list list': ([list]) => {
    const all = cells(list);
    return all.length === 0
      ? list
      : listOf(
          all.map((cell) => cell.car),
          (all.at(-1) as Cons).cdr,
        );
  },
  'copy-tree tree': ([tree]) => copyTree(tree),
  'copy-alist list': ([list]) =>
    listOf(items(list).map((each) => (each instanceof Cons ? new Cons(each.car, each.cdr) : each))),
  'nth n list': ([n, list]) => car(nthcdr(index(n), list)),
  '(setf nth) value n list': ([value, n, list]) => {
    const cell = nthcdr(index(n), list);
    if (!(cell instanceof Cons)) return raise.type(cell, 'CONS');
    cell.car = value;
    return value;
  },
  'nthcdr n list': ([n, list]) => nthcdr(index(n), list),
  'last list &optional n': ([list, n]) => last(list, n === undefined ? 1 : index(n)),
  'butlast list &optional n': ([list, n]) =>
    listOf(
      cells(list)
        .map((cell) => cell.car)
        .slice(0, Math.max(0, cells(list).length - (n === undefined ? 1 : index(n)))),
    ),
  'nbutlast list &optional n': ([list, n]) =>
    listOf(
      cells(list)
        .map((cell) => cell.car)
        .slice(0, Math.max(0, cells(list).length - (n === undefined ? 1 : index(n)))),
    ),
  'ldiff list tail': ([list, tail]) => {
    const all = cells(list);
    const at = all.indexOf(tail as Cons);
    return listOf((at === -1 ? all : all.slice(0, at)).map((cell) => cell.car));
  },
  'tailp tail list': ([tail, list]) => bool(cells(list).includes(tail as Cons) || tail === NIL),
  'list-length list': ([list]) => listLength(list),
  'endp list': ([list]) => (list instanceof Cons ? NIL : list === NIL ? bool(true) : raise.type(list, 'LIST')),
  'rplaca cons value': ([cell, value]) => {
    if (!(cell instanceof Cons)) return raise.type(cell, 'CONS');
    cell.car = value;
    return cell;
  },
  'rplacd cons value': ([cell, value]) => {
    if (!(cell instanceof Cons)) return raise.type(cell, 'CONS');
    cell.cdr = value;
    return cell;
  },
  'mapcar function list &rest lists': mapping(false, 'collect'),
  'mapcan function list &rest lists': mapping(false, 'join'),
  'mapc function list &rest lists': mapping(false, 'first'),
  'maplist function list &rest lists': mapping(true, 'collect'),
  'mapcon function list &rest lists': mapping(true, 'join'),
  'mapl function list &rest lists': mapping(true, 'first'),
  '%join-tail tail list': ([tail, list]) => {
    if (list === NIL) return tail;
    (tail as Cons).cdr = list;
    return list instanceof Cons ? (cells(list).at(-1) as Cons) : tail;
  },
};
