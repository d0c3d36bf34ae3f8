import type { Dialect, Incoming } from '../dialects/dialect.ts';
import type { Opening } from '../dialects/opening.ts';
import { Fault } from '../model/fault.ts';
import type { Eventually, Json } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { LogLevel, Notice, Peer, Principal, WireId } from '../model/peer.ts';
import type { Answer, Verb } from '../model/verbs.ts';
import { receiveBatch } from './batch.ts';
import { Exchange } from './exchange.ts';
import type { House } from './house.ts';
import { Questions } from './questions.ts';
import { duplicate, tooEarly, tooLarge, tooLong, tooMany } from './refusals.ts';
import { type Resumed, Standing } from './standing.ts';
import { type Reply, tellFault } from './trouble.ts';
import type { Seat } from './turn.ts';
import { Watching } from './watch.ts';

/** Where messages go that no reply carries; `about` names the request they belong to. */
export type Outlet = (text: string, about?: WireId) => void;

export interface ConversationOptions {
  readonly name: string;
  /** Names the session or connection, where there is one. */
  readonly session?: string | undefined;
  readonly outlet: Outlet;
  readonly principal?: Principal | undefined;
  /** Several requests share the way out, so an ended subscription is also cancelled by name. */
  readonly shared?: boolean;
  /** The peer cannot be asked, since its answers would find no way back. */
  readonly mute?: boolean;
  /** Where the peer stands already. */
  readonly resumed?: Resumed;
  /** What stood beside the request under a name, such as an HTTP header; `null` when it could not be read. */
  readonly beside?: ((name: string) => string | null | undefined) | undefined;
  /** Lets the client of a request go for now; it comes back for the answer. */
  release?(about: WireId): void;
  /** Whether somebody reads what belongs to no request; always, where it is not said. */
  reachable?(): boolean;
  /** Called when something changed that a session must remember. */
  onChange?(): void;
}

type Call = Extract<Incoming, { kind: 'call' }>;
type Spoken = Pick<Opening, 'how' | 'dialect'>;

/** One peer, from its first message to its last. Transports hold one and know nothing else of the server. */
export class Conversation implements Seat {
  readonly name: string;
  readonly session: string | undefined;
  /** Who makes the requests that come next: always the same, with the scopes of the moment. */
  principal: Principal | undefined;
  readonly mute: boolean;
  readonly questions: Questions;
  readonly #house: House;
  readonly #options: ConversationOptions;
  readonly #standing: Standing;
  readonly #watching: Watching;
  readonly #exchanges = new Map<WireId, Exchange>();
  #queue: Promise<unknown> | undefined;
  #unnamed = 0;
  #closing: Fault | undefined;

