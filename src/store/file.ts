import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../model/log.ts';
import { Journal, type Level } from './file/journal.ts';
import { Layout, readLeft, restore, versionOf } from './file/layout.ts';
import { FileLogs } from './file/logs.ts';
import { FileRecords } from './file/records.ts';
import { createMemoryStore } from './memory.ts';
import { type Store, StoreError } from './store.ts';
import { unloaded } from './unloaded.ts';

type Database = new (folder: string) => Level;

async function loadDatabase(): Promise<Database> {
  try {
    return (await import('classic-level')).ClassicLevel as unknown as Database;
  } catch (cause) {
    throw unloaded('classic-level', cause);
  }
}

/** The folder a URL names: `file:DIR`, relative to where the process runs, or `file:///DIR`. */
export function folderOf(url: string): string {
  const rest = url.slice('file:'.length);
  if (rest === '') throw new TypeError('Cannot open store: "file:" must be followed by a folder');
  if (!rest.startsWith('//')) return resolve(rest);
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new TypeError('Cannot open store: its URL names no folder of this machine; write "file:DIR"', { cause });
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  LEVEL_LOCKED: 'another process has it open; end that process, or share a store between processes with Redis',
  LEVEL_CORRUPTION: 'its files are damaged; move the folder away to begin anew',
  LEVEL_IO_ERROR: 'its files cannot be read or written; check owner, rights and space of the folder',
  EACCES: 'the folder may not be written; check its owner and rights',
  ENOTDIR: 'there is a file where the folder should be',
  EEXIST: 'there is a file where the folder should be',
  EROFS: 'the file system may only be read',
  ENOSPC: 'there is no space left',
};

function unopened(error: unknown): Error {
  if (error instanceof TypeError || error instanceof StoreError) return error;
  const { code: outer, cause } = error as NodeJS.ErrnoException;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? outer ?? 'unknown';
  return new StoreError('away', `Cannot open store: ${ADVICE[code] ?? code}`, { cause: error });
}

/** Milliseconds since 1970 that are never set back while the process runs. */
const now = (): number => performance.timeOrigin + performance.now();

/** Keeps everything in memory and on disk, for one process at a time; a crash of the process loses nothing acknowledged. */
export async function createFileStore(folder: string, log: Log): Promise<Store> {
  const Database = await loadDatabase();
  // A database opens itself soon after it is made, so its folder is there before.
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unopened(error);
  });
  const level = new Database(folder);
  try {
    await level.open();
    return await build(level, log);
  } catch (error) {
    await level.close().catch(() => {});
    throw unopened(error);
  }
}

/** Makes a store of an open database. */
export async function build(level: Level, log: Log): Promise<Store> {
  const left = await readLeft(level);
  const journal = new Journal(level, log);
  const layout = new Layout(journal, versionOf(left));
  const memory = createMemoryStore({ now, log, version: versionOf(left), gone: (thing) => layout.remove(thing) });
  restore(left, memory);
  await journal.written();
  let closing: Promise<void> | undefined;
  return {
    records: new FileRecords(memory.records, journal, layout),
    logs: new FileLogs(memory.logs, journal, layout),
    topics: memory.topics,
    counters: memory.counters,
    inboxes: memory.inboxes,
    shared: false,
    lasting: true,
    awake: () => journal.sound,
    close() {
      memory.close();
      closing ??= journal.close();
      return closing;
    },
  };
}
