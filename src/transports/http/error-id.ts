import { randomBytes } from 'node:crypto';

/** A name for something that went wrong, for the log and for whoever it went wrong for. */
export function createErrorId(): string {
  return randomBytes(6).toString('hex');
}
