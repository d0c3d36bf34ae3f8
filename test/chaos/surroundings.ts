import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { echo, slowEcho } from './load/acts.ts';
import { httpTalker, pipeTalker } from './load/crowd.ts';
import type { ServerOptions } from './load/server-process.ts';
import { type Scenario, sleep, type Trial } from './scenario.ts';

/** Works on while the log cannot be written. */
async function logless(trial: Trial, options: ServerOptions): Promise<void> {
  const server = await trial.serve(options);
  const crowd = (await trial.bystanders(server)).start({ restMs: 5 });
  const talker = await trial.join(httpTalker('2025-11-25', server.url));
  for (let at = 0; at < trial.size(100, 2000); at += 1) await talker.call('throw', { how: 'error' });
  await crowd.stop();
  trial.weigh(server.probe);
  trial.check(server.child.exitCode === null && server.child.signalCode === null, 'the server is gone');
  trial.check(server.log.split('Cannot write the log').length === 2, 'that the log is lost was not told once');
  await talker.close();
}

function scratch(trial: Trial): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-chaos-'));
  trial.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const diskFull: Scenario = {
  name: 'disk-full',
  says: 'the disk of the log file is full from the start',
  runs: { short: 1, full: 5 },
  run: (trial) => logless(trial, { args: ['--log-file', '/dev/full'] }),
};

const fileTooLong: Scenario = {
  name: 'disk-fills-up',
  says: 'the log file may not grow any more after 8 KiB',
  runs: { short: 1, full: 5 },
  run: (trial) => {
    const file = join(scratch(trial), 'parley.log');
    return logless(trial, { args: ['--log-file', file], shell: 'ulimit -f 8; exec "$@"' });
  },
};

const presetLogs: Scenario = {
  name: 'disk-full-rotating',
  says: 'rotating log files have no room left: tools and answers go on',
  runs: { short: 1, full: 5 },
  async run(trial) {
    const server = await trial.serve({
      args: ['--preset', 'aiur'],
      env: { PARLEY_LOG_DIRECTORY: scratch(trial), PARLEY_LOG_LEVEL: 'debug' },
      shell: 'ulimit -f 1; exec "$@"',
    });
    const crowd = await trial.bystanders(server);
    crowd.start({ act: echo, restMs: 2 });
    const talker = await trial.join(httpTalker('2025-11-25', server.url));
    for (let at = 0; at < trial.size(100, 2000); at += 1) await talker.call('throw', { how: 'error' });
    await crowd.stop();
    trial.check(server.child.exitCode === null && server.child.signalCode === null, 'the server is gone');
    trial.weigh(server.probe);
    await talker.close();
  },
};

const DAY = 86_400_000;
const JUMPS = [DAY, -DAY, 365 * DAY, -365 * DAY, 0];

const clock: Scenario = {
  name: 'clock-jumps',
  says: 'the clock on the wall jumps by a day and a year, both ways: sessions, tasks and calls go on',
  runs: { short: 1, full: 10 },
  async run(trial) {
    const server = await trial.serve({ limits: { callDeadlineMs: 5000 } });
    // What is kept until a time of day is over when that time has come: tasks, and sealed state.
    const forgives = ['E_UNKNOWN_TASK', 'E_BAD_STATE'];
    const crowd = (await trial.bystanders(server, { forgives })).start({ restMs: 5 });
    for (const jump of JUMPS) {
      await server.probe.shiftClock(jump);
      await sleep(trial.size(1200, 2500));
    }
    await crowd.stop();
    trial.weigh(server.probe);
    const sessions = (await server.metrics()).get('parley_sessions') ?? 0;
    trial.check(sessions === 3, `${sessions} of 3 sessions are left`);
  },
};

const pipeClock: Scenario = {
  name: 'clock-jumps-pipe',
  says: 'the clock jumps under a server on a pipe',
  runs: { short: 1, full: 10 },
  async run(trial) {
    const talker = await trial.join(pipeTalker('2025-11-25'));
    trial.atEnd(() => talker.child.kill('SIGKILL'));
    for (const jump of JUMPS) {
      await talker.probe.shiftClock(jump);
      for (let round = 0; round < 5; round += 1) await slowEcho(talker, Math.random);
    }
    trial.weigh(talker.probe);
    await talker.close();
  },
};

const descriptors: Scenario = {
  name: 'few-descriptors',
  says: 'the process runs out of descriptors: it goes on with those it has, and recovers',
  runs: { short: 1, full: 5 },
  async run(trial) {
    const server = await trial.serve({ limits: { headerMs: 2000 } });
    const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
    await sleep(300);
    await crowd.stop();
    const few = (await server.probe.vital()).descriptors + 20;
    execFileSync('prlimit', [`--pid=${server.child.pid}`, `--nofile=${few}`]);
    const port = Number(new URL(server.url).port);
    const sockets: Socket[] = Array.from({ length: 200 }, () =>
      connect(port, '127.0.0.1')
        .on('error', () => {})
        .resume(),
    );
    await sleep(500);
    // Connections that are open already go on working.
    for (const talker of crowd.talkers) if (talker.revision === '2025-11-25') await echo(talker, Math.random);
    for (const socket of sockets) socket.destroy();
    const from = performance.now();
    await trial.until(
      () =>
        fetch(`${server.origin}/livez`)
          .then(({ ok }) => ok)
          .catch(() => false),
      'it takes connections',
    );
    const late = await trial.join(httpTalker('2026-07-28', server.url));
    await echo(late, Math.random);
    trial.recoverMs = performance.now() - from;
    trial.check(server.child.exitCode === null, 'the server is gone');
    trial.weigh(server.probe);
    await late.close();
  },
};

/** A machine that fails around the server. */
export const surroundings: readonly Scenario[] = [diskFull, fileTooLong, presetLogs, clock, pipeClock, descriptors];
