import { echo } from './load/acts.ts';
import { httpTalker, PIPE_KINDS, pipeTalker } from './load/crowd.ts';
import type { Talker } from './load/talker.ts';
import { INNER } from './misdeeds.ts';
import { MIB, type Scenario, sleep, type Trial } from './scenario.ts';

const WAYS = ['console', 'write', 'descriptor', 'path', 'stream', 'end', 'child'];

const printing: Scenario = {
  name: 'tools-print',
  says: 'tools print forged answers to stdout in every way, child processes among them',
  runs: { short: 1, full: 10 },
  async run(trial) {
    const kinds = trial.full ? PIPE_KINDS.filter((kind) => kind !== 'action') : ['2024-11-05', '2026-07-28'];
    for (const kind of kinds) {
      const talker = await trial.join(pipeTalker(kind));
      trial.atEnd(() => talker.child.kill('SIGKILL'));
      for (const how of WAYS) {
        await Promise.all([talker.call('print', { how }), echo(talker, Math.random)]);
      }
      await sleep(30);
      // A descriptor that is a socket cannot be opened by its path, and an end may come before the text.
      const reached = talker.log.split(INNER).length - 1;
      trial.check(reached >= WAYS.length - 3, `${reached} of ${WAYS.length} lines reached stderr`);
      trial.weigh(talker.probe);
      await talker.close();
      const { code } = await talker.exit;
      trial.check(code === 0, `exit code ${code}`);
    }
  },
};

async function flood(trial: Trial, talker: Talker, what: string): Promise<void> {
  const count = trial.size(5000, 100_000);
  const method = what === 'progress' ? 'notifications/progress' : 'notifications/message';
  const before = talker.heard.get(method) ?? 0;
  const from = performance.now();
  await talker.call('flood', { what, count }, { progress: true });
  const seconds = (performance.now() - from) / 1000;
  const told = (talker.heard.get(method) ?? 0) - before;
  trial.check(told <= 200 * (Math.ceil(seconds) + 1), `${told} messages of ${what} in ${seconds.toFixed(1)} s`);
}

const flooding: Scenario = {
  name: 'tools-flood',
  says: 'tools flood progress, log messages and resource updates',
  runs: { short: 1, full: 5 },
  async run(trial) {
    const server = await trial.serve();
    const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
    const before = trial.weigh(server.probe);
    const talkers: Talker[] = ['sse', '2025-03-26', '2025-11-25', '2026-07-28'].map((kind) =>
      httpTalker(kind, server.url),
    );
    const pipe = pipeTalker('2025-06-18');
    trial.atEnd(() => pipe.child.kill('SIGKILL'));
    await Promise.all([...talkers, pipe].map((talker) => trial.join(talker)));
    await Promise.all(
      [...talkers, pipe].map(async (talker) => {
        for (const what of ['progress', 'log', 'updates']) await flood(trial, talker, what);
      }),
    );
    await crowd.stop();
    const grown = (trial.weigh(server.probe) - before) / MIB;
    trial.check(grown < 150, `grew by ${grown.toFixed(0)} MiB`);
    for (const talker of [...talkers, pipe]) await talker.close();
  },
};

/** Tools that say too much. */
export const loudTools: readonly Scenario[] = [printing, flooding];
