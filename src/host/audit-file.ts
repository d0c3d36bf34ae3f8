import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { AuditEntry } from '../core/policies/audit.ts';
import type { Log } from '../model/log.ts';
import { escapeHidden } from '../model/portrait.ts';

const RETRY_MS = 1000;
const MAX_BYTES = 64 * 1024 * 1024;
const FILES_KEPT = 10;
const LINES_WAITING = 1000;

export interface AuditFileOptions {
  readonly path: string;
  /** Says once that lines cannot be written, and once that they can again. */
  readonly log: Log;
  /** A file that has grown to this many bytes gets a date behind its name, and a new one is begun. */
  readonly maxBytes?: number;
  /** Most files with a date behind their names; the oldest is deleted. */
  readonly filesKept?: number;
  readonly now?: () => number;
}

export interface KeptAudit {
  write(entry: AuditEntry): void;
  close(): void;
}

/** The entry as one line. */
export function auditLine(entry: AuditEntry): string {
  return `${escapeHidden(JSON.stringify(entry))}\n`;
}

/**
 * Keeps the audit in a file. A line is with the operating system before the reply is on its way; what cannot be written
 * waits for the next try, and when too much waits, what comes is counted and the count is written in its place.
 */
export class AuditFile implements KeptAudit {
  readonly #path: string;
  readonly #options: AuditFileOptions;
  readonly #now: () => number;
  readonly #waiting: string[] = [];
  #descriptor: number | undefined;
  #bytes = 0;
  #failedAt: number | undefined;
  #lost = 0;

  constructor(options: AuditFileOptions) {
    this.#path = resolve(options.path);
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** How many lines could not be kept since the last that told so. */
  get lost(): number {
    return this.#lost;
  }

  write(entry: AuditEntry): void {
    if (this.#waiting.length < LINES_WAITING) this.#waiting.push(auditLine(entry));
    else this.#lost += 1;
    if (this.#failedAt === undefined || this.#now() - this.#failedAt >= RETRY_MS) this.#flush();
  }

  close(): void {
    if (this.#waiting.length > 0) this.#flush();
    const left = this.#waiting.length + this.#lost;
    if (left > 0) this.#options.log('error', 'The audit ends with lines that could not be written', { lines: left });
    this.#release();
  }

  #flush(): void {
    try {
      while (this.#waiting.length > 0) {
        this.#append(this.#waiting[0] as string);
        this.#waiting.shift();
      }
      this.#recovered();
    } catch (error) {
      this.#failed(error);
    }
  }

  #append(line: string): void {
    const { maxBytes = MAX_BYTES } = this.#options;
    if (this.#descriptor === undefined) this.#open();
    if (this.#bytes > 0 && this.#bytes + Buffer.byteLength(line) > maxBytes) this.#turnOver();
    const bytes = Buffer.from(line);
    let written = 0;
    try {
      while (written < bytes.length) written += fs.writeSync(this.#descriptor as number, bytes, written);
    } catch (error) {
      // Half a line stays half: the next begins on its own.
      if (written > 0) this.#waiting[0] = `\n${line}`;
      throw error;
    } finally {
      this.#bytes += written;
    }
  }

  #open(): void {
    fs.mkdirSync(dirname(this.#path), { recursive: true });
    // Who did what is for the owner's eyes.
    this.#descriptor = fs.openSync(this.#path, 'a', 0o600);
    this.#bytes = fs.fstatSync(this.#descriptor).size;
  }

  #turnOver(): void {
    this.#release();
    const stamp = new Date(this.#now()).toISOString().replace(/[:.]/g, '-');
    fs.renameSync(this.#path, freeName(`${this.#path}.${stamp}`));
    this.#sweep();
    this.#open();
  }

  #sweep(): void {
    const folder = dirname(this.#path);
    const dated = /^\.\d{4}-\d\d-\d\dT[\dZ-]+(?:\.\d+)?$/;
    const name = basename(this.#path);
    const old = fs.readdirSync(folder).filter((file) => file.startsWith(name) && dated.test(file.slice(name.length)));
    const most = this.#options.filesKept ?? FILES_KEPT;
    for (const file of old.sort().slice(0, Math.max(0, old.length - most))) fs.unlinkSync(join(folder, file));
  }

  #failed(error: unknown): void {
    this.#release();
    const first = this.#failedAt === undefined;
    this.#failedAt = this.#now();
    if (first) this.#options.log('error', 'Cannot write the audit: trying on', { path: this.#path, error });
  }

  #recovered(): void {
    if (this.#failedAt === undefined) return;
    const lost = this.#lost;
    this.#failedAt = undefined;
    this.#lost = 0;
    if (lost > 0) this.#append(`${JSON.stringify({ time: new Date(this.#now()).toISOString(), lost })}\n`);
    this.#options.log('warn', 'The audit is written again', { lostLines: lost });
  }

  #release(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    try {
      if (descriptor !== undefined) fs.closeSync(descriptor);
    } catch {
      // It was closed from outside; nothing is left to let go of.
    }
  }
}

function freeName(path: string): string {
  const taken = (name: string): boolean => fs.statSync(name, { throwIfNoEntry: false }) !== undefined;
  let name = path;
  for (let turn = 1; taken(name); turn += 1) name = `${path}.${turn}`;
  return name;
}

/** Opens the audit where the settings want it: `stderr`, or a file. */
export function keepAudit(where: string, log: Log): KeptAudit {
  if (where !== 'stderr') return new AuditFile({ path: where, log });
  return { write: (entry) => void process.stderr.write(auditLine(entry)), close: () => {} };
}
