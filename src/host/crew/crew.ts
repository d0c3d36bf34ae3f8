import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../../model/log.ts';
import { openStore } from '../../store/open.ts';
import { serveStore } from '../../store/relay/serve.ts';
import type { Store } from '../../store/store.ts';
import type { Family } from '../../transports/http/exposition.ts';
import { Gathering } from './gathering.ts';
import { closeUntaken } from './handing.ts';
import { type CrewWord, isWord, RELAY_VARIABLE, WORKER_VARIABLE, type WorkerWord } from './words.ts';

export interface CrewOptions {
  readonly count: number;
  readonly storeUrl: string;
  readonly log: Log;
  /** Called once, when every worker takes connections. */
  onReady(url: string): void;
}

/** Workers that end before they served anybody, one after the other, until the crew gives up. */
const MOST_FALSE_STARTS = 3;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
const STEADY_MS = 10_000;

/** Keeps several workers on one port until the process is told to end; one that dies is replaced. */
export async function serveCrew(options: CrewOptions): Promise<void> {
  const store = await openStore(options.storeUrl, { log: options.log });
  // Who can share an engine opens it without help. Opening it here first says what is wrong once and not for each.
  if (store.shared) await store.close();
  const crew = new Crew(options, store.shared ? undefined : store);
  try {
    await crew.run();
  } finally {
    if (!store.shared) await store.close();
  }
}

interface Member {
  readonly worker: Worker;
  readonly ready: Promise<string | undefined>;
  readonly gone: Promise<void>;
}

class Crew {
  readonly #options: CrewOptions;
  readonly #store: Store | undefined;
  readonly #members = new Map<number, Member>();
  readonly #gathering: Gathering;
  readonly #secret = process.env['PARLEY_SECRET'] ?? randomBytes(32).toString('hex');
  #falseStarts = 0;
  #ending = false;
  #rolling: Promise<void> | undefined;
  #fail: (error: Error) => void = () => {};

  constructor(options: CrewOptions, store: Store | undefined) {
    this.#options = options;
    this.#store = store;
    this.#gathering = new Gathering((id) => this.#tellAll({ crew: 'count', id }));
  }

  async run(): Promise<void> {
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    const told = this.#told();
    try {
      await Promise.race([this.#serve(told.end), failed]);
    } finally {
      this.#ending = true;
      told.release();
      await this.#end();
    }
  }

  async #serve(end: Promise<void>): Promise<void> {
    const { count, log, onReady } = this.#options;
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    for (const number of numbers) this.#start(number);
    const all = Promise.all(numbers.map((number) => this.#ready(number)));
    const [url] = (await Promise.race([all, end])) ?? [];
    if (url === undefined || this.#ending) return;
    log('info', 'All workers are ready', { workers: count });
    onReady(url);
    await end;
  }

  /** Resolves when some worker of that number is ready, be it the first or one that replaced it. */
  async #ready(number: number): Promise<string | undefined> {
    let url: string | undefined;
    while (url === undefined && !this.#ending) {
      url = await this.#members.get(number)?.ready;
      if (url === undefined) await wait(FIRST_PAUSE_MS);
    }
    return url;
  }

  #start(number: number): Member {
    const worker = cluster.fork({
      PARLEY_SECRET: this.#secret,
      [WORKER_VARIABLE]: String(number),
      ...(this.#store === undefined ? {} : { [RELAY_VARIABLE]: '1' }),
    });
    closeUntaken(worker);
    // What cannot be sent to a worker that is ending is no reason for all to end.
    worker.on('error', (error) => this.#options.log('debug', 'Cannot reach a worker', { worker: number, error }));
    const ready = new Promise<string | undefined>((resolve) => {
      worker.on('message', (message: unknown) => {
        if (isWord(message) && message.crew === 'ready') resolve(message.url);
      });
      worker.once('exit', () => resolve(undefined));
    });
    const letGo = this.#lend(worker);
    worker.on('message', (message: unknown) => {
      if (isWord(message)) this.#heard(worker, number, message as WorkerWord);
    });
    const gone = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        letGo();
        resolve();
      });
    });
    const member = { worker, ready, gone };
    this.#members.set(number, member);
    void this.#watch(number, member);
    return member;
  }

  /** Lets a worker use the store that only this process holds; the result lets go of it. */
  #lend(worker: Worker): () => void {
    if (this.#store === undefined) return () => {};
    const port = {
      send: (message: unknown) => tell(worker, { crew: 'store', message }),
      onMessage: (listener: (message: unknown) => void) =>
        worker.on('message', (message: unknown) => {
          if (isWord(message) && message.crew === 'store') listener(message.message);
        }),
    };
    return serveStore(this.#store, port, this.#options.log);
  }

  /** Replaces a worker that ended although nobody told it to. */
  async #watch(number: number, member: Member): Promise<void> {
    const started = performance.now();
    const url = await member.ready;
    await member.gone;
    if (this.#ending || this.#members.get(number) !== member) return;
    const { exitCode, signalCode } = member.worker.process;
    this.#options.log('error', 'A worker ended and is replaced', { worker: number, exitCode, signalCode });
    const steady = url !== undefined && performance.now() - started > STEADY_MS;
    this.#falseStarts = steady ? 0 : this.#falseStarts + 1;
    if (url === undefined && this.#falseStarts >= MOST_FALSE_STARTS) {
      this.#fail(new Error('Workers end before they are ready: see what they said above'));
      return;
    }
    await wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.#falseStarts - 1)));
    if (!this.#ending) this.#start(number);
  }

  #heard(worker: Worker, number: number, word: WorkerWord): void {
    if (word.crew === 'counted') this.#gathering.add(word.id, labelled(word.families, number));
    if (word.crew !== 'gather') return;
    const reply = (families: readonly Family[]): void => tell(worker, { crew: 'gathered', id: word.id, families });
    this.#gathering.start(this.#members.size, reply);
  }

  /** Replaces one worker after the other, each new one ready before the old one is told to end. */
  async #roll(): Promise<void> {
    this.#options.log('info', 'Replacing every worker, one after the other');
    for (const [number, old] of [...this.#members]) {
      if (this.#ending) return;
      const url = await this.#start(number).ready;
      if (url === undefined) {
        this.#options.log('error', 'The new worker did not start: the others stay as they are', { worker: number });
        return;
      }
      old.worker.process.kill('SIGTERM');
      await old.gone;
    }
    this.#options.log('info', 'Every worker is new');
  }

  async #end(): Promise<void> {
    const members = [...this.#members.values()];
    for (const { worker } of members) worker.process.kill('SIGTERM');
    await Promise.all(members.map(({ gone }) => gone));
  }

  #tellAll(word: CrewWord): void {
    for (const { worker } of this.#members.values()) tell(worker, word);
  }

  #told(): { readonly end: Promise<void>; release(): void } {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const roll = (): void => {
      this.#rolling ??= this.#roll().finally(() => {
        this.#rolling = undefined;
      });
    };
    let stop = (): void => {};
    const end = new Promise<void>((resolve) => {
      stop = () => resolve();
    });
    for (const name of signals) process.on(name, stop);
    process.on('SIGUSR2', roll);
    return {
      end,
      release() {
        for (const name of signals) process.off(name, stop);
        process.off('SIGUSR2', roll);
      },
    };
  }
}

function tell(worker: Worker, word: CrewWord): void {
  if (worker.isConnected()) worker.send(word, () => {});
}

/** The same numbers, each with the worker it comes from. */
function labelled(families: readonly Family[], number: number): Family[] {
  const label = ['worker', String(number)] as const;
  return families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({ ...sample, labels: [...sample.labels, label] })),
  }));
}
