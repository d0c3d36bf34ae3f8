import type { Eventually } from '../model/json.ts';
import type { LogPage } from '../store/store.ts';
import { streamClosed, streamOpened } from '../telemetry/signals.ts';
import { isHeader, Outbox, type StreamHeader, type StreamRoom } from './outbox.ts';
import { ownerOf } from './replica.ts';

/** Where the messages of a stream go while somebody reads it. */
export interface Sink {
  readonly open: boolean;
  send(event: { id: string; data: string; retryMs?: number }): void;
  end(): void;
}

/** The stream of a session that belongs to no request. */
export const MAIN = '0';

/**
 * One stream of a session: events in order, each kept for whoever comes back for it, on any replica.
 * Nothing is told that the log did not take, so a replica that was taken for lost says nothing twice.
 */
export class Stream {
  readonly name: string;
  readonly #room: StreamRoom;
  readonly #outbox: Outbox;
  #sink: Sink | undefined;
  /** The position up to which the reader, or the last one, has everything. */
  #sent = 0;
  /** Whether the reader knows the id of an event. */
  #named = false;
  #ended = false;
  #since = 0;
  /** The log is being read for the reader; `again`: there is more by now. */
  #busy = false;
  #again = false;
  #reading: Promise<void> | undefined;
  #unfollow: Eventually<() => void> | undefined;
  #unwatch: (() => void) | undefined;

