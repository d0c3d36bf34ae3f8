import { isA } from './classes.ts';
import { Cons, NIL, Str, type Value } from './data.ts';
import { listOf } from './lists.ts';
import { BUDGETS, type BudgetName, Overrun } from './meter.ts';
import { type Class, Instance } from './objects.ts';
import { type Details, raise } from './raise.ts';
import type { World } from './world.ts';

/** A condition of a named type, with its report said beforehand. */
export function makeCondition(type: Class, message?: string): Instance {
  const made = new Instance(type);
  if (message !== undefined) made.slots[0] = new Str(message);
  return made;
}

function conditionClass(world: World, name: string): Class {
  return world.classes.get(world.intern(name, world.parley.symbols.has(name) ? world.parley : world.cl)) as Class;
}

export function slotOf(instance: Instance, name: string): Value | undefined {
  const index = instance.type.slots.findIndex((slot) => slot.name.name === name);
  return index === -1 ? undefined : instance.slots[index];
}

function setSlot(instance: Instance, name: string, value: Value): void {
  const index = instance.type.slots.findIndex((slot) => slot.name.name === name);
  if (index !== -1) instance.slots[index] = value;
}

/** What a condition says of itself. */
export function reportOf(condition: Instance, world: World): string {
  const message = condition.slots[0];
  if (message instanceof Str) return message.text;
  const report = condition.type.order.find((type) => type.report !== undefined)?.report;
  if (report !== undefined) return report(condition);
  const control = slotOf(condition, 'FORMAT-CONTROL');
  if (control instanceof Str)
    return world.hooks.format(control.text, argumentsOf(slotOf(condition, 'FORMAT-ARGUMENTS')));
  if (isTypeError(condition, world))
    return typeMessage(world, slotOf(condition, 'DATUM') ?? NIL, slotOf(condition, 'EXPECTED-TYPE') ?? NIL);
  return `Condition ${typeName(condition, world)} was signalled.`;
}

function isTypeError(condition: Instance, world: World): boolean {
  return isA(condition, conditionClass(world, 'TYPE-ERROR'), world);
}

function argumentsOf(list: Value | undefined): Value[] {
  const found: Value[] = [];
  for (let rest = list; rest instanceof Cons; rest = rest.cdr) found.push(rest.car);
  return found;
}

/** The type of a condition as a program would write it. */
export function typeName(condition: Instance, world: World): string {
  const { name } = condition.type;
  const { home } = name;
  return home === undefined || home === world.cl || home === world.user
    ? name.name
    : `${home.name}:${home.exported.has(name.name) ? '' : ':'}${name.name}`;
}

function typeMessage(world: World, datum: Value, expected: Value): string {
  return `The value\n  ${world.hooks.print(datum, true)}\nis not of type\n  ${world.hooks.print(expected, true)}`;
}

/** Makes the world the one that signals what the engine finds wrong. */
export function installRaise(world: World): void {
  raise.error = (type: string, message: string, details: Details = {}) => {
    const made = makeCondition(conditionClass(world, type), message);
    for (const [name, value] of Object.entries(details))
      setSlot(made, name.toUpperCase(), typeof value === 'string' ? new Str(value) : value);
    if (type === 'SIMPLE-ERROR') setSlot(made, 'FORMAT-CONTROL', new Str(message));
    return world.throw(made);
  };
  raise.type = (datum: Value, expected: string | Value) => {
    const type = typeof expected === 'string' ? typeForm(expected, world) : expected;
    const made = makeCondition(conditionClass(world, 'TYPE-ERROR'));
    setSlot(made, 'DATUM', datum);
    setSlot(made, 'EXPECTED-TYPE', type);
    return world.throw(made);
  };
}

function typeForm(text: string, world: World): Value {
  if (!text.startsWith('(')) return world.sym(text);
  const words = text.slice(1, -1).split(' ');
  return listOf(words.map((word) => typeWord(word, world)));
}

function typeWord(name: string, world: World): Value {
  return /^-?\d+$/.test(name) ? BigInt(name) : world.sym(name);
}

const KINDS: Readonly<Record<BudgetName | 'cancelled', string>> = {
  steps: 'STEPS-EXCEEDED',
  timeMs: 'TIME-EXCEEDED',
  memoryBytes: 'MEMORY-EXCEEDED',
  depth: 'DEPTH-EXCEEDED',
  integerBits: 'SIZE-EXCEEDED',
  elements: 'SIZE-EXCEEDED',
  outputChars: 'SIZE-EXCEEDED',
  retainedBytes: 'MEMORY-EXCEEDED',
  cancelled: 'BUDGET-EXCEEDED',
};

/** The condition that says which budget was used up. */
export function budgetCondition(world: World, budget: BudgetName | 'cancelled', limit: number): Instance {
  const type = conditionClass(world, KINDS[budget]);
  if (budget === 'cancelled') return makeCondition(type, 'The evaluation was cancelled.');
  const what = BUDGETS[budget].says;
  return makeCondition(type, `Budget "${budget}" of ${limit} is used up. ${what}.`);
}

/** The condition something thrown stands for, when a program may handle it. */
export function handled(
  thrown: unknown,
  world: World,
  limits: Readonly<Record<BudgetName, number>>,
): Instance | undefined {
  if (thrown instanceof Overrun) return budgetCondition(world, thrown.budget, limits[thrown.budget]);
  return thrown instanceof RangeError ? budgetCondition(world, 'depth', limits.depth) : undefined;
}
