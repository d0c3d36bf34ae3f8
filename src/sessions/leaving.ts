import type { Limits } from '../model/limits.ts';
import { unknownSession } from './refusals.ts';
import type { Session } from './session.ts';
import { MAIN } from './stream.ts';

/** Sessions whose record is gone: nobody finds them any more, and calls that came before are answered where they came. */
export class Leaving {
  readonly #limits: Pick<Limits, 'callDeadlineMs'>;
  readonly #sessions = new Map<Session, Promise<void>>();

  constructor(limits: Pick<Limits, 'callDeadlineMs'>) {
    this.#limits = limits;
  }

  /** Lets a session end as soon as nothing of it is being answered. */
  add(session: Session): void {
    const left = this.#finish(session).finally(() => this.#sessions.delete(session));
    this.#sessions.set(session, left);
    left.catch(() => {});
  }

  /** Waits until all have ended, or do when the grace is over. */
  async drain(graceMs: number): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map(({ conversation }) => conversation.drain(graceMs)));
    await Promise.allSettled(this.#sessions.values());
  }

  async #finish(session: Session): Promise<void> {
    // Who reads what belongs to no request comes back, and learns that the session is gone.
    session.taken(MAIN);
    await session.conversation.drain(this.#limits.callDeadlineMs, unknownSession());
    await session.letGo();
    session.close('expired');
  }
}
