import type { Call } from '../../../model/call.ts';
import { ToolError } from '../../../model/fault.ts';
import { type Eventually, isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { CONTEXT_NAME } from './references.ts';

/** The part of a store's records that a shelf needs. */
export interface ContextRecords {
  get(key: string): Eventually<{ readonly value: Json } | undefined>;
  put(key: string, value: Json, options: { readonly ttlMs: number }): Eventually<unknown>;
  touch(key: string, ttlMs: number): Eventually<boolean>;
  list(
    prefix: string,
    options: { readonly limit: number; readonly after?: string },
  ): Eventually<{ readonly keys: readonly string[]; readonly next?: string }>;
}

/** How much one client may keep, and for how long after it was last used. */
export const CONTEXT_LIMITS = {
  names: 100,
  /** Characters of JSON under one name. */
  characters: 262_144,
  depth: 64,
  ttlMs: 3_600_000,
  /** Characters of JSON all references of one call bring in. */
  expanded: 4_194_304,
} as const;

/** Something stored under a name. */
export interface Stored {
  readonly data: Json;
  readonly description: string;
  readonly addedAt: string;
}

type Whose = Pick<Call, 'principal' | 'session'>;

/** What each client has put aside, under names of its own; nobody sees what another client stored. */
export class ContextShelf {
  readonly #records: ContextRecords;
  readonly #now: () => number;

  constructor(records: ContextRecords, now: () => number = Date.now) {
    this.#records = records;
    this.#now = now;
  }

  async put(
    whose: Whose,
    name: string,
    { data, description = '' }: { data: Json; description?: string },
  ): Promise<void> {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new ToolError(problem);
    checkSize(name, data);
    const prefix = prefixOf(whose);
    const names = await this.#names(prefix);
    if (names.length >= CONTEXT_LIMITS.names && !names.includes(name)) {
      throw new ToolError(`Cannot store "${name}": ${CONTEXT_LIMITS.names} names are in use; use one of them again`);
    }
    const stored: JsonObject = { data, description, addedAt: new Date(this.#now()).toISOString() };
    await this.#records.put(`${prefix}${name}`, stored, { ttlMs: CONTEXT_LIMITS.ttlMs });
  }

  /** What is stored under a name; being used prolongs its life. */
  async get(whose: Whose, name: string): Promise<Stored | undefined> {
    const key = `${prefixOf(whose)}${name}`;
    const held = await this.#records.get(key);
    if (held === undefined || !isObject(held.value)) return undefined;
    await this.#records.touch(key, CONTEXT_LIMITS.ttlMs);
    const { data = null, description, addedAt } = held.value;
    return { data, description: String(description), addedAt: String(addedAt) };
  }

  /** The names in use, in alphabetical order. */
  async names(whose: Whose): Promise<readonly string[]> {
    return this.#names(prefixOf(whose));
  }

  async #names(prefix: string): Promise<readonly string[]> {
    const names = new Set<string>();
    let after: string | undefined;
    do {
      const options = { limit: 1000, ...(after === undefined ? {} : { after }) };
      const { keys, next } = await this.#records.list(prefix, options);
      for (const key of keys) names.add(key.slice(prefix.length));
      after = next;
    } while (after !== undefined);
    return [...names].sort();
  }
}

/** What keeps something from being a name, in words; `undefined` when it is one. */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && CONTEXT_NAME.test(name)) return undefined;
  const shown = typeof name === 'string' ? ` "${name.slice(0, 80)}"` : '';
  return `Bad context name${shown}: use a letter first, then letters, digits, ".", "_" or "-", at most 64 in all`;
}

function checkSize(name: string, data: Json): void {
  const { characters, depth } = CONTEXT_LIMITS;
  if (!isWithin(data, depth)) throw new ToolError(`Cannot store "${name}": it is nested over ${depth} levels deep`);
  if (JSON.stringify(data).length > characters) {
    throw new ToolError(`Cannot store "${name}": it is longer than ${characters} characters of JSON`);
  }
}

function isWithin(value: Json | undefined, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isWithin(item, depth - 1));
}

/** A principal keeps its names from session to session; anybody else has them as long as the session or connection. */
function prefixOf({ principal, session }: Whose): string {
  if (principal !== undefined) return `context/p/${encodeURIComponent(principal.id)}/`;
  if (session !== undefined) return `context/s/${encodeURIComponent(session)}/`;
  throw new ToolError('There is no context here: it needs a session or a signed-in client');
}
