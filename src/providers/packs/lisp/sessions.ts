import type { Limits, LispEngine, Problem } from './contract.ts';

/** What a session may change about its evaluations, and within what bounds. */
export const SESSION_LIMITS = {
  timeoutSeconds: { default: 5, least: 1, most: 50 },
  outputChars: { default: 100_000, least: 100, most: 1_000_000 },
} as const;

/** One peer's Lisp: its engine, its limits, and the last thing that went wrong. */
export interface LispSession {
  readonly engine: LispEngine;
  limits: Limits;
  lastError: (Problem & { readonly code: string }) | undefined;
}

/** Sessions by peer; the one unused for longest goes when there are too many. */
export class LispSessions {
  readonly #open: () => LispEngine;
  readonly #most: number;
  readonly #sessions = new Map<string, LispSession>();

  constructor(open: () => LispEngine, most: number) {
    this.#open = open;
    this.#most = most;
  }

  of(key: string): LispSession {
    const known = this.#sessions.get(key);
    if (known !== undefined) {
      this.#sessions.delete(key);
      this.#sessions.set(key, known);
      return known;
    }
    this.#drop();
    const made: LispSession = { engine: this.#open(), limits: defaultLimits(), lastError: undefined };
    this.#sessions.set(key, made);
    return made;
  }

  get size(): number {
    return this.#sessions.size;
  }

  async close(): Promise<void> {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(({ engine }) => engine.close()));
  }

  #drop(): void {
    if (this.#sessions.size < this.#most) return;
    const [oldest] = this.#sessions;
    if (oldest === undefined) return;
    this.#sessions.delete(oldest[0]);
    void oldest[1].engine.close();
  }
}

export function defaultLimits(): Limits {
  return { timeMs: SESSION_LIMITS.timeoutSeconds.default * 1000, outputChars: SESSION_LIMITS.outputChars.default };
}
