import { Fault } from '../model/fault.ts';
import type { Eventually } from '../model/json.ts';
import type { Principal } from '../model/peer.ts';
import type { Held, Records } from '../store/store.ts';
import { type SessionEnded, sessionEnded, sessionOpened } from '../telemetry/signals.ts';
import type { Stray } from './conversation-options.ts';
import { freshId } from './fresh-id.ts';
import type { House } from './house.ts';
import { Leaving } from './leaving.ts';
import { obituary } from './obituary.ts';
import { unknownSession } from './refusals.ts';
import type { Letter, Replica, Word } from './replica.ts';
import { Session, type SessionRoom } from './session.ts';
import { type Patch, patched, recordOf, toJson } from './session-record.ts';
import { SessionTable } from './session-table.ts';
import { within } from './within.ts';

const ID_BYTES = 24;
const ID = /^[A-Za-z0-9_-]{32}$/;
const SWEEP_MS = 1000;
/** Longest time the last writes of a session may take. */
const LAST_MS = 1000;
/** In how many parts of its life a record that is in use is prolonged. */
const PARTS = 3;

type EndReason = SessionEnded['reason'];

/**
 * All sessions of one server: opened by a handshake, found by their id and principal, ended by word or by silence.
 * Where the store outlives the process, what is here are copies of records, and what is not here is revived from one.
 */
export class Sessions {
  readonly #replica: Replica;
  readonly #room: SessionRoom;
  readonly #sessions = new SessionTable();
  readonly #leaving: Leaving;
  readonly #sweeper: NodeJS.Timeout;
  #tended = performance.now();

