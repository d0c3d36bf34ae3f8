import type { Fault } from '../model/fault.ts';
import type { Eventually, Json } from '../model/json.ts';
import type { Principal, WireId } from '../model/peer.ts';
import type { Held } from '../store/store.ts';
import { Conversation } from './conversation.ts';
import type { ConversationOptions, Stray } from './conversation-options.ts';
import type { House } from './house.ts';
import type { StreamRoom } from './outbox.ts';
import { giverOf } from './replica.ts';
import { Routes } from './routes.ts';
import { fromJson, type Kept, type Patch } from './session-record.ts';
import { SessionStreams } from './session-streams.ts';
import type { Resumed } from './standing.ts';
import { MAIN, readEventId, type Sink, type Stream } from './stream.ts';

/** What all sessions of one server share. */
export interface SessionRoom extends StreamRoom {
  readonly house: House;
  /** Writes a change into the record of a session, where there are records. */
  keep?(session: Session, patch: Patch): Promise<void>;
}

/** Whose a session is, and what is kept of it already. */
export interface SessionFacts {
  readonly id: string;
  readonly principal: Principal | undefined;
  readonly held?: Held;
}

const MARK = '-';
const NAME_LENGTH = 8;
/** After how many leases a former home that lived has given a sign of life, and how often it is looked for. */
const DOUBTED_LEASES = 1.25;
const LOOKS = 4;

/**
 * One peer that comes and goes: its conversation, and the streams its messages wait in. Where a store is shared, what
 * is here is a copy of the record: one replica, its home, tells the peer of changes. What few use is made late.
 */
export class Session implements ConversationOptions {
  readonly id: string;
  readonly principal: Principal | undefined;
  readonly conversation: Conversation;
  readonly #room: SessionRoom;
  #streams: SessionStreams | undefined;
  /** Where what is said about its requests goes. */
  readonly routes = new Routes();
  /** When the peer was last heard of, and its record last prolonged, in milliseconds. */
  seen = performance.now();
  touched = this.seen;
  /** The version of the record that is known here. */
  version = 0;
  #resumed: Resumed | undefined;
  #home: string;
  #reading = false;
  #told = 0;
  #over = false;

  constructor(room: SessionRoom, { id, principal, held }: SessionFacts) {
    this.id = id;
    this.principal = principal;
    this.#room = room;
    this.#home = room.replica.id;
    if (held !== undefined) {
      const kept = fromJson(held.value);
      this.learn(held.version, kept);
      this.#resumed = kept.memory;
    }
    this.conversation = new Conversation(room.house, this);
    this.#resumed = undefined;
  }

  get name(): string {
    return this.id.slice(0, NAME_LENGTH);
  }

  get session(): string {
    return this.id;
  }

  get resumed(): Resumed | undefined {
    return this.#resumed;
  }

  get mark(): string | undefined {
    const { replica } = this.#room;
    return replica.lasting ? `${replica.id}${MARK}` : undefined;
  }

  /** Whether the peer is told of changes from here. */
  get home(): boolean {
    return this.#home === this.#room.replica.id;
  }

  /** Everything that is to be kept of the session, once its handshake was answered. */
  get kept(): Kept | undefined {
    const memory = this.conversation.place.memory();
    if (memory === undefined) return undefined;
    return { memory, home: this.#home, reading: this.#reading, told: this.#told };
  }

  /** Whether somebody reads or waits, so that the session is not idle however long nothing is said. */
  get active(): boolean {
    return this.conversation.busy || this.#streams?.read === true;
  }

  /** The last event of the main stream that a reader was given. */
  get told(): number {
    return this.#streams?.get(MAIN)?.told ?? this.#told;
  }

  get streams(): SessionStreams {
    this.#streams ??= new SessionStreams(this.#room, this.id);
    return this.#streams;
  }

  get main(): Stream {
    return this.streams.take(MAIN);
  }

  /** Sends a message the way of the request it belongs to, or on the main stream. */
  outlet(text: string, about?: WireId): void {
    const route = about === undefined ? undefined : this.routes.find(about);
    if (route === undefined) void this.main.push(text);
    else route.send(text);
  }

  /** Lets the client of a request go for now, if it can come back. */
  release(about: WireId): void {
    this.routes.find(about)?.release();
  }

  /** Whether somebody reads the main stream, here or elsewhere. */
  reachable(): boolean {
    return this.#streams?.get(MAIN)?.read === true || (!this.home && this.#reading);
  }

  keep(patch: Patch): Eventually<void> {
    const { keep, replica } = this.#room;
    // Where the client says that it is ready, somebody listens for it from then on.
    return keep?.(this, patch.ready === true ? { ...patch, home: replica.id } : patch);
  }

  forward(stray: Stray): Eventually<void> {
    const { replica } = this.#room;
    if (stray.kind === 'cancelled') return replica.tell({ kind: 'cancelled', session: this.id, request: stray.id });
    const asker = typeof stray.id === 'string' ? giverOf(stray.id, MARK) : undefined;
    if (asker === undefined || asker === replica.id) return undefined;
    return this.#answer(asker, stray as unknown as Json);
  }

  /** Sends an answer to the replica that asked; where its inbox is not there, after a loss of data say, by a word to all. */
  async #answer(asker: string, answer: Json): Promise<void> {
    const { replica } = this.#room;
    const sent = await replica.send(asker, { kind: 'answer', session: this.id, answer });
    if (!sent) await replica.tell({ kind: 'answered', session: this.id, answer });
  }

