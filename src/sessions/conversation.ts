import type { Dialect, Incoming } from '../dialects/dialect.ts';
import type { Opening } from '../dialects/opening.ts';
import { Fault } from '../model/fault.ts';
import type { Eventually, Json } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { LogLevel, Notice, Peer, Principal, WireId } from '../model/peer.ts';
import type { Answer, Verb } from '../model/verbs.ts';
import { auditRefusal } from './audited.ts';
import { receiveBatch } from './batch.ts';
import type { ConversationOptions, Stray } from './conversation-options.ts';
import { Exchange, type Table } from './exchange.ts';
import type { House } from './house.ts';
import { InFlight } from './in-flight.ts';
import { Place } from './place.ts';
import { Questions } from './questions.ts';
import { duplicate, faultOf, tooEarly, tooLarge, tooLong, tooMany } from './refusals.ts';
import { type Reply, tellFault } from './trouble.ts';

type Call = Extract<Incoming, { kind: 'call' }>;
type Spoken = Pick<Opening, 'how' | 'dialect'>;

/** One peer, from its first message to its last. Transports hold one and know nothing else of the server. */
export class Conversation implements Table {
  readonly name: string;
  /** Who makes the requests that come next: always the same, with the scopes of the moment. */
  principal: Principal | undefined;
  /** Where the peer stands. */
  readonly place: Place;
  readonly #house: House;
  readonly #options: ConversationOptions;
  // What most peers never use is made when they first do.
  #questions: Questions | undefined;
  #flight: InFlight | undefined;
  #queue: Promise<unknown> | undefined;
  #unnamed = 0;
  #retained = 0;
  #closing: Fault | undefined;

  constructor(house: House, options: ConversationOptions, name = options.name ?? '') {
    this.name = name;
    this.principal = options.principal;
    this.#house = house;
    this.#options = options;
    this.place = new Place(house, options);
  }

  get session(): string | undefined {
    return this.#options.session;
  }

  get mute(): boolean {
    return this.#options.mute === true;
  }

