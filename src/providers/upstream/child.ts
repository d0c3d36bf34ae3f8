import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import { LineReader, Overlong } from '../../rpc/lines.ts';
import { parseMessage, parseText } from '../../rpc/parse.ts';
import type { Ears, Link } from './link.ts';

const MESSAGE_BYTES = 64 * 1024 * 1024;
const DEPTH = { depth: 256, keys: Number.POSITIVE_INFINITY };
const GRACE_MS = 2000;
const LAST_WORDS_MS = 250;

export interface ChildOptions {
  /** The program and its arguments; no shell ever sees them. */
  readonly command: readonly string[];
  readonly cwd?: string | undefined;
  /** The whole environment of the child; that of this process when absent. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Longest message taken from the child, in bytes. */
  readonly messageBytes?: number | undefined;
  /** How long the child may take to end by itself, and then again after it was told to. */
  readonly graceMs?: number | undefined;
  /** What the child writes to stderr. */
  onStderr?(text: string): void;
  /** A line of the child's stdout that is no message. */
  onNoise?(fault: Fault): void;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts a server as a child process and speaks to it over its stdin and stdout. */
export function openChild(options: ChildOptions): Link {
  return new ChildLink(options);
}

class ChildLink implements Link {
  readonly #options: ChildOptions;
  readonly #name: string;
  readonly #lines: LineReader;
  #child: Child | undefined;
  #ears: Ears | undefined;
  #closed = false;
  #closing: Promise<void> | undefined;

  constructor(options: ChildOptions) {
    if (options.command.length === 0) throw new TypeError('Cannot start a server: the command is empty');
    this.#options = options;
    this.#name = options.command[0] as string;
    this.#lines = new LineReader(options.messageBytes ?? MESSAGE_BYTES);
  }

  open(ears: Ears): void {
    const { command, cwd, env = process.env, onStderr } = this.#options;
    this.#ears = ears;
    const child = spawn(this.#name, command.slice(1), { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    this.#child = child;
    child.on('error', (cause) => this.#end(new Fault('E_CLOSED', cannotStart(this.#name, cause), { cause })));
    child.on('exit', (code, signal) => this.#endSoon(ended(this.#name, { code, signal })));
    child.stdin.on('error', () => {});
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    child.stdout.on('end', () => this.#outputEnded());
    child.stdout.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', (text: string) => onStderr?.(text));
    child.stderr.on('error', () => {});
  }

  send(text: string): void {
    if (!this.#closed) this.#child?.stdin.write(`${text}\n`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  // spec 2025-11-25 basic/lifecycle#shutdown: close stdin, wait, SIGTERM, wait, SIGKILL
  async #shutDown(): Promise<void> {
    const child = this.#child;
    const { graceMs = GRACE_MS } = this.#options;
    this.#end(new Fault('E_CLOSED', 'The connection is closed'));
    if (child === undefined || child.pid === undefined) return;
    child.stdin.end();
    if (!(await exits(child, graceMs))) {
      child.kill('SIGTERM');
      if (!(await exits(child, graceMs))) {
        child.kill('SIGKILL');
        await exits(child, graceMs);
      }
    }
    // A grandchild may hold these open; nobody reads them any more.
    child.stdout.destroy();
    child.stderr.destroy();
  }

  #take(chunk: Buffer): void {
    this.#lines.push(chunk);
    this.#drain();
  }

  #drain(): void {
    for (let line = this.#lines.next(); line !== undefined; line = this.#lines.next()) this.#read(line);
  }

  #read(line: Buffer | string | Overlong): void {
    if (this.#closed) return;
    if (line instanceof Overlong) {
      this.#ears?.lost(new Fault('E_TOO_LARGE', `The server "${this.#name}" sent a message over the limit`));
      return;
    }
    if (isBlank(line)) return;
    const message = this.#parse(line);
    if (message !== undefined) this.#ears?.message(message);
  }

  #parse(line: Buffer | string): Json | undefined {
    try {
      return typeof line === 'string' ? parseText(line, DEPTH) : parseMessage(line, DEPTH);
    } catch (error) {
      const fault = Fault.from(error);
      if (fault.code === 'E_TOO_DEEP') this.#ears?.lost(fault);
      else this.#options.onNoise?.(fault);
      return undefined;
    }
  }

  #outputEnded(): void {
    this.#lines.end();
    this.#drain();
    this.#endSoon(new Fault('E_CLOSED', `The server "${this.#name}" closed its output`));
  }

  // How a child ended is known only after its last words were read, and the other way round.
  #endSoon(fault: Fault): void {
    if (this.#closed) return;
    const child = this.#child as Child;
    const known = child.exitCode !== null || child.signalCode !== null;
    if (known && child.stdout.readableEnded)
      this.#end(ended(this.#name, { code: child.exitCode, signal: child.signalCode }));
    else setTimeout(() => this.#end(fault), LAST_WORDS_MS);
  }

  #end(fault: Fault): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ears?.closed(fault);
  }
}

function exits(child: ChildProcess, graceMs: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      child.off('exit', over);
      resolve(false);
    }, graceMs);
    child.once('exit', over);
  });
}

function cannotStart(name: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `Cannot start "${name}": there is no such program, or no such working directory`;
  return code === 'EACCES' ? `Cannot start "${name}": it may not be executed` : `Cannot start "${name}": ${message}`;
}

function ended(name: string, { code, signal }: { code: number | null; signal: NodeJS.Signals | null }): Fault {
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  return new Fault('E_CLOSED', `The server "${name}" ended ${how}`);
}

function isBlank(line: Buffer | string): boolean {
  return typeof line === 'string' ? line.trim() === '' : line.every((byte) => byte === 32 || byte === 9);
}