  /** Takes over what the record says now. */
  learn(version: number, { home, reading = false, told = 0 }: Kept): void {
    this.version = version;
    this.#home = home;
    this.#reading = reading;
    this.#told = told;
  }

  /** Goes on from a record that others may have changed. */
  renew({ version, value }: Held): void {
    if (version === this.version) return;
    const kept = fromJson(value);
    const left = this.home && kept.home !== this.#home;
    this.learn(version, kept);
    this.conversation.place.renew(kept.memory);
    if (left) this.#leaveHome();
  }

  /** Hears that another replica changed the record. */
  hear(patch: Patch): void {
    const left = this.home && patch.home !== undefined;
    this.#home = patch.home ?? this.#home;
    this.#reading = patch.reading ?? this.#reading;
    this.#told = patch.told ?? this.#told;
    this.conversation.place.apply(patch);
    if (left) this.#leaveHome();
  }

  /**
   * Gets ready to be read after an event, or anew. Answers why not: the event is not of this session, or not kept any
   * more.
   */
  async admit(lastEventId: string | undefined): Promise<Fault | undefined> {
    const fault = lastEventId === undefined ? undefined : await this.streams.refusal(lastEventId);
    if (fault !== undefined) return fault;
    const stream = streamOf(lastEventId);
    if (stream === MAIN) await this.#welcome();
    else await this.#room.replica.tell({ kind: 'taken', session: this.id, stream });
    return undefined;
  }

  /** Gives everything after an event that `admit` found nothing against, or what nobody has had of the main stream. */
  async listen(lastEventId: string | undefined, sink: Sink): Promise<void> {
    const after = lastEventId === undefined ? undefined : readEventId(lastEventId)?.event;
    await this.streams.take(streamOf(lastEventId)).attach(sink, after);
  }

  /** A reader is gone. */
  left(sink: Sink): void {
    this.#streams?.leave(sink);
    const main = this.#streams?.get(MAIN);
    if (main === undefined || main.read || !this.home || !this.#reading) return;
    const kept = this.keep({ reading: false, told: main.told });
    if (kept instanceof Promise) kept.catch((error) => this.#room.report('debug', 'Cannot keep who reads', { error }));
  }

  /** A stream is read elsewhere from now on. */
  taken(stream: string): void {
    this.#streams?.get(stream)?.detach();
  }

  /** Tells the peer of changes from here on, also of those that nobody may have told it of. */
  async adopt(patch: Patch = {}): Promise<void> {
    const { replica, keep } = this.#room;
    const before = this.#home;
    const missed = await replica.gone(before);
    if (before !== replica.id) this.main.told = this.#told;
    this.#home = replica.id;
    this.conversation.place.attend();
    try {
      await keep?.(this, { ...patch, home: replica.id });
    } catch (error) {
      this.#home = before;
      if (!this.home) this.conversation.place.retire();
      throw error;
    }
    // Another replica may have had the same wish, and a word of it been heard meanwhile.
    this.conversation.place.attend();
    if (missed) this.conversation.place.catchUp();
    else if (before !== replica.id) this.#doubt(before);
  }

  /** Does what keeps the streams in use alive, and forgets those that are not. */
  tend(): void {
    this.#streams?.touch();
    this.#streams?.tidy();
  }

  /** Lets every reader go, who is told when to come back in dialects that have a way to say it; nothing is forgotten. */
  async letGo(): Promise<void> {
    const primes = this.conversation.dialect?.primes === true;
    await this.#streams?.letGo(primes ? this.#room.limits.retryMs : undefined);
  }

  /** Lets every reader go and forgets what was kept. */
  close(reason: string): void {
    this.#over = true;
    this.conversation.close(reason);
    this.#streams?.close();
  }

  async #welcome(): Promise<void> {
    if (this.#room.keep !== undefined && !(this.home && this.#reading)) await this.adopt({ reading: true });
  }

  /** The former home may have been gone before it could be missed, and told nobody of what changed since. */
  #doubt(former: string, looks = LOOKS): void {
    const { replica, limits, report } = this.#room;
    const look = async (): Promise<void> => {
      // Whoever is the home by now did not doubt this one, so it is told from here.
      if ((await replica.gone(former)) && !this.#over) this.conversation.place.catchUp();
    };
    const failed = (error: unknown): void => {
      if (looks > 1) this.#doubt(former, looks - 1);
      else report('warn', 'Cannot look for a replica: changes may not have been told', { error });
    };
    setTimeout(() => void look().catch(failed), limits.replicaLeaseMs * DOUBTED_LEASES).unref();
  }

  #leaveHome(): void {
    this.conversation.place.retire();
    this.#streams?.get(MAIN)?.detach();
  }
}

function streamOf(lastEventId: string | undefined): string {
  return lastEventId === undefined ? MAIN : (readEventId(lastEventId)?.stream ?? MAIN);
}
