import type { Json, JsonObject } from '../model/json.ts';
import { type Limits, limitsWith } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import { escapeHidden } from '../model/portrait.ts';
import type { Offer } from './provider.ts';
import { isVisibleName, visibleText } from './visible.ts';

export interface ScreenOptions {
  /** Whose items these are, for the log. */
  readonly label: string;
  readonly log: Log;
  readonly limits?: Limits;
}

/**
 * What of an offer may be shown: no item whose names are not what they look like, none whose definition is too long, no
 * more items than a source may have, and no text with anything invisible in it.
 */
export function screenOffer(offer: Offer, options: ScreenOptions): Offer {
  const screen = new Screen(options);
  const { tools = [], resources = [], templates = [], prompts = [] } = offer;
  return {
    ...offer,
    tools: screen.sift('tool', 'tool', tools),
    resources: screen.sift('resource', 'resource', resources),
    templates: screen.sift('resource template', 'template', templates),
    prompts: screen.sift('prompt', 'prompt', prompts),
  };
}

/** Why an item is not shown, or what is shown of it. */
type Verdict = { readonly refused: string } | { readonly shown: object; readonly changes: ReadonlySet<string> };

/** Definitions are the same objects from one catalog to the next, and are looked at and logged once. */
const known = new WeakMap<object, { readonly under: string; readonly verdict: Verdict }>();

const MOST_LINES = 20;
const MOST_NAMES = 10;

class Screen {
  readonly #options: ScreenOptions;
  readonly #limits: Limits;
  #lines = 0;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#limits = options.limits ?? limitsWith();
  }

  sift<K extends string, E extends { readonly [P in K]: object }>(kind: string, key: K, entries: readonly E[]): E[] {
    const { itemsPerSource } = this.#limits;
    const kept: E[] = [];
    const changed = new Map<string, string[]>();
    for (const entry of entries.slice(0, itemsPerSource)) {
      const definition = entry[key];
      const name = nameOf(definition);
      const verdict = this.#judge(kind, definition, changed);
      if ('refused' in verdict) continue;
      kept.push(verdict.shown === definition ? entry : showing(entry, key, verdict.shown));
      for (const change of verdict.changes) changed.get(change)?.push(name);
    }
    this.#tellChanges(kind, changed);
    const over = entries.length - itemsPerSource;
    if (over > 0)
      this.#warn(`Left out ${over} of the ${kind}s of "${this.#options.label}": at most ${itemsPerSource} are taken`);
    return kept;
  }

  #judge(kind: string, definition: object, changed: Map<string, string[]>): Verdict {
    const { descriptionLength, definitionLength } = this.#limits;
    const under = `${descriptionLength}/${definitionLength}`;
    const before = known.get(definition);
    if (before?.under === under) return before.verdict;
    const verdict = judge(definition, this.#limits);
    known.set(definition, { under, verdict });
    if ('refused' in verdict) {
      const name = escapeHidden(nameOf(definition));
      this.#warn(`Left out ${kind} "${name}" of "${this.#options.label}": ${verdict.refused}`);
    } else {
      for (const change of verdict.changes) if (!changed.has(change)) changed.set(change, []);
    }
    return verdict;
  }

  #tellChanges(kind: string, changed: ReadonlyMap<string, readonly string[]>): void {
    for (const [change, names] of changed) {
      const some = names.slice(0, MOST_NAMES).map((name) => `"${name}"`);
      const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
      this.#warn(`${change} of the ${kind}s ${some.join(', ')}${more} of "${this.#options.label}"`);
    }
  }

  #warn(message: string): void {
    this.#lines += 1;
    if (this.#lines < MOST_LINES) this.#options.log('warn', message);
    else if (this.#lines === MOST_LINES) {
      this.#options.log('warn', `Left out or changed more of what "${this.#options.label}" offers`);
    }
  }
}

function nameOf(definition: object): string {
  const { name, uri, uriTemplate } = definition as { name?: unknown; uri?: unknown; uriTemplate?: unknown };
  return String(name ?? uri ?? uriTemplate).slice(0, 100);
}

