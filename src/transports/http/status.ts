import type { FaultCode, FaultKind } from '../../model/fault.ts';
import type { Reply } from '../../sessions/trouble.ts';
import { challengeText } from './access-challenge.ts';
import type { Headers } from './exchange.ts';

const BY_CODE: Partial<Readonly<Record<FaultCode, number>>> = {
  E_TOO_LARGE: 413,
  E_BAD_CLAIM: 400,
  E_UNKNOWN_SESSION: 404,
  E_CLOSED: 503,
  E_BUSY: 503,
  E_STORE_AWAY: 503,
  E_UNSURE: 504,
  E_RATE: 429,
  E_SCOPE: 403,
  E_SLOW_BODY: 408,
};

const BY_KIND: Partial<Readonly<Record<FaultKind, number>>> = {
  parse: 400,
  badMessage: 400,
  unsupportedRevision: 400,
  missingCapability: 400,
  headerMismatch: 400,
};

/** The status of a reply: most errors ride on 200, and only what the protocol pins has a status of its own. */
// spec 2026-07-28 basic/transports/streamable-http#http-status-codes
export function statusOf(reply: Reply | undefined): number {
  if (reply === undefined) return 202;
  const { fault } = reply;
  if (fault === undefined) return 200;
  if (fault.code === 'E_BUSY' && fault.data?.['limit'] === 'sessionsPerPrincipal') return 429;
  return (
    BY_CODE[fault.code] ?? BY_KIND[fault.kind] ?? (fault.kind === 'unknownMethod' && reply.modern === true ? 404 : 200)
  );
}

/** What the headers of a refusal say: when to come back, or which scopes it takes. */
export function refusalHeaders(reply: Reply | undefined): Headers | undefined {
  const { data, code } = reply?.fault ?? {};
  if (statusOf(reply) < 400) return undefined;
  const scopes = code === 'E_SCOPE' ? data?.['scopes'] : undefined;
  if (Array.isArray(scopes)) {
    return { 'www-authenticate': challengeText({ error: 'insufficient_scope', scope: scopes.join(' ') }) };
  }
  const waitMs = data?.['retryAfterMs'];
  return typeof waitMs === 'number' ? { 'retry-after': String(Math.ceil(waitMs / 1000)) } : undefined;
}
