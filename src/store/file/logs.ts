import type { MemoryLogs } from '../memory/logs.ts';
import type { AppendOptions, LogPage, Logs } from '../store.ts';
import type { Journal } from './journal.ts';
import type { Layout } from './layout.ts';

/** Logs in memory, every change of them in the journal. */
export class FileLogs implements Logs {
  readonly #memory: MemoryLogs;
  readonly #journal: Journal;
  readonly #layout: Layout;

  constructor(memory: MemoryLogs, journal: Journal, layout: Layout) {
    this.#memory = memory;
    this.#journal = journal;
    this.#layout = layout;
  }

  append(log: string, text: string, options: AppendOptions): Promise<number | undefined> {
    return this.#write(log, () => this.#memory.append(log, text, options));
  }

  end(log: string, text: string, options: AppendOptions): Promise<number | undefined> {
    return this.#write(log, () => this.#memory.end(log, text, options));
  }

  read(log: string, after: number, limit?: number): LogPage {
    return this.#memory.read(log, after, limit);
  }

  async touch(log: string, ttlMs: number): Promise<boolean> {
    this.#journal.requireSound();
    const touched = this.#memory.touch(log, ttlMs);
    const held = this.#memory.entries.get(log);
    if (touched && held !== undefined) this.#layout.putLog(log, held);
    await this.#journal.written();
    return touched;
  }

  async remove(log: string): Promise<boolean> {
    this.#journal.requireSound();
    const removed = this.#memory.remove(log);
    await this.#journal.written();
    return removed;
  }

  follow(log: string, wake: () => void): () => void {
    return this.#memory.follow(log, wake);
  }

  async #write(log: string, write: () => number | undefined): Promise<number | undefined> {
    this.#journal.requireSound();
    const first = this.#memory.entries.get(log)?.first ?? 1;
    const position = write();
    const held = position === undefined ? undefined : this.#memory.entries.get(log);
    if (position !== undefined && held !== undefined) this.#layout.append(log, held, { position, first });
    await this.#journal.written();
    return position;
  }
}
