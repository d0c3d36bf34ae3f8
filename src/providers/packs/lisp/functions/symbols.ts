import { unbound } from '../engine/compile.ts';
import { Cons, Func, Many, NIL, Pack, Str, Sym, T, type Value } from '../engine/data.ts';
import { bool, items, listOf } from '../engine/lists.ts';
import { charge, tick } from '../engine/meter.ts';
import type { Natives } from '../engine/native.ts';
import { raise } from '../engine/raise.ts';
import { functionOf, undefinedFunction, type World } from '../engine/world.ts';
import { textOf } from './text.ts';

const symbolIn = (value: Value): Sym => (value instanceof Sym ? value : raise.type(value, 'SYMBOL'));

/** The package a name, a symbol or a package stands for. */
export function packageOf(value: Value | undefined, world: World): Pack {
  if (value === undefined) return world.package;
  if (value instanceof Pack) return value;
  return findPackage(textOf(value), world) ?? noPackage(textOf(value));
}

export function findPackage(name: string, world: World): Pack | undefined {
  return world.packages.get(name) ?? world.packages.get(name.toUpperCase());
}

function noPackage(name: string): never {
  return raise.error('PACKAGE-ERROR', `The name "${name}" does not designate any package.`, { package: name });
}

/** Refuses to change the packages of the language. */
function changeable(home: Pack, world: World): Pack {
  if (home === world.cl || home === world.parley)
    raise.error('PACKAGE-ERROR', `Lock on package ${home.name} violated.`, { package: home });
  return home;
}

type Status = 'INTERNAL' | 'EXTERNAL' | 'INHERITED';

function statusOf(name: string, home: Pack): Status {
  if (!home.symbols.has(name)) return 'INHERITED';
  return home.exported.has(name) ? 'EXTERNAL' : 'INTERNAL';
}

function found(name: string, home: Pack, world: World): Value {
  const symbol = home.find(name);
  return new Many(symbol === undefined ? [NIL, NIL] : [symbol, world.key(statusOf(name, home))]);
}

function intern(name: string, home: Pack, world: World): Value {
  const known = home.find(name);
  if (known !== undefined) return new Many([known, world.key(statusOf(name, home))]);
  if (home === world.cl) changeable(home, world);
  return new Many([world.intern(name, home), NIL]);
}

const several = (value: Value): Value[] => (value instanceof Cons ? items(value) : value === NIL ? [] : [value]);

function symbolsOf(home: Pack, external: boolean): Sym[] {
  const own = [...home.symbols.values()].filter(({ name }) => !external || home.exported.has(name));
  const inherited = external
    ? []
    : home.uses.flatMap((used) => [...used.exported].map((name) => used.symbols.get(name) as Sym));
  tick(own.length + inherited.length);
  return [...own, ...inherited];
}

function exportAll(values: readonly Value[], home: Pack, world: World): void {
  for (const value of values) {
    const name = textOf(value);
    world.intern(name, home);
    if (!home.symbols.has(name)) home.symbols.set(name, home.find(name) as Sym);
    home.exported.add(name);
  }
}

function importAll(values: readonly Value[], home: Pack): void {
  for (const value of values) {
    const symbol = symbolIn(value);
    const known = home.find(symbol.name);
    if (known !== undefined && known !== symbol)
      raise.error('PACKAGE-ERROR', `Importing ${symbol.name} into ${home.name} conflicts with the symbol there.`, {
        package: home,
      });
    home.symbols.set(symbol.name, symbol);
  }
}

const OPTIONS: Readonly<Record<string, (args: Value[], home: Pack, world: World) => void>> = {
  USE: (args, home, world) => {
    home.uses = [
      ...home.uses,
      ...args.map((each) => packageOf(each, world)).filter((each) => !home.uses.includes(each)),
    ];
  },
  EXPORT: exportAll,
  NICKNAMES: (args, home, world) => {
    for (const each of args) world.packages.set(textOf(each), home);
    home.nicknames = [...home.nicknames, ...args.map(textOf)];
  },
  INTERN: (args, home, world) => {
    for (const each of args) world.intern(textOf(each), home);
  },
  SHADOW: (args, home) => {
    for (const each of args) shadow(textOf(each), home);
  },
  'IMPORT-FROM': ([from, ...names], home, world) => {
    const source = packageOf(from, world);
    importAll(
      names.map((name) => source.find(textOf(name)) ?? world.intern(textOf(name), source)),
      home,
    );
  },
};

