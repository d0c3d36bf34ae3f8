import type { Dialect, Incoming } from '../dialects/dialect.ts';
import type { Opening } from '../dialects/opening.ts';
import { Fault } from '../model/fault.ts';
import type { Eventually, Json } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { LogLevel, Notice, Peer, Principal, WireId } from '../model/peer.ts';
import type { Answer, Operation, Verb } from '../model/verbs.ts';
import { receiveBatch } from './batch.ts';
import { Exchange } from './exchange.ts';
import type { House } from './house.ts';
import { Questions } from './questions.ts';
import { type Reply, tellFault } from './trouble.ts';
import type { Seat } from './turn.ts';
import { type Change, Watching } from './watch.ts';

/** Where messages go that no reply carries; `about` names the request they belong to. */
export type Outlet = (text: string, about?: WireId) => void;

export interface ConversationOptions {
  readonly name: string;
  readonly outlet: Outlet;
  readonly principal?: Principal | undefined;
  /** Several requests share the way out, so an ended subscription is also cancelled by name. */
  readonly shared?: boolean;
}

type Call = Extract<Incoming, { kind: 'call' }>;
const NOBODY: Peer = Object.freeze({ client: undefined, capabilities: Object.freeze({}) });

/** One peer, from its first message to its last. Transports hold one and know nothing else of the server. */
export class Conversation implements Seat {
  readonly name: string;
  readonly #house: House;
  readonly #outlet: Outlet;
  readonly #principal: Principal | undefined;
  readonly #shared: boolean;
  readonly #exchanges = new Map<WireId, Exchange>();
  readonly #watching: Watching;
  readonly questions: Questions;
  #pinned: Dialect | undefined;
  #voice: Dialect | undefined;
  #phase: 'new' | 'answered' | 'ready' = 'new';
  #peer: Peer = NOBODY;
  #level: LogLevel = 'info';
  #queue: Promise<unknown> | undefined;
  #closing: Fault | undefined;
  #wakes: (() => void)[] = [];
  #unnamed = 0;

  constructor(house: House, { name, outlet, principal, shared = false }: ConversationOptions) {
    this.name = name;
    this.#house = house;
    this.#outlet = outlet;
    this.#principal = principal;
    this.#shared = shared;
    this.#watching = new Watching(house.limits);
    this.questions = new Questions({ deadlineMs: house.limits.askDeadlineMs, send: outlet });
  }

  get limits(): Limits {
    return this.#house.limits;
  }

  get principal(): Principal | undefined {
    return this.#principal;
  }

  get peer(): Peer {
    return this.#peer;
  }

  get level(): LogLevel {
    return this.#level;
  }

  /** Takes one message of `size` bytes. The reply is `undefined` when none is due. */
  receive(message: Json, size = 0): Eventually<Reply | undefined> {
    const opening = this.#house.speakers.open(message, { pinned: this.#pinned, voice: this.#speaker });
    const { dialect } = opening;
    if (dialect.limit !== undefined && size > dialect.limit) return this.#refuse(dialect, undefined, tooLarge(dialect.limit));
    if (opening.how === 'refused') return this.#refuse(dialect, opening.id, opening.fault);
    if (opening.how === 'batch') return this.#batch(opening);
    this.#voice ??= dialect;
    const incoming = dialect.read(message);
    return dialect.ordered ? this.#inOrder(() => this.#take(opening, incoming)) : this.#take(opening, incoming);
  }

  /** The reply to bytes that never became a message. */
  refuse(fault: Fault, _size?: number): Reply {
    return this.#refuse(this.#pinned ?? this.#speaker, undefined, fault);
  }

  /** The reply to a blank line. */
  blank(): Reply | undefined {
    return this.#speaker.mindsBlanks ? this.refuse(new Fault('E_PARSE', 'Parse error: the line is blank')) : undefined;
  }

