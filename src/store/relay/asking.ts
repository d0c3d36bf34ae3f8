import type { Json } from '../../model/json.ts';
import { StoreError } from '../store.ts';
import { type Ask, createBundle, errorOf, type Port, type Word } from './words.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly since: number;
}

/** What a standing ask calls when something is heard. */
export interface Hearing {
  hear(message: Json): unknown;
  missed?(): unknown;
}

// Nothing is lost on the channel; only a process that hangs takes this long.
const TIMEOUT_MS = 5000;

/** Asks another process for what its store does. */
export class Asking {
  readonly #ask: (ask: Ask) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #hearing = new Map<number, Hearing>();
  readonly #failed: (error: unknown) => void;
  #last = 0;
  #state: 'open' | 'away' | 'closed' = 'open';
  #awake = true;
  #watch: NodeJS.Timeout | undefined;

  constructor(port: Port, failed: (error: unknown) => void) {
    this.#ask = createBundle(port, () => this.#lose());
    this.#failed = failed;
    port.onMessage((words) => {
      if (Array.isArray(words)) for (const word of words as Word[]) this.#hear(word);
    });
    port.onClose?.(() => this.#lose());
  }

  get awake(): boolean {
    return this.#state === 'open' && this.#awake;
  }

  ask<T>(verb: string, name: string, rest?: unknown): Promise<T> {
    if (this.#state !== 'open') return Promise.reject(this.#error());
    this.#last += 1;
    const id = this.#last;
    this.#ask(rest === undefined ? [id, verb, name] : [id, verb, name, rest]);
    this.#watch ??= setInterval(() => this.#look(), TIMEOUT_MS / 5).unref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, since: performance.now() });
    });
  }

  /** Asks for something that stands until the returned function is called. */
  async stand(verb: string, name: string, hearing: Hearing): Promise<() => void> {
    const id = this.#last + 1;
    const standing = this.ask(verb, name);
    if (this.#state === 'open') this.#hearing.set(id, hearing);
    try {
      await standing;
    } catch (error) {
      this.#hearing.delete(id);
      throw error;
    }
    return () => {
      if (this.#hearing.delete(id) && this.#state === 'open') this.#ask([0, 'leave', id]);
    };
  }

  close(): void {
    if (this.#state === 'open') this.#ask([0, 'close']);
    this.#state = 'closed';
    this.#hearing.clear();
  }

  #hear([id, kind, value, message]: Word): void {
    if (kind === 'awake') this.#awake = value;
    else if (kind === 'heard') this.#call(() => this.#hearing.get(id)?.hear(value));
    else if (kind === 'missed') this.#call(() => this.#hearing.get(id)?.missed?.());
    else if (kind === 'failed') this.#settle(id)?.reject(errorOf(value, message));
    else this.#settle(id)?.resolve(value);
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #call(run: () => unknown): void {
    try {
      const result = run();
      if (result instanceof Promise) result.catch(this.#failed);
    } catch (error) {
      this.#failed(error);
    }
  }

  #look(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    }
    for (const [id, { since, reject }] of this.#waiting) {
      if (performance.now() - since < TIMEOUT_MS) return;
      this.#waiting.delete(id);
      reject(new StoreError('away', 'Cannot use store: the process that keeps it does not answer', { unsure: true }));
    }
  }

  /** The channel is gone, and with it the process that kept the store. */
  #lose(): void {
    if (this.#state === 'open') this.#state = 'away';
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(this.#error());
  }

  #error(): StoreError {
    return this.#state === 'closed'
      ? new StoreError('closed', 'Cannot use store: it is closed')
      : new StoreError('away', 'Cannot use store: the process that keeps it is gone');
  }
}
