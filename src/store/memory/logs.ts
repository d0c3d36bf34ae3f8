import { requireBounds, requireWhole } from '../arguments.ts';
import { Hearers } from '../hearers.ts';
import type { AppendOptions, LogEntry, LogPage, Logs } from '../store.ts';
import { ExpiringMap, type Mortal } from './expiring.ts';
import { type Ground, SLOT_BYTES, sizeOf } from './ground.ts';

/** A log as it is kept. */
export interface HeldLog extends Mortal {
  readonly texts: Map<number, { readonly text: string; readonly bytes: number }>;
  /** UTF-8 bytes of the texts. */
  bytes: number;
  first: number;
  next: number;
  ended: boolean;
  /** What was charged for the log itself. */
  readonly slot: number;
}

/** Logs whose oldest text is always the one at `first`. */
export class MemoryLogs implements Logs {
  readonly #ground: Ground;
  readonly entries: ExpiringMap<HeldLog>;
  readonly followers: Hearers<undefined>;
  readonly #waking = new Set<string>();

  constructor(ground: Ground) {
    this.#ground = ground;
    this.followers = new Hearers('Follower of a log', ground.log);
    this.entries = new ExpiringMap(ground.now, ({ slot, bytes, texts, first, next }, key) => {
      ground.release(slot + bytes + texts.size * SLOT_BYTES);
      ground.gone({ kind: 'log', key, first, next });
    });
  }

  append(log: string, text: string, options: AppendOptions): number | undefined {
    this.#ground.requireOpen();
    requireBounds(options);
    const held = this.entries.get(log) ?? this.#begin(log);
    if (held.ended) return undefined;
    const bytes = sizeOf(text);
    held.expires = this.#ground.now() + options.ttlMs;
    // Room first: a log at its own bounds can go on even where the store as a whole is full.
    const fits = bytes <= options.bytes;
    this.#trim(held, fits ? options.entries - 1 : 0, fits ? options.bytes - bytes : 0);
    if (fits) {
      this.#ground.charge(SLOT_BYTES + bytes);
      held.texts.set(held.next, { text, bytes });
      held.bytes += bytes;
    }
    held.next += 1;
    if (!fits) held.first = held.next;
    this.#wake(log);
    return held.next - 1;
  }

  end(log: string, text: string, options: AppendOptions): number | undefined {
    const position = this.append(log, text, options);
    const held = position === undefined ? undefined : this.entries.get(log);
    if (held !== undefined) held.ended = true;
    return position;
  }

  read(log: string, after: number, limit = Number.MAX_SAFE_INTEGER): LogPage {
    this.#ground.requireOpen();
    requireWhole('after', after, 0);
    requireWhole('limit', limit);
    const held = this.entries.get(log);
    if (held === undefined) return { entries: [], first: 1, next: 1, lost: after > 0, ended: false };
    const { texts, first, next, ended } = held;
    const entries: LogEntry[] = [];
    for (let position = Math.max(after + 1, first); position < next && entries.length < limit; position += 1) {
      const entry = texts.get(position);
      if (entry !== undefined) entries.push({ position, text: entry.text });
    }
    return { entries, first, next, lost: after + 1 < first || after >= next, ended };
  }

  /** Takes back a log as an earlier process left it, with the texts it held. */
  restore(log: string, left: Pick<HeldLog, 'first' | 'next' | 'ended' | 'expires'>, texts: readonly string[]): void {
    const held = Object.assign(this.#begin(log), left);
    for (const [index, text] of texts.entries()) {
      const bytes = sizeOf(text);
      this.#ground.charge(SLOT_BYTES + bytes);
      held.texts.set(left.first + index, { text, bytes });
      held.bytes += bytes;
    }
  }

  touch(log: string, ttlMs: number): boolean {
    this.#ground.requireOpen();
    requireWhole('ttlMs', ttlMs);
    return this.entries.touch(log, ttlMs);
  }

  remove(log: string): boolean {
    this.#ground.requireOpen();
    const removed = this.entries.remove(log);
    if (removed) this.#wake(log);
    return removed;
  }

  follow(log: string, wake: () => void): () => void {
    this.#ground.requireOpen();
    return this.followers.join(log, wake);
  }

  /** Wakes once for all that happens before the followers run. */
  #wake(log: string): void {
    if (!this.followers.has(log) || this.#waking.has(log)) return;
    this.#waking.add(log);
    queueMicrotask(() => {
      this.#waking.delete(log);
      this.followers.tell(log, undefined);
    });
  }

  #begin(log: string): HeldLog {
    const slot = SLOT_BYTES + sizeOf(log);
    this.#ground.charge(slot);
    const held = {
      texts: new Map(),
      bytes: 0,
      first: 1,
      next: 1,
      ended: false,
      slot,
      expires: Number.POSITIVE_INFINITY,
    };
    this.entries.add(log, held);
    return held;
  }

  #trim(held: HeldLog, entries: number, bytes: number): void {
    while (held.texts.size > entries || held.bytes > bytes) {
      const oldest = held.texts.get(held.first);
      if (oldest === undefined) return;
      held.texts.delete(held.first);
      held.first += 1;
      held.bytes -= oldest.bytes;
      this.#ground.release(SLOT_BYTES + oldest.bytes);
    }
  }
}
