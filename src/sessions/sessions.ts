import { randomBytes } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import type { Eventually, Json } from '../model/json.ts';
import type { Principal } from '../model/peer.ts';
import type { Store } from '../store/store.ts';
import { type SessionEnded, sessionEnded, sessionOpened } from '../telemetry/signals.ts';
import { Conversation } from './conversation.ts';
import type { House } from './house.ts';
import { Session } from './session.ts';
import type { Resumed } from './standing.ts';

const ID_BYTES = 24;
const SWEEP_MS = 1000;

type EndReason = SessionEnded['reason'];

interface Kept {
  readonly principal: string | undefined;
  readonly memory: Resumed;
}

/** All sessions of one server: opened by a handshake, found by their id and principal, ended by word or by silence. */
export class Sessions {
  readonly #house: House;
  readonly #store: Store;
  readonly #sessions = new Map<string, Session>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(house: House, store: Store) {
    this.#house = house;
    this.#store = store;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a session that nobody knows of yet; `keep` makes it findable, once its handshake is answered. */
  open(principal: Principal | undefined): Session {
    const { sessions } = this.#house.limits;
    if (this.#sessions.size >= sessions) {
      throw new Fault('E_BUSY', `Too many sessions: at most ${sessions} may be open`, {
        data: { retryAfterMs: 10_000 },
      });
    }
    return this.#create(randomBytes(ID_BYTES).toString('base64url'), principal);
  }

  keep(session: Session): void {
    this.#sessions.set(session.id, session);
    if (sessionOpened.heard) sessionOpened.publish({ dialect: dialectOf(session) });
  }

  /** The live session of that id, if it belongs to this principal: to anybody else it does not exist. */
  find(id: string, principal: Principal | undefined): Eventually<Session | undefined> {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    if (session.principal?.id !== principal?.id) return undefined;
    session.seen = Date.now();
    return session;
  }

  end(session: Session, reason: EndReason): void {
    this.#sessions.delete(session.id);
    session.close(reason);
    if (sessionEnded.heard) sessionEnded.publish({ dialect: dialectOf(session), reason });
    void this.#store.records.remove(recordOf(session.id));
  }

  /** Lets work in flight finish and every reader go. */
  async drain(graceMs: number): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.values()].map(({ conversation }) => conversation.drain(graceMs)));
    for (const session of [...this.#sessions.values()]) {
      session.hint();
      this.end(session, 'drained');
    }
  }

  #create(id: string, principal: Principal | undefined): Session {
    const { limits, log: report } = this.#house;
    const session = new Session({ id, principal, store: this.#store, limits, report });
    session.seen = Date.now();
    session.conversation = new Conversation(this.#house, {
      name: id.slice(0, 8),
      session: id,
      outlet: session.outlet,
      release: session.release,
      reachable: () => session.main.read,
      principal,
      onChange: () => this.#remember(session),
    });
    return session;
  }

  #remember(session: Session): void {
    const memory = session.conversation.memory();
    if (memory === undefined) return;
    const kept: Kept = { principal: session.principal?.id, memory };
    void this.#store.records.put(recordOf(session.id), kept as unknown as Json, {
      ttlMs: this.#house.limits.sessionIdleMs,
    });
  }

  #sweep(): void {
    const oldest = Date.now() - this.#house.limits.sessionIdleMs;
    for (const session of this.#sessions.values()) {
      if (session.seen < oldest && !session.active) this.end(session, 'expired');
    }
  }
}

function dialectOf({ conversation }: Session): string {
  return conversation.dialect?.name ?? 'unknown';
}

function recordOf(id: string): string {
  return `session/${id}`;
}
