import type { Eventually, Json } from '../../model/json.ts';
import type { Log } from '../../model/log.ts';
import {
  type AppendOptions,
  INBOX_MESSAGES,
  type ListOptions,
  type PutOptions,
  type Store,
  type TakeOptions,
} from '../store.ts';
import { type Ask, createBundle, failureOf, type Port, type Word } from './words.ts';

type Do = (store: Store, ...rest: never[]) => Eventually<unknown>;

/** What can be asked for and is answered once. */
const ANSWERED: Readonly<Record<string, Do>> = {
  get: ({ records }, key: string, prolongMs?: number) => records.get(key, prolongMs ?? undefined),
  put: ({ records }, key: string, [value, options]: [Json, PutOptions]) => records.put(key, value, options),
  touch: ({ records }, key: string, ttlMs: number) => records.touch(key, ttlMs),
  remove: ({ records }, key: string) => records.remove(key),
  list: ({ records }, prefix: string, options: ListOptions) => records.list(prefix, options),
  append: ({ logs }, log: string, [text, options]: [string, AppendOptions]) => logs.append(log, text, options),
  end: ({ logs }, log: string, [text, options]: [string, AppendOptions]) => logs.end(log, text, options),
  read: ({ logs }, log: string, [after, limit]: [number, number]) => logs.read(log, after, limit),
  touchLog: ({ logs }, log: string, ttlMs: number) => logs.touch(log, ttlMs),
  removeLog: ({ logs }, log: string) => logs.remove(log),
  publish: ({ topics }, topic: string, message: Json) => topics.publish(topic, message),
  take: ({ counters }, key: string, options: TakeOptions) => counters.take(key, options),
  send: ({ inboxes }, inbox: string, message: Json) => inboxes.send(inbox, message),
};

type Hear = (message: Json) => void;
type Stand = (store: Store, name: string, heard: { hear: Hear; missed: () => void }) => Eventually<() => void>;

/** What stands until it is let go. */
const STANDING: Readonly<Record<string, Stand>> = {
  follow: ({ logs }, log, { hear, missed }) => logs.follow(log, () => hear(null), missed),
  subscribe: ({ topics }, topic, { hear, missed }) => topics.subscribe(topic, hear, missed),
  open: ({ inboxes }, inbox, { hear }) => inboxes.open(inbox, hear),
};

const LOOK_MS = 500;

/** One client of a store: does what it asks and remembers what it holds. */
class Served {
  readonly #store: Store;
  readonly #log: Log;
  readonly #say: (word: Word) => void;
  readonly #held = new Map<number, Promise<() => void>>();
  readonly #missed = new Set<number>();
  /** Messages it was told since it last said anything. */
  #told = 0;
  #awake = true;
  #live = true;

  constructor(store: Store, port: Port, log: Log) {
    this.#store = store;
    this.#log = log;
    const say = createBundle<Word>(port, () => this.end());
    this.#say = (word) => {
      if (this.#live) say(word);
    };
  }

  hear(asks: unknown): void {
    this.#told = 0;
    for (const id of this.#missed) this.#say([id, 'missed']);
    this.#missed.clear();
    if (this.#live && Array.isArray(asks)) for (const ask of asks as Ask[]) this.#do(ask);
  }

  /** Tells the client when the engine goes away and comes back. */
  look(): void {
    const awake = this.#store.awake();
    if (awake === this.#awake) return;
    this.#awake = awake;
    this.#say([0, 'awake', awake]);
  }

  end(): void {
    this.#live = false;
    this.#letGoAll();
  }

  #do([id, verb, name, rest]: Ask): void {
    const stand = Object.hasOwn(STANDING, verb) ? STANDING[verb] : undefined;
    const run = Object.hasOwn(ANSWERED, verb) ? ANSWERED[verb] : undefined;
    if (verb === 'leave') this.#letGo(name as number);
    else if (verb === 'close') this.#letGoAll();
    else if (stand !== undefined) this.#stand(id, () => stand(this.#store, name as string, this.#hearing(id)));
    else if (run !== undefined) this.#answer(id, () => run(this.#store, name as never, rest as never));
  }

  /** Answers in the same turn where the store does. */
  #answer(id: number, run: () => Eventually<unknown>): void {
    try {
      const value = run();
      if (value instanceof Promise) value.then(this.#value(id)).catch((error) => this.#fail(id, error));
      else this.#value(id)(value);
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #stand(id: number, stand: () => Eventually<() => void>): void {
    const held = (async () => stand())();
    this.#held.set(id, held);
    held.then(
      () => this.#say([id]),
      (error) => {
        this.#held.delete(id);
        this.#fail(id, error);
      },
    );
  }

  #hearing(id: number): { hear: Hear; missed: () => void } {
    return { hear: (message) => this.#tell(id, message), missed: () => this.#say([id, 'missed']) };
  }

  /** Tells no more to a process that hangs than it may catch up with; it learns that it missed something. */
  #tell(id: number, message: Json): void {
    this.#told += 1;
    if (this.#told <= INBOX_MESSAGES) this.#say([id, 'heard', message]);
    else this.#missed.add(id);
  }

  #letGo(id: number): void {
    const held = this.#held.get(id);
    this.#held.delete(id);
    this.#missed.delete(id);
    held?.then((leave) => leave()).catch(() => {});
  }

  #letGoAll(): void {
    for (const id of [...this.#held.keys()]) this.#letGo(id);
  }

  #value(id: number): (value: unknown) => void {
    return (value) => this.#say(value === undefined ? [id] : [id, 'value', value]);
  }

  #fail(id: number, error: unknown): void {
    const [trouble, message] = failureOf(error);
    if (trouble === 'away') this.#log('debug', 'Store failed a worker', { error });
    this.#say([id, 'failed', trouble, message]);
  }
}

/** Lets another process use a store; the returned function lets go of everything that process held. */
export function serveStore(store: Store, port: Port, log: Log): () => void {
  const served = new Served(store, port, log);
  const looking = setInterval(() => served.look(), LOOK_MS).unref();
  const end = () => {
    clearInterval(looking);
    served.end();
  };
  port.onMessage((asks) => served.hear(asks));
  port.onClose?.(end);
  return end;
}
