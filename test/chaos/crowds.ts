import { Agent, request } from 'node:http';
import { echo, holds } from './load/acts.ts';
import { httpTalker } from './load/crowd.ts';
import type { ServerProcess } from './load/server-process.ts';
import { SessionTalker } from './load/session-talker.ts';
import { MIB, type Scenario, sleep } from './scenario.ts';

/** Opens a session and leaves it; resolves to the status. */
function openAndLeave(server: ServerProcess, agent: Agent): Promise<number> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'crowd', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(body.length),
  };
  return new Promise((resolve, reject) => {
    const asking = request(server.url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    asking.on('error', reject).end(body);
  });
}

async function inTurns(count: number, width: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

const sessions: Scenario = {
  name: 'sessions-never-closed',
  says: 'sessions are opened and never closed: each costs little, there is a most, and silence ends them',
  runs: { short: 1, full: 1 },
  async run(trial) {
    const most = trial.size(500, 10_000);
    // Long enough for all of them to be open at once on a slow machine.
    const idleMs = trial.size(6000, 60_000);
    const server = await trial.serve({ limits: { sessions: most, sessionIdleMs: idleMs } });
    const talker = await trial.join(httpTalker('2026-07-28', server.url));
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    trial.atEnd(() => agent.destroy());
    // What is made once is not made by the sessions that are counted.
    await inTurns(20, 4, () => openAndLeave(server, agent));
    const before = await server.probe.vital();
    const statuses = new Map<number, number>();
    await inTurns(most, 16, async () => {
      const status = await openAndLeave(server, agent);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    const during = await server.probe.vital();
    const opened = statuses.get(200) ?? 0;
    // The memory of the process says something only of many.
    const held = trial.full ? Math.max(during.heap - before.heap, during.rss - before.rss) : during.heap - before.heap;
    const each = held / opened;
    trial.weigh(server.probe);
    trial.note(`${opened} sessions, ${(each / 1024).toFixed(1)} KiB each`);
    const refused = statuses.get(503) ?? 0;
    trial.check(
      opened + refused === most && opened <= most && refused > 0,
      `statuses ${JSON.stringify([...statuses])}`,
    );
    trial.check(each < 12 * 1024, `a session costs ${Math.round(each)} bytes`);
    await echo(talker, Math.random);
    const count = async (): Promise<number> => (await server.metrics()).get('parley_sessions') ?? -1;
    trial.recoverMs = await trial.until(async () => (await count()) === 0, 'all sessions expired', idleMs + 15_000);
    await sleep(200);
    const after = await server.probe.vital();
    const kept = (after.heap - before.heap) / opened;
    trial.note(`${kept.toFixed(0)} B each kept after expiry`);
    trial.check(kept < 1024 || after.heap - before.heap < 2 * MIB, `${Math.round(kept)} bytes stay of each session`);
    trial.check((await openAndLeave(server, agent)) === 200, 'no session can be opened after expiry');
    await talker.close();
  },
};

const streams: Scenario = {
  name: 'concurrent-streams',
  says: 'thousands of streams are open at once, some read slowly, and each gets its own answers',
  runs: { short: 1, full: 1 },
  async run(trial) {
    const server = await trial.serve();
    const count = trial.size(200, 2000);
    const kinds = ['2025-11-25', 'sse', '2025-03-26', '2026-07-28'];
    const talkers = Array.from({ length: count }, (_, at) => httpTalker(kinds[at % 4] as string, server.url));
    const before = await server.probe.vital();
    const ends: (() => unknown)[] = [];
    await inTurns(count, 32, async (at) => {
      const talker = talkers[at] as (typeof talkers)[number];
      await trial.join(talker);
      if (talker instanceof SessionTalker) talker.listen();
      else if ('listen' in talker)
        ends.push(await talker.listen({ resourceSubscriptions: [`note://${talker.secret}`] }));
    });
    await sleep(300);
    const during = await server.probe.vital();
    const each = (during.rss - before.rss) / count;
    trial.note(`${count} streams, ${(each / 1024).toFixed(0)} KiB each`);
    trial.check(each < 64 * 1024, `a stream costs ${Math.round(each)} bytes`);
    const slow = talkers.filter(
      (talker, at) => at % 7 === 0 && 'pauseMain' in talker && talker.revision === '2024-11-05',
    );
    for (const talker of slow) (talker as { pauseMain(): void }).pauseMain();
    await Promise.all(
      talkers.map((talker) => {
        if (slow.includes(talker)) return undefined;
        const text = talker.nonce();
        return talker.call('echo', { text, ms: 400, steps: 2 }, { progress: true, check: holds(text) });
      }),
    );
    trial.weigh(server.probe);
    for (const end of ends) await end();
    await inTurns(count, 64, (at) => (talkers[at] as (typeof talkers)[number]).close());
    trial.recoverMs = await trial.until(async () => {
      const { descriptors } = await server.probe.vital();
      return descriptors <= before.descriptors + 8;
    }, 'the descriptors were given back');
    const metrics = await server.metrics();
    for (const name of ['parley_sessions', 'parley_streams{kind="session"}'])
      trial.check((metrics.get(name) ?? 0) === 0, `${name} is ${metrics.get(name)}`);
  },
};

/** More clients than anybody expects. */
export const crowds: readonly Scenario[] = [sessions, streams];
