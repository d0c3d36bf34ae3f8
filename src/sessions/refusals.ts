import { echoed } from '../model/excerpt.ts';
import { Fault } from '../model/fault.ts';
import type { WireId } from '../model/peer.ts';

// Why a conversation turns a message away, in words that say what to do.

/** `answered`: the handshake was answered, and the client has yet to say that it is ready. */
export function tooEarly(answered = false): Fault {
  const remedy = answered
    ? 'send "notifications/initialized" first'
    : 'send "initialize" first, or name a protocol version in "_meta" of every request';
  return new Fault('E_NOT_INITIALIZED', `Invalid request: ${remedy}`);
}

export function duplicate(requestId: WireId): Fault {
  const data = { requestId: typeof requestId === 'string' ? echoed(requestId) : requestId };
  return new Fault('E_DUPLICATE_ID', 'Invalid request: a request with this id is still being answered', { data });
}

export function tooLong(most: number): Fault {
  return new Fault('E_BATCH', `Invalid request: a batch may hold at most ${most} messages`);
}

export function tooMany(): Fault {
  const data = { retryAfterMs: 1000 };
  return new Fault('E_BUSY', 'Too many requests at once: wait for answers before sending more', { data });
}

export function tooLarge(limit: number): Fault {
  return new Fault('E_TOO_LARGE', `Message too large: at most ${limit} bytes are accepted`);
}