/** The entry with another definition. Its methods go on being its own: it may be an instance with private state. */
function showing<E extends object>(entry: E, key: string, definition: object): E {
  return new Proxy(entry, {
    get(target, member) {
      if (member === key) return definition;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const INVISIBLE = 'Took invisible characters out of the texts';
const CUT = 'Cut texts that are too long';
/** Strings that are what they say, so that taking a character out would make something else of them. */
const EXACT: ReadonlySet<string> = new Set(['enum', 'const', 'required', 'pattern', '$ref', '$id']);
const NAMES: ReadonlySet<string> = new Set(['name', 'uri', 'uriTemplate']);
const DESCRIBING: ReadonlySet<string> = new Set(['description', 'title', '$comment']);
const DEEPEST = 200;
const MARK = ' […]';

class Refusal extends Error {}

function judge(definition: object, { descriptionLength, definitionLength }: Limits): Verdict {
  const walk = new Walk(descriptionLength);
  try {
    const written = JSON.stringify(definition);
    if (written.length <= Math.min(descriptionLength, definitionLength) && isPlain(written))
      return { shown: definition, changes: walk.changes };
    const shown = walk.copy(definition as JsonObject, { key: '', exact: false, depth: 0 }) as object;
    const length = shown === definition ? written.length : JSON.stringify(shown).length;
    if (length > definitionLength) return { refused: `its definition is longer than ${definitionLength} characters` };
    return { shown, changes: walk.changes };
  } catch (error) {
    return { refused: error instanceof Refusal ? error.message : 'its definition cannot be written as JSON' };
  }
}

const PRINTABLE = /^[ -~]*$/;

/** Whether one look at a definition is enough: nothing hidden has a place in it, and it is not deep. */
function isPlain(written: string): boolean {
  if (written.includes('\\') || !PRINTABLE.test(written)) return false;
  return written.split('{').length + written.split('[').length < DEEPEST;
}

interface Where {
  readonly key: string;
  /** What stands here must not be changed. */
  readonly exact: boolean;
  readonly depth: number;
}

class Walk {
  readonly changes = new Set<string>();
  readonly #longest: number;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The value as it may be shown: the same one where nothing had to be changed. */
  copy(value: Json | undefined, where: Where): Json | undefined {
    if (typeof value === 'string') return this.#text(value, where);
    if (typeof value !== 'object' || value === null) return value;
    if (where.depth > DEEPEST) throw new Refusal(`its definition is nested over ${DEEPEST} levels deep`);
    return Array.isArray(value) ? this.#list(value, where) : this.#members(value, where);
  }

  #list(values: Json[], { key, exact, depth }: Where): Json[] {
    const copies = values.map((item) => this.copy(item, { key, exact, depth: depth + 1 }) as Json);
    return copies.every((item, at) => item === values[at]) ? values : copies;
  }

  #members(value: JsonObject, { exact, depth }: Where): JsonObject {
    let copy: JsonObject | undefined;
    for (const [key, member] of Object.entries(value)) {
      if (!isVisibleName(key)) throw new Refusal(`the name "${escapeHidden(key)}" in it has invisible characters`);
      const shown = this.copy(member, { key, exact: exact || EXACT.has(key), depth: depth + 1 });
      if (shown === member) continue;
      copy ??= { ...value };
      copy[key] = shown;
    }
    return copy ?? value;
  }

  #text(text: string, { key, exact }: Where): string {
    if (exact || NAMES.has(key)) {
      if (NAMES.has(key) ? isVisibleName(text) : visibleText(text) === text) return text;
      throw new Refusal(`"${escapeHidden(text.slice(0, 100))}" has invisible characters`);
    }
    const visible = visibleText(text);
    if (visible !== text) this.changes.add(INVISIBLE);
    if (visible.length <= this.#longest || !DESCRIBING.has(key)) return visible;
    this.changes.add(CUT);
    return `${visible.slice(0, this.#longest).replace(/[\ud800-\udbff]$/, '')}${MARK}`;
  }
}
