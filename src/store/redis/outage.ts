import type { Log } from '../../model/log.ts';
import { codeOf } from './trouble.ts';

// Reasons that do not pass by themselves: somebody must change a password or a right.
const LASTING = new Set(['WRONGPASS', 'NOAUTH', 'NOPERM', 'ERR']);

/** Tells the log once when the first connection is lost, and once when all are there again. */
export class Outage {
  readonly #log: Log;
  readonly #down = new Set<object>();
  readonly #told = new Set<string>();
  #since = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  began(link: object, reason: unknown): void {
    if (this.#down.size === 0) {
      this.#since = performance.now();
      this.#log('error', 'Redis is away', { reason: codeOf(reason) });
    }
    this.#down.add(link);
  }

  /** A try to connect failed. */
  goesOn(reason: unknown): void {
    const code = codeOf(reason);
    if (!LASTING.has(code) || this.#told.has(code)) return;
    this.#told.add(code);
    this.#log('error', 'Redis lets nobody in', { reason: code });
  }

  ended(link: object): void {
    if (!this.#down.delete(link) || this.#down.size > 0) return;
    this.#told.clear();
    this.#log('info', 'Redis is back', { awayMs: Math.round(performance.now() - this.#since) });
  }
}