function shadow(name: string, home: Pack): void {
  if (!home.symbols.has(name)) home.symbols.set(name, new Sym(name, home));
}

export const PACKAGES: Natives = {
  'find-package name': ([name], _, world) => (name instanceof Pack ? name : (findPackage(textOf(name), world) ?? NIL)),
  '%open-package name': ([name], _, world) => {
    charge(1000);
    const known = findPackage(textOf(name), world);
    return known === undefined ? world.makePackage(textOf(name), []) : changeable(known, world);
  },
  '%package-option name kind args': ([name, kind, args], _, world) => {
    OPTIONS[(kind as Sym).name]?.(items(args), packageOf(name, world), world);
    return NIL;
  },
  '%in-package name': ([name], _, world) => {
    world.package = packageOf(name, world);
    return world.package;
  },
  'make-package name &key use nicknames': ([name], { use, nicknames }, world) => {
    charge(1000);
    if (findPackage(textOf(name), world) !== undefined)
      raise.error('PACKAGE-ERROR', `A package named ${textOf(name)} already exists.`);
    const made = world.makePackage(textOf(name), []);
    OPTIONS['USE']?.(several(use ?? NIL), made, world);
    OPTIONS['NICKNAMES']?.(several(nicknames ?? NIL), made, world);
    return made;
  },
  'delete-package package': ([value], _, world) => {
    const home = changeable(packageOf(value, world), world);
    for (const name of [home.name, ...home.nicknames]) world.packages.delete(name);
    return T;
  },
  'package-name package': ([value], _, world) => new Str(packageOf(value, world).name),
  'package-nicknames package': ([value], _, world) =>
    listOf(packageOf(value, world).nicknames.map((name) => new Str(name))),
  'package-use-list package': ([value], _, world) => listOf(packageOf(value, world).uses),
  'list-all-packages': (_args, _keys, world) => listOf([...new Set(world.packages.values())]),
  'use-package packages &optional package': ([packages, into], _, world) => {
    OPTIONS['USE']?.(several(packages), changeable(packageOf(into, world), world), world);
    return T;
  },
  'unuse-package packages &optional package': ([packages, from], _, world) => {
    const [home, gone] = [
      changeable(packageOf(from, world), world),
      several(packages).map((each) => packageOf(each, world)),
    ];
    home.uses = home.uses.filter((each) => !gone.includes(each));
    return T;
  },
  'export symbols &optional package': ([symbols, from], _, world) => {
    exportAll(several(symbols), changeable(packageOf(from, world), world), world);
    return T;
  },
  'unexport symbols &optional package': ([symbols, from], _, world) => {
    for (const each of several(symbols)) changeable(packageOf(from, world), world).exported.delete(textOf(each));
    return T;
  },
  'import symbols &optional package': ([symbols, into], _, world) => {
    importAll(several(symbols), changeable(packageOf(into, world), world));
    return T;
  },
  'shadow symbols &optional package': ([symbols, into], _, world) => {
    for (const each of several(symbols)) shadow(textOf(each), changeable(packageOf(into, world), world));
    return T;
  },
  'intern name &optional package': ([name, into], _, world) => intern(textOf(name), packageOf(into, world), world),
  'find-symbol name &optional package': ([name, from], _, world) => found(textOf(name), packageOf(from, world), world),
  'unintern symbol &optional package': ([symbol, from], _, world) =>
    bool(changeable(packageOf(from, world), world).symbols.delete(symbolIn(symbol).name)),
  '%package-symbols package kind': ([value, kind], _, world) =>
    listOf(symbolsOf(packageOf(value, world), (kind as Sym).name === 'DO-EXTERNAL-SYMBOLS')),
  'apropos-list text &optional package': ([text, from], _, world) => {
    const wanted = textOf(text).toUpperCase();
    const homes = from === undefined || from === NIL ? [...new Set(world.packages.values())] : [packageOf(from, world)];
    const all = homes.flatMap((home) => [...home.symbols.values()]).filter((symbol) => symbol.name.includes(wanted));
    return listOf([...new Set(all)]);
  },
};

