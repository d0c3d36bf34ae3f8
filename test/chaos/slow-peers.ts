import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { echo, holds } from './load/acts.ts';
import { httpTalker, pipeTalker } from './load/crowd.ts';
import type { LegacyTalker } from './load/legacy-talker.ts';
import type { ServerProcess } from './load/server-process.ts';
import { MIB, type Scenario, sleep, type Trial } from './scenario.ts';

/** Sends a text one byte at a time; resolves to how long the server put up with it. */
async function trickle(
  server: ServerProcess,
  { at, rest, everyMs }: { at: string; rest: string; everyMs: number },
): Promise<number> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => {}).resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const from = performance.now();
  socket.write(at);
  let sent = 0;
  const timer = setInterval(() => socket.write(rest[sent++ % rest.length] as string), everyMs);
  await closed;
  clearInterval(timer);
  return performance.now() - from;
}

async function slowly(trial: Trial, sent: { at: string; rest: string }): Promise<void> {
  const server = await trial.serve({ limits: { headerMs: 1000, requestMs: 1500 } });
  const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
  const before = await server.probe.vital();
  const sockets = Array.from({ length: trial.size(50, 2000) }, () => trickle(server, { ...sent, everyMs: 200 }));
  const times = await Promise.all(sockets);
  await crowd.stop();
  trial.recoverMs = Math.max(...times);
  trial.check(trial.recoverMs < 15_000, `a slow peer was put up with for ${Math.round(trial.recoverMs)} ms`);
  trial.weigh(server.probe);
  const after = await server.probe.vital();
  trial.check(
    after.descriptors <= before.descriptors + 20,
    `${after.descriptors} descriptors, ${before.descriptors} before`,
  );
}

const HEAD =
  'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n';

const slowHead: Scenario = {
  name: 'slow-head',
  says: 'heads of requests come byte by byte',
  runs: { short: 1, full: 2 },
  run: (trial) => slowly(trial, { at: HEAD, rest: 'x-filler: 1\r\n' }),
};

const slowBody: Scenario = {
  name: 'slow-body',
  says: 'bodies of requests come byte by byte',
  runs: { short: 1, full: 2 },
  run: (trial) => slowly(trial, { at: `${HEAD}Content-Length: 100000\r\n\r\n{"jsonrpc":"2.0"`, rest: ' ' }),
};

const slowReader: Scenario = {
  name: 'slow-reader',
  says: 'readers of streams stop reading, and are cut off before much waits for them',
  runs: { short: 1, full: 3 },
  async run(trial) {
    const server = await trial.serve({
      limits: { unreadBytes: 256 * 1024, readerMs: 1000, noticesPerSecond: 100_000 },
    });
    const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
    const before = trial.weigh(server.probe);
    const readers = Array.from(
      { length: trial.size(8, 100) },
      () => httpTalker('sse', server.url, { lossy: true }) as LegacyTalker,
    );
    await Promise.all(readers.map((reader) => trial.join(reader)));
    for (const reader of readers) reader.pauseMain();
    for (const reader of readers) void reader.call('flood', { what: 'log', count: 2000, bytes: 20_000 });
    await sleep(3500);
    const grown = (trial.weigh(server.probe) - before) / MIB;
    trial.note(`${(grown / readers.length).toFixed(1)} MiB a reader`);
    trial.check(grown < 40 + readers.length * 2.5, `grew by ${grown.toFixed(0)} MiB for ${readers.length} readers`);
    const open = async (): Promise<number> =>
      [...(await server.metrics())]
        .filter(([name]) => name.startsWith('parley_streams'))
        .reduce((sum, [, n]) => sum + n, 0);
    trial.recoverMs = await trial.until(async () => (await open()) <= crowd.talkers.length, 'the readers were let go');
    for (const reader of readers) {
      reader.drop();
      await reader.close();
    }
    await crowd.stop();
  },
};

