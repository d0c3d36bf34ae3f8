import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

// What the machine is, how busy it is, and who runs on which processor.

/** Load per processor from which on a measurement says more about the neighbours. */
const BUSY = 0.35;

function allowedCores() {
  try {
    const [, list] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return list.split(',').flatMap((part) => {
      const [from, to = from] = part.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    });
  } catch {
    return [];
  }
}

function hasTaskset() {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The processors there are: one for the load, one for whoever is measured, and all of them. */
export function layOut() {
  const cores = allowedCores();
  if (cores.length < 2 || !hasTaskset()) return { cores: cores.length || cpus().length, pinned: false };
  execFileSync('taskset', ['-a', '-p', '-c', String(cores[0]), String(process.pid)], { stdio: 'ignore' });
  return { cores: cores.length, pinned: true, server: String(cores[1]), all: cores.join(',') };
}

/** The command that starts a program on its processor; `pin` is "one" or "all". */
export function commandOn(layout, argv, pin = 'one') {
  if (!layout.pinned) return argv;
  return ['taskset', '-c', pin === 'all' ? layout.all : layout.server, ...argv];
}

/** Says so and throws when neighbours would be measured along, unless it is to run all the same. */
export function checkLoad(force) {
  const [load] = loadavg();
  if (load < BUSY * cpus().length) return load;
  const said = `The machine is busy: load ${load.toFixed(2)} on ${cpus().length} processors`;
  if (!force) throw new Error(`${said}. Wait until it is quiet, or say --force and trust only the ratios of CPU`);
  console.error(`${said}. Trust only the ratios of CPU, and those not far`);
  return load;
}

/** What a figure was measured on. */
export function describeMachine(layout) {
  const [{ model } = { model: 'unknown' }] = cpus();
  return { node: process.version, processor: model.trim(), processors: layout.cores, pinned: layout.pinned };
}
