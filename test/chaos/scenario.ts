import { Crowd, type Extra, HTTP_KINDS, httpTalker } from './load/crowd.ts';
import type { Probe } from './load/probe.ts';
import { type ServerOptions, ServerProcess } from './load/server-process.ts';
import type { Talker } from './load/talker.ts';
import { addTallies, emptyTally, isClean, type Tally } from './load/tally.ts';

/** One fault: how it is injected, and what must hold while it lasts and after. */
export interface Scenario {
  readonly name: string;
  readonly says: string;
  readonly runs: { readonly short: number; readonly full: number };
  run(trial: Trial): Promise<void>;
}

/** Why a scenario cannot be run here. */
export class Skipped extends Error {}

/** One run of a scenario: collects what was found. */
export class Trial {
  readonly full: boolean;
  readonly seed: number;
  readonly problems: string[] = [];
  readonly notes: string[] = [];
  peak = 0;
  recoverMs = 0;
  #tally: Tally = emptyTally();
  readonly #closers: (() => unknown)[] = [];

  constructor({ full, seed }: { full: boolean; seed: number }) {
    this.full = full;
    this.seed = seed;
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** The big number in a full run, the small one otherwise. */
  size(short: number, full: number): number {
    return this.full ? full : short;
  }

  check(holds: boolean, otherwise: string): void {
    if (!holds) this.problems.push(otherwise);
  }

  note(text: string): void {
    this.notes.push(text);
  }

  /** Calls back when the run is over, however it ends. */
  atEnd(close: () => unknown): void {
    this.#closers.unshift(close);
  }

  async serve(options: ServerOptions & { port?: number } = {}): Promise<ServerProcess> {
    const server = await ServerProcess.start(options);
    this.atEnd(() => server.child.kill('SIGKILL'));
    return server;
  }

  /** Opens a client; nothing it counted is missed, and nothing of it is left behind. */
  async join<T extends Talker>(talker: T): Promise<T> {
    this.count(talker);
    await talker.open();
    return talker;
  }

  count(talker: Talker): void {
    this.atEnd(() => this.#add([talker]));
  }

  /** Honest clients of every kind, at work while the fault lasts. */
  async bystanders(server: ServerProcess, extra: Extra = {}): Promise<Crowd> {
    const talkers = HTTP_KINDS.map((kind) => httpTalker(kind, server.url, extra));
    const crowd = new Crowd(talkers, this.seed);
    this.atEnd(async () => {
      await crowd.close();
      this.#add(crowd.talkers);
    });
    await crowd.open();
    return crowd;
  }

  /** Looks at the memory of a process now, and remembers the most it ever held. */
  weigh(probe: Probe): number {
    try {
      this.peak = Math.max(this.peak, probe.peak);
      return probe.rss;
    } catch {
      return 0;
    }
  }

  /** Waits for something to become true, and says how long that took; a problem when it never did. */
  async until(holds: () => boolean | Promise<boolean>, what: string, patienceMs = 15_000): Promise<number> {
    const from = performance.now();
    while (!(await holds())) {
      if (performance.now() - from > patienceMs) {
        this.problems.push(`waited ${patienceMs} ms in vain until ${what}`);
        break;
      }
      await sleep(10);
    }
    return performance.now() - from;
  }

  async end(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
    if (!isClean(this.#tally)) this.problems.push('answers were lost, doubled or wrong');
  }

  #add(talkers: readonly Talker[]): void {
    for (const { ledger } of talkers) {
      this.#tally = addTallies([this.#tally, ledger.close()]);
      this.problems.push(...ledger.remarks.slice(0, 5));
    }
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const MIB = 1024 * 1024;
