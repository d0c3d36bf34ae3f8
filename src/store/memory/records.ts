import type { Json } from '../../model/json.ts';
import { requireWhole } from '../arguments.ts';
import { freeze } from '../freeze.ts';
import type { Held, KeyPage, ListOptions, PutOptions, Records } from '../store.ts';
import { ExpiringMap, type Mortal } from './expiring.ts';
import { type Ground, SLOT_BYTES, sizeOf } from './ground.ts';

// Texts up to here are kept parsed as well, once they were read; a parsed value can take many times its text.
const PARSED_CHARS = 4096;

interface RecordEntry extends Mortal {
  text: string;
  bytes: number;
  version: number;
  /** What `get` answers; made by the first read of this version. */
  held: Held | undefined;
  /** Rises with the order of keys in the map, so it can say where a page ended. */
  readonly born: number;
}

/** Values kept as text, so that no writer and reader share an object. */
export class MemoryRecords implements Records {
  readonly #ground: Ground;
  readonly entries: ExpiringMap<RecordEntry>;
  #version: number;
  #births = 0;

  /** Versions rise from the one after `version`. */
  constructor(ground: Ground, version = 0) {
    this.#ground = ground;
    this.#version = version;
    this.entries = new ExpiringMap(ground.now, (entry, key) => {
      ground.release(entry.bytes);
      ground.gone({ kind: 'record', key });
    });
  }

  get(key: string, prolongMs?: number): Held | undefined {
    this.#ground.requireOpen();
    if (prolongMs !== undefined) requireWhole('prolongMs', prolongMs);
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (prolongMs !== undefined) entry.expires = this.#ground.now() + prolongMs;
    if (entry.held !== undefined) return entry.held;
    const value = JSON.parse(entry.text) as Json;
    if (entry.text.length > PARSED_CHARS) return { value, version: entry.version };
    entry.held = Object.freeze({ value: freeze(value), version: entry.version });
    return entry.held;
  }

  put(key: string, value: Json, { ttlMs, ifVersion }: PutOptions): number | undefined {
    this.#ground.requireOpen();
    requireWhole('ttlMs', ttlMs);
    if (ifVersion !== undefined) requireWhole('ifVersion', ifVersion, 0);
    const entry = this.entries.get(key);
    if (ifVersion !== undefined && ifVersion !== (entry?.version ?? 0)) return undefined;
    const text = JSON.stringify(value);
    const bytes = SLOT_BYTES + sizeOf(key) + sizeOf(text);
    this.#ground.charge(bytes - (entry?.bytes ?? 0));
    this.#version += 1;
    const written = { text, bytes, version: this.#version, held: undefined, expires: this.#ground.now() + ttlMs };
    if (entry === undefined) this.#add(key, written);
    else Object.assign(entry, written);
    return this.#version;
  }

  /** Takes back a record as an earlier process left it. */
  restore(key: string, record: Pick<RecordEntry, 'text' | 'version' | 'expires'>): void {
    const bytes = SLOT_BYTES + sizeOf(key) + sizeOf(record.text);
    this.#ground.charge(bytes);
    this.#add(key, { ...record, bytes, held: undefined });
  }

  touch(key: string, ttlMs: number): boolean {
    this.#ground.requireOpen();
    requireWhole('ttlMs', ttlMs);
    return this.entries.touch(key, ttlMs);
  }

  remove(key: string): boolean {
    this.#ground.requireOpen();
    return this.entries.remove(key);
  }

  list(prefix: string, { limit, after = '0' }: ListOptions): KeyPage {
    this.#ground.requireOpen();
    requireWhole('limit', limit);
    const start = Number(after);
    requireWhole('after', start, 0);
    const keys: string[] = [];
    let last = start;
    for (const [key, { born }] of this.entries.living()) {
      if (born <= start || !key.startsWith(prefix)) continue;
      if (keys.length === limit) return { keys, next: String(last) };
      keys.push(key);
      last = born;
    }
    return { keys };
  }

  #add(key: string, entry: Omit<RecordEntry, 'born'>): void {
    this.#births += 1;
    this.entries.add(key, { ...entry, born: this.#births });
  }
}
