import { ToolError } from '../../../model/fault.ts';
import { isObject, type Json } from '../../../model/json.ts';

/** What something may be stored as. */
export const CONTEXT_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** A text that stands for what is stored under a name; `@@` begins a text that begins with `@`. */
function referenceIn(text: string): string | undefined {
  const name = text.startsWith('@') ? text.slice(1) : '';
  return CONTEXT_NAME.test(name) ? name : undefined;
}

/** The names a value refers to, at any depth; `undefined` when there is nothing in it to replace. */
export function referencesIn(value: Json): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  return mentions(value, names) ? names : undefined;
}

function mentions(value: Json | undefined, names: Set<string>): boolean {
  if (typeof value === 'string') return mentioned(value, names);
  if (typeof value !== 'object' || value === null) return false;
  let found = false;
  for (const item of Object.values(value)) found = mentions(item, names) || found;
  return found;
}

function mentioned(text: string, names: Set<string>): boolean {
  const name = referenceIn(text);
  if (name !== undefined) names.add(name);
  return name !== undefined || text.startsWith('@@');
}

export interface Expansion {
  /** What each name stands for. It is put in as it is: a text in it that looks like a reference is only text. */
  readonly values: ReadonlyMap<string, Json>;
  /** Most characters of JSON all references together may bring in. */
  readonly most: number;
}

/** The value with every reference replaced; keys are left alone. */
export function expand(value: Json, { values, most }: Expansion): Json {
  const sizes = new Map([...values].map(([name, stored]) => [name, JSON.stringify(stored).length]));
  let size = 0;
  const fill = (name: string): Json => {
    size += sizes.get(name) ?? 0;
    if (size > most) throw new ToolError(`The references bring in more than ${most} characters`);
    return values.get(name) ?? null;
  };
  const visit = (item: Json): Json => {
    if (typeof item === 'string') return replaced(item, fill);
    if (Array.isArray(item)) return item.map(visit);
    if (!isObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, member]) => [key, member === undefined ? member : visit(member)]),
    );
  };
  return visit(value);
}

function replaced(text: string, fill: (name: string) => Json): Json {
  if (text.startsWith('@@')) return text.slice(1);
  const name = referenceIn(text);
  return name === undefined ? text : fill(name);
}
