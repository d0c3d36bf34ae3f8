import type { Eventually } from '../model/json.ts';
import type { Verdict, Verifier } from './auth.ts';
import { digestOf } from './digests.ts';

export interface RememberOptions {
  readonly tokensKept: number;
  readonly tokenKeptMs: number;
  readonly now?: () => number;
}

/** How long a refusal is remembered: long enough to bear a client that tries again and again. */
const REFUSED_MS = 5000;

interface Kept {
  readonly verdict: Verdict | undefined;
  readonly since: number;
  readonly until: number;
}

/**
 * Remembers what came of a token, by its digest, no longer than the token itself is good for; the oldest makes room.
 * A token that comes several times while it is being checked is checked once. Nothing is remembered of a check that
 * could not be made.
 */
export function remembering(verifier: Verifier, options: RememberOptions): Required<Verifier> {
  const { tokensKept, tokenKeptMs, now = Date.now } = options;
  const kept = new Map<string, Kept>();
  const checking = new Map<string, Promise<Verdict | undefined>>();

  function keep(key: string, verdict: Verdict | undefined): void {
    const since = now();
    const until = keptUntil(verdict, since, tokenKeptMs);
    if (until <= since) return;
    kept.delete(key);
    kept.set(key, { verdict, since, until });
    const oldest = kept.size > tokensKept ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
  }

  /** What the clock says was kept later than now was kept before somebody set it back, nobody knows how long ago. */
  function isGood({ since, until }: Kept): boolean {
    const time = now();
    return since <= time && time < until;
  }

  function check(key: string, token: string): Eventually<Verdict | undefined> {
    const verdict = verifier.verify(token);
    if (!(verdict instanceof Promise)) {
      keep(key, verdict);
      return verdict;
    }
    const done = verdict
      .then((found) => {
        keep(key, found);
        return found;
      })
      .finally(() => checking.delete(key));
    checking.set(key, done);
    return done;
  }

  return {
    verify(token) {
      const key = digestOf(token);
      const found = kept.get(key);
      if (found === undefined) return checking.get(key) ?? check(key, token);
      kept.delete(key);
      if (!isGood(found)) return check(key, token);
      kept.set(key, found);
      return found.verdict;
    },
    recall(token) {
      const found = kept.get(digestOf(token));
      return found === undefined || !isGood(found) ? undefined : found.verdict;
    },
  };
}

function keptUntil(verdict: Verdict | undefined, now: number, mostMs: number): number {
  if (verdict?.kind === 'principal') return Math.min(now + mostMs, verdict.until ?? Number.POSITIVE_INFINITY);
  return verdict?.kind === 'unavailable' ? 0 : now + Math.min(mostMs, REFUSED_MS);
}
