import type { Principal } from '../model/peer.ts';
import type { Verdict, Verifier } from './auth.ts';
import { digestBytes, matching } from './digests.ts';

/** A token an operator gave to somebody. Exactly one of `token` and `sha256` says what it is. */
export interface StaticToken {
  /** Who has it; two tokens of one id are the same principal. */
  readonly id: string;
  readonly token?: string | undefined;
  /** The SHA-256 of the token, in hexadecimal: what a file may hold without being a secret itself. */
  readonly sha256?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** When it ends, as a date of ISO 8601. */
  readonly expires?: string | undefined;
}

interface Kept {
  readonly digest: Buffer;
  readonly verdict: Extract<Verdict, { kind: 'principal' }>;
}

/** Whether the token of a principal is on a list, with the same scopes and the same end. */
export type Holds = (digest: Buffer, principal: Principal) => boolean;

export interface StaticTokens extends Required<Verifier> {
  readonly holds: Holds;
}

const LEAST_CHARACTERS = 16;
const EXPIRED: Verdict = Object.freeze({ kind: 'expired' });

/**
 * Checks tokens against a list. Only digests are kept. Throws `TypeError` for a list that cannot be used. Where the list
 * may be replaced, `holds` is that of the list in force.
 */
export function createStaticTokens(
  tokens: readonly StaticToken[],
  now: () => number = Date.now,
  holds?: Holds,
): StaticTokens {
  const kept = tokens.map((token) => keep(token, holds));
  const principals = new Set(kept.map(({ verdict }) => verdict.principal));
  const digests = new Set(kept.map(({ digest }) => digest.toString('hex')));
  if (digests.size < kept.length) throw new TypeError('Cannot use the tokens: one is given twice');
  const verify = (token: string): Verdict | undefined => {
    const found = matching(kept, digestBytes(token));
    if (found === undefined) return undefined;
    const { until } = found.verdict;
    return until !== undefined && until <= now() ? EXPIRED : found.verdict;
  };
  return {
    verify,
    recall: verify,
    holds(digest, principal) {
      if (principals.has(principal)) return true;
      const found = matching(kept, digest)?.verdict.principal;
      return found !== undefined && JSON.stringify(found) === JSON.stringify(principal);
    },
  };
}

function keep(given: StaticToken, holds: Holds | undefined): Kept {
  const { id, token, sha256, scopes = [], expires } = given;
  if (typeof id !== 'string' || id === '') throw new TypeError('Cannot use a token without an id');
  const until = expires === undefined ? undefined : Date.parse(expires);
  const trouble = secretTrouble(given) ?? termsTrouble(scopes, until);
  if (trouble !== undefined) throw new TypeError(`Cannot use the token of "${id}": ${trouble}`);
  const ends = until === undefined ? {} : { expires: until };
  const digest = token === undefined ? Buffer.from(sha256 as string, 'hex') : digestBytes(token);
  const principal = Object.freeze({ id: `token#${id}`, scopes: Object.freeze([...scopes]), ...ends });
  return {
    digest,
    verdict: Object.freeze({
      kind: 'principal',
      principal,
      ...(until === undefined ? {} : { until }),
      ...(holds === undefined ? {} : { good: () => holds(digest, principal) }),
    }),
  };
}

function secretTrouble({ token, sha256 }: StaticToken): string | undefined {
  if ((token === undefined) === (sha256 === undefined)) return 'give either "token" or "sha256"';
  if (token === undefined)
    return /^[\da-f]{64}$/i.test(sha256 ?? '') ? undefined : '"sha256" must be 64 hexadecimal digits';
  if (typeof token !== 'string' || !/^[\w.~+/-]+=*$/.test(token)) return 'it has characters no bearer token may have';
  return token.length < LEAST_CHARACTERS
    ? `it is shorter than ${LEAST_CHARACTERS} characters, and could be guessed`
    : undefined;
}

function termsTrouble(scopes: readonly string[], until: number | undefined): string | undefined {
  if (Number.isNaN(until)) return '"expires" must be a date';
  return Array.isArray(scopes) && scopes.every(isScope) ? undefined : '"scopes" must be a list of words';
}

/** Whether a text can be a scope: printable, without spaces, quotes and backslashes. */
// spec RFC 6749 section 3.3
export function isScope(scope: unknown): scope is string {
  return typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
}
