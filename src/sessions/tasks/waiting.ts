import type { WireId } from '../../model/peer.ts';
import type { LiveTurn, Seat } from '../turn.ts';

/** A request that waits for a task: its stream is the best way to its client. */
export interface Waiter {
  readonly seat: Seat;
  readonly wireId: WireId;
}

/** One wait: it counts from when it was opened, so nothing that happens before `changed` is called is missed. */
export interface Wait {
  /** Resolves when the task may have changed, or after a while; rejects when nobody waits any more. */
  changed(ms: number): Promise<void>;
  close(): void;
}

/** The requests that wait for tasks, by the key of the task. */
export class Waiting {
  readonly #waiters = new Map<string, Map<Waiter, () => void>>();

  first(key: string): Waiter | undefined {
    const [waiter] = this.#waiters.get(key)?.keys() ?? [];
    return waiter;
  }

  keys(): Iterable<string> {
    return this.#waiters.keys();
  }

  wake(key: string): void {
    for (const wake of this.#waiters.get(key)?.values() ?? []) wake();
  }

  open(key: string, { parts, signal }: LiveTurn): Wait {
    const waiter: Waiter = { seat: parts.seat, wireId: parts.wireId };
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const waiters = this.#waiters.get(key) ?? new Map<Waiter, () => void>();
    this.#waiters.set(key, waiters.set(waiter, wake));
    return {
      async changed(ms) {
        const timer = setTimeout(wake, ms);
        signal.addEventListener('abort', wake, { once: true });
        await woken;
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        signal.throwIfAborted();
      },
      close: () => {
        waiters.delete(waiter);
        if (waiters.size === 0 && this.#waiters.get(key) === waiters) this.#waiters.delete(key);
      },
    };
  }
}
