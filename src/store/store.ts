import type { Eventually, Json } from '../model/json.ts';

// What every engine promises.
// Keys are any well-formed strings, the empty one among them; records, logs, topics, counters and inboxes do not share them.
// A value comes back as JSON would bring it back: an engine may keep it as text.
// An argument no engine can honour throws a RangeError; work an engine cannot do now throws a StoreError or rejects with it.

/** Why an engine cannot do its work: it cannot be reached, its bound is reached, or it was closed. */
export type StoreTrouble = 'away' | 'full' | 'closed';

/** The one error engines throw on purpose; nothing was written, unless the engine went away while it wrote. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly trouble: StoreTrouble;
  /** The engine went away while it worked, and may have done what it was asked to. */
  readonly unsure: boolean;

  constructor(trouble: StoreTrouble, message: string, options: ErrorOptions & { readonly unsure?: boolean } = {}) {
    super(message, options);
    this.trouble = trouble;
    this.unsure = options.unsure ?? false;
  }
}

/** A value as it was when it was read. */
export interface Held {
  /** Not the reader's to change: it may be frozen and shared with other readers. */
  readonly value: Json;
  /** Above 0, and never given to the same key twice, not even after its removal. */
  readonly version: number;
}

export interface PutOptions {
  /** The record is gone this long after the put, unless it is put or touched again. */
  readonly ttlMs: number;
  /** Write only over this version; 0: only where there is no record. */
  readonly ifVersion?: number;
}

export interface ListOptions {
  /** Most keys on a page; a page may hold fewer, even none, and not be the last. */
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string;
}

export interface KeyPage {
  readonly keys: readonly string[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** Values with a time to live and compare-and-set. An expired record is an absent one. */
export interface Records {
  /** The record, or `undefined` where there is none; only with `prolongMs` does reading let it live that long from now. */
  get(key: string, prolongMs?: number): Eventually<Held | undefined>;
  /** Writes and answers the new version; answers `undefined` and writes nothing when `ifVersion` lost the race. */
  put(key: string, value: Json, options: PutOptions): Eventually<number | undefined>;
  /** Lets the record live this long from now, its version unchanged; `false` where there is none. */
  touch(key: string, ttlMs: number): Eventually<boolean>;
  /** Answers whether there was a record. */
  remove(key: string): Eventually<boolean>;
  /** Walks the keys with a prefix in no promised order; a key that lives through the whole walk comes at least once. */
  list(prefix: string, options: ListOptions): Eventually<KeyPage>;
}

export interface AppendOptions {
  /** The oldest entries fall out until no more than this many are held. */
  readonly entries: number;
  /** The oldest entries fall out until no more than this many bytes of UTF-8 are held, the new entry too if need be. */
  readonly bytes: number;
  /** The log is gone this long after its last append or touch. */
  readonly ttlMs: number;
}

export interface LogEntry {
  readonly position: number;
  readonly text: string;
}

export interface LogPage {
  /** Consecutive but where `lost`. */
  readonly entries: readonly LogEntry[];
  /** The oldest position held; `next` when none is. */
  readonly first: number;
  /** The position the next append will get. */
  readonly next: number;
  /** The reader missed something: not everything between `after` and the last entry here can be given to it. */
  readonly lost: boolean;
  /** The log was ended: nothing will ever come at `next`. */
  readonly ended: boolean;
}

/** Append-only texts within bounds. The name of a log that is gone must not be used again: its positions start anew. */
export interface Logs {
  /**
   * Answers the position of the text: 1 for the first, rising by one; a higher rise tells that entries were lost.
   * Answers `undefined` and writes nothing where the log was ended.
   */
  append(log: string, text: string, options: AppendOptions): Eventually<number | undefined>;
  /** Appends the last text there will be; `undefined` where the log was ended before, so one of many enders wins. */
  end(log: string, text: string, options: AppendOptions): Eventually<number | undefined>;
  /** At most `limit` entries after a position, 0 being before the first; an absent log reads as an empty one. */
  read(log: string, after: number, limit?: number): Eventually<LogPage>;
  /** Lets the log live this long from now; `false` where there is none. */
  touch(log: string, ttlMs: number): Eventually<boolean>;
  /** Answers whether there was a log. */
  remove(log: string): Eventually<boolean>;
  /**
   * Calls `wake` after every append, end and removal by anybody, once for several of them if it likes and now and then
   * for none, until the returned function is called. Where calls may have been lost on the way it calls `missed`, or
   * `wake` in its place.
   */
  follow(log: string, wake: () => void, missed?: () => void): Eventually<() => void>;
}

export type Listener = (message: Json) => void;

/** Messages to whoever listens at the moment, on any replica. Nothing is kept for those who do not. */
export interface Topics {
  /** Returns before a listener hears it; messages of one publisher on one topic are heard in order, once at most. */
  publish(topic: string, message: Json): Eventually<void>;
  /**
   * Hears every message published after the subscription stands, until the returned function is called.
   * `missed` is called when messages may have been lost on the way: the subscriber should look for itself.
   */
  subscribe(topic: string, listener: Listener, missed?: () => void): Eventually<() => void>;
}

/** A bucket: full at first, it holds at most `capacity` tokens and regains `refillPerSecond` of them. */
export interface TakeOptions {
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** Tokens to take, 1 unless told; at most `capacity`. */
  readonly cost?: number;
}

/** `left`: whole tokens still there. `retryAfterMs`: when the same take succeeds, if nobody else takes. */
export type Taken =
  | { readonly ok: true; readonly left: number }
  | { readonly ok: false; readonly retryAfterMs: number };

/** Token buckets. One that is full again is as if it had never been. */
export interface Counters {
  /** Takes the whole cost or nothing. */
  take(key: string, options: TakeOptions): Eventually<Taken>;
}

/** Messages to one, on any replica: to whoever holds the inbox of that name open. */
export interface Inboxes {
  /**
   * Answers `false` where nobody holds the inbox, and keeps nothing; throws `full` where its holder is too far behind.
   * What was taken is heard once, in order of its sender, also after a short loss of connection, unless the holder is
   * gone for good: it may take `INBOX_TTL_MS` until that shows.
   */
  send(inbox: string, message: Json): Eventually<boolean>;
  /**
   * Holds the inbox until the returned function is called; nothing sent earlier is heard.
   * Who held it before holds it no more.
   */
  open(inbox: string, listener: Listener): Eventually<() => void>;
}

/** How long an inbox is kept for a holder that is not heard of. */
export const INBOX_TTL_MS = 5000;

/** Most messages an inbox keeps for a holder that has not taken them. */
export const INBOX_MESSAGES = 10_000;

/** Most bytes of messages an inbox keeps for a holder that has not taken them. */
export const INBOX_BYTES = 64 * 1024 * 1024;

/** The port to an engine: where everything lives that must outlast a request. */
export interface Store {
  readonly records: Records;
  readonly logs: Logs;
  readonly topics: Topics;
  readonly counters: Counters;
  readonly inboxes: Inboxes;
  /** Several processes may hold the same data at once. */
  readonly shared: boolean;
  /** The data outlives this process. */
  readonly lasting: boolean;
  /** `false` while the engine cannot be reached; it comes back by itself. */
  awake(): boolean;
  /** Ends every subscription and inbox without a word; afterwards all else throws `closed`, and closing again does nothing. */
  close(): Eventually<void>;
}
