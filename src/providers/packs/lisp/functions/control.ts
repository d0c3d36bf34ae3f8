import { classOf, findClass, isA } from '../engine/classes.ts';
import { evaluate, expandOnce, topSite } from '../engine/compile.ts';
import { makeCondition, reportOf, slotOf } from '../engine/conditions.ts';
import { Char, Cons, Func, Many, NIL, Pack, Ratio, Str, Sym, T, Table, type Value, Vec } from '../engine/data.ts';
import { isEql, isEqual, isEqualp } from '../engine/equality.ts';
import { bool, items, listOf } from '../engine/lists.ts';
import type { Native, Natives } from '../engine/native.ts';
import { exactly, isReal, real, toFloat } from '../engine/numbers.ts';
import { Instance } from '../engine/objects.ts';
import { raise } from '../engine/raise.ts';
import { typeOf, typeTest } from '../engine/type-tests.ts';
import { call, functionOf, invoke, one, type World } from '../engine/world.ts';
import { sequenceOf, toArray } from './sequence.ts';
import { charAt, textOf } from './text.ts';

const is =
  (claim: (value: Value, world: World) => boolean): Native =>
  ([value], _, world) =>
    bool(claim(value, world));

export const PREDICATES: Natives = {
  'eq left right': ([a, b]) => bool(isEql(a, b)),
  'eql left right': ([a, b]) => bool(isEql(a, b)),
  'equal left right': ([a, b]) => bool(isEqual(a, b)),
  'equalp left right': ([a, b]) => bool(isEqualp(a, b)),
  'not value': is((value) => value === NIL),
  'null value': is((value) => value === NIL),
  'atom value': is((value) => !(value instanceof Cons)),
  'consp value': is((value) => value instanceof Cons),
  'listp value': is((value) => value instanceof Cons || value === NIL),
  'symbolp value': is((value) => value instanceof Sym),
  'stringp value': is((value) => value instanceof Str),
  'simple-string-p value': is((value) => value instanceof Str),
  'characterp value': is((value) => value instanceof Char),
  'numberp value': is(isReal),
  'realp value': is(isReal),
  'complexp value': is(() => false),
  'integerp value': is((value) => typeof value === 'bigint'),
  'rationalp value': is((value) => typeof value === 'bigint' || value instanceof Ratio),
  'floatp value': is((value) => typeof value === 'number'),
  'functionp value': is((value) => value instanceof Func),
  'vectorp value': is((value) => value instanceof Str || (value instanceof Vec && value.dimensions === undefined)),
  'simple-vector-p value': is(
    (value) => value instanceof Vec && value.dimensions === undefined && value.fill === undefined,
  ),
  'bit-vector-p value': is((value) => value instanceof Vec && value.bits),
  'arrayp value': is((value) => value instanceof Str || value instanceof Vec),
  'hash-table-p value': is((value) => value instanceof Table),
  'packagep value': is((value) => value instanceof Pack),
  'typep value type': ([value, type], _, world) => bool(typeTest(type, world)(value)),
  'type-of value': ([value], _, world) => typeOf(value, world),
  'subtypep left right': ([left, right], _, world) => subtype(left, right, world),
  'coerce value type': ([value, type], _, world) => coerce(value, type, world),
  'identity value': ([value]) => value,
  'complement function': ([fn]) => {
    const made = functionOf(fn);
    return new Func('COMPLEMENT', (args) => bool(one(invoke(made, args)) === NIL));
  },
  'constantly value': ([value]) => new Func('CONSTANTLY', () => value),
};

function subtype(left: Value, right: Value, world: World): Value {
  if (right === T || left === NIL || isEqual(left, right)) return new Many([T, T]);
  const [a, b] = [findClass(left, world), findClass(right, world)];
  if (a === undefined || b === undefined) return named(left, right, world);
  return new Many([bool(a.order.includes(b)), T]);
}

const ABOVE: Readonly<Record<string, string>> = {
  FIXNUM: 'INTEGER',
  BIGNUM: 'INTEGER',
  BIT: 'INTEGER',
  KEYWORD: 'SYMBOL',
  BOOLEAN: 'SYMBOL',
  'SINGLE-FLOAT': 'FLOAT',
  'SIMPLE-STRING': 'STRING',
  'SIMPLE-VECTOR': 'VECTOR',
  'UNSIGNED-BYTE': 'INTEGER',
};

function named(left: Value, right: Value, world: World): Value {
  const above = left instanceof Sym ? ABOVE[left.name] : undefined;
  return above === undefined ? new Many([NIL, NIL]) : subtype(world.sym(above), right, world);
}

