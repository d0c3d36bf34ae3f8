import type { Log } from '../model/log.ts';
import type { Store } from './store.ts';

export interface OpenOptions {
  readonly log: Log;
}

type Open = (url: string, options: OpenOptions) => Promise<Store>;

async function openMemory(url: string, { log }: OpenOptions): Promise<Store> {
  if (url.length > 'memory:'.length) throw new TypeError('Cannot open store: "memory:" takes nothing after the colon');
  const { createMemoryStore } = await import('./memory.ts');
  return createMemoryStore({ log });
}

async function openFile(url: string, { log }: OpenOptions): Promise<Store> {
  const { createFileStore, folderOf } = await import('./file.ts');
  return createFileStore(folderOf(url), log);
}

async function openRedis(url: string, { log }: OpenOptions): Promise<Store> {
  const { createRedisStore } = await import('./redis.ts');
  return createRedisStore(url, log);
}

// An engine is imported when its scheme is first asked for, so nobody loads a client library they do not use.
const ENGINES: ReadonlyMap<string, Open> = new Map([
  ['memory', openMemory],
  ['file', openFile],
  ['redis', openRedis],
  ['rediss', openRedis],
  ['redis+sentinel', openRedis],
  ['rediss+sentinel', openRedis],
  ['redis+cluster', openRedis],
  ['rediss+cluster', openRedis],
]);

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/** Opens the engine a URL names. The message of a refusal never repeats the URL, which may hold a password. */
export async function openStore(url: string, options: OpenOptions): Promise<Store> {
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase();
  const open = scheme === undefined ? undefined : ENGINES.get(scheme);
  if (open !== undefined) return open(url, options);
  const known = [...ENGINES.keys()].map((name) => `"${name}:"`).join(', ');
  const wrong = scheme === undefined ? 'its URL has no scheme' : `no engine has the scheme "${scheme}:"`;
  throw new TypeError(`Cannot open store: ${wrong}; known schemes: ${known}`);
}