const fullPipe: Scenario = {
  name: 'full-pipe',
  says: 'a client on a pipe goes on asking and never reads: the server waits, and loses nothing',
  runs: { short: 1, full: 3 },
  async run(trial) {
    const talker = await trial.join(pipeTalker('2025-11-25', { patienceMs: 120_000 }));
    trial.atEnd(() => talker.child.kill('SIGKILL'));
    const before = trial.weigh(talker.probe);
    talker.child.stdout?.pause();
    const filler = 'x'.repeat(64 * 1024);
    const calls = Array.from({ length: trial.size(400, 4000) }, () => {
      const text = talker.nonce() + filler;
      return talker.call('plain', { text }, { check: holds(text) });
    });
    await sleep(trial.size(1500, 4000));
    const grown = (trial.weigh(talker.probe) - before) / MIB;
    trial.check(grown < 100, `grew by ${grown.toFixed(0)} MiB`);
    const from = performance.now();
    talker.child.stdout?.resume();
    await Promise.all(calls);
    trial.recoverMs = performance.now() - from;
    await talker.close();
  },
};

const unreadErrors: Scenario = {
  name: 'full-stderr',
  says: 'nobody reads stderr while tools fail and log: answers go on',
  runs: { short: 1, full: 3 },
  async run(trial) {
    const talker = await trial.join(pipeTalker('2025-11-25', { patienceMs: 20_000 }));
    trial.atEnd(() => talker.child.kill('SIGKILL'));
    talker.child.stderr?.pause();
    const calls = trial.size(400, 4000);
    for (let at = 0; at < calls && talker.ledger.tally.lost === 0; at += 1)
      await talker.call('throw', { how: 'error' });
    await echo(talker, Math.random);
    trial.weigh(talker.probe);
    talker.child.stderr?.resume();
    await talker.close();
  },
};

const HALF_OPEN = fileURLToPath(new URL('./half-open.js', import.meta.url));

const stopped: Scenario = {
  name: 'half-open',
  says: 'the process of a client is stopped with streams and calls open, and then killed',
  runs: { short: 1, full: 5 },
  async run(trial) {
    const limits = { readerMs: 1000, keepAliveMs: 200, unreadBytes: 128 * 1024, noticesPerSecond: 100_000 };
    const server = await trial.serve({ limits });
    const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
    await sleep(200);
    const before = await server.probe.vital();
    const peer = spawn(process.execPath, [HALF_OPEN, server.url, String(trial.size(20, 200))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    trial.atEnd(() => peer.kill('SIGKILL'));
    await once(peer.stdout, 'data');
    peer.kill('SIGSTOP');
    await sleep(trial.size(2500, 6000));
    trial.weigh(server.probe);
    peer.kill('SIGKILL');
    trial.recoverMs = await trial.until(async () => {
      const { descriptors } = await server.probe.vital();
      return descriptors <= before.descriptors + 10;
    }, 'its descriptors were closed');
    await crowd.stop();
    const grown = (server.probe.peak - before.rss) / MIB;
    trial.check(grown < 200, `grew by ${grown.toFixed(0)} MiB`);
  },
};

const idleSockets: Scenario = {
  name: 'idle-sockets',
  says: 'connections are opened and nothing is said',
  runs: { short: 1, full: 2 },
  async run(trial) {
    const server = await trial.serve({ limits: { headerMs: 1000, idleSocketMs: 1000, requestMs: 1000 } });
    const crowd = (await trial.bystanders(server)).start({ act: echo, restMs: 5 });
    const port = Number(new URL(server.url).port);
    const closing: Promise<unknown>[] = [];
    const from = performance.now();
    // In waves: a connection that finds the queue of the listener full is open for the client alone.
    for (let wave = 0; wave < trial.size(1, 30); wave += 1) {
      const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => {}));
      closing.push(...sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve))));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      await sleep(20);
    }
    await Promise.all(closing);
    trial.recoverMs = performance.now() - from;
    trial.check(trial.recoverMs < 15_000, `kept for ${Math.round(trial.recoverMs)} ms`);
    trial.weigh(server.probe);
    await crowd.stop();
  },
};

/** Peers that take their time. */
export const slowPeers: readonly Scenario[] = [
  slowHead,
  slowBody,
  slowReader,
  fullPipe,
  unreadErrors,
  stopped,
  idleSockets,
];
