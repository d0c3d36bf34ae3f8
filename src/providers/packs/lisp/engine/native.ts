import { Func, Sym, type Value } from './data.ts';
import { raise } from './raise.ts';
import type { World } from './world.ts';

// A table of functions: the key is the name and the lambda list, from which the number of arguments is checked.

/** Arguments by position; those that were not given are undefined. */
export type Args = [Value, Value, Value, Value, ...Value[]];
/** Arguments by keyword. */
export type Keys = { readonly [K in KeyName]?: Value };
export type Native = (args: Args, keys: Keys, world: World) => Value;
export type Natives = Readonly<Record<string, Native>>;

type KeyName =
  | 'key'
  | 'test'
  | 'testNot'
  | 'start'
  | 'end'
  | 'start1'
  | 'end1'
  | 'start2'
  | 'end2'
  | 'fromEnd'
  | 'count'
  | 'initialValue'
  | 'initialElement'
  | 'initialContents'
  | 'elementType'
  | 'adjustable'
  | 'fillPointer'
  | 'radix'
  | 'junkAllowed'
  | 'preserveWhitespace'
  | 'displacedTo'
  | 'escape'
  | 'base'
  | 'stream'
  | 'use'
  | 'nicknames'
  | 'size';

interface Lambda {
  readonly name: string;
  readonly setter: boolean;
  readonly shown: string;
  readonly required: number;
  readonly most: number;
  readonly keys: ReadonlyMap<string, KeyName> | undefined;
}

const LAMBDAS = new Map<string, Lambda>();
const NO_KEYS: Keys = Object.freeze(Object.create(null));

function camel(name: string): KeyName {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as KeyName;
}

/** Reads `name required &optional more &key test`; `(setf name) …` makes a writer. */
function lambdaOf(text: string): Lambda {
  const known = LAMBDAS.get(text);
  if (known !== undefined) return known;
  const setter = text.startsWith('(setf ');
  const [name = '', ...rest] = (setter ? text.slice(6).replace(')', '') : text).split(' ');
  const at = (marker: string) => (rest.indexOf(marker) === -1 ? rest.length : rest.indexOf(marker));
  const [optional, variadic, keyed] = [at('&optional'), at('&rest'), at('&key')];
  const required = Math.min(optional, variadic, keyed);
  const most = variadic < rest.length ? Number.POSITIVE_INFINITY : keyed - (optional < keyed ? 1 : 0);
  const keyNames = rest.slice(keyed + 1);
  const made: Lambda = {
    name: name.toUpperCase(),
    setter,
    shown: rest.join(' '),
    required,
    most,
    keys: keyed < rest.length ? new Map(keyNames.map((key) => [key.toUpperCase(), camel(key)])) : undefined,
  };
  LAMBDAS.set(text, made);
  return made;
}

function count(lambda: Lambda, args: readonly Value[]): void {
  const enough = args.length >= lambda.required;
  if (enough && (args.length <= lambda.most || lambda.keys !== undefined)) return;
  raise.error('PROGRAM-ERROR', `invalid number of arguments: ${args.length} for ${lambda.name}`);
}

function keysOf(lambda: Lambda, args: readonly Value[]): Keys {
  if (args.length <= lambda.most) return NO_KEYS;
  const found: Partial<Record<KeyName, Value>> = Object.create(null);
  for (let index = lambda.most; index < args.length; index += 2) {
    const key = args[index] as Value;
    const name = key instanceof Sym ? lambda.keys?.get(key.name) : undefined;
    if (name === undefined) raise.error('PROGRAM-ERROR', `unknown keyword argument for ${lambda.name}`);
    else if (args[index + 1] === undefined)
      raise.error('PROGRAM-ERROR', `odd number of keyword arguments for ${lambda.name}`);
    else found[name] ??= args[index + 1] as Value;
  }
  return found as Keys;
}

function wrap(lambda: Lambda, native: Native, world: World): (args: Value[]) => Value {
  if (lambda.keys === undefined) {
    return (args) => {
      if (args.length < lambda.required || args.length > lambda.most) count(lambda, args);
      return native(args as Args, NO_KEYS, world);
    };
  }
  return (args) => {
    count(lambda, args);
    return native((args.length > lambda.most ? args.slice(0, lambda.most) : args) as Args, keysOf(lambda, args), world);
  };
}

/** Puts the functions of a table into a world. */
export function install(world: World, natives: Natives): void {
  for (const [text, native] of Object.entries(natives)) {
    const lambda = lambdaOf(text);
    const symbol = world.sym(lambda.name);
    const fn = new Func(lambda.name, wrap(lambda, native, world), lambda.shown.toUpperCase());
    if (lambda.setter) symbol.setf = fn;
    else symbol.fn = fn;
  }
}
