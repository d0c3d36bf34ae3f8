import { StoreError } from '../store.ts';
import type { Dial, Wire } from './dial.ts';
import type { Outage } from './outage.ts';
import { troubleOf } from './trouble.ts';

interface Waiting {
  readonly since: number;
  fail(error: StoreError): void;
}

export interface LinkOptions {
  readonly dial: Dial;
  readonly outage: Outage;
  readonly timeoutMs: number;
  /** Longest time a connection may take until it can be used. */
  readonly dialMs: number;
  /** Prepares every new connection before it counts as up. */
  readonly prepare: (wire: Wire) => Promise<unknown>;
  /** Called when the connection was lost and another one is up. */
  readonly back: () => void;
}

const FIRST_DELAY_MS = 20;
const LONGEST_DELAY_MS = 500;
const MOST_WAITING = 100_000;

const AWAY = 'Cannot use store: Redis cannot be reached';

/**
 * A connection that is opened again when it breaks. While it is down everything fails at once, and nothing that was
 * sent is ever sent again.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #waiting = new Set<Waiting>();
  #wire: Wire | undefined;
  #closed = false;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get up(): boolean {
    return this.#wire !== undefined;
  }

  /** Opens the connection for the first time; rejects where that fails. */
  async open(): Promise<void> {
    this.#wire = await this.#dial();
  }

  /** Uses the connection within the time allowed; a failure comes out as a StoreError. */
  use<T>(run: (wire: Wire) => Promise<T>): Promise<T> {
    const wire = this.#wire;
    if (this.#closed || wire === undefined) return this.fail();
    if (this.#waiting.size >= MOST_WAITING)
      return Promise.reject(new StoreError('full', `Cannot use store: ${MOST_WAITING} commands wait for an answer`));
    return new Promise((resolve, reject) => {
      const waiting = { since: performance.now(), fail: reject };
      this.#waiting.add(waiting);
      this.#watch ??= setInterval(() => this.#look(), Math.ceil(this.#options.timeoutMs / 4));
      run(wire).then(
        (value) => {
          this.#waiting.delete(waiting);
          resolve(value);
        },
        (error) => {
          this.#waiting.delete(waiting);
          const trouble = troubleOf(error);
          if (trouble.redial) this.#lose(wire, error);
          reject(trouble.error);
        },
      );
    });
  }

  /** Fails the way a use fails while the connection is down. */
  fail(): Promise<never> {
    const closed = new StoreError('closed', 'Cannot use store: it is closed');
    return Promise.reject(this.#closed ? closed : new StoreError('away', AWAY));
  }

  /** Waits for what is under way, no longer than a command may take, and hangs up. */
  async close(): Promise<void> {
    this.#closed = true;
    const end = performance.now() + this.#options.timeoutMs;
    while (this.#waiting.size > 0 && performance.now() < end) await new Promise((done) => setTimeout(done, 2));
    clearInterval(this.#watch);
    this.#failAll(new StoreError('closed', 'Cannot use store: it was closed while Redis had not answered'));
    this.#wire?.destroy();
    this.#wire = undefined;
  }

  #look(): void {
    const [oldest] = this.#waiting;
    if (oldest === undefined) {
      clearInterval(this.#watch);
      this.#watch = undefined;
      return;
    }
    const wire = this.#wire;
    const late = () => performance.now() - oldest.since > this.#options.timeoutMs && this.#waiting.has(oldest);
    // A process that was itself busy first takes what has arrived meanwhile.
    if (wire !== undefined && late())
      setImmediate(() => setImmediate(() => late() && this.#lose(wire, new Error('Redis did not answer in time'))));
  }

  #lose(wire: Wire, reason: unknown): void {
    if (this.#wire !== wire) return;
    this.#wire = undefined;
    wire.destroy();
    this.#failAll(new StoreError('away', AWAY, { cause: reason, unsure: true }));
    if (this.#closed) return;
    this.#options.outage.began(this, reason);
    void this.#recover();
  }

  #failAll(error: StoreError): void {
    const failed = [...this.#waiting];
    this.#waiting.clear();
    for (const { fail } of failed) fail(error);
  }

  async #recover(): Promise<void> {
    for (let delay = FIRST_DELAY_MS; !this.#closed; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
      await new Promise((done) => setTimeout(done, delay * (0.5 + Math.random() / 2)).unref());
      if (this.#closed) return;
      try {
        this.#wire = await this.#dial();
        this.#options.outage.ended(this);
        return this.#options.back();
      } catch (error) {
        this.#options.outage.goesOn(error);
      }
    }
  }

  /** Dials, asks for a sign of life and prepares the connection, all within the time allowed. */
  #dial(): Promise<Wire> {
    const { dial, prepare } = this.#options;
    return new Promise((resolve, reject) => {
      let wire: Wire | undefined;
      let over = false;
      const fail = (error: unknown) => {
        over = true;
        clearTimeout(timer);
        wire?.destroy();
        reject(error);
      };
      const timer = setTimeout(() => fail(new Error('Redis did not answer in time')), this.#options.dialMs);
      const lost = (reason: unknown) => {
        if (wire === undefined || this.#wire !== wire) fail(reason);
        else this.#lose(wire, reason);
      };
      const alive = async () => {
        wire = await dial(lost);
        if (!over) await wire.sendTo(0, ['PING']);
        if (!over) await prepare(wire);
        if (over || this.#closed) return fail(new Error('The store was closed'));
        clearTimeout(timer);
        resolve(wire);
      };
      alive().catch(fail);
    });
  }
}
