import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../../src/store/store.ts';

export interface World {
  readonly store: Store;
  /** Begins every name in a case, since an engine may keep what other cases and earlier runs left. */
  readonly name: string;
  /** Lets time go by for the engine. */
  pass(ms: number): Promise<unknown>;
  /** Waits until a claim holds: a message may take its time. */
  until(claim: () => boolean): Promise<void>;
}

/** A sentence, and what must hold for a store just opened. */
export type Case = readonly [says: string, run: (world: World) => Promise<void>];

/** Short enough to sleep through, long enough not to end between two commands of a slow engine. */
export const SHORT_MS = 500;
export const LONG_MS = 60_000;

const PATIENCE_MS = 5000;

/** Keys that mean something to a pattern, a path, a cluster, a prototype or a terminal. */
export const ODD_KEYS: readonly string[] = [
  '',
  ' ',
  '*',
  'a?b[c]\\',
  '{tag}:x',
  'a/../b',
  '__proto__',
  'line\r\nbreak',
  'nul\0nul',
  '\u001b[31m',
  'na\u00efve',
  'nai\u0308ve',
  '🙂',
  '%00',
  'k'.repeat(1000),
];

/** Makes a throw a rejection, so that an engine may do either. */
export async function settle<T>(call: () => T): Promise<Awaited<T>> {
  return await call();
}

export async function until(claim: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!claim()) {
    if (Date.now() > end) throw new Error(`Waited ${PATIENCE_MS} ms in vain for ${claim}`);
    await sleep(2);
  }
}
