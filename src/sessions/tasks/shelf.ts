import { randomBytes } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import { isObject } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { Principal } from '../../model/peer.ts';
import { type Store, StoreError } from '../../store/store.ts';
import { digest } from '../seal.ts';
import { fromJson, isOver, orphaned, type TaskRecord, toJson } from './record.ts';
import type { Runners } from './runners.ts';

export interface ShelfParts {
  /** Opened when the first task needs it. */
  store(): Store;
  readonly limits: Limits;
  now(): number;
}

/** A record after a change; `undefined` where it does not apply. */
export type TaskChange = (record: TaskRecord, now: number) => TaskRecord | undefined;

const RETRY_MS = 100;
const LONGEST_RETRY_MS = 2000;
const TOPIC = 'tasks';
const PAGE = 500;

/** Where tasks are kept: every change is compared and set, and told to all who share the store. */
export class TaskShelf {
  readonly #parts: ShelfParts;
  #unsubscribe: Promise<() => void> | undefined;
  #awayAt = Number.NEGATIVE_INFINITY;
  #runners: Runners | undefined;
  #closed = false;

  constructor(parts: ShelfParts) {
    this.#parts = parts;
  }

  /** Whether a task may run in one process and be asked for in another. */
  get shared(): boolean {
    return this.#parts.store().shared;
  }

  /** From here on tasks are run by one replica of several, and fail when it is gone. */
  join(runners: Runners): void {
    this.#runners = runners;
  }

  /** Under which key a task of this principal is kept: nobody else's requests lead there. */
  keyOf(id: string, principal: Principal | undefined): string {
    return `${prefixOf(principal)}${id}`;
  }

  /** Keeps a new task; throws when its principal has too many. */
  async create(key: string, record: TaskRecord, principal: Principal | undefined): Promise<void> {
    const { limits } = this.#parts;
    const keys = await this.#keys(principal);
    if (keys.length >= limits.tasks) {
      throw new Fault('E_BUSY', `Too many tasks: at most ${limits.tasks} are kept`, { data: { retryAfterMs: 10_000 } });
    }
    await this.lease(key);
    const runner = this.#runners === undefined ? {} : { runner: this.#runners.id };
    const kept = toJson({ ...record, ...runner });
    const version = await this.#records.put(key, kept, { ttlMs: record.ttlMs, ifVersion: 0 });
    if (version === undefined) throw new Fault('E_INTERNAL', 'A task with this id exists already');
  }

  async read(key: string): Promise<TaskRecord | undefined> {
    const held = await this.#mind(async () => this.#records.get(key));
    return held === undefined ? undefined : fromJson(held.value);
  }

  /** Reads a task that runs elsewhere, if it runs: one whose process is gone has failed. */
  async judge(key: string): Promise<TaskRecord | undefined> {
    const record = await this.read(key);
    if (record === undefined || isOver(record)) return record;
    const [leased, lost] = await Promise.all([this.leased(key), this.#lost(record)]);
    if (leased && !lost) return record;
    const errorId = randomBytes(6).toString('hex');
    return (await this.change(key, (current, now) => orphaned(current, errorId, now))) ?? this.read(key);
  }

  /** Calls back once when the replica that runs a task is gone, until the returned function is called. */
  onLost({ runner }: TaskRecord, lost: () => void): () => void {
    return (runner === undefined ? undefined : this.#runners?.onLost(runner, lost)) ?? (() => {});
  }

  /** Applies a change that must not get lost: while the engine is away it is tried again. */
  async insist(key: string, change: TaskChange): Promise<TaskRecord | undefined> {
    for (let wait = RETRY_MS; ; wait = Math.min(wait * 2, LONGEST_RETRY_MS)) {
      try {
        return await this.#mind(() => this.change(key, change));
      } catch (error) {
        if (this.#closed || !(error instanceof StoreError) || error.trouble !== 'away') throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
    }
  }

  /** Applies a change to the newest record; `undefined` when there is none, or the change does not apply. */
  async change(key: string, change: TaskChange): Promise<TaskRecord | undefined> {
    for (;;) {
      const held = await this.#records.get(key);
      if (held === undefined) return undefined;
      const now = this.#parts.now();
      const next = change(fromJson(held.value), now);
      if (next === undefined) return undefined;
      const ttlMs = Math.max(1, next.created + next.ttlMs - now);
      const version = await this.#records.put(key, toJson(next), { ttlMs, ifVersion: held.version });
      if (version === undefined) continue;
      await this.#parts.store().topics.publish(TOPIC, { key });
      return next;
    }
  }

  /** Every task of a principal, oldest first. */
  async all(principal: Principal | undefined): Promise<TaskRecord[]> {
    const keys = await this.#keys(principal);
    const records = await Promise.all(keys.map((key) => this.read(key)));
    return records
      .filter((record) => record !== undefined)
      .sort((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1));
  }

  /** Says that the process which runs the task is alive. */
  async lease(key: string): Promise<void> {
    const ttlMs = this.#parts.limits.taskLeaseMs;
    await this.#mind(async () => this.#records.put(leaseOf(key), true, { ttlMs }));
  }

  /** Whether the process that runs the task is alive; after the engine was away nobody is judged for a while. */
  async leased(key: string): Promise<boolean> {
    if ((await this.#mind(async () => this.#records.get(leaseOf(key)))) !== undefined) return true;
    return performance.now() - this.#awayAt < this.#parts.limits.taskLeaseMs / 2;
  }

  async release(key: string): Promise<void> {
    await this.#records.remove(leaseOf(key));
  }

  /** Calls back with the key of every task that changed, here or elsewhere; `missed` where some may have been lost. */
  follow(heard: (key: string) => void, missed = (): void => {}): void {
    const listener = (message: unknown): void => {
      if (isObject(message) && typeof message['key'] === 'string') heard(message['key']);
    };
    this.#unsubscribe ??= this.#subscribe(listener, missed);
  }

  async close(): Promise<void> {
    this.#closed = true;
    (await this.#unsubscribe)?.();
    this.#unsubscribe = undefined;
  }

  async #subscribe(listener: (message: unknown) => void, missed: () => void): Promise<() => void> {
    try {
      return await this.#parts.store().topics.subscribe(TOPIC, listener, missed);
    } catch {
      // The next who wants to hear tries again.
      this.#unsubscribe = undefined;
      this.#awayAt = performance.now();
      return () => {};
    }
  }

  /** Notes when the engine was away. */
  async #mind<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) this.#awayAt = performance.now();
      throw error;
    }
  }

  async #lost({ runner }: TaskRecord): Promise<boolean> {
    if (runner === undefined || this.#runners === undefined) return false;
    const runners = this.#runners;
    return this.#mind(() => runners.lost(runner));
  }

  get #records(): Store['records'] {
    return this.#parts.store().records;
  }

  async #keys(principal: Principal | undefined): Promise<string[]> {
    const keys = new Set<string>();
    let after: string | undefined;
    do {
      const page = await this.#records.list(prefixOf(principal), {
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      for (const key of page.keys) keys.add(key);
      after = page.next;
    } while (after !== undefined);
    return [...keys];
  }
}

function prefixOf(principal: Principal | undefined): string {
  return principal === undefined ? 'task/-/' : `task/${digest(principal.id)}/`;
}

function leaseOf(key: string): string {
  return `lease/${key}`;
}