  constructor(house: House, replica: Replica) {
    const { limits, log: report } = house;
    this.#replica = replica;
    this.#leaving = new Leaving(limits);
    this.#room = {
      house,
      replica,
      limits,
      report,
      obituary: (header) => obituary(house, header),
      ...(replica.lasting ? { keep: (session: Session, patch: Patch) => this.#write(session, patch) } : {}),
    };
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
    replica.hear(
      (word) => this.#hear(word),
      () => void this.#renewAll(),
    );
    replica.receive((letter) => this.#receive(letter));
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a session that nobody knows of yet; `keep` makes it findable, once its handshake is answered. */
  open(principal: Principal | undefined): Session {
    this.#makeRoom(principal);
    return new Session(this.#room, { id: freshId(ID_BYTES), principal });
  }

  keep(session: Session): Eventually<void> {
    const add = (): void => {
      this.#sessions.add(session);
      if (sessionOpened.heard) sessionOpened.publish({ dialect: dialectOf(session) });
    };
    const kept = this.#replica.lasting ? session.kept : undefined;
    if (kept === undefined) return add();
    const ttlMs = this.#room.limits.sessionIdleMs;
    const put = this.#records.put(keyOf(session), toJson(kept), { ttlMs, ifVersion: 0 });
    const written = (version: number | undefined): void => {
      session.version = version ?? 0;
      add();
    };
    return put instanceof Promise ? put.then(written) : written(put);
  }

  /** The live session of that id, if it belongs to this principal: to anybody else it does not exist. */
  find(id: string, principal: Principal | undefined): Eventually<Session | undefined> {
    const session = this.#sessions.get(id);
    const { shared, lasting } = this.#replica;
    if (shared || (session === undefined && lasting)) return ID.test(id) ? this.#look(id, principal) : undefined;
    if (session === undefined) return undefined;
    if (session.principal?.id !== principal?.id) return undefined;
    session.seen = performance.now();
    return session;
  }

  /** Ends a session everywhere; where it is kept, first there. */
  end(session: Session, reason: EndReason): Eventually<void> {
    if (!this.#replica.lasting) return this.#drop(session, reason);
    const ended = async (): Promise<void> => {
      await this.#records.remove(keyOf(session));
      this.#drop(session, reason);
      await this.#replica.tell({ kind: 'ended', session: session.id });
    };
    return ended();
  }

  /** Lets work in flight finish and every reader go; what is kept for others stays. */
  async drain(graceMs: number): Promise<void> {
    clearInterval(this.#sweeper);
    // The last words are written before the grace is over, since then connections are cut.
    const finishMs = this.#replica.lasting ? (graceMs * 3) / 4 : graceMs;
    const drains = [...this.#sessions.values()].map(({ conversation }) => conversation.drain(finishMs));
    await Promise.all([this.#leaving.drain(finishMs), ...drains]);
    await Promise.all(
      [...this.#sessions.values()].map(async (session) => {
        // An engine that is away must not hold up the end.
        await within(session.letGo(), Math.max(graceMs, LAST_MS));
        if (this.#replica.lasting) await within(this.#forget(session, 'drained'), LAST_MS);
        else this.#drop(session, 'drained');
      }),
    );
  }

  async #look(id: string, principal: Principal | undefined): Promise<Session | undefined> {
    const key = recordOf(id, principal);
    const held = await this.#records.get(key, this.#room.limits.sessionIdleMs);
    const session = this.#sessions.get(id);
    if (held === undefined) {
      if (session !== undefined && keyOf(session) === key) this.#drop(session, 'expired');
      return undefined;
    }
    if (session === undefined) return this.#revive({ id, principal, held });
    session.renew(held);
    session.seen = performance.now();
    session.touched = session.seen;
    return session;
  }

  /** Goes on with a session that was opened elsewhere, or before this process began. */
  async #revive(facts: { id: string; principal: Principal | undefined; held: Held }): Promise<Session> {
    this.#makeRoom(facts.principal);
    const session = new Session(this.#room, facts);
    this.#sessions.add(session);
    try {
      // Nobody else is there to tell the peer of changes.
      if (!this.#replica.shared) await session.adopt();
      else if (session.home) session.conversation.place.catchUp();
    } catch (error) {
      this.#sessions.delete(session.id);
      throw error;
    }
    return session;
  }

  /** Writes a change over the newest record, and tells those who hold a copy. */
  async #write(session: Session, patch: Patch): Promise<void> {
    const ttlMs = this.#room.limits.sessionIdleMs;
    for (;;) {
      const { kept } = session;
      if (kept === undefined) return;
      const next = patched(kept, patch);
      const version = await this.#records.put(keyOf(session), toJson(next), { ttlMs, ifVersion: session.version });
      if (version !== undefined) {
        session.learn(version, next);
        break;
      }
      const held = await this.#records.get(keyOf(session));
      if (held === undefined) throw unknownSession();
      session.renew(held);
    }
    await this.#replica.tell({ kind: 'patch', session: session.id, patch });
  }

  #hear(word: Word): void {
    const session = 'session' in word ? this.#sessions.get(word.session) : undefined;
    if (session === undefined) return;
    if (word.kind === 'patch') session.hear(word.patch);
    else if (word.kind === 'ended') this.#drop(session, 'deleted');
    else if (word.kind === 'cancelled') session.conversation.take({ kind: 'cancelled', id: word.request });
    else if (word.kind === 'taken') session.taken(word.stream);
    else if (word.kind === 'answered') session.conversation.take(word.answer as unknown as Stray);
  }

  #receive(letter: Letter): void {
    if (letter.kind === 'answer')
      this.#sessions.get(letter.session)?.conversation.take(letter.answer as unknown as Stray);
  }

  /** Words may have been missed: every copy is held against its record, and everybody told that all may have changed. */
  async #renewAll(): Promise<void> {
    try {
      for (const session of [...this.#sessions.values()]) {
        const held = await this.#records.get(keyOf(session));
        if (held === undefined) this.#drop(session, 'expired');
        else session.renew(held);
      }
    } catch (error) {
      this.#room.report('warn', 'Cannot look at every session: some may learn of changes late', { error });
    }
    this.#room.house.hub.missed();
  }

  /**
   * Refuses where there are too many; where sessions are kept, the longest silent copy makes room. Of one principal that
   * of its sessions which was silent for longest always does: who never ends any hurts nobody but itself.
   */
  #makeRoom(principal: Principal | undefined): void {
    const { sessions, sessionsPerPrincipal } = this.#room.limits;
    const { lasting } = this.#replica;
    if (principal !== undefined && this.#sessions.of(principal.id) >= sessionsPerPrincipal) {
      const own = this.#sessions.longestSilent(principal.id);
      if (own === undefined) throw tooManySessions('sessionsPerPrincipal', sessionsPerPrincipal);
      this.#safely(lasting ? this.#forget(own, 'expired') : this.end(own, 'expired'));
    }
    if (this.#sessions.size < sessions) return;
    const silent = lasting ? this.#sessions.longestSilent() : undefined;
    if (silent === undefined) throw tooManySessions('sessions', sessions);
    this.#safely(this.#forget(silent, 'expired'));
  }

  /** Ends what is here of a session, which is over; what nobody wanted to end answers first what it was asked. */
  #drop(session: Session, reason: EndReason): void {
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    if (reason === 'expired') this.#leaving.add(session);
    else session.close(reason);
    if (sessionEnded.heard) sessionEnded.publish({ dialect: dialectOf(session), reason });
  }

  /** Gives up the copy of a session, which goes on; whoever tells it of changes next tells it of all. */
  async #forget(session: Session, reason: EndReason): Promise<void> {
    const { home, told } = session;
    this.#sessions.delete(session.id);
    session.conversation.close(reason);
    if (sessionEnded.heard) sessionEnded.publish({ dialect: dialectOf(session), reason });
    if (home) await this.#write(session, { home: '', reading: false, told });
  }

  #sweep(): void {
    const now = performance.now();
    const tending = now - this.#tended >= this.#room.limits.outboxTtlMs / PARTS;
    if (tending) this.#tended = now;
    for (const session of this.#sessions.values()) {
      const { active } = session;
      if (tending) session.tend();
      if (active || session.seen > session.touched) this.#prolong(session, now);
      if (!active) this.#sweepSilent(session, now - session.seen);
    }
  }

  #sweepSilent(session: Session, silenceMs: number): void {
    const { sessionIdleMs, sessionCacheMs } = this.#room.limits;
    const { shared } = this.#replica;
    if (silenceMs > sessionIdleMs) this.#safely(shared ? this.#lookAfter(session) : this.end(session, 'expired'));
    else if (shared && !session.home && silenceMs > sessionCacheMs) this.#safely(this.#forget(session, 'expired'));
  }

  /** Lets the record live on while its session is in use. */
  #prolong(session: Session, now: number): void {
    const { sessionIdleMs } = this.#room.limits;
    if (!this.#replica.lasting || now - session.touched < sessionIdleMs / PARTS) return;
    session.touched = now;
    const touch = async (): Promise<void> => {
      if (!(await this.#records.touch(keyOf(session), sessionIdleMs))) this.#drop(session, 'expired');
    };
    this.#safely(touch());
  }

  /** Ends a session that was silent for too long here, unless it was heard of elsewhere. */
  async #lookAfter(session: Session): Promise<void> {
    session.seen = performance.now();
    if ((await this.#records.get(keyOf(session))) === undefined) this.#drop(session, 'expired');
  }

  #safely(work: Eventually<void>): void {
    if (!(work instanceof Promise)) return;
    work.catch((error: unknown) => this.#room.report('warn', 'Cannot tend a session', { error }));
  }

  get #records(): Records {
    return this.#replica.store.records;
  }
}

function tooManySessions(limit: 'sessions' | 'sessionsPerPrincipal', most: number): Fault {
  const whose = limit === 'sessions' ? '' : ' of yours';
  const data = { limit, retryAfterMs: 10_000 };
  return new Fault('E_BUSY', `Too many sessions: at most ${most}${whose} may be open. End one with DELETE`, { data });
}

function keyOf({ id, principal }: Session): string {
  return recordOf(id, principal);
}

function dialectOf({ conversation }: Session): string {
  return conversation.dialect?.name ?? 'unknown';
}
