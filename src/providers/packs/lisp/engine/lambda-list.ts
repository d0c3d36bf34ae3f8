import { Cons, NIL, Sym, T, type Value } from './data.ts';
import { items, listOf } from './lists.ts';
import { tick } from './meter.ts';
import { raise } from './raise.ts';
import type { Code, Frame, Scope } from './scope.ts';
import type { Site } from './world.ts';

type Store = (value: Value, frame: Frame) => void;

interface Optional {
  readonly store: Store;
  readonly init: Code;
  readonly supplied: Store | undefined;
}

interface Keyed extends Optional {
  readonly key: Sym;
}

/** A lambda list made ready to take arguments apart. */
export interface Pattern {
  whole: Store | undefined;
  readonly required: Store[];
  readonly optional: Optional[];
  rest: Store | undefined;
  keys: Keyed[] | undefined;
  others: boolean;
  readonly aux: { readonly store: Store; readonly init: Code }[];
  /** Binds a special variable, so the bindings must be taken back. */
  dynamic: boolean;
}

interface Reading {
  readonly site: Site;
  /** Nested lists take arguments apart further. */
  readonly nested: boolean;
  readonly specials: ReadonlySet<Sym>;
  readonly pattern: Pattern;
}

const NONE: ReadonlySet<Sym> = new Set();

/** Reads a lambda list and puts its names into the scope of the site. */
export function readPattern(
  list: Value,
  site: Site,
  { nested = false, specials = NONE }: { nested?: boolean; specials?: ReadonlySet<Sym> } = {},
): Pattern {
  const pattern: Pattern = {
    whole: undefined,
    required: [],
    optional: [],
    rest: undefined,
    keys: undefined,
    others: false,
    aux: [],
    dynamic: false,
  };
  const reading = { site, nested, specials, pattern };
  let [state, rest]: [string, Value] = ['required', list];
  while (rest instanceof Cons) {
    tick();
    const { car: item } = rest;
    const marker = item instanceof Sym && item.name.startsWith('&') ? item.name : undefined;
    if (marker !== undefined) state = marked(marker, reading);
    else state = STATES[state]?.(item, reading) ?? state;
    rest = rest.cdr;
  }
  if (rest !== NIL) pattern.rest = storeOf(rest, reading);
  return pattern;
}

function marked(marker: string, { pattern, site }: Reading): string {
  if (marker === '&KEY') pattern.keys ??= [];
  if (marker === '&ALLOW-OTHER-KEYS') pattern.others = true;
  if (!MARKERS.has(marker)) site.fail(`misplaced ${marker} in lambda list`);
  return marker;
}

const MARKERS = new Set(['&OPTIONAL', '&REST', '&BODY', '&KEY', '&AUX', '&ALLOW-OTHER-KEYS', '&WHOLE', '&ENVIRONMENT']);

function optionalOf(item: Value, reading: Reading): Optional {
  const [name = NIL, form = NIL, supplied] = item instanceof Cons ? items(item) : [item];
  const init = reading.site.one(form);
  const store = storeOf(name, reading);
  return { store, init, supplied: supplied === undefined ? undefined : storeOf(supplied, reading) };
}

function keyedOf(item: Value, reading: Reading): Keyed {
  const { world } = reading.site;
  const [first = NIL, ...more] = item instanceof Cons ? items(item) : [item];
  const [key, name = NIL] = first instanceof Cons ? items(first) : [undefined, first];
  const named = key instanceof Sym ? key : world.key(name instanceof Sym ? name.name : '');
  return { key: named, ...optionalOf(listOf([name, ...more]), reading) };
}

const STATES: Readonly<Record<string, (item: Value, reading: Reading) => string | undefined>> = {
  required: (item, reading) => {
    reading.pattern.required.push(storeOf(item, reading));
    return undefined;
  },
  '&OPTIONAL': (item, reading) => {
    reading.pattern.optional.push(optionalOf(item, reading));
    return undefined;
  },
  '&REST': (item, reading) => {
    reading.pattern.rest = storeOf(item, reading);
    return undefined;
  },
  '&BODY': (item, reading) => {
    reading.pattern.rest = storeOf(item, reading);
    return undefined;
  },
  '&KEY': (item, reading) => {
    reading.pattern.keys?.push(keyedOf(item, reading));
    return undefined;
  },
  '&AUX': (item, reading) => {
    const { store, init } = optionalOf(item, reading);
    reading.pattern.aux.push({ store, init });
    return undefined;
  },
  '&WHOLE': (item, reading) => {
    reading.pattern.whole = storeOf(item, reading);
    return 'required';
  },
  '&ENVIRONMENT': (item, reading) => {
    const store = storeOf(item, reading);
    reading.pattern.aux.push({ store, init: () => NIL });
    return 'required';
  },
};

