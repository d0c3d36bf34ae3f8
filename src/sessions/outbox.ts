import type { Eventually } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { WireId } from '../model/peer.ts';
import { type AppendOptions, type LogPage, type Logs, StoreError } from '../store/store.ts';
import type { Replica } from './replica.ts';

/** What a stream will answer: kept first, so that others can answer in place of a replica that is lost. */
export interface StreamHeader {
  readonly ids: readonly WireId[];
  readonly revision: string;
}

/** What all streams of one server share. */
export interface StreamRoom {
  readonly replica: Replica;
  readonly limits: Limits;
  readonly report: Log;
  /** The last message of a stream whose replica is lost: an error for every request it should have answered. */
  obituary(header: StreamHeader): string;
}

export interface OutboxParts {
  readonly room: StreamRoom;
  /** The log the events are kept in. */
  readonly log: string;
  /** Several replicas write to it. */
  readonly joint: boolean;
  /** Told of what the log took, and whether it is the last; without a position, that others ended it before. */
  added(position: number | undefined, text: string, last: boolean): Eventually<void>;
  /** Told of what follows after the engine has lost the log: nobody can come back for it. */
  adrift(position: number, text: string, last: boolean): void;
  /** Told that the log cannot be written; `again`: it is tried again. */
  lost(cause: unknown, again: boolean): void;
}

type How = 'append' | 'end';

const HEADER_SIGN = '#';
/** Most headers among the entries of a log. */
const HEADERS = 2;
const RETRY_MS = 100;
const LONGEST_RETRY_MS = 2000;

