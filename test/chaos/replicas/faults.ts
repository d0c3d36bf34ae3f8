import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf } from '../load/process-facts.ts';
import type { Rules } from './checker.ts';
import type { Fleet } from './fleet.ts';

/** Something that goes wrong below clients at work, and is put right again. */
export interface ReplicaFault {
  readonly name: string;
  readonly says: string;
  readonly rules: Rules;
  /** Processes of one command in place of replicas on Redis. */
  readonly workers?: number;
  /** Resolves when it is over. */
  run(fleet: Fleet, random: () => number): Promise<void>;
}

const NOTHING: Rules = { cuts: false, refuses: false, forgets: false, outage: false };
const DEAD_MS = 500;
const TAKEN_OUT_MS = 300;
const PAUSED_MS = 5000;
const ENGINE_DEAD_MS = 1000;
const ENGINE_PAUSED_MS = 3000;
const CUT_OFF_MS = 4000;

const one = (fleet: Fleet, random: () => number): number => Math.floor(random() * fleet.size);

function engineOf({ engine }: Fleet): NonNullable<Fleet['engine']> {
  if (engine === undefined) throw new Error('There is no Redis');
  return engine;
}

const killReplica: ReplicaFault = {
  name: 'kill-replica',
  says: 'kill -9 of a replica in the middle of calls, and a new one in its place',
  rules: { ...NOTHING, cuts: true },
  async run(fleet, random) {
    const at = one(fleet, random);
    await fleet.server(at).stop('SIGKILL');
    await pause(DEAD_MS);
    await fleet.restart(at);
  },
};

const pauseReplica: ReplicaFault = {
  name: 'pause-replica',
  says: 'a replica that stands still for longer than its lease, and goes on as if nothing had happened',
  rules: NOTHING,
  async run(fleet, random) {
    const { child } = fleet.server(one(fleet, random));
    child.kill('SIGSTOP');
    await pause(PAUSED_MS);
    child.kill('SIGCONT');
  },
};

const roll: ReplicaFault = {
  name: 'roll',
  says: 'every replica in turn is taken out of the balancer, told to end by SIGTERM, and replaced',
  rules: NOTHING,
  async run(fleet) {
    for (let at = 0; at < fleet.size; at += 1) {
      // The system resets a connection that is made in the very moment in which a server stops to listen.
      fleet.takeOut(at);
      await pause(TAKEN_OUT_MS);
      const { code } = await fleet.server(at).stop('SIGTERM');
      if (code !== 0) throw new Error(`A replica that was told to end did so with code ${code}`);
      await fleet.restart(at);
    }
  },
};

const killEngine: ReplicaFault = {
  name: 'kill-redis',
  says: 'kill -9 of Redis, started again with what it has on disk',
  rules: { ...NOTHING, refuses: true, outage: true },
  async run(fleet) {
    const engine = engineOf(fleet);
    await engine.kill();
    await pause(ENGINE_DEAD_MS);
    await engine.start();
  },
};

const pauseEngine: ReplicaFault = {
  name: 'pause-redis',
  says: 'a Redis that stands still for a while',
  rules: { ...NOTHING, refuses: true, outage: true },
  async run(fleet) {
    const engine = engineOf(fleet);
    engine.signal('SIGSTOP');
    await pause(ENGINE_PAUSED_MS);
    engine.signal('SIGCONT');
  },
};

const cutOne: ReplicaFault = {
  name: 'cut-off-one',
  says: 'one replica is cut off from Redis without a word, and hears everything late',
  rules: { ...NOTHING, refuses: true },
  async run(fleet, random) {
    const gate = fleet.gate(one(fleet, random));
    gate.cut();
    await pause(CUT_OFF_MS);
    gate.heal();
  },
};

const cutAll: ReplicaFault = {
  name: 'cut-off-all',
  says: 'all replicas are cut off from Redis without a word, and hear everything late',
  rules: { ...NOTHING, refuses: true, outage: true },
  async run(fleet) {
    for (const gate of fleet.gates) gate.cut();
    await pause(CUT_OFF_MS);
    for (const gate of fleet.gates) gate.heal();
  },
};

const flush: ReplicaFault = {
  name: 'flush-redis',
  says: 'Redis forgets everything: clients are told, and begin anew',
  rules: { ...NOTHING, forgets: true },
  async run(fleet) {
    await engineOf(fleet).say('FLUSHALL');
  },
};

const killWorker: ReplicaFault = {
  name: 'kill-worker',
  says: 'kill -9 of one of the workers that share a store in the memory of their command',
  rules: { ...NOTHING, cuts: true },
  workers: 2,
  async run(fleet, random) {
    const workers = childrenOf(fleet.server(0).child.pid as number);
    process.kill(workers[Math.floor(random() * workers.length)] as number, 'SIGKILL');
    await pause(DEAD_MS);
  },
};

/** Every fault there is, by name. */
export const REPLICA_FAULTS: readonly ReplicaFault[] = [
  killReplica,
  pauseReplica,
  roll,
  killEngine,
  pauseEngine,
  cutOne,
  cutAll,
  flush,
  killWorker,
];
