import { createMemoryStore } from '../../src/store/memory.ts';
import { type Store, StoreError } from '../../src/store/store.ts';

type Parts = 'records' | 'logs' | 'topics' | 'counters' | 'inboxes';

/** One process's way to the store that all share. Its operations take a moment, are counted, and fail as told. */
export interface View extends Store {
  /** Every operation so far, such as `records.get session/-/x`, the signs of life left out. */
  readonly operations: readonly string[];
  /** The process is gone: nothing it does reaches the store any more, and it hears nothing. */
  kill(): void;
  /** The process stands still: what it does waits, and what it would hear too. */
  pause(): void;
  resume(): void;
  /** Lets the operation of that number from now fail, as if the engine were away, and `times - 1` after it. */
  failAt(number: number, times?: number): void;
  /** Whether a failure that was asked for has happened. */
  readonly failed: boolean;
}

export interface SharedStore {
  view(): View;
  /** Loses every record and every log; who listens still does. */
  forget(): void;
  close(): void;
}

const SIGNS_OF_LIFE = /^(records\.(put|get|touch|remove) replica\/|topics\.subscribe|inboxes\.open)/;

/** A memory engine that several servers of one test share as if they were processes. */
export function createSharedStore(
  options: { readonly lasting?: boolean; readonly shared?: boolean } = {},
): SharedStore {
  const store = createMemoryStore();
  const names = { records: new Set<string>(), logs: new Set<string>() };
  return {
    view: () => createView(store, options, names),
    forget() {
      for (const part of ['records', 'logs'] as const) for (const name of names[part]) void store[part].remove(name);
    },
    close: () => store.close(),
  };
}

function createView(
  store: Store,
  { lasting = true, shared = true }: { readonly lasting?: boolean; readonly shared?: boolean },
  names: Readonly<Record<'records' | 'logs', Set<string>>>,
): View {
  const operations: string[] = [];
  let state: 'alive' | 'killed' = 'alive';
  let paused: Promise<void> | undefined;
  let resume = (): void => {};
  let failing: { from: number; to: number } | undefined;
  let failed = false;

  const reach = async (name: string): Promise<void> => {
    const counted = !SIGNS_OF_LIFE.test(name);
    const number = counted ? operations.push(name) : 0;
    await new Promise((resolve) => setImmediate(resolve));
    await paused;
    if (state === 'killed') throw new StoreError('away', 'This process is gone');
    if (!counted || failing === undefined || number < failing.from || number > failing.to) return;
    failed = true;
    throw new StoreError('away', 'The engine is away');
  };
  /** What the engine calls back with reaches only a process that lives. */
  const heard = (value: unknown): unknown =>
    typeof value !== 'function'
      ? value
      : (...args: unknown[]) => {
          if (paused !== undefined) void paused.then(() => state === 'alive' && value(...args));
          else if (state === 'alive') value(...args);
        };
  const part = (name: Parts): unknown =>
    new Proxy(store[name], {
      get:
        (target, method) =>
        async (first: string, ...rest: unknown[]) => {
          await reach(`${name}.${String(method)} ${first}`);
          if (name === 'records' || name === 'logs') names[name].add(first);
          const run = Reflect.get(target, method) as (...args: unknown[]) => unknown;
          return run.call(target, first, ...rest.map(heard));
        },
    });
  return {
    records: part('records') as Store['records'],
    logs: part('logs') as Store['logs'],
    topics: part('topics') as Store['topics'],
    counters: part('counters') as Store['counters'],
    inboxes: part('inboxes') as Store['inboxes'],
    shared,
    lasting,
    awake: () => state === 'alive' && !(failing !== undefined && operations.length >= failing.from - 1),
    close() {
      state = 'killed';
    },
    operations,
    kill() {
      state = 'killed';
    },
    pause() {
      paused = new Promise((resolve) => {
        resume = resolve;
      });
    },
    resume() {
      paused = undefined;
      resume();
    },
    failAt(number, times = 1) {
      const from = operations.length + number;
      failing = { from, to: from + times - 1 };
      failed = false;
    },
    get failed() {
      return failed;
    },
  };
}
