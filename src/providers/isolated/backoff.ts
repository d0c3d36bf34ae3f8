/** Failures in a row that cost no wait: one bad call must not slow down the next good one. */
const FREE = 2;
const FIRST_MS = 100;

/** Spaces out starts of what keeps failing, twice as far each time. */
export class Backoff {
  readonly #mostMs: number;
  readonly #over: () => void;
  #failures = 0;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `over` is called when a wait that somebody asked about has passed. */
  constructor(mostMs: number, over: () => void) {
    this.#mostMs = mostMs;
    this.#over = over;
  }

  failed(): void {
    this.#failures += 1;
    const doublings = this.#failures - FREE - 1;
    const wait = doublings < 0 ? 0 : Math.min(FIRST_MS * 2 ** doublings, this.#mostMs);
    this.#until = performance.now() + wait;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** Whether a start may be tried now. */
  passed(): boolean {
    const left = this.#until - performance.now();
    if (left <= 0) return true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#over();
    }, Math.ceil(left));
    return false;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
