import type { Verdict } from '../../auth/auth.ts';

export type Good = Extract<Verdict, { kind: 'principal' }>;

interface Known {
  readonly header: string;
  readonly verdict: Good;
  /** Until when the header is taken without a look at its token, on the clock that is never set. */
  readonly until: number;
}

/**
 * Remembers, by connection, the header that was last found good there: nearly every client sends the same one again.
 * It is held against nobody else's, and every character of it is looked at, so that how long that takes says nothing.
 */
export class KnownHeaders {
  readonly #known = new WeakMap<object, Known>();
  readonly #keptMs: number;

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  /** What is known of a header, as long as its token is good and it was looked at a moment ago. */
  recall(connection: object, header: string): Good | undefined {
    const known = this.#known.get(connection);
    if (known === undefined || !isSame(known.header, header) || performance.now() > known.until) return undefined;
    const { verdict } = known;
    if (verdict.until !== undefined && verdict.until <= Date.now()) return undefined;
    return verdict.good === undefined || verdict.good() ? verdict : undefined;
  }

  keep(connection: object, header: string, verdict: Good): void {
    if (this.#keptMs > 0) this.#known.set(connection, { header, verdict, until: performance.now() + this.#keptMs });
  }
}

function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
