import type { Log } from '../../model/log.ts';
import { StoreError, type StoreTrouble } from '../store.ts';

/** What is used of a database of `classic-level`. */
export interface Level {
  open(): Promise<void>;
  close(): Promise<void>;
  batch(operations: readonly Operation[]): Promise<void>;
  iterator(): AsyncIterable<[string, string]>;
}

export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: string }
  | { readonly type: 'del'; readonly key: string };

/** What is written in one step, and who waits for it. */
class Load {
  readonly operations: Map<string, Operation>;
  readonly waiting: { resolve(): void; reject(error: unknown): void }[] = [];

  constructor(operations: ReadonlyMap<string, Operation> = new Map()) {
    this.operations = new Map(operations);
  }
}

const RETRY_MS = 500;

const isFull = (error: unknown): boolean => {
  const { cause, message } = error as Error;
  return /no space left|ENOSPC|quota/i.test(`${message} ${cause instanceof Error ? cause.message : ''}`);
};

/** Writes what changed in the order it changed, everything of one moment in one step: it is all there or not at all. */
export class Journal {
  readonly #level: Level;
  readonly #log: Log;
  #next = new Load();
  #writing: Load | undefined;
  #trouble: StoreTrouble | undefined;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(level: Level, log: Log) {
    this.#level = level;
    this.#log = log;
  }

  /** The last write succeeded. */
  get sound(): boolean {
    return this.#trouble === undefined;
  }

  /** Refuses to begin what could not be kept. */
  requireSound(): void {
    if (this.#closed) throw new StoreError('closed', 'Cannot use store: it is closed');
    if (this.#trouble !== undefined) throw this.#error(this.#trouble);
  }

  put(key: string, value: string): void {
    this.#add({ type: 'put', key, value });
  }

  remove(key: string): void {
    this.#add({ type: 'del', key });
  }

  /** Resolves when all that was put and removed so far has been handed to the operating system. */
  written(): Promise<void> {
    const load = this.#next.operations.size > 0 ? this.#next : this.#writing;
    if (load === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      load.waiting.push({ resolve, reject });
    });
  }

  /** Writes what is left and lets go of the files; never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    if (this.#trouble === undefined) await this.written().catch(() => {});
    await this.#level.close().catch((error) => this.#log('error', 'Cannot close store files', { error }));
  }

  #add(operation: Operation): void {
    // A later word about a key takes the place of an earlier one that was not written yet.
    this.#next.operations.delete(operation.key);
    this.#next.operations.set(operation.key, operation);
    if (this.#writing !== undefined || this.#trouble !== undefined) return;
    this.#writing = new Load();
    // What follows in this moment comes along.
    queueMicrotask(() => void this.#write());
  }

  async #write(): Promise<void> {
    while (this.#next.operations.size > 0) {
      const load = this.#next;
      this.#next = new Load();
      this.#writing = load;
      try {
        await this.#level.batch([...load.operations.values()]);
        for (const { resolve } of load.waiting) resolve();
      } catch (error) {
        this.#fail(load, error);
        break;
      }
    }
    this.#writing = undefined;
  }

  /** Keeps what was not written for the next try, tells who waited, and lets nobody begin anything until then. */
  #fail(load: Load, cause: unknown): void {
    if (this.#trouble === undefined) this.#log('error', 'Cannot write store files', { error: cause });
    this.#trouble = isFull(cause) ? 'full' : 'away';
    const waiting = [...load.waiting, ...this.#next.waiting];
    this.#next = new Load(new Map([...load.operations, ...this.#next.operations]));
    for (const { reject } of waiting) reject(this.#error(this.#trouble, cause));
    if (!this.#closed) this.#retry = setTimeout(() => void this.#again(), RETRY_MS).unref();
  }

  /** Opens the files anew, since a write that failed halfway may have left the newest of them torn, and tries again. */
  async #again(): Promise<void> {
    const load = this.#next;
    this.#next = new Load();
    this.#writing = load;
    try {
      await this.#level.close();
      await this.#level.open();
      await this.#level.batch([...load.operations.values()]);
      this.#trouble = undefined;
      this.#log('info', 'Store files can be written again');
      await this.#write();
    } catch (error) {
      this.#fail(load, error);
    }
    this.#writing = undefined;
  }

  #error(trouble: StoreTrouble, cause?: unknown): StoreError {
    const reason = trouble === 'full' ? 'there is no space left for its files' : 'its files cannot be written now';
    return new StoreError(trouble, `Cannot use store: ${reason}`, cause === undefined ? {} : { cause });
  }
}
