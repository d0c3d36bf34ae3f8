import type { Log } from '../model/log.ts';

interface Hearing<Message> {
  readonly hear: (message: Message) => unknown;
  readonly missed: (() => unknown) | undefined;
  live: boolean;
}

/** Who listens in this process, by name. A listener that fails is told to the log and hurts nobody else. */
export class Hearers<Message> {
  readonly #byName = new Map<string, Set<Hearing<Message>>>();
  readonly #kind: string;
  readonly #log: Log;

  constructor(kind: string, log: Log) {
    this.#kind = kind;
    this.#log = log;
  }

  get size(): number {
    let size = 0;
    for (const set of this.#byName.values()) size += set.size;
    return size;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** Listens until the returned function is called; `emptied` then runs where nobody is left under the name. */
  join(name: string, hear: (message: Message) => unknown, rest: JoinOptions = {}): () => void {
    const hearing: Hearing<Message> = { hear, missed: rest.missed, live: true };
    const set = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, set.add(hearing));
    return () => {
      if (!hearing.live) return;
      hearing.live = false;
      set.delete(hearing);
      if (set.size > 0 || this.#byName.get(name) !== set) return;
      this.#byName.delete(name);
      rest.emptied?.();
    };
  }

  /** Tells those who listen now, at once. */
  tell(name: string, message: Message): void {
    for (const hearing of [...(this.#byName.get(name) ?? [])]) this.#call(hearing, () => hearing.hear(message));
  }

  /** Picks those who listen now, to be told later: who leaves in between hears nothing, nor does who comes. */
  teller(name: string): ((message: Message) => void) | undefined {
    const set = this.#byName.get(name);
    if (set === undefined) return undefined;
    const picked = [...set];
    return (message) => {
      for (const hearing of picked) this.#call(hearing, () => hearing.hear(message));
    };
  }

  /** Tells everybody that something may have passed them by. */
  miss(): void {
    for (const set of [...this.#byName.values()])
      for (const hearing of [...set]) if (hearing.missed !== undefined) this.#call(hearing, hearing.missed);
  }

  clear(): void {
    for (const set of this.#byName.values()) for (const hearing of set) hearing.live = false;
    this.#byName.clear();
  }

  #call({ live }: Hearing<Message>, run: () => unknown): void {
    if (!live) return;
    const failed = (error: unknown) => this.#log('error', `${this.#kind} failed`, { error });
    try {
      const result = run();
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

export interface JoinOptions {
  readonly missed?: (() => unknown) | undefined;
  readonly emptied?: () => void;
}
