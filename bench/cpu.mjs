import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

// The CPU a process and everything it started has used, in microseconds: a launcher counts as much as what it launched.

const linux = process.platform === 'linux';

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function familyOnLinux(root) {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const family = [root];
  for (const member of family) for (const [pid, parent] of parents) if (parent === member) family.push(pid);
  return family;
}

/** A thread may end between being listed and being read. */
function ranOf(path) {
  try {
    const [ran] = readFileSync(path, 'utf8').split(' ');
    return Number(ran);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return 0;
    throw error;
  }
}

/** Nanoseconds on a processor, over all threads: finer than the ticks of `stat`. */
function threadsOf(pid) {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => sum + ranOf(`${tasks}/${task}/schedstat`), 0);
}

function familyElsewhere(root) {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const family = [root];
  for (const member of family) for (const [pid, parent] of pairs) if (parent === member) family.push(pid);
  return family;
}

function secondsOf(clock) {
  const [days, time] = clock.includes('-') ? clock.split('-') : ['0', clock];
  return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}

/** The processes below a process, itself among them. */
export function familyOf(pid) {
  return linux ? familyOnLinux(pid) : familyElsewhere(pid);
}

/** CPU used so far by these processes together, in microseconds. */
export function cpuOf(pids) {
  if (linux) return pids.reduce((sum, pid) => sum + threadsOf(pid) / 1000, 0);
  const clocks = execFileSync('ps', ['-o', 'time=', '-p', pids.join(',')], { encoding: 'utf8' });
  return clocks
    .trim()
    .split('\n')
    .reduce((sum, clock) => sum + secondsOf(clock.trim()) * 1e6, 0);
}
