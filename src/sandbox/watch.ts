import { Worker } from 'node:worker_threads';

// Runs inside a cell. A thread of its own watches the process, since the main thread may never come back.

/** Where a cell and its owner speak. */
export const CHANNEL_FD = 3;
/** Where a cell says what it had too much of, right before it ends itself. */
export const REPORT_FD = 4;

export type Excess = 'memory' | 'cpu';

export function isExcess(text: string): text is Excess {
  return text === 'memory' || text === 'cpu';
}

export interface WatchOptions {
  readonly memoryBytes: number;
  readonly cpuMs: number;
  /** The process that must not be outlived. */
  readonly owner: number;
}

export interface WatchStart extends WatchOptions {
  readonly phase: SharedArrayBuffer;
}

/** Ends this process when it uses too much, or when its owner is gone. Call what it returns to count CPU time anew. */
export function watchOver(options: WatchOptions): () => void {
  const phase = new SharedArrayBuffer(4);
  const workerData: WatchStart = { ...options, phase };
  const thread = new Worker(new URL('./watch-thread.js', import.meta.url), {
    workerData,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  thread.unref();
  const flag = new Int32Array(phase);
  return () => void Atomics.add(flag, 0, 1);
}

/** Ends this process and everything it started, at once. */
export function endGroup(): void {
  process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL');
}
