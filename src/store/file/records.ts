import type { Json } from '../../model/json.ts';
import type { MemoryRecords } from '../memory/records.ts';
import type { Held, KeyPage, ListOptions, PutOptions, Records } from '../store.ts';
import type { Journal } from './journal.ts';
import type { Layout } from './layout.ts';

/** Records in memory, every change of them in the journal. */
export class FileRecords implements Records {
  readonly #memory: MemoryRecords;
  readonly #journal: Journal;
  readonly #layout: Layout;

  constructor(memory: MemoryRecords, journal: Journal, layout: Layout) {
    this.#memory = memory;
    this.#journal = journal;
    this.#layout = layout;
  }

  get(key: string, prolongMs?: number): Held | undefined {
    const held = this.#memory.get(key, prolongMs);
    // Nobody waits for this to be written: the worst that can come of it is a record that expires as it would have.
    if (held !== undefined && prolongMs !== undefined) this.#prolong(key);
    return held;
  }

  async put(key: string, value: Json, options: PutOptions): Promise<number | undefined> {
    this.#journal.requireSound();
    const version = this.#memory.put(key, value, options);
    const entry = version === undefined ? undefined : this.#memory.entries.get(key);
    if (entry !== undefined) this.#layout.putRecord(key, entry);
    await this.#journal.written();
    return version;
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    this.#journal.requireSound();
    const touched = this.#memory.touch(key, ttlMs);
    if (touched) this.#prolong(key);
    await this.#journal.written();
    return touched;
  }

  async remove(key: string): Promise<boolean> {
    this.#journal.requireSound();
    const removed = this.#memory.remove(key);
    await this.#journal.written();
    return removed;
  }

  list(prefix: string, options: ListOptions): KeyPage {
    return this.#memory.list(prefix, options);
  }

  #prolong(key: string): void {
    const entry = this.#memory.entries.get(key);
    if (entry !== undefined) this.#layout.prolongRecord(key, entry.expires);
  }
}
