import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Log } from '../model/log.ts';
import { smallEnvironment } from './environment.ts';
import { Printed } from './printed.ts';
import { CHANNEL_FD, type Excess, isExcess, REPORT_FD } from './watch.ts';

/** The part of the memory that the engine may fill with values; the rest is code, buffers and stacks. */
const HEAP_SHARE = 0.75;
/** How many of the last printed lines are kept to explain an end. */
const LAST_LINES = 20;
/** How long to wait for the last words of a process that is gone: a process it started may hold its stdout open. */
const LAST_WORDS_MS = 200;
const OUT_OF_HEAP = /JavaScript heap out of memory|Reached heap limit/;
const BYTES_IN_MB = 1024 * 1024;

export interface CellOptions {
  /** A program of ours; it reads what it is to do from the channel. */
  readonly program: URL;
  /** Shown in lists of processes and in the log. */
  readonly label: string;
  /** Names of environment variables to pass on. */
  readonly env: readonly string[];
  readonly memoryBytes: number;
  /** Most bytes it may print, and most lines of it that are logged, in a second. */
  readonly printBytes: number;
  readonly printLines: number;
  readonly log: Log;
}

/** How a process came to its end. */
export interface CellEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it had too much of. */
  readonly excess: Excess | undefined;
  /** The last lines it printed to stderr. */
  readonly said: readonly string[];
}

/**
 * A process for foreign code: little environment, bounded memory, what it prints goes to the log, and it never outlives
 * this one. On POSIX it leads a group of its own, so that a signal from the terminal does not reach it and killing it
 * takes along what it started.
 */
export class Cell {
  /** Bytes to and from the program inside. */
  readonly channel: Duplex;
  readonly ended: Promise<CellEnd>;
  readonly #child: ChildProcess;
  readonly #said: string[] = [];
  readonly #label: string;
  #excess: Excess | undefined;

  constructor(options: CellOptions) {
    this.#label = options.label;
    this.#child = start(options);
    const { stdio } = this.#child;
    this.channel = stdio[CHANNEL_FD] as Duplex;
    this.channel.on('error', () => {});
    const prints = [this.#follow(1, options), this.#follow(2, options)];
    const report = stdio[REPORT_FD] as Readable;
    report.on('data', (chunk: Buffer) => this.#note(String(chunk).trim()));
    report.on('error', () => {});
    this.ended = this.#watchEnd(prints);
    this.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Ends it at once, with everything it started. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    killGroup(pid);
  }

  /** Keeps this process alive as long as the cell is. */
  ref(): void {
    this.#child.ref();
    if (this.channel instanceof Socket) this.channel.ref();
  }

  unref(): void {
    this.#child.unref();
    for (const stream of this.#child.stdio) if (stream instanceof Socket) stream.unref();
  }

  #note(text: string): void {
    if (isExcess(text)) this.#excess = text;
  }

  #follow(descriptor: 1 | 2, { log, printBytes, printLines }: CellOptions): Printed {
    const fields = { from: this.#label, pid: this.#child.pid };
    return new Printed(this.#child.stdio[descriptor] as Readable, {
      bytes: printBytes,
      lines: printLines,
      line: (text) => {
        if (descriptor === 2) this.#keep(text);
        log(descriptor === 1 ? 'info' : 'warn', text, fields);
      },
      leftOut: (count) => log('warn', `It printed too much: ${count} lines are left out`, fields),
    });
  }

  #keep(text: string): void {
    this.#said.push(text);
    if (this.#said.length > LAST_LINES) this.#said.shift();
  }

  #watchEnd(prints: readonly Printed[]): Promise<CellEnd> {
    const child = this.#child;
    return new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null): void => {
        const outOfHeap = signal === 'SIGABRT' && this.#said.some((line) => OUT_OF_HEAP.test(line));
        const excess = this.#excess ?? (outOfHeap ? 'memory' : undefined);
        for (const stream of child.stdio) stream?.destroy();
        resolve({ code, signal, excess, said: [...this.#said] });
      };
      child.once('error', (error) => {
        this.#keep(error.message);
        end(null, null);
      });
      child.once('exit', (code, signal) => {
        if (child.pid !== undefined) killGroup(child.pid);
        for (const printed of prints) printed.finish();
        const late = setTimeout(() => end(code, signal), LAST_WORDS_MS);
        child.once('close', () => {
          clearTimeout(late);
          end(code, signal);
        });
      });
    });
  }
}

function start({ program, label, env, memoryBytes }: CellOptions): ChildProcess {
  const heapMb = Math.floor((memoryBytes * HEAP_SHARE) / BYTES_IN_MB);
  return spawn(process.execPath, [`--max-old-space-size=${heapMb}`, fileURLToPath(program), label], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: smallEnvironment(process.env, env),
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

function killGroup(pid: number): void {
  if (process.platform === 'win32') return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
}
