import { echoed } from '../model/excerpt.ts';
import { Fault } from '../model/fault.ts';
import type { WireId } from '../model/peer.ts';
import { StoreError } from '../store/store.ts';

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

export function unknownSession(): Fault {
  return new Fault('E_UNKNOWN_SESSION', 'No such session: start again with "initialize"');
}

/** What was thrown, as a fault: an engine that cannot work now is told as one, since it is worth coming back. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof StoreError)) return Fault.from(error);
  if (error.trouble === 'closed') {
    return new Fault('E_CLOSED', 'The server is shutting down: connect again and retry', { cause: error });
  }
  const reason = 'The store that keeps sessions and tasks cannot be used now: send the same request again in a while';
  return new Fault('E_STORE_AWAY', reason, { data: { retryAfterMs: 1000 }, cause: error });
}