const assignable = (value: Value): Sym => {
  const symbol = symbolIn(value);
  return symbol.constant ? raise.error('PROGRAM-ERROR', `${symbol.name} is a constant.`) : symbol;
};

function changeableFunction(value: Value, world: World): Sym {
  const symbol = symbolIn(value);
  if (symbol.home === world.cl)
    raise.error('PACKAGE-ERROR', `Lock on package COMMON-LISP violated when changing ${symbol.name}.`);
  return symbol;
}

export const SYMBOLS: Natives = {
  'symbol-name symbol': ([symbol]) => new Str(symbolIn(symbol).name),
  'symbol-package symbol': ([symbol], _, world) =>
    symbol === NIL || symbol === T ? world.cl : (symbolIn(symbol).home ?? NIL),
  'symbol-value symbol': ([symbol]) => symbolIn(symbol).value ?? unbound(symbol as Sym),
  '(setf symbol-value) value symbol': ([value, symbol]) => {
    assignable(symbol).value = value;
    return value;
  },
  'set symbol value': ([symbol, value]) => {
    assignable(symbol).value = value;
    return value;
  },
  'symbol-function symbol': ([symbol]) => functionOf(symbolIn(symbol)),
  'fdefinition name': ([name]) =>
    name instanceof Cons
      ? (((name.cdr as Cons).car as Sym).setf ?? undefinedFunction(name))
      : functionOf(symbolIn(name)),
  '(setf symbol-function) value symbol': ([value, symbol], _, world) => {
    changeableFunction(symbol, world).fn = functionOf(value);
    return value;
  },
  '(setf fdefinition) value symbol': ([value, symbol], _, world) => {
    changeableFunction(symbol, world).fn = functionOf(value);
    return value;
  },
  'boundp symbol': ([symbol]) => bool(symbolIn(symbol).value !== undefined),
  'fboundp name': ([name], _, world) => {
    const symbol = name instanceof Cons ? ((name.cdr as Cons).car as Sym) : symbolIn(name);
    if (name instanceof Cons) return bool(symbol.setf !== undefined);
    return bool(
      symbol.fn !== undefined || symbol.macro !== undefined || world.specials.has(symbol) || world.rewrites.has(symbol),
    );
  },
  'makunbound symbol': ([symbol]) => {
    assignable(symbol).value = undefined;
    return symbol;
  },
  'fmakunbound symbol': ([symbol], _, world) => {
    const made = changeableFunction(symbol, world);
    made.fn = undefined;
    made.macro = undefined;
    return symbol;
  },
  'macro-function symbol': ([symbol]) => symbolIn(symbol).macro ?? NIL,
  'special-operator-p symbol': ([symbol], _, world) => bool(world.specials.has(symbolIn(symbol))),
  'make-symbol name': ([name]) => new Sym(textOf(name)),
  'copy-symbol symbol': ([symbol]) => new Sym(symbolIn(symbol).name),
  'gensym &optional prefix': ([prefix], _, world) => world.gensym(prefix === undefined ? 'G' : textOf(prefix)),
  'gentemp &optional prefix': ([prefix], _, world) =>
    world.intern(world.gensym(prefix === undefined ? 'T' : textOf(prefix)).name, world.package),
  'keywordp value': ([value], _, world) => bool(value instanceof Sym && value.home === world.keyword),
  'documentation name kind': ([name, kind], _, world) => documentation(name, kind, world),
  '(setf documentation) value name kind': ([value, name, kind], _, world) => {
    world.documents.set(`${(kind as Sym).name.toLowerCase()} ${symbolIn(name).name}`, textOf(value));
    return value;
  },
};

function documentation(name: Value, kind: Value, world: World): Value {
  const which = symbolIn(kind).name.toLowerCase();
  const symbol = name instanceof Sym ? name : undefined;
  const own =
    which === 'function'
      ? (symbol?.fn ?? symbol?.macro ?? (name instanceof Func ? name : undefined))?.documentation
      : undefined;
  const ofType = symbol === undefined ? undefined : world.classes.get(symbol)?.documentation;
  const text =
    world.documents.get(`${which} ${symbol?.name}`) ??
    own ??
    (which === 'type' || which === 'structure' ? ofType : undefined);
  return text === undefined ? NIL : new Str(text);
}