/** The events of one stream on their way into the store: in order, and each as often as the log took it. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #bounds: AppendOptions;
  #header: StreamHeader | undefined;
  /** How many events, and how long, came after the header. */
  #events = 0;
  #bytes = 0;
  /** The last position that was written here. */
  #written = 0;
  /** The last event on its way, where that takes time. */
  #tail: Promise<void> | undefined;
  #over = false;
  #adrift = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    const { outboxEvents, outboxBytes, outboxTtlMs } = parts.room.limits;
    const entries = outboxEvents + (parts.joint ? 0 : HEADERS);
    this.#bounds = { entries, bytes: outboxBytes, ttlMs: outboxTtlMs };
  }

  /** Whether the stream was begun here. */
  get begun(): boolean {
    return this.#header !== undefined;
  }

  /** Nothing can follow any more. */
  get over(): boolean {
    return this.#over;
  }

  /** The engine has lost the log: what is there now is not it. */
  get adrift(): boolean {
    return this.#adrift;
  }

  /** Resolves when everything said so far is kept. */
  get settled(): Eventually<void> {
    return this.#tail;
  }

  /** Keeps what the stream is for and answers at which position; `undefined` when that cannot be kept. */
  begin(header: StreamHeader): Eventually<number | undefined> {
    this.#header = header;
    const begun = (position: number | undefined): number | undefined => {
      this.#written = position ?? 0;
      return position;
    };
    const failed = (cause: unknown): undefined => {
      this.#parts.room.report('warn', 'Cannot keep a stream: it ends with its connection', { cause });
    };
    try {
      const position = this.#logs.append(this.#parts.log, textOf(header), this.#bounds);
      return position instanceof Promise ? position.then(begun, failed) : begun(position);
    } catch (error) {
      return failed(error);
    }
  }

  /** Adds a text, or the last one. */
  add(how: How, text: string): Eventually<void> {
    const added = this.#tail === undefined ? this.#add(how, text) : this.#tail.then(() => this.#add(how, text));
    if (!(added instanceof Promise)) return;
    const tail = added.then(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
    this.#tail = tail;
    return tail;
  }

  read(after: number): Eventually<LogPage> {
    return this.#logs.read(this.#parts.log, after);
  }

  follow(wake: () => void): Eventually<() => void> {
    return this.#logs.follow(this.#parts.log, wake, wake);
  }

  touch(): Eventually<unknown> {
    return this.#over || this.#adrift
      ? undefined
      : this.#logs.touch(this.#parts.log, this.#parts.room.limits.outboxTtlMs);
  }

  /** Nothing is kept from here on. */
  abandon(): void {
    this.#over = true;
  }

  /** Answers in place of a replica that is lost; who does it first is heard by all. */
  async bury(): Promise<void> {
    const { entries, ended } = await this.read(0);
    if (ended) return;
    // What the engine has lost is told as a gap; an owner that lives must not find an end here.
    if (entries.length === 0) return;
    const header = entries.findLast(({ text }) => isHeader(text));
    const { obituary } = this.#parts.room;
    const text = header === undefined ? '' : obituary(JSON.parse(header.text.slice(1)) as StreamHeader);
    await this.#logs.end(this.#parts.log, text, this.#bounds);
  }

  #add(how: How, text: string): Eventually<void> {
    if (this.#over) return;
    if (this.#adrift) return this.#drift(how, text);
    try {
      const position = this.#logs[how](this.#parts.log, text, this.#bounds);
      if (!(position instanceof Promise)) return this.#added(how, text, position);
      return position.then(
        (taken) => this.#added(how, text, taken),
        (error) => this.#retry(how, text, error),
      );
    } catch (error) {
      this.#parts.lost(error, false);
      this.#over ||= how === 'end';
    }
  }

  #added(how: How, text: string, position: number | undefined): Eventually<void> {
    // Nobody else adds to it, so a position that was given before is one of a new log.
    if (!this.#parts.joint && position !== undefined && position <= this.#written) {
      this.#adrift = true;
      this.#removeLog();
      return this.#drift(how, text);
    }
    if (how === 'end' || position === undefined) this.#over = true;
    this.#written = position ?? this.#written;
    const told = this.#parts.added(position, text, this.#over);
    return told instanceof Promise ? told.then(() => this.#renewHeader(text)) : this.#renewHeader(text);
  }

  /** Tells on without keeping: the connection of the reader is all there is. */
  #drift(how: How, text: string): void {
    if (isHeader(text)) return;
    this.#over ||= how === 'end';
    this.#written += 1;
    this.#parts.adrift(this.#written, text, this.#over);
  }

  /** Takes the beginning of a new log away, so that nobody takes it for the old one. */
  #removeLog(): void {
    const failed = (cause: unknown): void =>
      this.#parts.room.report('debug', 'Cannot remove the rest of a lost stream', { cause });
    const remove = async (): Promise<unknown> => this.#logs.remove(this.#parts.log);
    remove().catch(failed);
  }

  /** An engine that is away is asked again; whoever reads is let go meanwhile, and comes back for the event. */
  async #retry(how: How, text: string, cause: unknown): Promise<void> {
    const until = performance.now() + this.#parts.room.limits.outboxTtlMs;
    let trouble = cause;
    this.#parts.lost(cause, isAway(cause));
    for (
      let wait = RETRY_MS;
      isAway(trouble) && performance.now() < until;
      wait = Math.min(wait * 2, LONGEST_RETRY_MS)
    ) {
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
      try {
        return await this.#added(how, text, await this.#addAgain(how, text));
      } catch (error) {
        trouble = error;
      }
    }
    if (isAway(cause)) this.#parts.lost(trouble, false);
    this.#over ||= how === 'end';
  }

  /** The engine may have taken the event before it went away: then that is where it is. */
  async #addAgain(how: How, text: string): Promise<number | undefined> {
    const [next] = this.#parts.joint ? [] : (await this.#logs.read(this.#parts.log, this.#written, 1)).entries;
    return next?.text === text ? next.position : this.#logs[how](this.#parts.log, text, this.#bounds);
  }

  // The log drops its oldest entries; what the stream is for must not be among them.
  #renewHeader(text: string): Eventually<void> {
    if (this.#header === undefined || this.#over || isHeader(text)) return;
    const { outboxEvents, outboxBytes } = this.#parts.room.limits;
    this.#events += 1;
    this.#bytes += text.length;
    if (this.#events < outboxEvents && this.#bytes < outboxBytes / 4) return;
    this.#events = 0;
    this.#bytes = 0;
    return this.#add('append', textOf(this.#header));
  }

  get #logs(): Logs {
    return this.#parts.room.replica.store.logs;
  }
}

/** Whether an entry says what its stream is for, and is no event. */
export function isHeader(text: string): boolean {
  return text.startsWith(HEADER_SIGN);
}

function textOf(header: StreamHeader): string {
  return `${HEADER_SIGN}${JSON.stringify(header)}`;
}

function isAway(error: unknown): boolean {
  return error instanceof StoreError && error.trouble === 'away';
}