type Coercion = (value: Value, type: Value, world: World) => Value;

const toSequence: Coercion = (value, type, world) =>
  typeTest(type, world)(value) ? value : sequenceOf(type, toArray(value), world);

const COERCIONS: readonly (readonly [RegExp, Coercion])[] = [
  [/FLOAT/, (value) => toFloat(real(value))],
  [/^CHARACTER$/, (value) => charAt(new Str(textOf(value)), 0n)],
  [/^RATIONAL$/, (value) => exactly(real(value))],
  [/^LIST$|VECTOR|STRING|ARRAY/, toSequence],
  [
    /^FUNCTION$/,
    (value, _, world) =>
      value instanceof Cons ? one(evaluate(world.form('FUNCTION', value), world)) : functionOf(value),
  ],
];

function coerce(value: Value, type: Value, world: World): Value {
  const head = type instanceof Cons ? type.car : type;
  const found = head instanceof Sym ? COERCIONS.find(([pattern]) => pattern.test(head.name)) : undefined;
  if (found !== undefined) return found[1](value, type, world);
  return typeTest(type, world)(value) ? value : raise.type(value, type);
}

function apply([fn, ...args]: Value[]): Value {
  const spread = args.pop();
  if (spread === undefined) return raise.error('PROGRAM-ERROR', 'APPLY needs a list of arguments');
  return call(fn as Value, [...args, ...items(spread)]);
}

/** The condition a name, a text or a condition stands for. */
export function conditionOf([datum, ...args]: Value[], fallback: string, world: World): Instance {
  if (datum instanceof Instance) return datum;
  if (datum instanceof Str || datum instanceof Func) return simple(datum, args, { fallback, world });
  const type = findClass(datum ?? NIL, world);
  if (type?.kind !== 'condition')
    return raise.error('SIMPLE-TYPE-ERROR', `${world.hooks.print(datum ?? NIL, true)} does not name a condition`);
  return call(world.sym('MAKE-CONDITION'), [type, ...args]) as Instance;
}

function simple(control: Value, args: Value[], { fallback, world }: { fallback: string; world: World }): Instance {
  const made = makeCondition(findClass(world.sym(fallback), world) as NonNullable<ReturnType<typeof findClass>>);
  const put = (name: string, value: Value) => {
    made.slots[made.type.slots.findIndex((slot) => slot.name.name === name)] = value;
  };
  put('FORMAT-CONTROL', control);
  put('FORMAT-ARGUMENTS', listOf(args));
  return made;
}

function restartNamed(name: Value, world: World) {
  return world.restarts.findLast(
    (restart) => isEql(restart.name, name) || (name instanceof Func && name.held === restart),
  );
}

function invokeRestart([name, ...args]: Value[], world: World): Value {
  const found = restartNamed(name as Value, world);
  if (found === undefined)
    return raise.error('CONTROL-ERROR', `Restart ${world.hooks.print(name as Value, true)} is not active.`);
  return found.run(args);
}

const restarting =
  (name: string, quiet: boolean): Native =>
  (args, _, world) => {
    const found = restartNamed(world.sym(name), world);
    if (found === undefined) return quiet ? NIL : raise.error('CONTROL-ERROR', `Restart ${name} is not active.`);
    return found.run(args.filter((arg) => arg !== undefined && !(arg instanceof Instance)));
  };

function warn(args: Value[], world: World): Value {
  const condition = conditionOf(args, 'SIMPLE-WARNING', world);
  if (!isA(condition, findClass(world.sym('WARNING'), world) as NonNullable<ReturnType<typeof findClass>>, world))
    return raise.type(condition, 'WARNING');
  const exit = { muffled: true };
  const outside = world.restarts;
  try {
    world.restarts = [
      ...outside,
      {
        name: world.sym('MUFFLE-WARNING'),
        report: '',
        run: () => {
          throw exit;
        },
      },
    ];
    world.signal(condition);
    world.warnings.push({ type: condition.type.name.name, message: reportOf(condition, world) });
  } catch (thrown) {
    if (thrown !== exit) throw thrown;
  } finally {
    world.restarts = outside;
  }
  return NIL;
}

function expandFully(form: Value, world: World): { form: Value; changed: boolean } {
  const site = topSite(world);
  let [at, changed] = [form, false];
  for (;;) {
    const next = expandOnce(at, site);
    if (next === undefined) return { form: at, changed };
    [at, changed] = [next, true];
  }
}

const slotReader =
  (name: string): Native =>
  ([condition]) =>
    slotOf(condition as Instance, name) ?? NIL;

