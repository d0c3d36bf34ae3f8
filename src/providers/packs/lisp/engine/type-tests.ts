import { classOf, findClass } from './classes.ts';
import { Char, Cons, Func, NIL, Ratio, Str, Sym, T, type Value, Vec } from './data.ts';
import { isEql } from './equality.ts';
import { car, items } from './lists.ts';
import { enter, leave } from './meter.ts';
import { compare, isReal } from './numbers.ts';
import { raise } from './raise.ts';
import { callOne, functionOf, one, type World } from './world.ts';

export type Test = (value: Value) => boolean;

const isFloat: Test = (value) => typeof value === 'number';
const isInteger: Test = (value) => typeof value === 'bigint';
const isString: Test = (value) => value instanceof Str;
const isKeyword: Test = (value) => value instanceof Sym && value.home?.name === 'KEYWORD';

/** Types that are no class. */
const SIMPLE: Readonly<Record<string, Test>> = Object.assign(Object.create(null), {
  NIL: () => false,
  ATOM: (value: Value) => !(value instanceof Cons),
  BOOLEAN: (value: Value) => value === NIL || value === T,
  KEYWORD: isKeyword,
  FIXNUM: (value: Value) => typeof value === 'bigint' && value >= -(2n ** 62n) && value < 2n ** 62n,
  BIGNUM: (value: Value) => typeof value === 'bigint' && !(value >= -(2n ** 62n) && value < 2n ** 62n),
  BIT: (value: Value) => value === 0n || value === 1n,
  'UNSIGNED-BYTE': (value: Value) => typeof value === 'bigint' && value >= 0n,
  'SIGNED-BYTE': isInteger,
  'SINGLE-FLOAT': isFloat,
  'SHORT-FLOAT': isFloat,
  'LONG-FLOAT': isFloat,
  'SIMPLE-STRING': isString,
  'BASE-STRING': isString,
  'SIMPLE-BASE-STRING': isString,
  'SIMPLE-VECTOR': (value: Value) =>
    value instanceof Vec && value.dimensions === undefined && value.fill === undefined && !value.bits,
  'SIMPLE-ARRAY': (value: Value) => value instanceof Str || value instanceof Vec,
  'SIMPLE-BIT-VECTOR': (value: Value) => value instanceof Vec && value.bits,
  'BASE-CHAR': (value: Value) => value instanceof Char,
  'STANDARD-CHAR': (value: Value) =>
    value instanceof Char && (value.code === 10 || (value.code >= 32 && value.code < 127)),
  'COMPILED-FUNCTION': (value: Value) => value instanceof Func,
});

/** What a type specifier says of a value. */
export function typeTest(spec: Value, world: World): Test {
  enter();
  const test = spec instanceof Cons ? compoundTest(spec, world) : namedTest(spec, world);
  leave();
  return test;
}

function namedTest(spec: Value, world: World): Test {
  const defined = spec instanceof Sym ? world.types.get(spec) : undefined;
  if (defined !== undefined) return typeTest(one(callOne(defined, [new Cons(spec, NIL)])), world);
  const simple = spec instanceof Sym ? SIMPLE[spec.name] : undefined;
  if (simple !== undefined && (spec as Sym).home !== world.user) return simple;
  const type = findClass(spec, world);
  if (type !== undefined) return (value) => classOf(value, world).order.includes(type);
  const shown = world.hooks.print(spec, true);
  return raise.error('SIMPLE-ERROR', `unknown type specifier: ${shown}`);
}

type Compound = (parts: Value[], world: World, name: string) => Test;

const all =
  (tests: readonly Test[]): Test =>
  (value) =>
    tests.every((test) => test(value));

function range(parts: readonly Value[], inside: Test): Test {
  const [low, high] = parts;
  const within = (bound: Value | undefined, wanted: number): Test => {
    if (bound === undefined || (bound instanceof Sym && bound.name === '*')) return () => true;
    const open = bound instanceof Cons;
    const limit = open ? car(bound) : bound;
    return (value) => {
      const order = compare(value, limit) * wanted;
      return open ? order > 0 : order >= 0;
    };
  };
  return all([inside, within(low, 1), within(high, -1)]);
}

const sized = (parts: readonly Value[], signed: boolean): Test => {
  const [bits] = parts;
  if (typeof bits !== 'bigint') return signed ? isInteger : range([0n], isInteger);
  const width = BigInt.asUintN(16, bits);
  return signed
    ? range([-(2n ** (width - 1n)), 2n ** (width - 1n) - 1n], isInteger)
    : range([0n, 2n ** width - 1n], isInteger);
};

