import { keep, keptFor } from './corpus.ts';
import { HeapWatch } from './heap.ts';
import type { Loose } from './loose.ts';
import { Random } from './random.ts';
import { shrink } from './shrink.ts';
import { type OpenTarget, shown, type Tally, type Target } from './target.ts';
import type { Watchdog } from './watchdog.ts';

export interface CampaignOptions {
  readonly seed: number;
  /** Send what is in the corpus first. */
  readonly replays: boolean;
  readonly from: number;
  /** Inputs to send; without it, as many as fit into the time. */
  readonly runs: number | undefined;
  readonly seconds: number;
  readonly watchdog: Watchdog;
  readonly loose: Loose;
  progress(inputs: number): void;
}

/** What became of one target. */
export interface Report {
  readonly target: string;
  readonly inputs: number;
  readonly replayed: number;
  readonly seconds: number;
  /** Bytes of heap an input left behind, where the run was long enough to tell. */
  readonly slope: number | undefined;
  readonly tally: Tally | undefined;
  /** What was found, in words, with the command that shows it again. */
  readonly found: string | undefined;
}

const CHECK_MS = 30_000;
const SAMPLE_MS = 2000;
const STACK_LINES = 20;

/** Feeds one target until its time is over or something is wrong. */
export async function campaign(target: Target, options: CampaignOptions): Promise<Report> {
  const started = performance.now();
  const run = new Run(target, options, await target.open());
  let found: string | undefined;
  try {
    found = (await run.replay()) ?? (await run.feed());
  } finally {
    await run.close();
  }
  const seconds = (performance.now() - started) / 1000;
  const { inputs, replayed, heap, tally } = run;
  return { target: target.name, inputs, replayed, seconds, slope: heap.slope, tally, found: found ?? heap.trouble };
}

class Run {
  inputs = 0;
  replayed = 0;
  readonly heap = new HeapWatch();
  readonly #target: Target;
  readonly #options: CampaignOptions;
  #open: OpenTarget;

  constructor(target: Target, options: CampaignOptions, open: OpenTarget) {
    this.#target = target;
    this.#options = options;
    this.#open = open;
  }

  get tally(): Tally | undefined {
    return this.#open.tally;
  }

  async close(): Promise<void> {
    await this.#open.close?.();
  }

  async replay(): Promise<string | undefined> {
    if (!this.#options.replays) return undefined;
    for (const { path, input } of keptFor(this.#target.name)) {
      this.replayed += 1;
      const trouble = await this.#trouble(input);
      if (trouble !== undefined) return `${trouble}\n    input: ${path}\n    again: ${this.#command(path)}`;
    }
    return undefined;
  }

  async feed(): Promise<string | undefined> {
    // Refusals are errors, and their stacks cost more than all the rest; an input that fails is sent again with them.
    Error.stackTraceLimit = 0;
    try {
      return await this.#feed();
    } finally {
      Error.stackTraceLimit = STACK_LINES;
    }
  }

  async #feed(): Promise<string | undefined> {
    const { seed, from, runs = Number.POSITIVE_INFINITY, seconds, watchdog } = this.#options;
    const start = performance.now();
    const end = this.#options.runs === undefined ? start + seconds * 1000 : Number.POSITIVE_INFINITY;
    let nextSample = start + SAMPLE_MS / 2;
    for (let number = from; number < from + runs && performance.now() < end; number += 1) {
      watchdog.starts(`npm run fuzz -- --only ${this.#target.name} --seed ${seed} --from ${number} --runs 1`);
      const input = this.#open.generate(new Random(seed, this.#target.name, number));
      const trouble = await this.#trouble(input);
      this.inputs += 1;
      if (trouble !== undefined) return this.#explain(input, trouble);
      if (performance.now() < nextSample) continue;
      nextSample = performance.now() + SAMPLE_MS;
      this.heap.sample(this.tally?.lines ?? this.inputs);
      this.#options.progress(this.inputs);
    }
    this.heap.sample(this.tally?.lines ?? this.inputs);
    return this.#looseTrouble();
  }

  /** What failed while nobody was waiting: checks that never pause give it no chance to be told. */
  async #looseTrouble(): Promise<string | undefined> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.#options.loose.error?.message;
  }

  /** What is wrong with what became of an input, if something is. */
  async #trouble(input: Buffer): Promise<string | undefined> {
    try {
      const pending = this.#open.check(input);
      if (pending instanceof Promise) await this.#inTime(pending);
      return undefined;
    } catch (error) {
      if (!(error instanceof Error)) return `something that is no error was thrown: ${shown(error)}`;
      return error.name === 'Failure' ? error.message : `${error.stack}`;
    }
  }

  async #inTime(pending: Promise<void>): Promise<void> {
    const { loose } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`no end after ${CHECK_MS / 1000} seconds`)), CHECK_MS);
        loose.listen(reject);
        pending.then(resolve, reject);
      });
    } finally {
      clearTimeout(timer);
      loose.listen(undefined);
    }
  }

  async #explain(input: Buffer, trouble: string): Promise<string> {
    const smallest = await shrink(input, async (smaller) => {
      this.#options.watchdog.beats();
      const said = await this.#afresh(smaller);
      return said !== undefined && kindOf(said) === kindOf(trouble);
    });
    const said = (await this.#afresh(smallest)) ?? trouble;
    const path = keep(this.#target.name, smallest);
    return `${said}\n    input: ${shown(smallest.toString('latin1'))}\n    kept as ${path}\n    again: ${this.#command(path)}`;
  }

  /** Checks an input with a target that has seen nothing else. */
  async #afresh(input: Buffer): Promise<string | undefined> {
    Error.stackTraceLimit = STACK_LINES;
    await this.close();
    this.#open = await this.#target.open();
    return this.#trouble(input);
  }

  #command(path: string): string {
    return `npm run fuzz -- --only ${this.#target.name} --replay ${path}`;
  }
}

/** What a failure is about, without the details: a smaller input counts only if it fails in the same way. */
function kindOf(trouble: string): string {
  return trouble.replaceAll(/"(?:[^"\\]|\\.)*"|[\d-]+/g, '').slice(0, 30);
}

/** Sends one input and says what is wrong, if something is. */
export async function replayOne(target: Target, input: Buffer): Promise<void> {
  const open = await target.open();
  try {
    await open.check(input);
  } finally {
    await open.close?.();
  }
}
