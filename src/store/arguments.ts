import type { AppendOptions, TakeOptions } from './store.ts';

/** Refuses what is not a whole number from `least` up. */
export function requireWhole(name: string, value: number, least = 1): void {
  if (!Number.isSafeInteger(value) || value < least)
    throw new RangeError(`Store option "${name}" must be a whole number from ${least}: ${value}`);
}

/** Refuses bounds that no log can keep. */
export function requireBounds({ entries, bytes, ttlMs }: AppendOptions): void {
  requireWhole('entries', entries);
  requireWhole('bytes', bytes);
  requireWhole('ttlMs', ttlMs);
}

/** Refuses a take that could never succeed, or a bucket that never refills. */
export function requireTake({ capacity, refillPerSecond, cost = 1 }: TakeOptions): void {
  if (!(Number.isFinite(capacity) && capacity > 0))
    throw new RangeError(`Store option "capacity" must be above 0: ${capacity}`);
  if (!(Number.isFinite(refillPerSecond) && refillPerSecond > 0))
    throw new RangeError(`Store option "refillPerSecond" must be above 0: ${refillPerSecond}`);
  if (!(cost >= 0 && cost <= capacity))
    throw new RangeError(`Store option "cost" must be from 0 to the capacity of ${capacity}: ${cost}`);
}
