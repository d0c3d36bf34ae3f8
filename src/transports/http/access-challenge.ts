import type { Verdict } from '../../auth/auth.ts';
import { waitText } from '../../model/rate.ts';
import type { Refusal } from './refuse.ts';

/** A refusal, and what the challenge beside it says. */
export interface Challenge extends Refusal {
  readonly error?: { readonly code: string; readonly says: string };
  /** Without a challenge: another token would not help. */
  readonly bare?: boolean;
}

const GET_ONE = 'send "Authorization: Bearer …" with a token for this server';

export const MALFORMED: Challenge = {
  status: 400,
  reason: 'authorization',
  message: 'Cannot read the Authorization header: send "Bearer", a space, and one token',
  error: { code: 'invalid_request', says: 'The Authorization header is malformed' },
};

export const IN_ADDRESS: Challenge = {
  status: 400,
  reason: 'tokenInAddress',
  message: `Cannot take a token from the address, where others may see it: ${GET_ONE}`,
  error: { code: 'invalid_request', says: 'Tokens are not taken from the address' },
};

export const TURNED_AWAY: Readonly<Record<Exclude<Verdict['kind'], 'principal'>, Challenge>> = {
  missing: { status: 401, reason: 'token', message: `Cannot tell who asks: ${GET_ONE}` },
  invalid: {
    status: 401,
    reason: 'token',
    message: `Cannot take the token: ${GET_ONE}`,
    error: { code: 'invalid_token', says: 'The token is not good here' },
  },
  expired: {
    status: 401,
    reason: 'expired',
    message: 'Cannot take the token: it has expired. Get a new one',
    error: { code: 'invalid_token', says: 'The token has expired' },
  },
  unavailable: {
    status: 503,
    reason: 'authorization',
    limited: true,
    bare: true,
    message: 'Cannot check the token for the moment: try again later',
    data: { retryAfterMs: 5000 },
    headers: { 'retry-after': '5' },
  },
};

/** For a token without one of the scopes everything here needs. */
export function lacking(scopes: readonly string[]): Challenge {
  return {
    status: 403,
    reason: 'scope',
    message: `Cannot serve this token: it needs the scopes ${scopes.map((scope) => `"${scope}"`).join(', ')}`,
    data: { scopes: [...scopes] },
    error: { code: 'insufficient_scope', says: 'The token lacks a scope' },
  };
}

/** For an address that sent too many bad tokens. */
export function tooManyTries(retryAfterMs: number): Challenge {
  return {
    status: 429,
    reason: 'tries',
    limited: true,
    bare: true,
    message: `Too many bad tokens came from this address: wait ${waitText(retryAfterMs)}, then try again`,
    data: { code: 'E_RATE', retryAfterMs },
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
  };
}

/** The parts of a challenge that are there, as a header says them. */
// spec RFC 6750 section 3
export function challengeText(parts: Readonly<Record<string, string | undefined>>): string {
  const said = Object.entries(parts).filter(([, value]) => value !== undefined);
  return `Bearer ${said.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
