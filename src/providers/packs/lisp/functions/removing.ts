import { NIL, type Value } from '../engine/data.ts';
import { tick } from '../engine/meter.ts';
import type { Keys, Natives } from '../engine/native.ts';
import { type Claim, isItem, keyOf, like, refill, sameOf, satisfies, span, toArray } from './sequence.ts';

const truth = (value: Value | undefined) => value !== undefined && value !== NIL;

/** The places of the elements a claim fits, no more than `:count`, from the end with `:from-end`. */
function chosen(elements: readonly Value[], claim: Claim, keys: Keys): Set<number> {
  const { start, end } = span(elements.length, keys.start, keys.end);
  const most = truth(keys.count) ? Number(keys.count) : Number.POSITIVE_INFINITY;
  const found: number[] = [];
  for (let at = start; at < end; at++) {
    tick();
    if (claim(elements[at] as Value)) found.push(at);
  }
  if (found.length <= most) return new Set(found);
  return new Set(
    truth(keys.fromEnd) ? found.slice(found.length - Math.max(0, most)) : found.slice(0, Math.max(0, most)),
  );
}

function remove(sequence: Value, claim: Claim, keys: Keys): Value {
  const elements = toArray(sequence);
  const gone = chosen(elements, claim, keys);
  if (gone.size === 0) return sequence;
  return like(
    sequence,
    elements.filter((_, at) => !gone.has(at)),
  );
}

interface Change {
  readonly fresh: Value;
  readonly claim: Claim;
  readonly inPlace: boolean;
}

function substitute(sequence: Value, { fresh, claim, inPlace }: Change, keys: Keys): Value {
  const elements = toArray(sequence);
  const places = chosen(elements, claim, keys);
  const made = elements.map((each, at) => (places.has(at) ? fresh : each));
  if (!inPlace) return like(sequence, made);
  refill(sequence, made);
  return sequence;
}

function removeDuplicates(sequence: Value, keys: Keys): Value {
  const elements = toArray(sequence);
  const [same, pick] = [sameOf(keys), keyOf(keys)];
  const picked = elements.map(pick);
  const first = truth(keys.fromEnd);
  const kept = elements.filter((_, at) => {
    const others = first ? picked.slice(0, at) : picked.slice(at + 1);
    tick(others.length);
    return !others.some((other) => (first ? same(other, picked[at] as Value) : same(picked[at] as Value, other)));
  });
  return like(sequence, kept);
}

const REMOVERS: Natives = {
  'remove item sequence &key key test test-not start end from-end count': ([item, sequence], keys) =>
    remove(sequence, isItem(item, keys), keys),
  'remove-if predicate sequence &key key start end from-end count': ([fn, sequence], keys) =>
    remove(sequence, satisfies(fn, keys), keys),
  'remove-if-not predicate sequence &key key start end from-end count': ([fn, sequence], keys) =>
    remove(sequence, satisfies(fn, keys, false), keys),
  'remove-duplicates sequence &key key test test-not from-end': ([sequence], keys) => removeDuplicates(sequence, keys),
};

const SUBSTITUTES: Natives = {
  'substitute new old sequence &key key test test-not start end from-end count': ([fresh, old, sequence], keys) =>
    substitute(sequence, { fresh, claim: isItem(old, keys), inPlace: false }, keys),
  'substitute-if new predicate sequence &key key start end from-end count': ([fresh, fn, sequence], keys) =>
    substitute(sequence, { fresh, claim: satisfies(fn, keys), inPlace: false }, keys),
  'substitute-if-not new predicate sequence &key key start end from-end count': ([fresh, fn, sequence], keys) =>
    substitute(sequence, { fresh, claim: satisfies(fn, keys, false), inPlace: false }, keys),
};

/** `delete` may do what `remove` does, and `nsubstitute` what `substitute` does. */
const renamed = (natives: Natives, name: (text: string) => string): Natives =>
  Object.fromEntries(Object.entries(natives).map(([text, native]) => [name(text), native]));

export const REMOVING: Natives = {
  ...REMOVERS,
  ...renamed(REMOVERS, (text) => text.replace('remove', 'delete')),
  ...SUBSTITUTES,
  ...renamed(SUBSTITUTES, (text) => `n${text}`),
};
