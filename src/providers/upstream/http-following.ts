import type { ReadEvent } from '../../rpc/sse.ts';
import { type Position, readEvents } from './http-body.ts';
import { HttpFault } from './verdict.ts';

/** How a stream that ended is taken up again. */
export interface Pace {
  /** Wait before coming back, where the server does not say. */
  readonly retryMs: number;
  /** Failures in a row after which the stream is given up. */
  readonly tries: number;
}

export const PACE: Pace = { retryMs: 1000, tries: 6 };
const LONGEST_BACKOFF_MS = 30_000;
/** A server may ask to be left alone for longer than a timer can count, or for no time at all. */
const LONGEST_WAIT_MS = 2 ** 30;
const SHORTEST_WAIT_MS = 50;
const JITTER = 0.1;

export interface Following {
  readonly limit: number;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** Comes back even without an event to come back to. */
  readonly always: boolean;
  /** Opens the stream again, after the event with this id; rejects when it cannot be. */
  open(lastId: string | undefined): Promise<Response>;
  /** True when nothing more is wanted. */
  take(event: ReadEvent): boolean;
}

/**
 * Reads a stream, and takes it up again where it ended, until `take` has what it wants. Resolves whether it has;
 * rejects when the server refuses to go on, or with the reason of the signal.
 */
// spec 2025-11-25 basic/transports#resumability-and-redelivery
export async function follow(first: Response | undefined, following: Following): Promise<boolean> {
  const position: Position = { lastId: undefined, retryMs: undefined, events: 0 };
  const attempt = new Attempts(following.pace);
  let response = first;
  for (;;) {
    const before = position.events;
    if (response !== undefined && (await readUntilCut(response, position, following))) return true;
    following.signal.throwIfAborted();
    if (position.events > before) attempt.progressed();
    const resumable = following.always || position.lastId !== undefined;
    if (!resumable || attempt.spent) return false;
    await pause(attempt.waitMs(position.retryMs), following.signal);
    response = await reopened(position.lastId, following);
    attempt.made(response !== undefined);
  }
}

/** A stream that breaks is a stream that ended; what it carried until then counts. */
async function readUntilCut(response: Response, position: Position, following: Following): Promise<boolean> {
  try {
    return await readEvents(response, { position, limit: following.limit }, (event) => following.take(event));
  } catch (error) {
    if (error instanceof HttpFault) throw error;
    return false;
  }
}

/** `undefined` when the server cannot be reached now and may be later. */
async function reopened(lastId: string | undefined, following: Following): Promise<Response | undefined> {
  try {
    return await following.open(lastId);
  } catch (error) {
    if (error instanceof HttpFault && error.verdict === 'broken') return undefined;
    throw error;
  }
}

/** Counts what goes wrong, so that a server in trouble is asked less and less often. */
class Attempts {
  readonly #pace: Pace;
  #failures = 0;
  #idle = 0;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  get spent(): boolean {
    return this.#failures >= this.#pace.tries;
  }

  progressed(): void {
    this.#idle = 0;
  }

  made(reached: boolean): void {
    this.#failures = reached ? 0 : this.#failures + 1;
    this.#idle += 1;
  }

  /** A server that says when to come back is taken by its word as long as it answers. */
  waitMs(asked: number | undefined): number {
    const patience = asked === undefined ? this.#idle : this.#failures;
    const least = asked === undefined ? this.#pace.retryMs : Math.max(asked, SHORTEST_WAIT_MS);
    const grown = Math.min(least * 2 ** Math.min(patience, 10), LONGEST_BACKOFF_MS);
    return Math.min(Math.max(grown, least) * (1 + Math.random() * JITTER), LONGEST_WAIT_MS);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
