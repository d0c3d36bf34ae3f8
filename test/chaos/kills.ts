import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { echo, holds } from './load/acts.ts';
import { HTTP_KINDS, httpTalker, PIPE_KINDS, pipeTalker } from './load/crowd.ts';
import type { Check } from './load/ledger.ts';
import type { Talker } from './load/talker.ts';
import { type Scenario, Skipped, sleep, type Trial } from './scenario.ts';

const HALF_OPEN = fileURLToPath(new URL('./half-open.js', import.meta.url));

const client: Scenario = {
  name: 'kill-client',
  says: 'kill -9 of a client with calls and streams open: the server lets go of all of it',
  runs: { short: 1, full: 20 },
  async run(trial) {
    const server = await trial.serve({ limits: { sessionIdleMs: 1500, callDeadlineMs: 2000 } });
    const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
    await sleep(100);
    const before = await server.probe.vital();
    const peer = spawn(process.execPath, [HALF_OPEN, server.url, '20'], { stdio: ['ignore', 'pipe', 'inherit'] });
    trial.atEnd(() => peer.kill('SIGKILL'));
    await once(peer.stdout, 'data');
    peer.kill('SIGKILL');
    trial.recoverMs = await trial.until(async () => {
      const { descriptors } = await server.probe.vital();
      const sessions = (await server.metrics()).get('parley_sessions') ?? 0;
      return descriptors <= before.descriptors + 10 && sessions <= 3;
    }, 'sockets and sessions were given back');
    trial.weigh(server.probe);
    await crowd.stop();
  },
};

const pipeClient: Scenario = {
  name: 'kill-pipe-client',
  says: 'kill -9 of the program that started a server on a pipe: the server ends by itself',
  runs: { short: 1, full: 20 },
  async run(trial) {
    const talker = await trial.join(pipeTalker('2025-11-25', { lossy: true }));
    const { pid } = talker.probe;
    void talker.call('echo', { text: 'x', ms: 1000, steps: 10 }, { cancelAfterMs: 5000 });
    await sleep(50);
    talker.child.stdin?.destroy();
    talker.child.stdout?.destroy();
    talker.child.kill('SIGKILL');
    trial.recoverMs = await trial.until(() => !alive(pid), 'the server behind the launcher was gone');
  },
};

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Calls until an answer comes, opening anew when the server is another one; counts the answers. */
async function insist(talker: Talker, trial: Trial): Promise<void> {
  const text = talker.nonce();
  for (let round = 0; round < 300; round += 1) {
    const unknownSession: Check = (answer) => (answer['error'] === undefined ? holds(text)(answer) : undefined);
    const answer = await talker.call('echo', { text, ms: 150, steps: 3 }, { check: unknownSession, progress: true });
    if (answer?.['result'] !== undefined) return;
    await sleep(20);
    if (await reachable(talker)) await talker.open();
  }
  trial.problems.push(`${talker.name} never got its answer`);
}

async function reachable(talker: Talker): Promise<boolean> {
  const { url } = talker as unknown as { url?: string };
  return (
    url === undefined ||
    (await fetch(new URL('/livez', url))
      .then(({ ok }) => ok)
      .catch(() => false))
  );
}

const server: Scenario = {
  name: 'kill-server',
  says: 'kill -9 of the server in the middle of calls: clients come back and get exactly one answer each',
  runs: { short: 1, full: 20 },
  async run(trial) {
    const first = await trial.serve();
    const port = Number(new URL(first.url).port);
    const talkers = HTTP_KINDS.flatMap((kind) =>
      Array.from({ length: trial.size(2, 10) }, () =>
        Object.assign(httpTalker(kind, first.url, { lossy: true, patienceMs: 3000 }), { url: first.url }),
      ),
    );
    await Promise.all(talkers.map((talker) => trial.join(talker)));
    const work = talkers.map((talker) => insist(talker, trial));
    await sleep(60);
    first.child.kill('SIGKILL');
    const from = performance.now();
    await first.exit;
    const second = await trial.serve({ port });
    await Promise.all(work);
    trial.recoverMs = performance.now() - from;
    trial.weigh(second.probe);
    for (const talker of talkers) await talker.close();
  },
};

const pipeServer: Scenario = {
  name: 'kill-pipe-server',
  says: 'kill -9 of the server behind the launcher: the client sees the end at once, with the code of a kill',
  runs: { short: 1, full: 20 },
  async run(trial) {
    const talker = await trial.join(pipeTalker('2025-11-25', { lossy: true }));
    const call = talker.call('echo', { text: 'x', ms: 5000 });
    await sleep(50);
    const { pid } = talker.probe;
    trial.check(pid !== talker.child.pid, 'there is no process behind the launcher');
    process.kill(pid, 'SIGKILL');
    const from = performance.now();
    const { code } = await talker.exit;
    trial.recoverMs = performance.now() - from;
    trial.check(code === 137, `exit code ${code}`);
    trial.check((await call) === undefined, 'a call was answered by nobody');
  },
};

async function ended(trial: Trial, exit: Promise<{ code: number | null }>, from: number): Promise<void> {
  const { code } = await exit;
  trial.recoverMs = performance.now() - from;
  trial.check(code === 0, `exit code ${code}`);
}

const term: Scenario = {
  name: 'sigterm',
  says: 'SIGTERM under load: every call in flight is answered, and the process ends with 0',
  runs: { short: 1, full: 20 },
  async run(trial) {
    const running = await trial.serve();
    const talkers = HTTP_KINDS.flatMap((kind) =>
      Array.from({ length: trial.size(3, 20) }, () => httpTalker(kind, running.url)),
    );
    await Promise.all(talkers.map((talker) => trial.join(talker)));
    const calls = talkers.flatMap((talker) =>
      [0, 3].map((steps) => {
        const text = talker.nonce();
        return talker.call('echo', { text, ms: 1500, steps }, { check: holds(text), progress: true });
      }),
    );
    // What came before this is in the server's hands.
    await Promise.all(talkers.map((talker) => echo(talker, Math.random)));
    trial.weigh(running.probe);
    const from = performance.now();
    running.child.kill('SIGTERM');
    await Promise.all(calls);
    for (const talker of talkers) (talker as { wire: { close(): void } }).wire.close();
    await ended(trial, running.exit, from);
  },
};

const pipeTerm: Scenario = {
  name: 'sigterm-pipe',
  says: 'SIGTERM to a server on a pipe: every call in flight is answered, and the process ends with 0',
  runs: { short: 1, full: 20 },
  async run(trial) {
    const kinds = trial.full ? PIPE_KINDS.filter((kind) => kind !== 'action') : ['2025-11-25'];
    for (const kind of kinds) {
      const talker = await trial.join(pipeTalker(kind));
      const calls = Array.from({ length: 20 }, () => {
        const text = talker.nonce();
        return talker.call('echo', { text, ms: 400, steps: 2 }, { check: holds(text), progress: true });
      });
      await sleep(150);
      trial.weigh(talker.probe);
      const from = performance.now();
      talker.child.kill('SIGTERM');
      await Promise.all(calls);
      await ended(trial, talker.exit, from);
    }
  },
};

const upstream: Scenario = {
  name: 'kill-upstream',
  says: 'kill -9 of a server behind this one: only its own calls suffer',
  runs: { short: 1, full: 10 },
  async run() {
    throw new Skipped('no other server can be mounted by the command yet');
  },
};

/** Processes that end when nobody expects it. */
export const kills: readonly Scenario[] = [client, pipeClient, server, pipeServer, term, pipeTerm, upstream];
