import { open } from 'node:fs/promises';
import { isObject, type Json, type JsonObject } from '../../../model/json.ts';

/** Most bytes of the newest files looked through for one question. */
const MOST_BYTES = 32 * 1024 * 1024;
const SECRET = /pass(?:word|phrase)|token|secret|authorization|cookie|api[-_]?key|^key$/i;

export interface LogQuery {
  readonly limit: number;
  readonly level?: string;
  /** Milliseconds since the epoch. */
  readonly from?: number;
  readonly to?: number;
  /** Plain text, in any case. */
  readonly search?: string;
}

export interface LogAnswer {
  readonly entries: readonly JsonObject[];
  /** Older files were not looked at. */
  readonly cut: boolean;
}

/** The newest entries that fit, the newest last; files come newest first. */
export async function readEntries(files: readonly string[], query: LogQuery): Promise<LogAnswer> {
  const found: JsonObject[] = [];
  let left = MOST_BYTES;
  for (const file of files) {
    if (found.length >= query.limit) break;
    if (left <= 0) return { entries: found.reverse(), cut: true };
    const text = await tail(file, left);
    left -= text.length;
    collect(text, query, found);
  }
  return { entries: found.reverse(), cut: false };
}

function collect(text: string, query: LogQuery, found: JsonObject[]): void {
  const lines = text.split('\n');
  for (let index = lines.length - 1; index >= 0 && found.length < query.limit; index--) {
    const entry = entryOf(lines[index] ?? '');
    if (entry !== undefined && fits(entry, query)) found.push(redact(entry));
  }
}

/** A line that is no entry, such as half of one, is passed over. */
function entryOf(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) && typeof entry['time'] === 'string' ? named(entry) : undefined;
  } catch {
    return undefined;
  }
}

function named({ time, level, ...rest }: JsonObject): JsonObject {
  return { timestamp: time, level: level === 'warn' ? 'warning' : level, ...rest };
}

/** Fields that hold what foreign code said. */
const FOREIGN: ReadonlySet<string> = new Set(['cause', 'error', 'errors', 'reason', 'stack']);
const HIDDEN = '[hidden]';

function fits(entry: JsonObject, { level, from, to, search }: LogQuery): boolean {
  if (level !== undefined && entry['level'] !== level) return false;
  const time = Date.parse(String(entry['timestamp']));
  if (from !== undefined && !(time >= from)) return false;
  if (to !== undefined && !(time <= to)) return false;
  return search === undefined || JSON.stringify(redact(entry)).toLowerCase().includes(search.toLowerCase());
}

/** Without what a reader of logs must not learn: secrets, and of errors anything but their names. */
function redact(entry: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, SECRET.test(key) ? '[redacted]' : shown(key, value)]),
  );
}

function shown(key: string, value: Json | undefined): Json | undefined {
  if (FOREIGN.has(key)) return isObject(value) && typeof value['name'] === 'string' ? { name: value['name'] } : HIDDEN;
  if (Array.isArray(value)) return value.map((item) => shown('', item) ?? null);
  if (!isObject(value)) return value;
  return typeof value['stack'] === 'string' ? { name: value['name'] } : redact(value);
}

async function tail(file: string, most: number): Promise<string> {
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      const length = Math.min(size, most);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    // Rotated away in between.
    return '';
  }
}
