import { hash, timingSafeEqual } from 'node:crypto';

/** Names a token without holding it. */
export function digestOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** The bytes of a token's digest. */
export function digestBytes(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Finds what belongs to a digest. Looks at every candidate, and at every byte of it, wherever the right one stands. */
export function matching<T extends { readonly digest: Buffer }>(
  candidates: readonly T[],
  digest: Buffer,
): T | undefined {
  let found: T | undefined;
  for (const candidate of candidates) if (timingSafeEqual(candidate.digest, digest)) found = candidate;
  return found;
}
