import { setTimeout as pause } from 'node:timers/promises';
import { LEGACY, MODERN } from '../../scenarios/revisions.ts';
import { randomFrom, secretOf } from '../load/secret.ts';
import { addTallies, emptyTally, type Tally } from '../load/tally.ts';
import { examine, type Verdict } from './checker.ts';
import { deedsOf, pick } from './deeds.ts';
import type { ReplicaFault } from './faults.ts';
import { Fleet } from './fleet.ts';
import { History } from './history.ts';
import { LegacyRoamer } from './legacy-roamer.ts';
import { ModernRoamer } from './modern-roamer.ts';
import type { Roamer } from './roamer.ts';
import { SessionRoamer } from './session-roamer.ts';

export interface SiegeOptions {
  readonly replicas: number;
  readonly clients: number;
  readonly seed: number;
  /** The longest rest of a client between two deeds, in milliseconds. */
  readonly restMs: number;
  readonly historyFile?: string | undefined;
}

export interface Siege {
  readonly verdict: Verdict;
  readonly tally: Tally;
  readonly runs: number;
  readonly problems: readonly string[];
  readonly logs: readonly string[];
}

const KINDS = ['sse', ...LEGACY.slice(1), MODERN];
const CALM_MS = 1500;
const RECOVERS_MS = 30_000;
const CONDUCTOR = 'conductor';

/** Clients of every kind at work on a fleet while one fault after the other happens to it. */
export async function lay(
  fault: ReplicaFault,
  { replicas, clients, seed, restMs, historyFile }: SiegeOptions,
  more: (done: number) => boolean,
): Promise<Siege> {
  const tokens = Array.from({ length: clients }, (_, at) => `token-of-${secretOf(at + 1)}`);
  const fleet = await Fleet.launch({ replicas, tokens, workers: fault.workers, patient: !fault.rules.refuses });
  const history = new History(historyFile);
  const problems: string[] = [];
  const random = randomFrom(seed);
  const roamers = tokens.map((token, at) => enlist({ token, at, fleet, history, random: randomFrom(seed + at) }));
  const crowd = new Working(roamers, restMs, random);
  let runs = 0;
  let starts: ReadonlyMap<string, number> = new Map();
  try {
    await crowd.open();
    crowd.start();
    for (; more(runs); runs += 1) {
      await pause(CALM_MS);
      history.add(CONDUCTOR, { kind: 'fault', phase: 'on' });
      await fault.run(fleet, random);
      history.add(CONDUCTOR, { kind: 'fault', phase: 'off' });
      problems.push(...(await recovered(roamers, history)));
    }
    await pause(CALM_MS);
    await crowd.stop();
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await crowd.close();
    await history.close();
    starts = fleet.starts();
    await fleet.sink();
  }
  const verdict = examine(history.entries, starts, fault.rules);
  const tally = roamers.reduce((sum, { ledger }) => addTallies([sum, ledger.tally]), emptyTally());
  const remarks = roamers.flatMap(({ ledger }) => ledger.remarks.filter((remark) => !remark.includes(': lost: ')));
  return { verdict, tally, runs, problems: [...problems, ...verdict.problems, ...remarks], logs: fleet.logs };
}

interface Recruit {
  readonly token: string;
  readonly at: number;
  readonly fleet: Fleet;
  readonly history: History;
  readonly random: () => number;
}

function enlist({ token, at, fleet, history, random }: Recruit): Roamer {
  const kind = KINDS[at % KINDS.length] as string;
  const revision = kind === 'sse' ? '2024-11-05' : kind;
  const options = { name: `${kind}#${at}`, secret: secretOf(at + 1), revision, token, places: fleet, history, random };
  if (kind === 'sse') return new LegacyRoamer(options);
  return kind === MODERN ? new ModernRoamer(options) : new SessionRoamer(options);
}

/** Waits until every client had a result since now; says who had none. */
async function recovered(roamers: readonly Roamer[], { entries }: History): Promise<string[]> {
  const waiting = new Set(roamers.map(({ name }) => name));
  const until = performance.now() + RECOVERS_MS;
  for (let at = entries.length; waiting.size > 0 && performance.now() < until; await pause(20))
    for (; at < entries.length; at += 1) {
      const entry = entries[at];
      if (entry?.kind === 'answered' && entry.code === undefined) waiting.delete(entry.client);
    }
  return [...waiting].map((name) => `${name} had no result within ${RECOVERS_MS} ms after the fault`);
}

/** Clients that go on until they are told to stop. */
class Working {
  readonly #roamers: readonly Roamer[];
  readonly #restMs: number;
  readonly #random: () => number;
  #going = false;
  #work: Promise<void>[] = [];

  constructor(roamers: readonly Roamer[], restMs: number, random: () => number) {
    this.#roamers = roamers;
    this.#restMs = restMs;
    this.#random = random;
  }

  async open(): Promise<void> {
    await Promise.all(this.#roamers.map((roamer) => roamer.open()));
  }

  start(): void {
    this.#going = true;
    this.#work = this.#roamers.map((roamer) => this.#toil(roamer));
  }

  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#work);
  }

  async close(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#roamers.map((roamer) => roamer.close()));
    await Promise.all(this.#work);
  }

  async #toil(roamer: Roamer): Promise<void> {
    const deeds = deedsOf(roamer, () => this.#sessions());
    while (this.#going) {
      await pause(this.#random() * this.#restMs);
      await pick(deeds, this.#random)(roamer, this.#random);
    }
  }

  #sessions(): string[] {
    return this.#roamers.flatMap((roamer) => (roamer instanceof SessionRoamer ? (roamer.session ?? []) : []));
  }
}