/** How a name, or in a nested list a whole pattern, takes its value. */
function storeOf(name: Value, reading: Reading): Store {
  const { site, nested, pattern } = reading;
  if (nested && (name instanceof Cons || name === NIL)) return nestedStore(name, reading);
  if (!(name instanceof Sym) || name.constant) return site.fail('a lambda list names something that is no variable');
  if (name.special || reading.specials.has(name)) {
    pattern.dynamic = true;
    site.scope.variables.set(name, 'special');
    return (value) => site.world.bind(name, value);
  }
  const slot = declareVariable(name, site.scope);
  return (value, frame) => {
    frame.slots[slot] = value;
  };
}

export function declareVariable(name: Sym, scope: Scope): number {
  const slot = scope.slot();
  scope.variables.set(name, slot);
  return slot;
}

function nestedStore(name: Value, { site, specials, pattern }: Reading): Store {
  if (name === NIL) return (value) => (value === NIL ? undefined : mismatch());
  const inner = readPattern(name, site, { nested: true, specials });
  pattern.dynamic ||= inner.dynamic;
  return (value, frame) => matchList(inner, value, frame);
}

function mismatch(): never {
  return raise.error('PROGRAM-ERROR', 'the list does not match the lambda list it is taken apart by');
}

/** Takes a list apart. */
export function matchList(pattern: Pattern, value: Value, frame: Frame): void {
  const args: Value[] = [];
  let rest = value;
  const wanted = pattern.required.length + pattern.optional.length;
  const all = pattern.keys !== undefined;
  while (rest instanceof Cons && (all || args.length < wanted)) {
    tick();
    args.push(rest.car);
    rest = rest.cdr;
  }
  pattern.whole?.(value, frame);
  if (rest !== NIL && pattern.rest === undefined) mismatch();
  match({ ...pattern, whole: undefined }, args, { frame, tail: rest });
}

/** Gives every name of the pattern its value. */
export function match(pattern: Pattern, args: readonly Value[], { frame, tail }: { frame: Frame; tail: Value }): void {
  const { required, optional } = pattern;
  const most = required.length + optional.length;
  const open = pattern.rest !== undefined || pattern.keys !== undefined;
  if (args.length < required.length || (args.length > most && !open)) wrongCount(args.length);
  for (let index = 0; index < required.length; index++) (required[index] as Store)(args[index] as Value, frame);
  for (let index = 0; index < optional.length; index++) {
    give(optional[index] as Optional, args[required.length + index], frame);
  }
  pattern.rest?.(listOf(args.slice(most), tail), frame);
  if (pattern.keys !== undefined) matchKeys(pattern, args.slice(most), frame);
  for (const { store, init } of pattern.aux) store(init(frame), frame);
}

function give({ store, init, supplied }: Optional, value: Value | undefined, frame: Frame): void {
  store(value ?? init(frame), frame);
  supplied?.(value === undefined ? NIL : T, frame);
}

export function wrongCount(count: number): never {
  return raise.error('PROGRAM-ERROR', `invalid number of arguments: ${count}`);
}

function matchKeys(pattern: Pattern, args: readonly Value[], frame: Frame): void {
  if (args.length % 2 === 1) raise.error('PROGRAM-ERROR', 'odd number of keyword arguments');
  const given = new Map<Value, Value>();
  for (let index = 0; index < args.length; index += 2) {
    const key = args[index] as Value;
    if (!given.has(key)) given.set(key, args[index + 1] as Value);
  }
  const { keys = [] } = pattern;
  const allowed = pattern.others || [...given].some(([key, on]) => isAllow(key) && on !== NIL);
  const stranger = [...given.keys()].find((key) => !isAllow(key) && !keys.some((known) => known.key === key));
  if (stranger !== undefined && !allowed)
    raise.error('PROGRAM-ERROR', `unknown keyword argument: ${stranger instanceof Sym ? stranger.name : '?'}`);
  for (const keyed of keys) give(keyed, given.get(keyed.key), frame);
}

const isAllow = (key: Value) => key instanceof Sym && key.name === 'ALLOW-OTHER-KEYS';
