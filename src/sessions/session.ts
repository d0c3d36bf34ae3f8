import { echoed, excerpt } from '../model/excerpt.ts';
import { Fault } from '../model/fault.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { Principal, WireId } from '../model/peer.ts';
import type { Store } from '../store/store.ts';
import type { Conversation } from './conversation.ts';
import { readEventId, type Sink, Stream } from './stream.ts';

export interface SessionParts {
  readonly id: string;
  readonly principal: Principal | undefined;
  readonly store: Store;
  readonly limits: Limits;
  readonly report: Log;
}

/** Where the messages of one request go while it is being answered. */
export interface Route {
  send(text: string): void;
  /** Lets the client go for now; it comes back for the rest. */
  release(): void;
}

const MAIN = '0';

/** One peer that comes and goes: its conversation, and the streams its messages wait in. */
export class Session {
  readonly id: string;
  readonly principal: Principal | undefined;
  readonly main: Stream;
  readonly #parts: SessionParts;
  readonly #streams = new Map<string, Stream>();
  readonly #routes = new Map<WireId, Route>();
  #opened = 0;
  #conversation: Conversation | undefined;
  /** When the peer was last heard of, in milliseconds. */
  seen = 0;

  constructor(parts: SessionParts) {
    this.id = parts.id;
    this.principal = parts.principal;
    this.#parts = parts;
    this.main = this.#stream(MAIN);
  }

  get conversation(): Conversation {
    return this.#conversation as Conversation;
  }

  set conversation(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** Whether somebody reads or waits, so that the session is not idle however long nothing is said. */
  get active(): boolean {
    return this.conversation.busy || [...this.#streams.values()].some((stream) => stream.read);
  }

  /** Sends a message the way of the request it belongs to, or on the main stream. */
  readonly outlet = (text: string, about?: WireId): void => {
    const route = about === undefined ? undefined : this.#routes.get(about);
    if (route === undefined) void this.main.push(text);
    else route.send(text);
  };

  /** Lets the client of a request go for now, if it can come back. */
  readonly release = (about: WireId): void => this.#routes.get(about)?.release();

  /** Sends what belongs to these requests this way; a request that is being answered already keeps its way. */
  route(ids: readonly WireId[], route: Route): void {
    for (const id of ids) if (!this.#routes.has(id)) this.#routes.set(id, route);
  }

  unroute(ids: readonly WireId[], route: Route): void {
    for (const id of ids) if (this.#routes.get(id) === route) this.#routes.delete(id);
  }

  /** A new stream, for one request; the oldest that is over makes room. */
  open(): Stream {
    const over = [...this.#streams.values()].filter((stream) => stream.ended);
    if (this.#streams.size > this.#parts.limits.streamsKept && over[0] !== undefined) this.#forget(over[0]);
    return this.#stream(`s${++this.#opened}`);
  }

  /** Why a stream cannot be taken up after an event, if it cannot: it is not of this session, or not kept any more. */
  async refusal(lastEventId: string): Promise<Fault | undefined> {
    const event = readEventId(lastEventId);
    const stream = event === undefined ? undefined : this.#streams.get(event.stream);
    if (event === undefined || stream === undefined) return unknownEvent(lastEventId);
    const { lost } = await this.#parts.store.logs.read(this.#log(stream.name), event.position, 1);
    return lost ? unknownEvent(lastEventId) : undefined;
  }

  /** Takes up a stream after an event that `refusal` found nothing against. */
  async resume(lastEventId: string, sink: Sink): Promise<void> {
    const event = readEventId(lastEventId);
    if (event !== undefined) await this.#streams.get(event.stream)?.attach(sink, event.position);
  }

  /** Tells the readers when to come back, in dialects that have a way to say it. */
  hint(): void {
    if (this.conversation.dialect?.primes !== true) return;
    for (const stream of this.#streams.values()) stream.hint(this.#parts.limits.retryMs);
  }

  /** Lets every reader go and forgets what was kept. */
  close(reason: string): void {
    this.conversation.close(reason);
    for (const stream of [...this.#streams.values()]) {
      stream.end();
      this.#forget(stream);
    }
  }

  #stream(name: string): Stream {
    const { store, limits, report } = this.#parts;
    const stream = new Stream({ name, log: this.#log(name), store, limits, report });
    this.#streams.set(name, stream);
    return stream;
  }

  #forget(stream: Stream): void {
    this.#streams.delete(stream.name);
    void this.#parts.store.logs.remove(this.#log(stream.name));
  }

  #log(stream: string): string {
    return `outbox/${this.id}/${stream}`;
  }
}

function unknownEvent(id: string): Fault {
  return new Fault('E_BAD_PARAMS', `Cannot resume: no event "${excerpt(id)}" is kept for this session`, {
    data: { lastEventId: echoed(id) },
  });
}
