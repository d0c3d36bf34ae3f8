import { existsSync } from 'node:fs';
import type { JsonObject } from '../../src/model/json.ts';
import { echo, failed, failsSaying } from './load/acts.ts';
import { HTTP_KINDS, httpTalker, pipeTalker } from './load/crowd.ts';
import type { Check } from './load/ledger.ts';
import type { ServerOptions, ServerProcess } from './load/server-process.ts';
import type { Talker } from './load/talker.ts';
import { BAD_ENDS, BAD_RESULTS, BAD_THROWS, INNER } from './misdeeds.ts';
import { MIB, type Scenario, Skipped, sleep, type Trial } from './scenario.ts';

const ISOLATED = new URL('../../src/providers/isolated', import.meta.url);

/** One answer, and nothing in it that is the server's own business. */
const discreet: Check = (answer) =>
  JSON.stringify(answer).includes(INNER) ? `told what is inside: ${JSON.stringify(answer)}` : undefined;
const failsDiscreetly: Check = (answer) =>
  failed(answer) ? discreet(answer) : `did not fail: ${JSON.stringify(answer)}`;

/** A client of every kind, pipes included. */
async function everyKind(trial: Trial, server: ServerProcess, limits: ServerOptions['limits'] = {}): Promise<Talker[]> {
  const kinds = trial.full ? HTTP_KINDS : (['sse', '2025-11-25', '2026-07-28'] as const);
  const talkers: Talker[] = kinds.map((kind) => httpTalker(kind, server.url));
  const pipes = (trial.full ? ['2024-11-05', '2025-11-25', '2026-07-28'] : ['2025-11-25']).map((kind) =>
    pipeTalker(kind, { server: { limits } }),
  );
  for (const pipe of pipes) trial.atEnd(() => pipe.child.kill('SIGKILL'));
  return Promise.all([...talkers, ...pipes].map((talker) => trial.join(talker)));
}

/** Has everybody call a tool in every way there is, with honest clients beside. */
async function misuse(trial: Trial, tool: string, ways: readonly (readonly [string, Check])[]): Promise<void> {
  const server = await trial.serve();
  const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
  const talkers = await everyKind(trial, server);
  await Promise.all(
    talkers.map(async (talker) => {
      for (const [how, check] of ways) await talker.call(tool, { how }, { check });
    }),
  );
  await sleep(50);
  await crowd.stop();
  trial.recoverMs = await timed(() => talkers[0]?.call('plain', { text: 'x' }));
  trial.weigh(server.probe);
  trial.check(server.child.exitCode === null, 'the server is gone');
  trial.check(!server.log.includes('Cannot answer twice'), 'an exchange was answered twice');
  for (const talker of talkers) await talker.close();
}

async function timed(work: () => Promise<unknown> | undefined): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const throwing: Scenario = {
  name: 'tools-throw',
  says: 'tools throw errors, values, proxies and hostile getters, at once and later',
  runs: { short: 1, full: 20 },
  run: (trial) =>
    misuse(
      trial,
      'throw',
      Object.keys(BAD_THROWS).map((how) => [how, how === 'twice' ? discreet : failsDiscreetly]),
    ),
};

const badResults: Scenario = {
  name: 'tools-bad-results',
  says: 'tools return cycles, big integers, bombs that grow in toJSON, and things with traps in them',
  runs: { short: 1, full: 20 },
  run: (trial) =>
    misuse(
      trial,
      'result',
      Object.keys(BAD_RESULTS).map((how) => [how, discreet]),
    ),
};

const late: Scenario = {
  name: 'tools-late',
  says: 'tools reject and throw after their answer, in timers and ticks',
  runs: { short: 1, full: 20 },
  run: (trial) => {
    const ways = Object.keys(BAD_ENDS).filter((how) => !['exit', 'removeListeners'].includes(how));
    return misuse(
      trial,
      'end',
      ways.map((how) => [how, discreet]),
    );
  },
};

const exiting: Scenario = {
  name: 'tools-exit',
  says: 'tools call process.exit',
  runs: { short: 1, full: 20 },
  run: (trial) => misuse(trial, 'end', [['exit', failsDiscreetly]]),
};

const hanging: Scenario = {
  name: 'tools-hang',
  says: 'tools never return: each call ends at its deadline, and nothing of it stays',
  runs: { short: 1, full: 5 },
  async run(trial) {
    const limits = { callDeadlineMs: 700 };
    const server = await trial.serve({ limits });
    const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
    const before = await server.probe.vital();
    const talkers = await everyKind(trial, server, limits);
    const calls = talkers.flatMap((talker) =>
      Array.from({ length: trial.size(10, 200) }, (_, at) => {
        return talker.call(at % 2 === 0 ? 'hang' : 'deaf', {}, { check: failsSaying(/Deadline exceeded/) });
      }),
    );
    trial.recoverMs = await timed(() => Promise.all(calls));
    await crowd.stop();
    for (const talker of talkers) await talker.close();
    const after = await server.probe.vital();
    const timers = (vital: typeof after): number => vital.resources['Timeout'] ?? 0;
    trial.weigh(server.probe);
    trial.check(timers(after) <= timers(before) + 5, `${timers(after)} timers, ${timers(before)} before`);
  },
};

const spinning: Scenario = {
  name: 'tools-spin',
  says: 'isolated tools loop for ever: their calls end at their deadline, and nobody else waits',
  runs: { short: 1, full: 10 },
  async run(trial) {
    if (!existsSync(ISOLATED)) throw new Skipped('tools of modules cannot be isolated yet');
    const server = await trial.serve();
    const crowd = await trial.bystanders(server);
    const talker = await trial.join(httpTalker('2025-11-25', server.url));
    await talker.call('spin', { ms: 1 });
    crowd.start({ act: echo });
    let over = 0;
    const calls = [1, 2].map(async () => {
      await talker.call('spin', { ms: 1e9 }, { check: failsSaying(/Deadline exceeded/) });
      over += 1;
    });
    await sleep(250);
    for (const other of crowd.talkers) await echo(other, Math.random);
    trial.check(over === 0, 'others waited until the loop was ended');
    trial.recoverMs = await timed(() => Promise.all(calls));
    await talker.call('spin', { ms: 1 }, { check: (answer: JsonObject) => (failed(answer) ? 'not again' : undefined) });
    await crowd.stop();
    trial.weigh(server.probe);
    await talker.close();
  },
};

const huge: Scenario = {
  name: 'tools-huge-results',
  says: 'tools return more than may be sent',
  runs: { short: 1, full: 5 },
  async run(trial) {
    const limits = { outputBytes: 2 * MIB };
    const server = await trial.serve({ limits });
    const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
    const talkers = await everyKind(trial, server, limits);
    for (const talker of talkers) {
      const fits: Check = (answer) => (failed(answer) ? 'refused' : undefined);
      await talker.call('huge', { bytes: MIB }, { check: fits });
      const calls = Array.from({ length: 4 }, () =>
        talker.call('huge', { bytes: 3 * MIB }, { check: failsSaying(/too large/) }),
      );
      await Promise.all(calls);
    }
    await crowd.stop();
    trial.weigh(server.probe);
    for (const talker of talkers) await talker.close();
  },
};

/** Tools that misbehave inside their own call. */
export const unrulyTools: readonly Scenario[] = [throwing, badResults, late, exiting, hanging, spinning, huge];
