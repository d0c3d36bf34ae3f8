import { randomFillSync } from 'node:crypto';

// Random bytes are fetched for many ids at once: fetching those of one costs more than all else about it.
const POOL = Buffer.alloc(4096);
let used = POOL.length;

/** A new id of so many random bytes, in the Base64 of addresses; nothing of it stays behind. */
export function freshId(bytes: number): string {
  if (used + bytes > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  const end = used + bytes;
  const id = POOL.toString('base64url', used, end);
  POOL.fill(0, used, end);
  used = end;
  return id;
}
