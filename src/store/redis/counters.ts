import { requireTake } from '../arguments.ts';
import type { Counters, Taken, TakeOptions } from '../store.ts';
import type { Keys } from './keys.ts';
import { TAKE } from './scripts.ts';

/** Buckets on the clock of the server, so that replicas need not agree on the time. */
export class RedisCounters implements Counters {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  async take(key: string, options: TakeOptions): Promise<Taken> {
    requireTake(options);
    const { capacity, refillPerSecond, cost = 1 } = options;
    const name = this.#keys.name('c', key);
    const [ok, rest] = (await this.#keys.run(TAKE, name, [capacity, refillPerSecond, cost])) as [number, number];
    return ok === 1 ? { ok: true, left: rest } : { ok: false, retryAfterMs: rest };
  }
}
