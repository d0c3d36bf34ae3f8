import { isObject } from '../model/json.ts';

type Budget = Pick<KeyBudget, 'spend'>;

/** What listing a key of a large object costs, in steps. */
export const STEPS_A_KEY = 8;

const FREE: Budget = { spend: () => true };

/** Whether two JSON values are the same value, whatever the order of their keys; false when that costs too much. */
export function equal(one: unknown, other: unknown, budget: Budget = FREE): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => equal(item, other[index], budget));
  }
  if (!isObject(one) || !isObject(other) || !budget.spend(1)) return false;
  const keys = Object.keys(one);
  if (!keys.every((key) => Object.hasOwn(other, key) && equal(one[key], other[key], budget))) return false;
  const { length } = Object.keys(other);
  return budget.spend(length * STEPS_A_KEY) && keys.length === length;
}

/** How many values a JSON value is made of. */
export function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const member of Object.values(value)) size += sizeOf(member);
  return size;
}

/** What making a key may cost. */
export interface KeyBudget {
  spend(count: number): boolean;
  exhaust(message: string): false;
}

const DEEPEST_KEY = 500;

/** A text that is the same for equal JSON values and different for others; undefined when that costs too much. */
export function canonical(value: unknown, budget: KeyBudget, depth = 0): string | undefined {
  if (!budget.spend(1)) return undefined;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth < DEEPEST_KEY) return composite(value, budget, depth);
  budget.exhaust('is nested too deeply to check');
  return undefined;
}

function composite(value: object, budget: KeyBudget, depth: number): string | undefined {
  const list = Array.isArray(value);
  const keys = Object.keys(value);
  const parts: string[] = [];
  for (const key of list ? keys : keys.sort()) {
    const part = canonical((value as Record<string, unknown>)[key], budget, depth + 1);
    if (part === undefined) return undefined;
    parts.push(list ? part : `${JSON.stringify(key)}:${part}`);
  }
  return list ? `[${parts.join()}]` : `{${parts.join()}}`;
}
