import { Crowd } from '../model/crowd.ts';
import type { Session } from './session.ts';

/** The sessions that are here, by their ids, and how many of them each principal has. */
export class SessionTable {
  readonly #sessions = new Map<string, Session>();
  readonly #owners = new Crowd();

  get size(): number {
    return this.#sessions.size;
  }

  /** How many sessions a principal has. */
  of(principal: string): number {
    return this.#owners.of(principal);
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  values(): Iterable<Session> {
    return this.#sessions.values();
  }

  /** Adds a session, or puts it in the place of the one of its id, which is of the same principal. */
  add(session: Session): void {
    const before = this.#sessions.size;
    this.#sessions.set(session.id, session);
    const isNew = this.#sessions.size > before;
    if (isNew && session.principal !== undefined) this.#owners.enter(session.principal.id);
  }

  delete(id: string): void {
    const owner = this.#sessions.get(id)?.principal;
    if (this.#sessions.delete(id) && owner !== undefined) this.#owners.leave(owner.id);
  }

  /** The session that was silent for longest of those nobody uses, of one principal or of all. */
  longestSilent(principal?: string): Session | undefined {
    let silent: Session | undefined;
    for (const session of this.#sessions.values()) {
      if (principal !== undefined && session.principal?.id !== principal) continue;
      if (!session.active && (silent === undefined || session.seen < silent.seen)) silent = session;
    }
    return silent;
  }
}