  constructor(house: House, options: ConversationOptions) {
    const { name, session, outlet, principal, resumed, shared = false, mute = false } = options;
    this.name = name;
    this.session = session;
    this.principal = principal;
    this.mute = mute;
    this.#house = house;
    this.#options = options;
    this.#standing = new Standing(house, resumed);
    this.#watching = new Watching({
      hub: house.hub,
      limits: house.limits,
      uris: resumed?.watched ?? [],
      shared,
      send: outlet,
      pushed: () => this.#standing.pushed,
    });
    if (this.#standing.pushed !== undefined && !mute) this.#watching.join();
    this.questions = new Questions({ deadlineMs: house.limits.askDeadlineMs, send: outlet });
  }

  get beside(): ConversationOptions['beside'] {
    return this.#options.beside;
  }

  get limits(): Limits {
    return this.#house.limits;
  }

  get peer(): Peer {
    return this.#standing.peer;
  }

  get level(): LogLevel {
    return this.#standing.level;
  }

  /** Takes one message of `size` bytes. The reply is `undefined` when none is due. */
  receive(message: Json, size = 0): Eventually<Reply | undefined> {
    const opening = this.#house.speakers.open(message, this.#standing);
    const { dialect } = opening;
    const { limit } = dialect;
    if (limit !== undefined && size > limit) return this.#inTurn(dialect, () => this.#refuse(dialect, tooLarge(limit)));
    if (opening.how === 'refused') return this.#refuse(dialect, opening.fault, opening.id);
    if (opening.how === 'batch') return this.#batch(opening);
    this.#standing.understood(dialect);
    const incoming = dialect.read(message);
    if (this.#closing !== undefined && incoming.kind === 'call')
      return this.#refuse(dialect, this.#closing, incoming.id);
    return this.#inTurn(dialect, () => this.#take(opening, incoming));
  }

  /** The reply to bytes that never became a message; to a line of `size` bytes, in its turn among the replies. */
  refuse(fault: Fault): Reply;
  refuse(fault: Fault, size: number): Eventually<Reply | undefined>;
  refuse(fault: Fault, size?: number): Eventually<Reply | undefined> {
    const dialect = this.#standing.speaker;
    if (size === undefined) return this.#refuse(dialect, fault);
    const { limit } = dialect;
    const first = limit !== undefined && size > limit ? tooLarge(limit) : fault;
    return this.#inTurn(dialect, () => this.#refuse(dialect, first));
  }

  /** The reply to a blank line. */
  blank(): Eventually<Reply | undefined> {
    return this.#standing.speaker.mindsBlanks ? this.refuse(new Fault('E_PARSE', 'The line is blank'), 0) : undefined;
  }

  /** What a session must remember to go on with this peer later, once there is something to remember. */
  memory(): Resumed | undefined {
    const memory = this.#standing.memory();
    return memory === undefined ? undefined : { ...memory, watched: this.#watching.uris };
  }

  /** Whether anything is being answered or listened to. */
  get busy(): boolean {
    return this.#exchanges.size > 0;
  }

  /** The dialect a handshake agreed on. */
  get dialect(): Dialect | undefined {
    return this.#standing.pinned;
  }

  ready(): Eventually<void> {
    return this.#standing.ready();
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

  /** Lets in-flight work finish, for as long as is given, and takes no more. */
  async drain(graceMs: number): Promise<void> {
    this.#closing ??= new Fault('E_CLOSED', 'The server is shutting down: connect again and retry');
    this.questions.close(this.#closing);
    this.#watching.end((id) => this.#exchanges.get(id)?.finish(undefined));
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all([...this.#exchanges.values()].map(({ settled }) => settled)), grace]);
    await Promise.race([this.#queue, grace]);
    clearTimeout(timer);
    const late = [...this.#exchanges.values()];
    for (const exchange of late) exchange.fail(this.#closing);
    await Promise.all(late.map(({ settled }) => settled));
    this.close('drained');
  }

  /** The peer is gone: nothing is answered any more. */
  close(reason: string): void {
    this.#closing ??= new Fault('E_CLOSED', `The connection is closed: ${reason}`);
    this.#watching.leave();
    this.questions.close(this.#closing);
    for (const exchange of this.#exchanges.values()) exchange.cancel(this.#closing);
    this.#exchanges.clear();
  }

  #refuse(dialect: Dialect, fault: Fault, id?: WireId): Reply {
    return tellFault(this.#house.log, { dialect, id, fault });
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
        this.#heed(incoming.notice);
        return undefined;
      case 'result':
        this.questions.settle(incoming.id, incoming.result);
        return undefined;
      case 'error':
        this.questions.refuse(incoming.id, incoming.message);
        return undefined;
      case 'refused':
        return this.#refuse(spoken.dialect, incoming.fault, incoming.id);
    }
  }

  #admit(spoken: Spoken, call: Call): Eventually<Reply | undefined> {
    const { dialect } = spoken;
    const { verb } = call.operation;
    if (!dialect.ordered && this.#exchanges.has(call.id)) return this.#refuse(dialect, duplicate(call.id));
    if (this.#exchanges.size >= this.#house.limits.inFlight) return this.#refuse(dialect, tooMany(), call.id);
    if (verb !== 'ping' && spoken.how !== 'handshake' && this.#standing.isEarly(spoken)) {
      return this.#refuse(dialect, tooEarly(dialect === this.#standing.pinned), call.id);
    }
    return this.#answer(dialect, call);
  }

  #answer(dialect: Dialect, call: Call): Eventually<Reply | undefined> {
    const key = dialect.ordered ? `${this.name}/${++this.#unnamed}` : call.id;
    const exchange = new Exchange(this.#house, {
      seat: this,
      dialect,
      call,
      effect: (answer) => this.#effect(dialect, call, answer),
      over: () => this.#exchanges.delete(key),
    });
    const reply = exchange.run();
    if (reply instanceof Promise) this.#exchanges.set(key, exchange);
    return reply;
  }

  /** What an answered request changes about the conversation. False: the answer is not said yet. */
  #effect(dialect: Dialect, { id, operation }: Call, answer: Answer<Verb>): boolean {
    switch (operation.verb) {
      case 'hello':
        if (dialect.opens === 'handshake') this.#standing.open(dialect, operation.ask);
        break;
      case 'log.level':
        this.#standing.level = operation.ask.level;
        break;
      case 'resources.watch':
        if (this.mute) throw tooEarly();
        this.#watching.watch(operation.ask.uri);
        break;
      case 'resources.unwatch':
        this.#watching.unwatch(operation.ask.uri);
        break;
      case 'listen':
        return !this.#watching.listen(id, { dialect, filter: (answer as Answer<'listen'>).filter });
      default:
        return true;
    }
    this.#options.onChange?.();
    return true;
  }

  #heed(notice: Notice | undefined): void {
    if (notice?.kind === 'ready') {
      this.#standing.becomeReady();
      if (this.#standing.pushed !== undefined) this.#watching.join();
    }
    if (notice?.kind !== 'cancelled') return;
    this.#watching.stop(notice.id);
    this.#exchanges.get(notice.id)?.cancel(new Fault('E_CLOSED', 'The client cancelled the request'));
  }
}