  constructor(room: StreamRoom, name: string, log: string) {
    this.#room = room;
    this.name = name;
    this.#outbox = new Outbox({
      room,
      log,
      joint: name === MAIN,
      added: (position, text, last) => this.#added(position, text, last),
      adrift: (position, text, last) => this.#drift(position, text, last),
      // A reader without the id of an event could not come back: it waits.
      lost: (cause, again) => this.#lose(cause, again && !this.#named),
    });
  }

  get read(): boolean {
    return this.#sink?.open === true;
  }

  get ended(): boolean {
    return this.#ended || this.#outbox.over;
  }

  /** Whether the stream was begun here. */
  get begun(): boolean {
    return this.#outbox.begun;
  }

  /** The number of the last event its reader was given. */
  get told(): number {
    return Math.max(0, this.#sent - this.#offset);
  }

  set told(event: number) {
    this.#sent = event + this.#offset;
  }

  /** Resolves when everything said so far is kept. */
  get settled(): Eventually<void> {
    return this.#outbox.settled;
  }

  /** Keeps what the stream is for; false when that cannot be kept, and the stream cannot be used. */
  begin(header: StreamHeader): Eventually<boolean> {
    const begun = (position: number | undefined): boolean => {
      this.#sent = position ?? 0;
      return position !== undefined;
    };
    const position = this.#outbox.begin(header);
    return position instanceof Promise ? position.then(begun) : begun(position);
  }

  /** Lets the first reader in, who has had nothing; with a time to retry, an event without a message names the beginning. */
  prime(sink: Sink, retryMs?: number): void {
    this.#hold(sink);
    if (retryMs !== undefined) this.hint(retryMs);
  }

  /** Lets a reader in, who has had everything up to an event; who read before is let go. */
  async attach(sink: Sink, after?: number): Promise<void> {
    this.detach();
    if (after !== undefined) this.told = after;
    this.#hold(sink);
    this.#named = after !== undefined || this.name === MAIN;
    try {
      await this.#follow();
      await this.#catchUp(after === undefined);
      if (this.#sink === sink) await this.#mindOwner();
    } catch (error) {
      if (this.#sink === sink) this.#lose(error);
    }
  }

  /** Adds a message: told now if somebody reads, kept in any case. Messages keep their order, however slow the store. */
  push(text: string): Eventually<void> {
    return this.#outbox.add('append', text);
  }

  /** Adds the last message, or none; nothing follows it. */
  finish(text = ''): Eventually<void> {
    return this.#outbox.add('end', text);
  }

  /** Tells the reader when to come back; an event without a message says it. */
  hint(retryMs: number): void {
    this.#named = true;
    this.#sink?.send({ id: this.#id(this.#sent), data: '', retryMs });
  }

  /** Lets the reader go; the stream goes on. */
  detach(): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#sink = undefined;
    this.#unwatch?.();
    this.#unwatch = undefined;
    const unfollow = this.#unfollow;
    this.#unfollow = undefined;
    if (unfollow instanceof Promise) unfollow.then((stop) => stop()).catch(() => {});
    else unfollow?.();
    sink.end();
    if (streamClosed.heard) streamClosed.publish({ kind: 'session', ms: performance.now() - this.#since });
  }

  /** Lets this reader go, if it still is the one. */
  leave(sink: Sink): void {
    if (this.#sink === sink) this.detach();
  }

  /** Nobody wants the stream any more: nothing is kept or told from here on. */
  abandon(): void {
    this.#outbox.abandon();
    this.detach();
  }

  /** Lets the events live on while the stream is in use. */
  touch(): Eventually<unknown> {
    return this.#outbox.touch();
  }

  #added(position: number | undefined, text: string, last: boolean): Eventually<void> {
    const sink = this.#sink;
    if (sink === undefined) return;
    if (!sink.open) return this.detach();
    if (position !== this.#sent + 1 || this.#busy) return this.#catchUp();
    this.#give(sink, position, text);
    if (last) this.detach();
  }

  /** Tells a reader who has everything so far on, although it could not come back; any other has a gap. */
  #drift(position: number, text: string, last: boolean): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    const gap = position !== this.#sent + 1;
    if (!gap) this.#give(sink, position, text);
    if (gap || last) this.detach();
  }

  /** Hears of events that other replicas write. */
  async #follow(): Promise<void> {
    const { replica } = this.#room;
    if (!replica.shared || ownerOf(this.name) === replica.id) return;
    const unfollow = this.#outbox.follow(() => void this.#catchUp());
    this.#unfollow = unfollow;
    if (unfollow instanceof Promise) await unfollow;
  }

  /** Answers in place of the replica that should have, when it is lost: now, or while the reader waits. */
  async #mindOwner(): Promise<void> {
    const owner = ownerOf(this.name);
    if (owner === undefined) return;
    const { replica } = this.#room;
    const bury = async (): Promise<void> => {
      try {
        await this.#outbox.bury();
        await this.#catchUp();
      } catch (error) {
        this.#lose(error);
      }
    };
    // What this replica began it still holds, if it is not over.
    if (owner === replica.id) return this.#outbox.begun ? undefined : bury();
    this.#unwatch = replica.onLost(owner, () => void bury());
  }

  /** Gives the reader everything it has not had; `leniently`: what is not kept any more does not matter to it. */
  #catchUp(leniently = false): Eventually<void> {
    this.#again = true;
    if (this.#busy) return this.#reading;
    const reading = this.#readOn(leniently);
    // An engine that answers at once leaves nothing to wait for.
    if (!this.#busy) return undefined;
    this.#reading = reading;
    return reading;
  }

  async #readOn(leniently: boolean): Promise<void> {
    this.#busy = true;
    try {
      while (this.#again && this.#sink !== undefined) {
        this.#again = false;
        const sink = this.#sink;
        const page = this.#outbox.read(this.#sent);
        const read = page instanceof Promise ? await page : page;
        if (sink === this.#sink) this.#giveAll(sink, read, leniently);
        else this.#again = true;
      }
    } catch (error) {
      this.#lose(error);
    } finally {
      this.#busy = false;
      this.#reading = undefined;
    }
  }

  #giveAll(sink: Sink, { entries, lost, first, ended }: LogPage, leniently: boolean): void {
    if (this.#outbox.adrift) return;
    // A gap is told by letting go: who comes back for what is missing is refused.
    if (lost && !leniently) {
      this.detach();
      return;
    }
    if (lost) this.#sent = first - 1;
    for (const { position, text } of entries) this.#give(sink, position, text);
    if (!ended) return;
    this.#ended = true;
    this.detach();
  }

  #lose(cause: unknown, waits = false): void {
    this.#room.report('error', 'Cannot keep or read events: the reader waits, or is let go and may come back', {
      cause,
    });
    if (!waits) this.detach();
  }

  #hold(sink: Sink): void {
    this.#sink = sink;
    this.#named = false;
    this.#since = performance.now();
    if (streamOpened.heard) streamOpened.publish({ kind: 'session' });
  }

  #give(sink: Sink, position: number, text: string): void {
    if (!sink.open || position <= this.#sent) return;
    this.#sent = position;
    if (text === '' || isHeader(text)) return;
    this.#named = true;
    sink.send({ id: this.#id(position), data: text });
  }

  /** The header of a request's stream has a position and is no event. */
  get #offset(): number {
    return this.name === MAIN ? 0 : 1;
  }

  #id(position: number): string {
    return `${this.name}.${position - this.#offset}`;
  }
}

/** Where in the log of its stream an event is. */
export function positionOf({ stream, event }: { stream: string; event: number }): number {
  return stream === MAIN ? event : event + 1;
}

/** The stream and the number of the event that an id names. */
export function readEventId(id: string): { stream: string; event: number } | undefined {
  const match = /^([a-z0-9]{1,16})\.(\d{1,15})$/.exec(id);
  return match === null ? undefined : { stream: match[1] as string, event: Number(match[2]) };
}
