import { Cons, Many, NIL, Sym, type Value } from '../engine/data.ts';
import { isEql } from '../engine/equality.ts';
import { bool, car, cdr, items, listOf, second } from '../engine/lists.ts';
import { enter, leave, tick } from '../engine/meter.ts';
import type { Keys, Natives } from '../engine/native.ts';
import { raise } from '../engine/raise.ts';
import type { World } from '../engine/world.ts';
import { type Claim, isItem, keyOf, type Same, sameOf, satisfies } from './sequence.ts';

/** The rest of a list from the first element a claim fits. */
function member(value: Value, claim: Claim): Value {
  let rest = value;
  while (rest instanceof Cons) {
    tick();
    if (claim(rest.car)) return rest;
    rest = rest.cdr;
  }
  return rest === NIL ? NIL : raise.type(rest, 'LIST');
}

function assoc(value: Value, side: 'car' | 'cdr', claim: Claim): Value {
  for (const each of items(value)) if (each instanceof Cons && claim(each[side])) return each;
  return NIL;
}

function contains(
  elements: readonly Value[],
  value: Value,
  { same, pick }: { same: Same; pick: (value: Value) => Value },
): boolean {
  const picked = pick(value);
  tick(elements.length);
  return elements.some((each) => same(pick(each), picked));
}

type SetOperation = (a: Value[], b: Value[], has: (elements: Value[], value: Value) => boolean) => Value[];

const sets =
  (operation: SetOperation) =>
  ([left, right]: Value[], keys: Keys): Value => {
    const how = { same: sameOf(keys), pick: keyOf(keys) };
    return listOf(
      operation(items(left as Value), items(right as Value), (elements, value) => contains(elements, value, how)),
    );
  };

const union: SetOperation = (a, b, has) => [...b.filter((each) => !has(a, each)).reverse(), ...a];
const intersection: SetOperation = (a, b, has) => a.filter((each) => has(b, each)).reverse();
const difference: SetOperation = (a, b, has) => a.filter((each) => !has(b, each)).reverse();
const exclusive: SetOperation = (a, b, has) => [
  ...a.filter((each) => !has(b, each)),
  ...b.filter((each) => !has(a, each)),
];

function getf(plist: Value, key: Value, otherwise: Value): Value {
  let rest = plist;
  while (rest instanceof Cons) {
    tick();
    if (isEql(rest.car, key)) return car(rest.cdr);
    rest = cdr(rest.cdr);
  }
  return otherwise;
}

function putf(plist: Value, key: Value, value: Value): Value {
  for (let rest = plist; rest instanceof Cons; rest = cdr(rest.cdr)) {
    tick();
    if (!isEql(rest.car, key)) continue;
    (rest.cdr as Cons).car = value;
    return plist;
  }
  return listOf([key, value], plist);
}

function removeKey(plist: Value, key: Value): Value {
  const elements = items(plist);
  const at = elements.findIndex((each, index) => index % 2 === 0 && isEql(each, key));
  if (at === -1) return new Cons(plist, NIL);
  elements.splice(at, 2);
  return new Cons(listOf(elements), bool(true));
}

function replaceTree(tree: Value, swap: (value: Value) => Value | undefined): Value {
  const found = swap(tree);
  if (found !== undefined) return found;
  if (!(tree instanceof Cons)) return tree;
  tick();
  enter();
  const [head, tail] = [replaceTree(tree.car, swap), replaceTree(tree.cdr, swap)];
  leave();
  return head === tree.car && tail === tree.cdr ? tree : new Cons(head, tail);
}

function sublis(pairs: Value, tree: Value, keys: Keys): Value {
  const [all, same, pick] = [items(pairs), sameOf(keys), keyOf(keys)];
  return replaceTree(tree, (value) => {
    const pair = all.find((each) => same(car(each), pick(value)));
    return pair === undefined ? undefined : cdr(pair);
  });
}

function treeEqual(a: Value, b: Value, same: Same): boolean {
  if (!(a instanceof Cons && b instanceof Cons)) return !(a instanceof Cons) && !(b instanceof Cons) && same(a, b);
  tick();
  enter();
  const answer = treeEqual(a.car, b.car, same) && treeEqual(a.cdr, b.cdr, same);
  leave();
  return answer;
}

const symbolIn = (value: Value): Sym => (value instanceof Sym ? value : raise.type(value, 'SYMBOL'));
const plistOf = (symbol: Value, world: World) => world.plists.get(symbolIn(symbol)) ?? NIL;

