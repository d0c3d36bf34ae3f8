import { Few } from '../model/few.ts';
import type { WireId } from '../model/peer.ts';

/** Where the messages of one request go while it is being answered. */
export interface Route {
  send(text: string): void;
  /** Lets the client go for now; it comes back for the rest. */
  release(): void;
  /** Whether a request is one of those that are answered this way. */
  carries(id: WireId): boolean;
}

/** The ways of the requests of one session. Most are answered while they are taken, and are never written down. */
export class Routes {
  #current: Route | undefined;
  #waiting: Few<WireId, Route> | undefined;

  /** The way of a request; one that is being answered already keeps its way. */
  find(id: WireId): Route | undefined {
    const route = this.#waiting?.get(id);
    if (route !== undefined) return route;
    return this.#current?.carries(id) === true ? this.#current : undefined;
  }

  /** Does what takes a message that came this way. */
  taking<T>(route: Route, take: () => T): T {
    const before = this.#current;
    this.#current = route;
    try {
      return take();
    } finally {
      this.#current = before;
    }
  }

  /** Keeps the way of requests that take their time. */
  add(ids: readonly WireId[], route: Route): void {
    this.#waiting ??= new Few();
    for (const id of ids) if (!this.#waiting.has(id)) this.#waiting.add(id, route);
  }

  remove(ids: readonly WireId[], route: Route): void {
    for (const id of ids) if (this.#waiting?.get(id) === route) this.#waiting.delete(id);
  }
}