export const CONTROL_FUNCTIONS: Natives = {
  'funcall function &rest args': ([fn, ...args]) => call(fn, args),
  'apply function &rest args': (args) => apply(args),
  'values &rest values': (values) => (values.length === 1 ? (values[0] as Value) : new Many([...values])),
  'values-list list': ([list]) => new Many(items(list)),
  'eval form': ([form], _, world) => evaluate(form, world),
  'macroexpand-1 form &optional env': ([form], _, world) => {
    const next = expandOnce(form, topSite(world));
    return new Many([next ?? form, bool(next !== undefined)]);
  },
  'macroexpand form &optional env': ([form], _, world) => {
    const { form: made, changed } = expandFully(form, world);
    return new Many([made, bool(changed)]);
  },
  'compile name &optional definition': ([name, definition], _, world) =>
    definition === undefined ? name : coerce(definition, world.sym('FUNCTION'), world),
  'constantp form': ([form], _, world) =>
    bool(
      !(form instanceof Cons || form instanceof Sym) ||
        (form instanceof Sym && form.constant) ||
        (form instanceof Cons && form.car === world.sym('QUOTE')),
    ),
  'error datum &rest args': (args, _, world) => world.throw(conditionOf(args, 'SIMPLE-ERROR', world)),
  'cerror continue datum &rest args': ([, ...args], _, world) => {
    const condition = conditionOf(args, 'SIMPLE-ERROR', world);
    const exit = { continued: true };
    const outside = world.restarts;
    try {
      world.restarts = [
        ...outside,
        {
          name: world.sym('CONTINUE'),
          report: '',
          run: () => {
            throw exit;
          },
        },
      ];
      return world.throw(condition);
    } catch (thrown) {
      if (thrown !== exit) throw thrown;
      return NIL;
    } finally {
      world.restarts = outside;
    }
  },
  'signal datum &rest args': (args, _, world) => {
    world.signal(conditionOf(args, 'SIMPLE-CONDITION', world));
    return NIL;
  },
  'warn datum &rest args': (args, _, world) => warn(args, world),
  'invoke-restart name &rest args': (args, _, world) => invokeRestart(args, world),
  'find-restart name &optional condition': ([name], _, world) => {
    const found = restartNamed(name, world);
    if (found === undefined) return NIL;
    const made = new Func(`RESTART ${world.hooks.print(name, false)}`, (args) => found.run(args));
    made.held = found;
    return made;
  },
  'compute-restarts &optional condition': (_args, _keys, world) =>
    listOf(world.restarts.map((restart) => restart.name).reverse()),
  'restart-name restart': ([restart]) =>
    restart instanceof Func ? ((restart.held as { name: Value } | undefined)?.name ?? NIL) : restart,
  'muffle-warning &optional condition': restarting('MUFFLE-WARNING', false),
  'continue &optional condition': restarting('CONTINUE', true),
  'abort &optional condition': restarting('ABORT', false),
  'use-value value &optional condition': restarting('USE-VALUE', true),
  'store-value value &optional condition': restarting('STORE-VALUE', true),
  'simple-condition-format-control condition': slotReader('FORMAT-CONTROL'),
  'simple-condition-format-arguments condition': slotReader('FORMAT-ARGUMENTS'),
  'type-error-datum condition': slotReader('DATUM'),
  'type-error-expected-type condition': slotReader('EXPECTED-TYPE'),
  'cell-error-name condition': slotReader('NAME'),
  'unbound-slot-instance condition': slotReader('INSTANCE'),
  'arithmetic-error-operation condition': slotReader('OPERATION'),
  'arithmetic-error-operands condition': slotReader('OPERANDS'),
  'package-error-package condition': slotReader('PACKAGE'),
  '%fell-through key wanted': ([key, wanted], _, world) =>
    raise.error(
      'TYPE-ERROR',
      `${world.hooks.print(key, true)} fell through a case expression. Wanted one of ${world.hooks.print((wanted as Cons).cdr, true)}.`,
      { datum: key, 'expected-type': wanted },
    ),
  '%failed-assertion form': ([form], _, world) =>
    raise.error('SIMPLE-ERROR', `The assertion ${world.hooks.print(form, true)} failed.`),
  '%check-type value type place': ([value, type, place], _, world) => {
    if (typeTest(type, world)(value)) return NIL;
    const [shown, where, wanted] = [value, place, type].map((each) => world.hooks.print(each, true));
    return raise.error('SIMPLE-TYPE-ERROR', `The value of ${where} is ${shown}, which is not of type ${wanted}.`, {
      datum: value,
      'expected-type': type,
    });
  },
  'class-of value': ([value], _, world) => classOf(value, world),
};