export const ASSOCIATIONS: Natives = {
  'member item list &key key test test-not': ([item, value], keys) => member(value, isItem(item, keys)),
  'member-if predicate list &key key': ([fn, value], keys) => member(value, satisfies(fn, keys)),
  'member-if-not predicate list &key key': ([fn, value], keys) => member(value, satisfies(fn, keys, false)),
  'assoc item list &key key test test-not': ([item, value], keys) => assoc(value, 'car', isItem(item, keys)),
  'assoc-if predicate list &key key': ([fn, value], keys) => assoc(value, 'car', satisfies(fn, keys)),
  'assoc-if-not predicate list &key key': ([fn, value], keys) => assoc(value, 'car', satisfies(fn, keys, false)),
  'rassoc item list &key key test test-not': ([item, value], keys) => assoc(value, 'cdr', isItem(item, keys)),
  'rassoc-if predicate list &key key': ([fn, value], keys) => assoc(value, 'cdr', satisfies(fn, keys)),
  'acons key value list': ([key, value, rest]) => new Cons(new Cons(key, value), rest),
  'pairlis keys values &optional list': ([names, values, rest]) => {
    const given = items(values);
    const pairs = items(names).map((name, at) => new Cons(name, given[at] ?? NIL));
    return listOf(pairs.reverse(), rest ?? NIL);
  },
  'adjoin item list &key key test test-not': ([item, value], keys) => {
    const pick = keyOf(keys);
    const same = sameOf(keys);
    return items(value).some((each) => same(pick(item), pick(each))) ? value : new Cons(item, value);
  },
  'union left right &key key test test-not': (args, keys) => sets(union)(args, keys),
  'nunion left right &key key test test-not': (args, keys) => sets(union)(args, keys),
  'intersection left right &key key test test-not': (args, keys) => sets(intersection)(args, keys),
  'nintersection left right &key key test test-not': (args, keys) => sets(intersection)(args, keys),
  'set-difference left right &key key test test-not': (args, keys) => sets(difference)(args, keys),
  'nset-difference left right &key key test test-not': (args, keys) => sets(difference)(args, keys),
  'set-exclusive-or left right &key key test test-not': (args, keys) => sets(exclusive)(args, keys),
  'subsetp left right &key key test test-not': ([left, right], keys) => {
    const how = { same: sameOf(keys), pick: keyOf(keys) };
    const among = items(right);
    return bool(items(left).every((each) => contains(among, each, how)));
  },
  'getf plist key &optional default': ([plist, key, otherwise = NIL]) => getf(plist, key, otherwise ?? NIL),
  '%putf plist key value': ([plist, key, value]) => putf(plist, key, value),
  '%remove-key plist key': ([plist, key]) => removeKey(plist, key),
  'get symbol key &optional default': ([symbol, key, otherwise], _, world) =>
    getf(plistOf(symbol, world), key, otherwise ?? NIL),
  '(setf get) value symbol key &optional default': ([value, symbol, key], _, world) => {
    world.plists.set(symbolIn(symbol), putf(plistOf(symbol, world), key, value));
    return value;
  },
  'remprop symbol key': ([symbol, key], _, world) => {
    const made = removeKey(plistOf(symbol, world), key);
    world.plists.set(symbolIn(symbol), car(made));
    return cdr(made);
  },
  'symbol-plist symbol': ([symbol], _, world) => plistOf(symbol, world),
  '(setf symbol-plist) value symbol': ([value, symbol], _, world) => {
    world.plists.set(symbolIn(symbol), value);
    return value;
  },
  'get-properties plist keys': ([plist, wanted]) => {
    const keys = items(wanted);
    for (let rest = plist; rest instanceof Cons; rest = cdr(rest.cdr)) {
      if (keys.some((key) => isEql(key, (rest as Cons).car))) return new Many([rest.car, second(rest), rest]);
    }
    return new Many([NIL, NIL, NIL]);
  },
  'subst new old tree &key key test test-not': ([fresh, old, tree], keys) => {
    const claim = isItem(old, keys);
    return replaceTree(tree, (value) => (claim(value) ? fresh : undefined));
  },
  'subst-if new predicate tree &key key': ([fresh, fn, tree], keys) => {
    const claim = satisfies(fn, keys);
    return replaceTree(tree, (value) => (claim(value) ? fresh : undefined));
  },
  'nsubst new old tree &key key test test-not': ([fresh, old, tree], keys) => {
    const claim = isItem(old, keys);
    return replaceTree(tree, (value) => (claim(value) ? fresh : undefined));
  },
  'sublis pairs tree &key key test test-not': ([pairs, tree], keys) => sublis(pairs, tree, keys),
  'tree-equal left right &key test test-not': ([left, right], keys) => bool(treeEqual(left, right, sameOf(keys))),
};
