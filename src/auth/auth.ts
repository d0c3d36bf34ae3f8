import type { Eventually } from '../model/json.ts';
import type { Principal } from '../model/peer.ts';

/**
 * What came of looking at a token. `reason` is for the log alone: a client that guesses learns nothing from it.
 */
export type Verdict =
  | {
      readonly kind: 'principal';
      readonly principal: Principal;
      /** When the token ends, in milliseconds since the epoch; absent when it does not. */
      readonly until?: number;
      /** Whether the token is good still, where it can be taken back before it ends. */
      readonly good?: () => boolean;
    }
  | { readonly kind: 'missing' | 'expired' }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** Whoever could tell cannot be asked now; nobody gets in on that account. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Says for whom a request is made, from the token that came with it. Never throws. */
export interface Authenticator {
  authenticate(token: string | undefined): Eventually<Verdict>;
  /** What is known of a token without checking anything that costs; `undefined` when that is not enough to tell. */
  recall?(token: string): Verdict | undefined;
  /**
   * For how long a token that was found good is taken again on the same connection without being looked at, in
   * milliseconds; never, unless it is said. What `good` and `until` of a verdict say is looked at every time.
   */
  readonly keptMs?: number;
}

/** One way to check a token; `undefined` when the token is not of its kind. */
export interface Verifier {
  verify(token: string): Eventually<Verdict | undefined>;
  /** What is known of a token already. */
  recall?(token: string): Verdict | undefined;
}

export function invalid(reason: string): Verdict {
  return { kind: 'invalid', reason };
}

export function unavailable(reason: string): Verdict {
  return { kind: 'unavailable', reason };
}

const MISSING: Verdict = Object.freeze({ kind: 'missing' });

export interface AuthenticatorOptions {
  /** Tried in this order; the first that knows the kind of the token decides. */
  readonly verifiers: readonly Verifier[];
  readonly tokenBytes: number;
  readonly keptMs?: number;
  /** Scopes that hold others within them: who has the first has the rest. */
  readonly implies?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Makes one authenticator of several ways to check a token. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { verifiers, tokenBytes, implies, keptMs = 0 } = options;
  const widen = implies === undefined ? undefined : widener(implies);
  return {
    keptMs,
    authenticate(token) {
      if (token === undefined) return MISSING;
      // Characters are bytes here: what is not ASCII is refused before it comes this far.
      if (token.length > tokenBytes) return invalid(`longer than ${tokenBytes} bytes`);
      const verdict = firstOf(verifiers, token);
      if (widen === undefined) return verdict;
      return verdict instanceof Promise ? verdict.then(widen) : widen(verdict);
    },
    recall(token) {
      if (token.length > tokenBytes) return undefined;
      for (const verifier of verifiers) {
        const verdict = verifier.recall?.(token);
        if (verdict !== undefined) return widen === undefined ? verdict : widen(verdict);
      }
      return undefined;
    },
  };
}

function firstOf(verifiers: readonly Verifier[], token: string): Eventually<Verdict> {
  for (const [at, verifier] of verifiers.entries()) {
    const verdict = verifier.verify(token);
    if (verdict instanceof Promise) {
      const rest = verifiers.slice(at + 1);
      return verdict.then((found) => found ?? firstOf(rest, token), failed);
    }
    if (verdict !== undefined) return verdict;
  }
  return invalid('no such token');
}

function failed(error: unknown): Verdict {
  return unavailable(error instanceof Error ? error.message : String(error));
}

/** Gives principals the scopes their own hold within them, once for each principal. */
function widener(implies: Readonly<Record<string, readonly string[]>>): (verdict: Verdict) => Verdict {
  const known = new WeakMap<Principal, Verdict>();
  return (verdict) => {
    if (verdict.kind !== 'principal') return verdict;
    const kept = known.get(verdict.principal);
    if (kept !== undefined) return kept;
    const scopes = Object.freeze(within(verdict.principal.scopes, implies));
    const wide = { ...verdict, principal: Object.freeze({ ...verdict.principal, scopes }) };
    known.set(verdict.principal, wide);
    return wide;
  };
}

function within(scopes: readonly string[], implies: Readonly<Record<string, readonly string[]>>): string[] {
  const all = new Set(scopes);
  // A set that grows while it is walked is walked to its new end, and takes nothing twice: circles end.
  for (const scope of all)
    for (const held of Object.hasOwn(implies, scope) ? (implies[scope] ?? []) : []) all.add(held);
  return [...all];
}
