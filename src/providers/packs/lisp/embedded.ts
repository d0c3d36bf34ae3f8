import type { Worker } from 'node:worker_threads';
import type {
  Definition,
  EvaluateRequest,
  Evaluation,
  Expansion,
  LispEngine,
  Match,
  Named,
  Search,
  Syntax,
} from './contract.ts';
import type { Budgets } from './engine/meter.ts';
import type { Job, JobAnswer, WorkerStart } from './jobs.ts';

/** The stack of a session's thread, and how deep a program may go in it. */
const STACK_MB = 64;
const DEPTH = 10_000;
/** How long a thread may be late before it is ended from outside. */
const GRACE_MS = 3000;
const DEFAULT_MS = 10_000;

interface Pending {
  readonly id: number;
  readonly finish: (result: unknown) => void;
  readonly fail: () => void;
}

/**
 * The embedded Lisp in a thread of its own: the event loop never waits for it, deep recursion has a stack of its own,
 * and a thread that does not come back is ended. The interpreter inside is synchronous and ends every evaluation itself.
 */
export class EmbeddedEngine implements LispEngine {
  readonly #budgets: Partial<Budgets>;
  readonly #stop = new SharedArrayBuffer(4);
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #next = 1;
  #last: Promise<unknown> = Promise.resolve();

  constructor(budgets: Partial<Budgets> = {}) {
    this.#budgets = { depth: DEPTH, ...budgets };
  }

  evaluate({ code, package: home, limits, signal }: EvaluateRequest): Promise<Evaluation> {
    return this.#evaluation({ kind: 'evaluate', code, package: home, limits }, limits.timeMs, signal);
  }

  expand({ form, full, package: home, limits }: Expansion): Promise<Evaluation> {
    return this.#evaluation({ kind: 'expand', form, full, package: home, limits }, limits.timeMs);
  }

  async reset(): Promise<void> {
    await this.#ask({ kind: 'reset' });
  }

  async definitions(): Promise<readonly Definition[]> {
    return ((await this.#ask({ kind: 'definitions' })) as Definition[] | undefined) ?? [];
  }

  async describe(symbol: Named): Promise<string | undefined> {
    return (await this.#ask({ kind: 'describe', ...symbol })) as string | undefined;
  }

  async apropos(search: Search): Promise<readonly Match[]> {
    return ((await this.#ask({ kind: 'apropos', ...search })) as Match[] | undefined) ?? [];
  }

  async validate(code: string): Promise<Syntax> {
    const found = (await this.#ask({ kind: 'validate', code })) as Syntax | undefined;
    return found ?? { forms: 0, error: 'the text could not be read in time' };
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #evaluation(job: Job, timeMs: number, signal?: AbortSignal): Promise<Evaluation> {
    return ((await this.#ask(job, { timeMs, signal })) as Evaluation | undefined) ?? lost(timeMs);
  }

  /** One job after another; `undefined` when the thread was lost. */
  #ask(
    job: Job,
    { timeMs = DEFAULT_MS, signal }: { timeMs?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<unknown> {
    const work = this.#last.then(() => this.#run(job, timeMs, signal));
    this.#last = work;
    return work;
  }

  async #run(job: Job, timeMs: number, signal: AbortSignal | undefined): Promise<unknown> {
    const worker = this.#worker ?? (await this.#start());
    const id = this.#next++;
    const cancel = () => Atomics.store(new Int32Array(this.#stop), 0, id);
    const timer = setTimeout(() => this.#lose(worker), timeMs + GRACE_MS);
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    worker.ref();
    try {
      return await new Promise<unknown>((resolve) => {
        this.#pending.set(id, { id, finish: resolve, fail: () => resolve(undefined) });
        worker.postMessage({ id, job });
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      this.#pending.delete(id);
      worker.unref();
    }
  }

  async #start(): Promise<Worker> {
    const { Worker } = await import('node:worker_threads');
    const data: WorkerStart = { stop: this.#stop, budgets: this.#budgets };
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: data,
      resourceLimits: { stackSizeMb: STACK_MB },
      stdout: true,
      stderr: true,
      env: {},
      execArgv: [],
    });
    worker.on('message', ({ id, result }: JobAnswer) => this.#pending.get(id)?.finish(result));
    worker.on('error', () => this.#lose(worker));
    worker.on('exit', () => this.#lose(worker));
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  /** Gives up a thread: its session is gone, its jobs are answered, and the next job starts a fresh one. */
  #lose(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    void worker.terminate();
    for (const pending of [...this.#pending.values()]) pending.fail();
  }
}

function lost(timeMs: number): Evaluation {
  const message = `The evaluation did not end within ${timeMs} ms and was ended from outside; the session began anew.`;
  return {
    values: [],
    output: '',
    errorOutput: '',
    dropped: 0,
    warnings: [],
    error: { type: 'PARLEY:TIME-EXCEEDED', message },
    package: 'COMMON-LISP-USER',
    realMs: timeMs,
    bytes: 0,
    restarted: true,
  };
}
