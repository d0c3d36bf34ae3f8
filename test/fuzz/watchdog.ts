import { Worker } from 'node:worker_threads';

/** Longest time one input may keep the process busy without a pause. */
const STALL_SECONDS = 60;

const CODE = `
const { workerData: { beat, seconds } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const view = new Int32Array(beat, 0, 2);
const words = new Uint8Array(beat, 8);
let last = -1;
let since = Date.now();
setInterval(() => {
  const now = Atomics.load(view, 0);
  if (now !== last) { last = now; since = Date.now(); return; }
  if (Date.now() - since < seconds * 1000) return;
  const text = Buffer.from(words).toString('utf8').replace(/\\0+$/, '');
  writeSync(2, '\\nStalled for ' + seconds + ' seconds. Repeat with:\\n  ' + text + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, 1000);
`;

/** Notices from another thread that an input never comes to an end, and says how to repeat it. */
export class Watchdog {
  readonly #beat = new SharedArrayBuffer(8 + 512);
  readonly #view = new Int32Array(this.#beat, 0, 2);
  readonly #words = Buffer.from(this.#beat, 8);
  readonly #worker = new Worker(CODE, { eval: true, workerData: { beat: this.#beat, seconds: STALL_SECONDS } });

  constructor() {
    this.#worker.unref();
  }

  /** Something is about to begin; this is how to do it again. */
  starts(command: string): void {
    this.#words.fill(0);
    this.#words.write(command);
    this.beats();
  }

  beats(): void {
    Atomics.add(this.#view, 0, 1);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
