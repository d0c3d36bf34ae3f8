import { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Notice, WireId } from '../../model/peer.ts';

export type Progress = Omit<Extract<Notice, { kind: 'progress' }>, 'kind' | 'token'>;

/** How long and until what one request is waited for. */
export interface Waiting {
  /** What is waited for, as said in messages. */
  readonly what: string;
  /** Absent: as long as it takes. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Nobody waits any more, but the server does not know: it timed out or was cancelled here. */
  onAbandoned?(reason: string): void;
}

interface Pending {
  readonly onProgress: ((progress: Progress) => void) | undefined;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

/** Requests on their way, by id. A reply nobody waits for is a late one, and is dropped. */
export class Requests {
  readonly #pending = new Map<WireId, Pending>();
  #count = 0;
  #pauses = 0;

  /** An id never used before on this connection. */
  next(): number {
    this.#count += 1;
    return this.#count;
  }

  /** The one id being waited for, when there is exactly one. */
  get only(): WireId | undefined {
    return this.#pending.size === 1 ? [...this.#pending.keys()][0] : undefined;
  }

  wait(id: WireId, waiting: Waiting): Promise<JsonObject> {
    const { signal } = waiting;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const abandon = (error: unknown, reason: string): void => {
        this.fail(id, error);
        waiting.onAbandoned?.(reason);
      };
      const abort = (): void => abandon(signal?.reason, 'The client does not want it any more');
      const stopClock = this.#startClock(waiting, () => {
        const text = `The server did not answer ${waiting.what} within ${waiting.timeoutMs} ms`;
        abandon(new Fault('E_DEADLINE', text), 'The client waited long enough');
      });
      const settled = (): void => {
        stopClock();
        signal?.removeEventListener('abort', abort);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#pending.set(id, {
        onProgress: waiting.onProgress,
        resolve: (result) => {
          settled();
          resolve(result);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
    });
  }

  resolve(id: WireId, result: JsonObject): void {
    this.#take(id)?.resolve(result);
  }

  fail(id: WireId | undefined, error: unknown): void {
    if (id !== undefined) this.#take(id)?.reject(error);
  }

  failAll(error: unknown): void {
    for (const id of [...this.#pending.keys()]) this.fail(id, error);
  }

  /** Hands progress to the request it belongs to; false when there is none. */
  progress({ token, kind: _, ...progress }: Extract<Notice, { kind: 'progress' }>): boolean {
    const pending = this.#pending.get(token);
    pending?.onProgress?.(progress);
    return pending !== undefined;
  }

  /** While the server waits for us, it is not the server that is late. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses += 1;
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
    }
  }

  #startClock({ timeoutMs }: Waiting, expire: () => void): () => void {
    if (timeoutMs === undefined) return () => {};
    const ring = (): void => {
      if (this.#pauses === 0) expire();
      else timer = setTimeout(ring, timeoutMs);
    };
    let timer = setTimeout(ring, timeoutMs);
    return () => clearTimeout(timer);
  }

  #take(id: WireId): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}
