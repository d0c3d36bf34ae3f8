import type { Family } from '../../transports/http/exposition.ts';

const PATIENCE_MS = 1000;

interface Open {
  readonly families: Map<string, Family>;
  missing: number;
  finish(): void;
}

/** Asks every worker for its numbers and answers with all of them; one that is too busy to answer is left out. */
export class Gathering {
  readonly #ask: (id: number) => void;
  readonly #open = new Map<number, Open>();
  #count = 0;

  constructor(ask: (id: number) => void) {
    this.#ask = ask;
  }

  start(workers: number, done: (families: readonly Family[]) => void): void {
    const id = ++this.#count;
    const families = new Map<string, Family>();
    const timer = setTimeout(() => this.#open.get(id)?.finish(), PATIENCE_MS);
    const finish = (): void => {
      clearTimeout(timer);
      this.#open.delete(id);
      done([...families.values()]);
    };
    this.#open.set(id, { families, missing: workers, finish });
    this.#ask(id);
  }

  add(id: number, counted: readonly Family[]): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    for (const family of counted) {
      const before = open.families.get(family.name);
      const samples = [...(before?.samples ?? []), ...family.samples];
      open.families.set(family.name, { ...family, samples });
    }
    if (--open.missing === 0) open.finish();
  }
}
