import type { Limits } from '../../model/limits.ts';

type TryLimits = Pick<Limits, 'badTokens' | 'badTokensPerMinute' | 'badAddressesKept'>;

interface Tries {
  left: number;
  at: number;
}

const MINUTE_MS = 60_000;

/**
 * How many more bad tokens an address may send. Only addresses that sent one are known, so that as long as nobody did
 * there is nothing to look up; the one that was quiet for longest makes room.
 */
export class BadTokens {
  readonly #limits: TryLimits;
  readonly #now: () => number;
  readonly #kept = new Map<string, Tries>();

  /** `now` must not jump as a clock on the wall does: nobody is to wait because somebody set it. */
  constructor(limits: TryLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Whether no address is known for a bad token. */
  get none(): boolean {
    return this.#kept.size === 0;
  }

  /** How long an address must wait before a token of it is checked, in milliseconds: 0 when it need not. */
  waitMs(address: string): number {
    const { left } = this.#refilled(address) ?? { left: 1 };
    if (left >= 1) return 0;
    const { badTokensPerMinute } = this.#limits;
    return badTokensPerMinute === 0 ? MINUTE_MS : Math.ceil(((1 - left) * MINUTE_MS) / badTokensPerMinute);
  }

  /** Takes a try from an address, for a token that is bad or may turn out to be; true when that was its last one. */
  blame(address: string): boolean {
    const tries = this.#refilled(address) ?? { left: this.#limits.badTokens, at: this.#now() };
    tries.left -= 1;
    this.#keep(address, tries);
    return tries.left < 1;
  }

  /** Gives a try back: the token was not bad. */
  restore(address: string): void {
    const tries = this.#kept.get(address);
    if (tries === undefined) return;
    tries.left += 1;
    if (tries.left >= this.#limits.badTokens) this.#kept.delete(address);
  }

  #refilled(address: string): Tries | undefined {
    const tries = this.#kept.get(address);
    if (tries === undefined) return undefined;
    const now = this.#now();
    tries.left += ((now - tries.at) * this.#limits.badTokensPerMinute) / MINUTE_MS;
    tries.at = now;
    if (tries.left < this.#limits.badTokens) return tries;
    this.#kept.delete(address);
    return undefined;
  }

  #keep(address: string, tries: Tries): void {
    this.#kept.delete(address);
    this.#kept.set(address, tries);
    const oldest = this.#kept.size > this.#limits.badAddressesKept ? this.#kept.keys().next().value : undefined;
    if (oldest !== undefined) this.#kept.delete(oldest);
  }
}
