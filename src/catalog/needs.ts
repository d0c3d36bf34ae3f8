import type { Flat } from './flatten.ts';

/** What it takes to see and use items: every scope of every rule that names them, and of the items themselves. */
export interface AccessRule {
  /** Names, in which `*` stands for any text. */
  readonly tools?: readonly string[];
  /** URIs of resources and of templates, in which `*` stands for any text. */
  readonly resources?: readonly string[];
  readonly prompts?: readonly string[];
  readonly scopes: readonly string[];
  /** Show the items to everybody and refuse their use with the scopes it takes; otherwise they are hidden. */
  readonly stepUp?: boolean;
}

export type RuledKind = 'tools' | 'resources' | 'prompts';

const KINDS: readonly RuledKind[] = ['tools', 'resources', 'prompts'];
const MEMBERS: ReadonlySet<string> = new Set([...KINDS, 'scopes', 'stepUp']);
const NONE: readonly string[] = Object.freeze([]);

/** Throws `TypeError` for a rule that says nothing or something nobody knows: a slip must not leave a door open. */
export function checkRules(rules: readonly AccessRule[]): void {
  for (const [index, rule] of rules.entries()) {
    const refuse = (why: string): TypeError => new TypeError(`Cannot use access rule ${index + 1}: ${why}`);
    const unknown = Object.keys(rule).find((key) => !MEMBERS.has(key));
    if (unknown !== undefined) throw refuse(`nobody knows "${unknown}"`);
    if (!isWords(rule.scopes) || rule.scopes.length === 0) throw refuse('"scopes" must name a scope at least');
    if (!['boolean', 'undefined'].includes(typeof rule.stepUp)) throw refuse('"stepUp" must be true or false');
    const named = KINDS.filter((kind) => rule[kind] !== undefined);
    if (named.length === 0) throw refuse(`it names none of ${KINDS.join(', ')}`);
    const odd = named.find((kind) => !isWords(rule[kind]));
    if (odd !== undefined) throw refuse(`"${odd}" must be a list of names`);
  }
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string' && word !== '');
}

/** What somebody may do with an item: everything, or see it and be told which scopes its use takes, or nothing. */
export type Sighted = 'use' | readonly string[] | undefined;

/** An item as far as access goes. */
interface Guarded {
  readonly scopes?: readonly string[];
  readonly stepUp?: boolean;
  readonly lacks?: readonly string[];
}

/** Somebody who has these scopes looks at an item. */
interface Look {
  readonly item: Guarded;
  readonly held: ReadonlySet<string>;
}

/** Says which scopes an item needs. */
export class Needs {
  readonly #rules: readonly AccessRule[];

  constructor(rules: readonly AccessRule[] = []) {
    checkRules(rules);
    this.#rules = rules;
  }

  /** The scopes of an item that goes by any of these names, its own among them. */
  of(kind: RuledKind, names: readonly string[], own: readonly string[] = NONE): readonly string[] {
    const ruled = this.#ruling(kind, names);
    return ruled.length === 0 ? own : [...own, ...ruled.flatMap(({ scopes }) => scopes)];
  }

  /** What somebody who has these scopes may do with an item; it is shown only if all who ask for a scope agree. */
  sighted(kind: RuledKind, names: readonly string[], { item, held }: Look): Sighted {
    const ruled = this.#ruling(kind, names);
    const { scopes: own = NONE, stepUp = false } = item;
    const all = [{ scopes: own, stepUp }, ...ruled];
    const lacking = all.filter(({ scopes }) => scopes.some((scope) => !held.has(scope)));
    if (lacking.length === 0) return 'use';
    if (lacking.some((one) => one.stepUp !== true)) return undefined;
    return Object.freeze([...new Set(all.flatMap(({ scopes }) => scopes))]);
  }

  /** What somebody may do with a URI, in whatever spelling leads to the same. */
  sightedUri(uri: string, held: ReadonlySet<string>): Sighted {
    return this.#rules.length === 0 ? 'use' : this.sighted('resources', spellings(uri), { item: {}, held });
  }

  /** Every scope some item needs. */
  all(flat: Flat): readonly string[] {
    const items = [
      ...[...flat.tools].map(([name, { tool, scopes }]) => this.of('tools', [name, tool.name], scopes)),
      ...[...flat.resources].map(([uri, { scopes }]) => this.of('resources', [uri], scopes)),
      ...[...flat.templates].map(([uri, { scopes }]) => this.of('resources', [uri], scopes)),
      ...[...flat.prompts].map(([name, { prompt, scopes }]) => this.of('prompts', [name, prompt.name], scopes)),
      // A template makes URIs that only a rule knows.
      ...this.#rules.flatMap(({ resources, scopes }) => (resources === undefined ? [] : [scopes])),
    ];
    return Object.freeze([...new Set(items.flat())].sort());
  }

  /** What is left for who has these scopes. */
  within(flat: Flat, held: ReadonlySet<string>): Flat {
    const view = <T extends Guarded>(kind: RuledKind, map: ReadonlyMap<string, T>, own: (item: T) => string[]) =>
      seen(map, (key, item) => this.sighted(kind, [key, ...own(item)], { item, held }));
    const tools = view('tools', flat.tools, ({ tool }) => [tool.name]);
    const prompts = view('prompts', flat.prompts, ({ prompt }) => [prompt.name]);
    return {
      tools,
      resources: view('resources', flat.resources, () => []),
      templates: view('resources', flat.templates, () => []),
      prompts,
      bare: {
        tools: kept(flat.bare.tools, (_, name) => tools.has(name)),
        prompts: kept(flat.bare.prompts, (_, name) => prompts.has(name)),
      },
    };
  }

  #ruling(kind: RuledKind, names: readonly string[]): readonly AccessRule[] {
    return this.#rules.filter((rule) => rule[kind]?.some((pattern) => names.some((name) => fits(name, pattern))));
  }
}

/** What of some items is seen; one that is not for use says what it lacks. */
function seen<T extends Guarded>(
  map: ReadonlyMap<string, T>,
  sighted: (key: string, item: T) => Sighted,
): ReadonlyMap<string, T> {
  const view = new Map<string, T>();
  for (const [key, item] of map) {
    const sight = sighted(key, item);
    if (sight === undefined) continue;
    view.set(key, sight === 'use' ? item : Object.freeze({ ...item, lacks: sight }));
  }
  return view;
}

function kept<T>(map: ReadonlyMap<string, T>, keeps: (key: string, value: T) => boolean): ReadonlyMap<string, T> {
  return new Map([...map].filter(([key, value]) => keeps(key, value)));
}

function spellings(uri: string): readonly string[] {
  const read = URL.canParse(uri) ? [new URL(uri).href] : [];
  return [uri, ...read].flatMap((text) => [text, decoded(text)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a name fits a pattern with `*`; its time grows with the product of their lengths and no faster. */
export function fits(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
