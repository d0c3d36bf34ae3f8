import type { Json, JsonObject } from '../model/json.ts';
import { invalid, type Verdict } from './auth.ts';
import { isScope } from './static-tokens.ts';

/** What a token must say to be for this server. */
export interface Expected {
  readonly issuer: string;
  /** The names this server has for the issuer; one of them must be in the token. */
  readonly audiences: readonly string[];
  readonly now: () => number;
}

/** Clocks differ; a token is good this long before and after. */
const TOLERANCE_MS = 5000;
const EXPIRED: Verdict = Object.freeze({ kind: 'expired' });

/** Judges what a token whose origin is beyond doubt says about itself. */
// spec RFC 9068 section 4
export function judge(claims: JsonObject, expected: Expected): Verdict {
  const now = expected.now();
  const trouble = stranger(claims, expected) ?? untimely(claims, now);
  if (trouble !== undefined) return invalid(trouble);
  const until = (claims['exp'] as number) * 1000 + TOLERANCE_MS;
  if (until <= now) return EXPIRED;
  const who = whoseOf(claims);
  if (who === undefined) return invalid('it names neither a subject nor a client');
  const scopes = Object.freeze(scopesOf(claims['scope'] ?? claims['scp']));
  const principal = Object.freeze({ id: `${expected.issuer}#${who}`, scopes, expires: until });
  return { kind: 'principal', principal, until };
}

function stranger({ iss, aud, cnf }: JsonObject, { issuer, audiences }: Expected): string | undefined {
  if (iss !== issuer) return 'another issuer made it';
  const named = [aud].flat();
  if (!named.some((name) => typeof name === 'string' && audiences.some((own) => sameName(own, name)))) {
    return 'it is for another audience';
  }
  // Such a token is worth nothing without a proof of its key, and who stole it has none.
  return cnf === undefined ? undefined : 'it is bound to a key, and no proof of the key can be checked here';
}

function untimely({ exp, nbf }: JsonObject, now: number): string | undefined {
  if (!isTime(exp)) return '"exp" is missing or not a time';
  if (nbf === undefined) return undefined;
  if (!isTime(nbf)) return '"nbf" is not a time';
  return nbf * 1000 > now + TOLERANCE_MS ? 'it is not good yet' : undefined;
}

function isTime(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

const ORIGIN = /^https?:\/\/[^/?#]+\/?$/;

/** Letter by letter; only an address without a path is the same with a slash at its end. */
// spec RFC 3986 section 6.2.3
function sameName(own: string, name: string): boolean {
  return own === name || ((`${own}/` === name || own === `${name}/`) && ORIGIN.test(own));
}

/** A client that acts for itself is told apart from a user of the same name. */
function whoseOf({ sub, client_id: client }: JsonObject): string | undefined {
  if (typeof sub === 'string' && sub !== '') return sub === client ? `client:${sub}` : sub;
  return typeof client === 'string' && client !== '' ? `client:${client}` : undefined;
}

function scopesOf(given: Json | undefined): string[] {
  const words = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  return [...new Set(words.filter(isScope))];
}
