import { canonical } from '../equal.ts';
import { countOf, type Keyword, onArray, type Site, schemasOf } from '../rule.ts';
import type { Node, Rule, Run } from '../run.ts';

const FEW = 8;
/** What it costs to remember an item, in steps. */
const REMEMBERING = 4;

/** `minItems`. */
export const minItems: Keyword = (site) => {
  const least = countOf(site, 'minItems');
  if (least === undefined) return undefined;
  const message = least === 1 ? 'must not be empty' : `must have at least ${least} items`;
  return onArray((value, run) => value.length >= least || run.fail(message));
};

/** `maxItems`. */
export const maxItems: Keyword = (site) => {
  const most = countOf(site, 'maxItems');
  if (most === undefined) return undefined;
  const message = `must have at most ${most} items`;
  return onArray((value, run) => value.length <= most || run.fail(message));
};

/** `uniqueItems`. */
export const uniqueItems: Keyword = (site) => {
  const unique = site.schema['uniqueItems'];
  if (unique === undefined || unique === false) return undefined;
  if (unique !== true) return site.refuse('"uniqueItems" must be true or false', 'uniqueItems');
  return onArray((value, run) => {
    if (value.length < 2) return true;
    if (value.length > FEW || !value.every(isSimple)) return distinct(value, run);
    return value.every((item, index) => value.indexOf(item) === index) || run.fail('must not have equal items');
  });
};

function isSimple(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function distinct(items: readonly unknown[], run: Run): boolean {
  if (!run.spend(items.length * REMEMBERING)) return false;
  const simple = new Set<unknown>();
  const composite = new Set<string>();
  for (const [index, item] of items.entries()) {
    const known = isSimple(item) ? remember(simple, item) : rememberComposite(composite, item, run);
    if (known) return run.fail(`must not have equal items: item ${index} equals one before it`);
  }
  return true;
}

function remember(values: Set<unknown>, value: unknown): boolean {
  const before = values.size;
  return values.add(value).size === before;
}

function rememberComposite(keys: Set<string>, value: unknown, run: Run): boolean {
  const key = canonical(value, run);
  return key === undefined || remember(keys, key);
}

interface Positions {
  readonly prefix: readonly Node[];
  readonly rest: Node | undefined;
}

/** `prefixItems` and `items`, with the older list form and `additionalItems` of draft 7. */
export const items: Keyword = (site) => {
  const list = Array.isArray(site.schema['items']);
  if (list && !site.draft7) {
    return site.refuse('"items" must be a schema; for a schema per position use "prefixItems"', 'items');
  }
  const keyword = list ? 'additionalItems' : 'items';
  const prefix = schemasOf(site, list ? 'items' : 'prefixItems');
  const rest = site.schema[keyword] === undefined ? undefined : site.child(keyword);
  if (prefix.length === 0 && rest === undefined) return undefined;
  const check = itemsRule(site, { prefix, rest });
  if (site.schema[keyword] !== false) return check;
  const message = `must have at most ${prefix.length} items`;
  return (value, run) => (Array.isArray(value) && value.length > prefix.length ? run.fail(message) : check(value, run));
};

function itemsRule(site: Site, { prefix, rest }: Positions): Rule {
  const length = rest === undefined ? prefix.length : Number.POSITIVE_INFINITY;
  return onArray((value, run) => {
    if (site.tracks) run.seen.prefix = Math.max(run.seen.prefix, length);
    const end = Math.min(length, value.length);
    let passed = true;
    for (let index = 0; index < end; index += 1) {
      const node = prefix[index] ?? rest;
      passed = (node === undefined || run.at(index, value[index], node)) && passed;
      if (run.decides(passed)) return false;
    }
    return passed;
  });
}

interface Wanted {
  readonly node: Node;
  /** When this many match, the rest need not be looked at. */
  readonly enough: number;
}

/** `contains`, `minContains` and `maxContains`. */
export const contains: Keyword = (site) => {
  if (site.schema['contains'] === undefined) return undefined;
  const node = site.child('contains');
  const least = countOf(site, 'minContains') ?? 1;
  const most = countOf(site, 'maxContains') ?? Number.POSITIVE_INFINITY;
  const enough = site.tracks || most !== Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : least;
  const count = counter(site, { node, enough });
  return onArray((value, run) => {
    const found = count(value, run);
    if (found < least) return run.fail(`must contain at least ${least} matching ${itemsWord(least)}`);
    return found <= most || run.fail(`must contain at most ${most} matching ${itemsWord(most)}`);
  });
};

function counter(site: Site, { node, enough }: Wanted) {
  return (value: readonly unknown[], run: Run): number => {
    let count = 0;
    for (let index = 0; index < value.length && count < enough; index += 1) {
      if (!run.passes(node.rule, value[index])) continue;
      count += 1;
      if (site.tracks) run.seen.addItem(index);
    }
    return count;
  };
}

function itemsWord(count: number): string {
  return count === 1 ? 'item' : 'items';
}

/** `unevaluatedItems`; runs after every keyword it depends on. */
export const unevaluatedItems: Keyword = (site) => {
  const schema = site.schema['unevaluatedItems'];
  if (schema === undefined || site.draft7) return undefined;
  const node = site.child('unevaluatedItems');
  return onArray((value, run) => {
    const { seen } = run;
    let passed = run.spend(value.length);
    for (let index = 0; index < value.length; index += 1) {
      passed = (seen.hasItem(index) || run.at(index, value[index], node)) && passed;
      if (run.decides(passed)) return false;
    }
    seen.prefix = Number.POSITIVE_INFINITY;
    return passed;
  });
};
