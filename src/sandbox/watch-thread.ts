import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { type Excess, endGroup, REPORT_FD, type WatchStart } from './watch.ts';

const LOOK_MS = 100;

const { memoryBytes, cpuMs, owner, phase } = workerData as WatchStart;
const flag = new Int32Array(phase);
let seen = 0;
let before = process.cpuUsage();

function excess(): Excess | undefined {
  if (process.memoryUsage.rss() > memoryBytes) return 'memory';
  const now = Atomics.load(flag, 0);
  if (now !== seen) {
    seen = now;
    before = process.cpuUsage();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 > cpuMs ? 'cpu' : undefined;
}

function look(): void {
  if (process.ppid !== owner) endGroup();
  const found = excess();
  if (found === undefined) return;
  writeSync(REPORT_FD, `${found}\n`);
  endGroup();
}

setInterval(look, LOOK_MS);
