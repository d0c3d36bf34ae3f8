import { Fault } from '../../model/fault.ts';
import { isObject } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { Principal } from '../../model/peer.ts';
import type { Store } from '../../store/store.ts';
import { digest } from '../seal.ts';
import { fromJson, type TaskRecord, toJson } from './record.ts';

export interface ShelfParts {
  /** Opened when the first task needs it. */
  store(): Store;
  readonly limits: Limits;
  now(): number;
}

const TOPIC = 'tasks';
const PAGE = 500;

/** Where tasks are kept: every change is compared and set, and told to all who share the store. */
export class TaskShelf {
  readonly #parts: ShelfParts;
  #unsubscribe: Promise<() => void> | undefined;

  constructor(parts: ShelfParts) {
    this.#parts = parts;
  }

  /** Whether a task may run in one process and be asked for in another. */
  get shared(): boolean {
    return this.#parts.store().shared;
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
    const version = await this.#records.put(key, toJson(record), { ttlMs: record.ttlMs, ifVersion: 0 });
    if (version === undefined) throw new Fault('E_INTERNAL', 'A task with this id exists already');
  }

  async read(key: string): Promise<TaskRecord | undefined> {
    const held = await this.#records.get(key);
    return held === undefined ? undefined : fromJson(held.value);
  }

  /** Applies a change to the newest record; `undefined` when there is none, or the change does not apply. */
  async change(
    key: string,
    change: (record: TaskRecord, now: number) => TaskRecord | undefined,
  ): Promise<TaskRecord | undefined> {
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
    await this.#records.put(leaseOf(key), true, { ttlMs: this.#parts.limits.taskLeaseMs });
  }

  async leased(key: string): Promise<boolean> {
    return (await this.#records.get(leaseOf(key))) !== undefined;
  }

  async release(key: string): Promise<void> {
    await this.#records.remove(leaseOf(key));
  }

  /** Calls back with the key of every task that changed, here or elsewhere; `missed` where some may have been lost. */
  follow(heard: (key: string) => void, missed = (): void => {}): void {
    const listener = (message: unknown): void => {
      if (isObject(message) && typeof message['key'] === 'string') heard(message['key']);
    };
    this.#unsubscribe ??= Promise.resolve(this.#parts.store().topics.subscribe(TOPIC, listener, missed));
  }

  async close(): Promise<void> {
    (await this.#unsubscribe)?.();
    this.#unsubscribe = undefined;
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