  /** The peer may be asked once it said it is ready. */
  ready(): Eventually<void> {
    if (this.#phase !== 'answered') return undefined;
    return new Promise<void>((resolve) => this.#wakes.push(resolve));
  }

  send(text: string, about: WireId): void {
    this.#outlet(text, about);
  }

  /** Lets in-flight work finish, for as long as is given, and takes no more. */
  async drain(graceMs: number): Promise<void> {
    this.#closing ??= new Fault('E_CLOSED', 'The server is shutting down: connect again and retry');
    this.questions.close(this.#closing);
    this.#endListening();
    const pending = [...this.#exchanges.values()].map((exchange) => exchange.settled);
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all([...pending, this.#queue]), grace]);
    clearTimeout(timer);
    for (const exchange of this.#exchanges.values()) exchange.fail(this.#closing);
    await Promise.all(pending);
    this.close('drained');
  }

  /** The peer is gone: nothing is answered any more. */
  close(reason: string): void {
    this.#closing ??= new Fault('E_CLOSED', `The connection is closed: ${reason}`);
    this.#house.hub.leave(this.#hear);
    this.questions.close(this.#closing);
    for (const exchange of this.#exchanges.values()) exchange.cancel(this.#closing);
    this.#exchanges.clear();
  }

  get #speaker(): Dialect {
    return this.#voice ?? this.#house.speakers.first;
  }

  #refuse(dialect: Dialect, id: WireId | undefined, fault: Fault): Reply {
    return tellFault(this.#house.log, { dialect, id, fault });
  }

  #batch({ dialect, messages }: Extract<Opening, { how: 'batch' }>): Eventually<Reply | undefined> {
    const { batchLength } = this.#house.limits;
    if (messages.length <= batchLength) return receiveBatch(messages, (message) => this.#receiveInBatch(dialect, message));
    return this.#refuse(dialect, undefined, new Fault('E_BATCH', `Invalid request: a batch may hold at most ${batchLength} messages`));
  }

  #receiveInBatch(dialect: Dialect, message: Json): Eventually<Reply | undefined> {
    const incoming = dialect.read(message);
    if (incoming.kind !== 'call' || incoming.operation.verb !== 'hello') return this.#take({ how: 'spoken', dialect }, incoming);
    return this.#refuse(dialect, incoming.id, new Fault('E_BATCH', 'Invalid request: "initialize" may not be part of a batch'));
  }

  // A dialect whose replies come in order is answered one request at a time.
  #inOrder(work: () => Eventually<Reply | undefined>): Eventually<Reply | undefined> {
    if (this.#queue === undefined) {
      const reply = work();
      if (!(reply instanceof Promise)) return reply;
      return this.#enqueue(reply);
    }
    return this.#enqueue(this.#queue.then(work));
  }

  #enqueue(reply: Promise<Reply | undefined>): Promise<Reply | undefined> {
    const tail = reply.finally(() => {
      if (this.#queue === tail) this.#queue = undefined;
    });
    this.#queue = tail;
    return tail;
  }

  #take({ how, dialect }: { how: Opening['how']; dialect: Dialect }, incoming: Incoming): Eventually<Reply | undefined> {
    switch (incoming.kind) {
      case 'call': {
        const fault = this.#barred(how, incoming, dialect);
        return fault === undefined ? this.#answer(dialect, incoming) : this.#refuse(dialect, fault.code === 'E_DUPLICATE_ID' ? undefined : incoming.id, fault);
      }
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
        return this.#refuse(dialect, incoming.id, incoming.fault);
    }
  }

  /** Why a request may not be answered now, if it may not. */
  #barred(how: Opening['how'], { id, operation: { verb } }: Call, dialect: Dialect): Fault | undefined {
    if (this.#closing !== undefined) return this.#closing;
    if (this.#exchanges.has(id) && !dialect.ordered) {
      return new Fault('E_DUPLICATE_ID', 'Invalid request: a request with this id is still being answered', { data: { requestId: id } });
    }
    if (this.#exchanges.size >= this.#house.limits.inFlight) {
      return new Fault('E_BUSY', 'Too many requests at once: wait for answers before sending more', { data: { retryAfterMs: 1000 } });
    }
    if (verb === 'ping' || how === 'handshake') return undefined;
    const early = how === 'unopened' || (dialect === this.#pinned && this.#house.gate === 'ready' && this.#phase !== 'ready');
    return early ? new Fault('E_NOT_INITIALIZED', NOT_INITIALIZED) : undefined;
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
        if (dialect.opens === 'handshake') this.#open(dialect, operation);
        return true;
      case 'log.level':
        this.#level = operation.ask.level;
        return true;
      case 'resources.watch':
        this.#watching.watch(operation.ask.uri);
        return true;
      case 'resources.unwatch':
        this.#watching.unwatch(operation.ask.uri);
        return true;
      case 'listen':
        return this.#listen(dialect, id, answer as Answer<'listen'>);
      default:
        return true;
    }
  }

  #open(dialect: Dialect, { ask }: Operation<'hello'>): void {
    this.#pinned = dialect;
    if (this.#voice?.opens !== 'never') this.#voice = dialect;
    this.#phase = 'answered';
    this.#peer = { client: ask.client, capabilities: ask.capabilities };
  }

  #listen(dialect: Dialect, id: WireId, { filter }: Answer<'listen'>): boolean {
    const empty = Object.keys(filter).length === 0;
    if (!empty) this.#watching.listen(id, { dialect, filter });
    this.#outlet(dialect.tell({ kind: 'listening', filter }, id) as string, id);
    if (!empty) this.#house.hub.join(this.#hear);
    return empty;
  }

  #endListening(): void {
    for (const [id, { dialect }] of [...this.#watching.listeners]) {
      this.#watching.stop(id);
      this.#exchanges.get(id)?.finish({ text: dialect.ended(id) });
      const cancelled = this.#shared ? dialect.tell({ kind: 'cancelled', id, reason: 'The server ended the subscription' }) : undefined;
      if (cancelled !== undefined) this.#outlet(cancelled, id);
    }
  }

  #heed(notice: Notice | undefined): void {
    if (notice?.kind === 'ready') this.#becomeReady();
    if (notice?.kind !== 'cancelled') return;
    this.#watching.stop(notice.id);
    this.#exchanges.get(notice.id)?.cancel(new Fault('E_CLOSED', 'The client cancelled the request'));
  }

  #becomeReady(): void {
    if (this.#phase !== 'answered') return;
    this.#phase = 'ready';
    if (this.#pinned?.pushes === 'session') this.#house.hub.join(this.#hear);
    for (const wake of this.#wakes.splice(0)) wake();
  }

  readonly #hear = (change: Change): void => {
    for (const [id, text] of this.#watching.told(change)) this.#outlet(text, id);
    if (this.#phase !== 'ready' || this.#pinned?.pushes !== 'session' || !this.#watching.concerns(change)) return;
    const text = this.#pinned.tell(change);
    if (text !== undefined) this.#outlet(text);
  };
}

const NOT_INITIALIZED =
  'Invalid request: send "initialize" first, or name a protocol version in "_meta" of every request';

function tooLarge(limit: number): Fault {
  return new Fault('E_TOO_LARGE', `Message too large: at most ${limit} bytes are accepted`);
}
