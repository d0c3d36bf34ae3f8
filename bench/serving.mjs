import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cpuOf, familyOf } from './cpu.mjs';
import { commandOn } from './machine.mjs';

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const PROBE = pathToFileURL(join(PROGRAMS, 'probe.mjs')).href;
const GRACE_MS = 4000;
const START_MS = 60_000;
const PORT = /^Serving at http:\/\/[^/\s]*:(\d+)\//m;

const running = new Set();
/** Ends whatever a work that failed left behind. */
export function endAll() {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

process.on('exit', endAll);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Thrown by a subject that cannot be measured here; the message says why. */
export class Skipped extends Error {}

const inPrograms = (argument) => (argument.endsWith('.mjs') ? join(PROGRAMS, argument) : argument);

function argvOf({ program, command }, dist) {
  if (program !== undefined) return [process.execPath, inPrograms(program)];
  return [process.execPath, join(dist, 'joined', 'parley.js'), ...command.map(inPrograms)];
}

/** A subject that runs: its processes, what they use, and its end. */
export class Serving {
  #child;
  #name;
  #said = '';
  #family = [];
  #bench;
  #ended;
  started = performance.now();

  /** `how` says how it is started, `bench` where; `env`, `pin` and `probed` are the work's own wishes. */
  constructor(name, how, { bench, env = {}, pin, probed = false, piped = false }) {
    this.#name = name;
    this.#bench = bench;
    const probe = probed || bench.profiles !== undefined;
    const [file, ...args] = commandOn(bench.layout, argvOf(how, bench.dist), pin);
    this.#child = spawn(file, args, {
      stdio: [piped ? 'pipe' : 'ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        PARLEY_LOG_LEVEL: 'warn',
        BENCH_DIST: bench.dist,
        ...(probe ? { NODE_OPTIONS: `--import ${PROBE}` } : {}),
        ...(bench.profiles === undefined ? {} : { BENCH_PROFILES: bench.profiles }),
        ...how.env,
        ...env,
      },
    });
    running.add(this.#child);
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', (code) => {
        running.delete(this.#child);
        resolve(code);
      });
    });
    this.#child.stderr.setEncoding('utf8').on('data', (chunk) => this.#hear(chunk));
    if (!piped) this.#child.stdout.setEncoding('utf8').on('data', (chunk) => this.#hear(chunk));
  }

  get input() {
    return this.#child.stdin;
  }

  get output() {
    return this.#child.stdout;
  }

  /** Rejects when the subject ends by itself. */
  async fallen() {
    const code = await this.#ended;
    throw new Error(`${this.#name} ended with code ${code}:\n${this.#said.slice(-2000)}`);
  }

  /** The port it says it listens on. */
  async port() {
    const found = new Promise((resolve, reject) => {
      const look = () => {
        const [, port] = PORT.exec(this.#said) ?? [];
        if (port === undefined) return;
        clearTimeout(timer);
        resolve(Number(port));
      };
      const timer = setTimeout(() => reject(new Error(`${this.#name} does not listen:\n${this.#said}`)), START_MS);
      for (const stream of [this.#child.stdout, this.#child.stderr]) stream.on('data', look);
    });
    return Promise.race([found, this.fallen()]);
  }

  /** Looks who belongs to it; to be called when all its processes run. */
  settle() {
    this.#family = familyOf(this.#child.pid);
  }

  /** CPU used so far, in microseconds. */
  cpu() {
    return cpuOf(this.#family);
  }

  /** The most memory it ever held, in MB; `undefined` where the system does not tell. */
  peak() {
    try {
      const each = this.#family.map((pid) => /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')));
      return each.reduce((sum, [, size]) => sum + Number(size), 0) / 1024;
    } catch {
      return undefined;
    }
  }

  /** Bytes in use after a collection: those of the heap with what it holds outside, and those of the process. */
  async memory() {
    const answered = new Promise((resolve) => this.#child.once('message', resolve));
    this.#child.send('memory');
    const { heapUsed, external, rss } = await Promise.race([answered, this.fallen()]);
    return { heap: heapUsed + external, rss };
  }

  /** Begins a profile of every process, where one is wanted; gives what ends it. */
  profile() {
    if (!this.#bench.hot) return async () => {};
    const files = this.#family.map((pid) => join(this.#bench.profiles, `${pid}.cpuprofile`));
    const signal = () => {
      for (const pid of this.#family) process.kill(pid, 'SIGWINCH');
    };
    signal();
    return async () => {
      signal();
      for (let left = 100; left > 0 && !files.every((file) => existsSync(file)); left -= 1) await pause(100);
    };
  }

  get pids() {
    return this.#family;
  }

  async close() {
    this.#child.stdin?.end();
    if (this.#child.stdin === null) this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), GRACE_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  #hear(chunk) {
    this.#said = (this.#said + chunk).slice(-100_000);
  }
}
