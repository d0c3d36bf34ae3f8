import type { Fault } from '../model/fault.ts';
import { Few } from '../model/few.ts';
import type { WireId } from '../model/peer.ts';
import type { Exchange } from './exchange.ts';

/** The requests of one peer that are being answered. */
export class InFlight {
  readonly #exchanges = new Few<WireId, Exchange>();

  get size(): number {
    return this.#exchanges.size;
  }

  has(id: WireId): boolean {
    return this.#exchanges.has(id);
  }

  get(id: WireId): Exchange | undefined {
    return this.#exchanges.get(id);
  }

  add(id: WireId, exchange: Exchange): void {
    this.#exchanges.add(id, exchange);
  }

  delete(id: WireId): void {
    this.#exchanges.delete(id);
  }

  /** Waits until all are answered and what is queued is done, but no longer than the grace; what is late then fails. */
  async drain(closing: Fault, graceMs: number, queue: () => Promise<unknown> | undefined): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all(this.#exchanges.values().map(({ settled }) => settled)), grace]);
    await Promise.race([queue(), grace]);
    clearTimeout(timer);
    const late = this.#exchanges.values();
    for (const exchange of late) exchange.fail(closing);
    await Promise.all(late.map(({ settled }) => settled));
  }

  /** Ends all without an answer. */
  cancel(reason: Fault): void {
    for (const exchange of this.#exchanges.values()) exchange.cancel(reason);
    this.#exchanges.clear();
  }
}
