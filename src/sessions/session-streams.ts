import { echoed, excerpt } from '../model/excerpt.ts';
import { Fault } from '../model/fault.ts';
import type { Eventually } from '../model/json.ts';
import type { StreamRoom } from './outbox.ts';
import { ownerOf } from './replica.ts';
import { MAIN, positionOf, readEventId, type Sink, Stream } from './stream.ts';

/** The streams of one session that are in use here, and those that are over and kept for who comes back. */
export class SessionStreams {
  readonly #room: StreamRoom;
  readonly #session: string;
  readonly #streams = new Map<string, Stream>();
  /** Streams of this replica that are over, oldest first. */
  #over: string[] | undefined;

  constructor(room: StreamRoom, session: string) {
    this.#room = room;
    this.#session = session;
  }

  get read(): boolean {
    for (const stream of this.#streams.values()) if (stream.read) return true;
    return false;
  }

  /** The stream of that name, if it is in use here. */
  get(name: string): Stream | undefined {
    return this.#streams.get(name);
  }

  /** The stream of that name, for whoever wants to read it or write to it. */
  take(name: string): Stream {
    return this.#streams.get(name) ?? this.#create(name);
  }

  /** A new stream, for one request; the oldest that is over makes room. */
  open(): Stream {
    const { replica, limits } = this.#room;
    this.tidy();
    const kept = this.#streams.size + (this.#over?.length ?? 0);
    const oldest = kept > limits.streamsKept ? this.#over?.shift() : undefined;
    if (oldest !== undefined) this.#remove(oldest);
    return this.#create(replica.nextStream());
  }

  /** Why a stream cannot be taken up after an event, if it cannot: it is not of this session, or not kept any more. */
  async refusal(lastEventId: string): Promise<Fault | undefined> {
    const event = readEventId(lastEventId);
    if (event === undefined) return unknownEvent(lastEventId);
    const { lost } = await this.#room.replica.store.logs.read(this.#log(event.stream), positionOf(event), 1);
    return lost ? unknownEvent(lastEventId) : undefined;
  }

  leave(sink: Sink): void {
    for (const stream of this.#streams.values()) stream.leave(sink);
  }

  /** Lets the events of the streams in use live on. */
  touch(): void {
    for (const stream of this.#streams.values()) this.#safely(() => stream.touch());
  }

  /** Forgets streams that are over or read elsewhere; their events stay. */
  tidy(): void {
    for (const [name, stream] of this.#streams) {
      if (name === MAIN || stream.read) continue;
      const own = stream.begun && ownerOf(name) === this.#room.replica.id;
      if (own && !stream.ended) continue;
      this.#streams.delete(name);
      if (!own) continue;
      this.#over ??= [];
      this.#over.push(name);
    }
  }

  /** Lets every reader go once it has what was said so far; with a time to retry, it is told when to come back. */
  async letGo(retryMs: number | undefined): Promise<void> {
    for (const stream of this.#streams.values()) {
      await stream.settled;
      if (retryMs !== undefined) stream.hint(retryMs);
      stream.detach();
    }
  }

  /** Lets every reader go and forgets what was kept. */
  close(): void {
    for (const stream of this.#streams.values()) {
      stream.abandon();
      this.#remove(stream.name);
    }
    for (const name of this.#over ?? []) this.#remove(name);
    this.#streams.clear();
    this.#over = undefined;
  }

  #create(name: string): Stream {
    const stream = new Stream(this.#room, name, this.#log(name));
    this.#streams.set(name, stream);
    return stream;
  }

  #remove(name: string): void {
    this.#safely(() => this.#room.replica.store.logs.remove(this.#log(name)));
  }

  #safely(work: () => Eventually<unknown>): void {
    const failed = (error: unknown): void => this.#room.report('debug', 'Cannot tend a stream', { error });
    try {
      const done = work();
      if (done instanceof Promise) done.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #log(name: string): string {
    return `outbox/${this.#session}/${name}`;
  }
}

function unknownEvent(id: string): Fault {
  return new Fault('E_BAD_PARAMS', `Cannot resume: no event "${excerpt(id)}" is kept for this session`, {
    data: { lastEventId: echoed(id) },
  });
}
