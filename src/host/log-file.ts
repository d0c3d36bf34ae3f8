import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { basename, join } from 'node:path';

const ARCHIVE = 'archived';
const RETRY_MS = 1000;
const SWEEP_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface LogFileOptions {
  readonly directory: string;
  /** Files are called `<name>-<day>-<time>.log`. */
  readonly name: string;
  /** A file that has grown to this many bytes is archived. */
  readonly maxBytes: number;
  /** Archived files are deleted this long after their last line; a file is archived after a day. */
  readonly retentionDays: number;
  /** Says that the log cannot be written, and that it can again. */
  report(line: string): void;
  readonly now?: () => number;
}

export interface LogFileStats {
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
  readonly rotations: number;
  readonly cleanups: number;
  readonly lostLines: number;
}

/** A log in files that rotate and go away. Writing never throws: what a full disk refuses is counted and tried anew. */
export class LogFile {
  readonly #options: LogFileOptions;
  readonly #now: () => number;
  #descriptor: number | undefined;
  #path = '';
  #bytes = 0;
  #openedAt = 0;
  #failedAt: number | undefined;
  #lost = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #rotations = 0;
  #cleanups = 0;
  #started = false;
  #closed = false;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Takes one line, newline included. */
  write(line: string): void {
    if (this.#closed || (this.#failedAt !== undefined && this.#now() - this.#failedAt < RETRY_MS)) {
      this.#lost++;
      return;
    }
    try {
      this.#turnOver(Buffer.byteLength(line));
      this.#append(line);
      this.#recovered();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Every file of this log, the newest first. */
  files(): readonly string[] {
    const { directory } = this.#options;
    const found = [directory, join(directory, ARCHIVE)].flatMap((folder) => this.#own(folder));
    return found.sort((a, b) => (basename(a) < basename(b) ? 1 : -1));
  }

  stats(): LogFileStats {
    const files = this.files();
    return {
      directory: this.#options.directory,
      files: files.length,
      bytes: files.reduce((sum, path) => sum + sizeOf(path), 0),
      rotations: this.#rotations,
      cleanups: this.#cleanups,
      lostLines: this.#lost,
    };
  }

  /** Deletes files whose last line is older than this, archived ones too, but never the one being written. */
  clear(olderThanDays: number = this.#options.retentionDays): number {
    const oldest = this.#now() - olderThanDays * DAY_MS;
    const old = this.files().filter((path) => path !== this.#path && modifiedAt(path) < oldest);
    const deleted = old.filter((path) => attempt(() => fs.unlinkSync(path)));
    this.#cleanups += deleted.length;
    return deleted.length;
  }

  close(): void {
    this.#closed = true;
    this.#release();
  }

  #append(line: string): void {
    if (this.#descriptor === undefined) this.#open();
    this.#bytes += fs.writeSync(this.#descriptor as number, line);
  }

  #turnOver(coming: number): void {
    if (!this.#started) {
      // What an earlier process left is over.
      for (const path of this.#own(this.#options.directory)) this.#archive(path);
      this.#started = true;
    }
    const now = this.#now();
    if (now - this.#sweptAt >= SWEEP_MS) {
      this.#sweptAt = now;
      this.clear();
    }
    if (this.#descriptor === undefined) return;
    const full = this.#bytes > 0 && this.#bytes + coming > this.#options.maxBytes;
    if (!full && now - this.#openedAt < DAY_MS) return;
    this.#release();
    this.#archive(this.#path);
    this.#rotations++;
  }

  #open(): void {
    const { directory, name } = this.#options;
    fs.mkdirSync(directory, { recursive: true });
    this.#openedAt = this.#now();
    this.#path = join(directory, `${name}-${stamp(this.#openedAt)}.log`);
    // Logs may name people and paths: for the owner's eyes.
    this.#descriptor = fs.openSync(this.#path, 'a', 0o600);
    this.#bytes = fs.fstatSync(this.#descriptor).size;
  }

  #archive(path: string): void {
    const folder = join(this.#options.directory, ARCHIVE);
    fs.mkdirSync(folder, { recursive: true });
    const turn = String(this.#rotations).padStart(6, '0');
    // Several processes may share the folder, and a rename replaces what is there.
    const name = `${basename(path, '.log')}.${this.#now()}.${turn}.${randomBytes(6).toString('hex')}.log`;
    attempt(() => fs.renameSync(path, join(folder, name)));
  }

  #release(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) attempt(() => fs.closeSync(descriptor));
  }

  #failed(error: unknown): void {
    this.#lost++;
    this.#release();
    const first = this.#failedAt === undefined;
    this.#failedAt = this.#now();
    if (first)
      this.#options.report(`Cannot write the log in "${this.#options.directory}": ${codeOf(error)}; trying on\n`);
  }

  #recovered(): void {
    if (this.#failedAt === undefined) return;
    this.#failedAt = undefined;
    this.#options.report(`The log in "${this.#options.directory}" is written again; ${this.#lost} lines were lost\n`);
  }

  #own(folder: string): string[] {
    const { name } = this.#options;
    const names = listed(folder).filter((file) => file.startsWith(`${name}-`) && file.endsWith('.log'));
    return names.map((file) => join(folder, file));
  }
}

/** `2026-11-15-22-05-09`, in UTC, so that names sort as time does. */
function stamp(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace(/[T:]/g, '-');
}

function listed(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function sizeOf(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function modifiedAt(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : String(error);
}
