import { type Log, silent } from '../model/log.ts';
import { requireWhole } from './arguments.ts';
import { MemoryCounters } from './memory/counters.ts';
import { type Gone, Ground } from './memory/ground.ts';
import { MemoryInboxes } from './memory/inboxes.ts';
import { MemoryLogs } from './memory/logs.ts';
import { MemoryRecords } from './memory/records.ts';
import { MemoryTopics } from './memory/topics.ts';
import type { Store } from './store.ts';

export interface MemoryOptions {
  /** Milliseconds on a clock that is never set back. */
  readonly now?: () => number;
  readonly log?: Log;
  /** Most bytes of keys and texts held, each counted with what it costs to hold it; beyond, `full` is thrown. */
  readonly maxBytes?: number;
  /** How often a tenth of everything is searched for what has expired. */
  readonly sweepMs?: number;
  /** Hears of every record and log that is removed or has expired. */
  readonly gone?: (gone: Gone) => void;
  /** Versions of records rise from the one after it. */
  readonly version?: number;
}

/** How much the engine holds, with what has expired and was not swept yet. */
export interface MemoryUsage {
  readonly records: number;
  readonly logs: number;
  readonly counters: number;
  /** Listeners to topics, followers of logs and holders of inboxes. */
  readonly subscriptions: number;
  readonly bytes: number;
}

/** The memory engine answers at once, never with a promise, and says how much it holds. */
export interface MemoryStore extends Store {
  readonly records: MemoryRecords;
  readonly logs: MemoryLogs;
  usage(): MemoryUsage;
  close(): void;
}

const MAX_BYTES = 256 * 1024 * 1024;
const SWEEP_MS = 1000;

/** Keeps everything in this process, within a bound; nothing survives it. */
export function createMemoryStore(options: MemoryOptions = {}): MemoryStore {
  const { now = () => performance.now(), log = silent, maxBytes = MAX_BYTES, sweepMs = SWEEP_MS } = options;
  const gone = options.gone ?? (() => {});
  requireWhole('maxBytes', maxBytes);
  requireWhole('sweepMs', sweepMs);
  const sweep = () => {
    for (const { entries } of expiring) entries.sweep();
    return expiring.some(({ entries }) => entries.size > 0);
  };
  const ground = new Ground({ now, log, maxBytes, sweepMs, sweep, gone });
  const records = new MemoryRecords(ground, options.version);
  const logs = new MemoryLogs(ground);
  const topics = new MemoryTopics(ground);
  const counters = new MemoryCounters(ground);
  const inboxes = new MemoryInboxes(ground);
  const hearing = [topics.hearers, logs.followers, inboxes.holders];
  const expiring = [records, logs, counters];
  return {
    records,
    logs,
    topics,
    counters,
    inboxes,
    shared: false,
    lasting: false,
    awake: () => true,
    usage: () => ({
      records: records.entries.size,
      logs: logs.entries.size,
      counters: counters.entries.size,
      subscriptions: hearing.reduce((sum, { size }) => sum + size, 0),
      bytes: ground.bytes,
    }),
    close() {
      ground.close();
      for (const { entries } of expiring) entries.clear();
      for (const hearers of hearing) hearers.clear();
    },
  };
}