const COMPOUND: Readonly<Record<string, Compound>> = Object.assign(Object.create(null), {
  OR: (parts: Value[], world: World) => {
    const tests = parts.map((part) => typeTest(part, world));
    return (value: Value) => tests.some((test) => test(value));
  },
  AND: (parts: Value[], world: World) => all(parts.map((part) => typeTest(part, world))),
  NOT: ([part = NIL]: Value[], world: World) => {
    const test = typeTest(part, world);
    return (value: Value) => !test(value);
  },
  MEMBER: (parts: Value[]) => (value: Value) => parts.some((part) => isEql(part, value)),
  EQL:
    ([part = NIL]: Value[]) =>
    (value: Value) =>
      isEql(part, value),
  SATISFIES:
    ([name = NIL]: Value[]) =>
    (value: Value) =>
      callOne(functionOf(name), [value]) !== NIL,
  INTEGER: (parts: Value[]) => range(parts, isInteger),
  RATIONAL: (parts: Value[]) => range(parts, (value) => typeof value === 'bigint' || value instanceof Ratio),
  REAL: (parts: Value[]) => range(parts, isReal),
  NUMBER: (parts: Value[]) => range(parts, isReal),
  MOD: ([most = 0n]: Value[]) => range([0n, new Cons(most, NIL)], isInteger),
  'UNSIGNED-BYTE': (parts: Value[]) => sized(parts, false),
  'SIGNED-BYTE': (parts: Value[]) => sized(parts, true),
  CONS: ([head, tail]: Value[], world: World) => {
    const [left, right] = [head, tail].map((part) =>
      part === undefined || isStar(part) ? () => true : typeTest(part, world),
    );
    return (value: Value) => value instanceof Cons && left?.(value.car) === true && right?.(value.cdr) === true;
  },
  FUNCTION: () => (value: Value) => value instanceof Func,
  VALUES: ([part = T]: Value[], world: World) => typeTest(part, world),
});

const isStar = (value: Value) => value instanceof Sym && value.name === '*';
const FLOATS = new Set(['FLOAT', 'SINGLE-FLOAT', 'DOUBLE-FLOAT', 'SHORT-FLOAT', 'LONG-FLOAT']);
const ARRAYS = new Set(['ARRAY', 'SIMPLE-ARRAY', 'VECTOR', 'SIMPLE-VECTOR', 'STRING', 'SIMPLE-STRING', 'BIT-VECTOR']);

function compoundTest(spec: Cons, world: World): Test {
  const { car: name } = spec;
  if (!(name instanceof Sym)) return raise.error('SIMPLE-ERROR', 'unknown type specifier');
  const defined = world.types.get(name);
  if (defined !== undefined) return typeTest(callOne(defined, [spec]), world);
  const parts = items(spec.cdr);
  if (FLOATS.has(name.name)) return range(parts, isFloat);
  if (ARRAYS.has(name.name)) return arrayTest(name, parts, world);
  const compound = COMPOUND[name.name];
  return compound === undefined
    ? raise.error('SIMPLE-ERROR', `unknown type specifier: ${name.name}`)
    : compound(parts, world, name.name);
}

function arrayTest(name: Sym, parts: readonly Value[], world: World): Test {
  const base = namedTest(name, world);
  const general = name.name.endsWith('ARRAY');
  const vector = name.name === 'VECTOR';
  const size = general || vector ? parts[1] : parts[0];
  const element = general || vector ? parts[0] : undefined;
  const fitsElement: Test = (value) => {
    if (element === undefined || isStar(element) || element === T) return true;
    const chars = element instanceof Sym && /CHAR/.test(element.name);
    return chars === value instanceof Str;
  };
  return all([base, fitsElement, (value) => fitsSize(value, size)]);
}

function fitsSize(value: Value, size: Value | undefined): boolean {
  if (size === undefined || isStar(size)) return true;
  const shape =
    value instanceof Vec && value.dimensions !== undefined ? value.dimensions : [(value as Vec | Str).length];
  if (size === NIL) return shape.length === 0;
  if (typeof size === 'bigint')
    return shape.length === Number(size) || (shape.length === 1 && BigInt(shape[0] ?? 0) === size);
  const wanted = items(size);
  return (
    wanted.length === shape.length && wanted.every((each, index) => isStar(each) || each === BigInt(shape[index] ?? 0))
  );
}

/** The most specific type specifier of a value. */
export function typeOf(value: Value, world: World): Value {
  const { sym } = { sym: (name: string) => world.sym(name) };
  if (typeof value === 'bigint') return value === 0n || value === 1n ? sym('BIT') : bounded(value, world);
  if (value === T) return sym('BOOLEAN');
  if (isKeyword(value)) return sym('KEYWORD');
  if (value instanceof Str) return world.form('SIMPLE-ARRAY', sym('CHARACTER'), new Cons(BigInt(value.length), NIL));
  if (value instanceof Vec) return vectorType(value, world);
  return value instanceof Char ? sym('STANDARD-CHAR') : classOf(value, world).name;
}

function bounded(value: bigint, world: World): Value {
  const fixnum = SIMPLE['FIXNUM']?.(value) === true;
  if (value < 0n) return world.sym(fixnum ? 'FIXNUM' : 'BIGNUM');
  return fixnum ? world.form('INTEGER', 0n, 2n ** 62n - 1n) : world.form('INTEGER', 2n ** 62n);
}

function vectorType(value: Vec, world: World): Value {
  if (value.dimensions !== undefined)
    return world.form(
      'SIMPLE-ARRAY',
      T,
      value.dimensions.reduceRight<Value>((rest, size) => new Cons(BigInt(size), rest), NIL),
    );
  if (value.fill === undefined)
    return world.form(value.bits ? 'SIMPLE-BIT-VECTOR' : 'SIMPLE-VECTOR', BigInt(value.length));
  return world.form('VECTOR', T, BigInt(value.items.length));
}