  get questions(): Questions {
    this.#questions ??= new Questions({
      deadlineMs: this.#house.limits.askDeadlineMs,
      mark: this.#options.mark,
      send: (text, about) => this.send(text, about),
    });
    return this.#questions;
  }

  get beside(): ConversationOptions['beside'] {
    return this.#options.beside;
  }

  get limits(): Limits {
    return this.#house.limits;
  }

  get peer(): Peer {
    return this.place.peer;
  }

  get level(): LogLevel {
    return this.place.level;
  }

  /** Takes one message of `size` bytes. The reply is `undefined` when none is due. */
  receive(message: Json, size = 0): Eventually<Reply | undefined> {
    const opening = this.#house.speakers.open(message, this.place);
    const { dialect } = opening;
    const { limit } = dialect;
    if (limit !== undefined && size > limit) return this.#inTurn(dialect, () => this.#refuse(dialect, tooLarge(limit)));
    if (opening.how === 'refused') return this.#refuse(dialect, opening.fault, opening.id);
    if (opening.how === 'batch') return this.#batch(opening);
    this.place.understood(dialect);
    const incoming = dialect.read(message);
    if (this.#closing !== undefined && incoming.kind === 'call')
      return this.#refuse(dialect, this.#closing, incoming.id);
    return dialect.ordered ? this.#inTurn(dialect, () => this.#take(opening, incoming)) : this.#take(opening, incoming);
  }

  /** The reply to bytes that never became a message; to a line of `size` bytes, in its turn among the replies. */
  refuse(fault: Fault): Reply;
  refuse(fault: Fault, size: number): Eventually<Reply | undefined>;
  refuse(fault: Fault, size?: number): Eventually<Reply | undefined> {
    const dialect = this.place.speaker;
    if (size === undefined) return this.#refuse(dialect, fault);
    const { limit } = dialect;
    const first = limit !== undefined && size > limit ? tooLarge(limit) : fault;
    return this.#inTurn(dialect, () => this.#refuse(dialect, first));
  }

  /** The reply to a blank line. */
  blank(): Eventually<Reply | undefined> {
    return this.place.speaker.mindsBlanks ? this.refuse(new Fault('E_PARSE', 'The line is blank'), 0) : undefined;
  }

  /** Whether anything is being answered, asked or listened to, or work goes on that may speak. */
  get busy(): boolean {
    return (this.#flight?.size ?? 0) > 0 || this.#retained > 0 || this.#questions?.open === true;
  }

  /** Says that somebody may speak to the peer later, until the returned function is called. */
  retain(): () => void {
    this.#retained += 1;
    return () => {
      this.#retained -= 1;
    };
  }

  /** The dialect a handshake agreed on. */
  get dialect(): Dialect | undefined {
    return this.place.pinned;
  }

  ready(): Eventually<void> {
    return this.place.ready();
  }

  get reachable(): boolean {
    return this.#closing === undefined && !this.mute && this.#options.reachable?.() !== false;
  }

  send(text: string, about?: WireId): void {
    this.#options.outlet(text, about);
  }

  release(about: WireId): void {
    this.#options.release?.(about);
  }

  /** Takes what the peer said about something here, wherever it said it; false when it is not here. */
  take(stray: Stray): boolean {
    if (stray.kind === 'result') return this.#questions?.settle(stray.id, stray.result) === true;
    if (stray.kind === 'error')
      return stray.id !== undefined && this.#questions?.refuse(stray.id, stray.message) === true;
    this.place.stop(stray.id);
    const exchange = this.#flight?.get(stray.id);
    exchange?.cancel(new Fault('E_CLOSED', 'The client cancelled the request'));
    return exchange !== undefined;
  }

  /** Lets in-flight work finish, for as long as is given, and takes no more. */
  async drain(graceMs: number, reason?: Fault): Promise<void> {
    this.#closing ??= reason ?? new Fault('E_CLOSED', 'The server is shutting down: connect again and retry');
    this.#questions?.close(this.#closing);
    this.place.endListening((id) => this.#flight?.get(id)?.finish(undefined));
    const flight = this.#flight ?? new InFlight();
    if (flight.size > 0 || this.#queue !== undefined) await flight.drain(this.#closing, graceMs, () => this.#queue);
    this.close('drained');
  }

  /** The peer is gone: nothing is answered any more. */
  close(reason: string): void {
    this.#closing ??= new Fault('E_CLOSED', `The connection is closed: ${reason}`);
    this.place.retire();
    this.#questions?.close(this.#closing);
    this.#flight?.cancel(this.#closing);
  }

  #refuse(dialect: Dialect, fault: Fault, id?: WireId): Reply {
    return tellFault(this.#house.log, { dialect, id, fault });
  }

  /** Refuses a request that could be read; a second one of an id is not answered under it, since the first will be. */
  #turnAway(dialect: Dialect, call: Call, fault: Fault): Reply {
    const reply = this.#refuse(dialect, fault, fault.code === 'E_DUPLICATE_ID' ? undefined : call.id);
    return auditRefusal(this.#house.audit, { seat: this, dialect, call }, reply);
  }

  #batch({ dialect, messages }: Extract<Opening, { how: 'batch' }>): Eventually<Reply | undefined> {
    const { batchLength } = this.#house.limits;
    if (messages.length > batchLength) return this.#refuse(dialect, tooLong(batchLength));
    return receiveBatch(messages, (message) => this.#receiveInBatch(dialect, message));
  }

  #receiveInBatch(dialect: Dialect, message: Json): Eventually<Reply | undefined> {
    const incoming = dialect.read(message);
    if (incoming.kind !== 'call' || incoming.operation.verb !== 'hello')
      return this.#take({ how: 'spoken', dialect }, incoming);
    return this.#refuse(
      dialect,
      new Fault('E_BATCH', 'Invalid request: "initialize" may not be part of a batch'),
      incoming.id,
    );
  }

  // A dialect whose replies come in order is answered one request at a time.
  #inTurn({ ordered }: Dialect, work: () => Eventually<Reply | undefined>): Eventually<Reply | undefined> {
    if (!ordered) return work();
    const reply = this.#queue === undefined ? work() : this.#queue.then(work);
    if (!(reply instanceof Promise)) return reply;
    const tail = reply.finally(() => {
      if (this.#queue === tail) this.#queue = undefined;
    });
    this.#queue = tail;
    return tail;
  }

  #take(spoken: Spoken, incoming: Incoming): Eventually<Reply | undefined> {
    switch (incoming.kind) {
      case 'call':
        return this.#admit(spoken, incoming);
      case 'notice':
        return this.#heard(spoken.dialect, () => this.#heed(incoming.notice));
      case 'result':
      case 'error':
        return this.#heard(spoken.dialect, () => this.#takeOrForward(incoming));
      case 'refused':
        return this.#refuse(spoken.dialect, incoming.fault, incoming.id);
    }
  }

  #admit(spoken: Spoken, call: Call): Eventually<Reply | undefined> {
    const { dialect } = spoken;
    const { verb } = call.operation;
    const flight = this.#flight;
    if (flight !== undefined) {
      if (!dialect.ordered && flight.has(call.id)) return this.#turnAway(dialect, call, duplicate(call.id));
      if (flight.size >= this.#house.limits.inFlight) return this.#turnAway(dialect, call, tooMany());
    }
    if (verb !== 'ping' && spoken.how !== 'handshake' && this.place.isEarly(spoken)) {
      return this.#turnAway(dialect, call, tooEarly(dialect === this.place.pinned));
    }
    return this.#answer(dialect, call);
  }

  #answer(dialect: Dialect, call: Call): Eventually<Reply | undefined> {
    const key = dialect.ordered ? `${this.name}/${++this.#unnamed}` : call.id;
    const exchange = new Exchange(this.#house, { seat: this, dialect, call, key });
    const reply = exchange.run();
    if (reply instanceof Promise) {
      this.#flight ??= new InFlight();
      this.#flight.add(key, exchange);
    }
    return reply;
  }

  over(key: WireId): void {
    this.#flight?.delete(key);
  }

  /** What an answered request changes about the conversation. False: the answer is not said yet. */
  effect(dialect: Dialect, { id, operation }: Call, answer: Answer<Verb>): Eventually<boolean> {
    switch (operation.verb) {
      case 'hello':
        if (dialect.opens === 'handshake') this.place.open(dialect, operation.ask);
        return true;
      case 'log.level':
        return this.place.keep({ level: operation.ask.level });
      case 'resources.watch':
        return this.place.keep({ watch: operation.ask.uri });
      case 'resources.unwatch':
        return this.place.keep({ unwatch: operation.ask.uri });
      case 'listen':
        return !this.place.watching.listen(id, { dialect, filter: (answer as Answer<'listen'>).filter });
      default:
        return true;
    }
  }

  /** Answers nothing, unless what was heard cannot be kept or passed on. */
  #heard(dialect: Dialect, heed: () => Eventually<unknown>): Eventually<Reply | undefined> {
    try {
      const heeded = heed();
      if (!(heeded instanceof Promise)) return undefined;
      return heeded.then(
        () => undefined,
        (error) => this.#refuse(dialect, faultOf(error)),
      );
    } catch (error) {
      return this.#refuse(dialect, faultOf(error));
    }
  }

  #heed(notice: Notice | undefined): Eventually<unknown> {
    if (notice?.kind === 'cancelled') return this.#takeOrForward({ kind: 'cancelled', id: notice.id });
    return notice?.kind === 'ready' && this.place.awaited ? this.place.keep({ ready: true }) : undefined;
  }

  #takeOrForward(stray: Stray): Eventually<unknown> {
    return this.take(stray) ? undefined : this.#options.forward?.(stray);
  }
}
