import type { Surroundings } from '../../catalog/provider.ts';
import type { Call } from '../../model/call.ts';
import { Fault } from '../../model/fault.ts';
import type { IsolateOptions } from '../../model/isolate.ts';
import type { Json } from '../../model/json.ts';
import { Backoff } from './backoff.ts';
import { crashFault } from './ending.ts';
import { Link } from './link.ts';
import type { Described, Job } from './messages.ts';
import type { Order } from './remote-call.ts';

export interface PoolOptions extends Surroundings {
  readonly file: string;
  readonly isolate: IsolateOptions;
}

/** The cells of one module: started when there is work, kept while there may be more, replaced when they end. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #most: { readonly processes: number; readonly calls: number };
  readonly #links = new Set<Link>();
  readonly #queue: Order[] = [];
  readonly #backoff: Backoff;
  #described: Described | undefined;
  #describing: { resolve(described: Described): void; reject(error: Error): void }[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    const { isolate, limits } = options;
    this.#options = options;
    this.#most = {
      processes: isolate.processes ?? limits.isolateProcesses,
      calls: isolate.calls ?? limits.isolateCalls,
    };
    this.#backoff = new Backoff(limits.isolateRestartMs, () => this.#staff());
  }

  /** What the module offers; rejects when it cannot be loaded. */
  describe(): Promise<Described> {
    if (this.#described !== undefined) return Promise.resolve(this.#described);
    return new Promise((resolve, reject) => {
      this.#describing.push({ resolve, reject });
      this.#staff();
    });
  }

  run(job: Job, call: Call): Promise<Json | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Fault('E_CLOSED', 'The server is shutting down'));
      if (call.signal.aborted) return reject(call.signal.reason as Error);
      if (this.#queue.length >= this.#options.limits.isolateQueue) return reject(tooMany(job));
      this.#enqueue({ job, call, resolve, reject });
      this.#staff();
    });
  }

  close(): void {
    this.#closed = true;
    this.#backoff.stop();
    clearTimeout(this.#idleTimer);
    for (const order of this.#queue.splice(0)) order.reject(new Fault('E_CLOSED', 'The server is shutting down'));
    for (const link of this.#links) {
      if (link.busy > 0) link.kill();
      else link.leave();
    }
  }

  #enqueue({ job, call, resolve, reject }: Order): void {
    const leave = (): void => {
      const at = this.#queue.indexOf(order);
      if (at === -1) return;
      this.#queue.splice(at, 1);
      reject(call.signal.reason);
    };
    const off = (): void => call.signal.removeEventListener('abort', leave);
    const order: Order = {
      job,
      call,
      resolve: (value) => {
        off();
        resolve(value);
      },
      reject: (error) => {
        off();
        reject(error);
      },
    };
    call.signal.addEventListener('abort', leave, { once: true });
    this.#queue.push(order);
  }

  /** Hands out waiting calls, and starts as many processes as they need and may have. */
  #staff(): void {
    if (this.#closed) return;
    for (const link of this.#links) {
      while (link.open && link.busy < this.#most.calls) {
        const order = this.#queue.shift();
        if (order === undefined) break;
        link.run(order);
      }
    }
    const starting = [...this.#links].filter((link) => link.starting).length;
    const wanted = Math.max(this.#queue.length, this.#describing.length > 0 ? 1 : 0) - starting;
    const room = this.#most.processes - this.#links.size;
    for (let left = Math.min(wanted, room); left > 0 && this.#backoff.passed(); left -= 1) this.#start();
  }

  #start(): void {
    const { file, isolate, limits, log } = this.#options;
    const link = new Link({
      file,
      env: isolate.env ?? [],
      memoryBytes: isolate.memoryBytes ?? limits.isolateMemoryBytes,
      cpuMs: isolate.cpuMs ?? limits.isolateCpuMs,
      limits,
      log,
      onReady: (_, described) => this.#ready(described),
      onFree: () => this.#free(),
      onEnd: (ended, error) => this.#ended(ended, error),
    });
    this.#links.add(link);
  }

  #ready(described: Described): void {
    this.#described ??= described;
    for (const { resolve } of this.#describing.splice(0)) resolve(this.#described);
    this.#staff();
  }

  #free(): void {
    this.#backoff.succeeded();
    this.#staff();
    this.#idleTimer ??= setTimeout(() => this.#thin(), this.#options.limits.isolateIdleMs).unref();
  }

  /** Lets go of what had no work for long, all but one. */
  #thin(): void {
    this.#idleTimer = undefined;
    const { isolateIdleMs } = this.#options.limits;
    const since = performance.now() - isolateIdleMs;
    const [, ...idle] = [...this.#links].filter((link) => link.open && link.busy === 0);
    for (const link of idle) if (link.idleSince <= since) link.leave();
    if (idle.length > 0) this.#idleTimer = setTimeout(() => this.#thin(), isolateIdleMs).unref();
  }

  #ended(link: Link, error: Error | undefined): void {
    this.#links.delete(link);
    if (!link.expected) this.#backoff.failed();
    if (error !== undefined && this.#links.size === 0) this.#unstartable(error);
    if (this.#closed) return;
    this.#staff();
    // The next call should not pay for what the last one did.
    if (error === undefined && this.#links.size === 0 && this.#backoff.passed()) this.#start();
  }

  #unstartable(cause: Error): void {
    const why = 'it could not be started';
    for (const { reject } of this.#describing.splice(0)) reject(cause);
    for (const order of this.#queue.splice(0)) order.reject(crashFault(order.job, { why, cause }));
  }
}

function tooMany({ key }: Job): Fault {
  return new Fault('E_TOOL_BUSY', `Too many calls are waiting for "${key}": try again later`);
}
