import { requireTake } from '../arguments.ts';
import type { Counters, Taken, TakeOptions } from '../store.ts';
import { ExpiringMap, type Mortal } from './expiring.ts';
import { type Ground, SLOT_BYTES, sizeOf } from './ground.ts';

// Sums of fractions fall short of a whole token by less than this.
const CRUMB = 1e-9;

/** Expires when it is full again: a full bucket and an absent one are the same. */
interface Bucket extends Mortal {
  tokens: number;
  /** When `tokens` was right. */
  at: number;
}

/** Buckets that are filled up when they are looked at. */
export class MemoryCounters implements Counters {
  readonly #ground: Ground;
  readonly entries: ExpiringMap<Bucket>;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.entries = new ExpiringMap(ground.now, (_, key) => ground.release(SLOT_BYTES + sizeOf(key)));
  }

  take(key: string, options: TakeOptions): Taken {
    this.#ground.requireOpen();
    requireTake(options);
    const { capacity, refillPerSecond, cost = 1 } = options;
    const now = this.#ground.now();
    const bucket = this.entries.get(key);
    const gained = bucket === undefined ? capacity : ((now - bucket.at) * refillPerSecond) / 1000;
    const tokens = Math.min(capacity, (bucket?.tokens ?? 0) + gained);
    const left = tokens - cost;
    if (left < -CRUMB) return { ok: false, retryAfterMs: Math.ceil((-left * 1000) / refillPerSecond) };
    const expires = now + ((capacity - left) * 1000) / refillPerSecond;
    if (bucket !== undefined) {
      bucket.tokens = left;
      bucket.at = now;
      bucket.expires = expires;
    } else if (cost > 0) this.#begin(key, { tokens: left, at: now, expires });
    return { ok: true, left: Math.max(0, Math.floor(left + CRUMB)) };
  }

  #begin(key: string, bucket: Bucket): void {
    this.#ground.charge(SLOT_BYTES + sizeOf(key));
    this.entries.add(key, bucket);
  }
}
