import { parseArgs } from 'node:util';
import { HTTP_KINDS, httpTalker, PIPE_KINDS, pipeTalker } from '../chaos/load/crowd.ts';
import type { Vital } from '../chaos/load/probe.ts';
import { randomFrom } from '../chaos/load/secret.ts';
import { ServerProcess } from '../chaos/load/server-process.ts';
import { addTallies, BLEMISHES, isClean, type Tally } from '../chaos/load/tally.ts';
import { Resident } from './resident.ts';

// `npm run soak -- --minutes N`: everything at once for a long time, with faults; at the end nothing may be left.

const MIB = 1024 * 1024;
// What is kept for a while is kept shortly, so that what is kept for ever shows.
const LIMITS = { sessionIdleMs: 4000, taskTtlMs: 3000, taskDefaultTtlMs: 3000, outboxTtlMs: 3000, keepAliveMs: 2000 };
/** Part of the time that warms everything up, before the heap is first measured. */
const WARM = 0.25;
const STEADY_MINUTES = 3;
const MOST_BYTES_A_REQUEST = 16;
const MOST_LEFT = 8 * MIB;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '24' },
    pipes: { type: 'string', default: '6' },
    /** Ends the server with SIGTERM and starts it again every so many minutes. */
    'restart-every': { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const restartMs = values['restart-every'] === undefined ? undefined : Number(values['restart-every']) * 60_000;
const lossy = restartMs !== undefined;
const random = randomFrom(Number(values.seed));

let server = await ServerProcess.start({ limits: LIMITS });
const port = Number(new URL(server.url).port);
const begin = await server.probe.vital();

const residents = [
  ...Array.from({ length: Number(values.clients) }, (_, at) => {
    const kind = HTTP_KINDS[at % HTTP_KINDS.length] as string;
    return new Resident({ next: () => httpTalker(kind, server.url, { lossy }), random, stay: 40 });
  }),
  ...Array.from({ length: Number(values.pipes) }, (_, at) => {
    const kind = PIPE_KINDS[at % PIPE_KINDS.length] as string;
    return new Resident({ next: () => pipeTalker(kind), random });
  }),
];
const tally = (): Tally => addTallies(residents.map((resident) => resident.tally));
const problems: string[] = [];

async function look(seconds: number): Promise<void> {
  const { heap, rss, descriptors } = await server.probe.vital();
  const metrics = await server.metrics();
  const { sent, answered, excused, ...rest } = tally();
  const bad = BLEMISHES.reduce((sum, blemish) => sum + rest[blemish], 0);
  console.log(
    `${String(Math.round(seconds)).padStart(5)} s  requests ${sent}  answered ${answered}  called off ${excused}  bad ${bad}` +
      `  heap ${(heap / MIB).toFixed(1)} MiB  rss ${(rss / MIB).toFixed(0)} MiB  fds ${descriptors}` +
      `  sessions ${metrics.get('parley_sessions') ?? 0}`,
  );
}

async function restart(): Promise<void> {
  const { code } = await server.stop();
  if (code !== 0) problems.push(`the server ended with ${code}`);
  server = await ServerProcess.start({ limits: LIMITS, port });
  for (const resident of residents) resident.evict();
}

/** Everybody at work for so long. */
async function soak(forMs: number): Promise<void> {
  const from = performance.now();
  const work = residents.map((resident) => resident.live());
  let restarted = from;
  for (let passed = 0; passed < forMs; passed = performance.now() - from) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, forMs - passed)));
    await look(performance.now() / 1000);
    if (restartMs === undefined || performance.now() - restarted < restartMs) continue;
    await restart();
    restarted = performance.now();
  }
  for (const resident of residents) resident.stop();
  await Promise.all(work);
}

/** Waits until everything is given back. */
async function drained(): Promise<{ end: Vital; left: string[] }> {
  const deadline = performance.now() + LIMITS.sessionIdleMs + 20_000;
  // What is kept for those who come back is kept for this long.
  await new Promise((resolve) => setTimeout(resolve, 2 * LIMITS.outboxTtlMs));
  for (;;) {
    const metrics = await server.metrics();
    const end = await server.probe.vital();
    const left = [...metrics]
      .filter(([name, value]) => /^parley_(?:sessions|streams)(?:\{|$)/.test(name) && value !== 0)
      .map(([name, value]) => `${name} ${value}`);
    if (end.descriptors > begin.descriptors) left.push(`descriptors ${end.descriptors}, ${begin.descriptors} before`);
    const timers = (vital: Vital): number => vital.resources['Timeout'] ?? 0;
    if (timers(end) > timers(begin) + 2) left.push(`timers ${timers(end)}, ${timers(begin)} before`);
    if (left.length === 0 || performance.now() > deadline) return { end, left };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

await soak(WARM * minutes * 60_000);
// What is compared is a server that is warm and has nothing to do.
const warm = await drained();
const warmRequests = tally().sent;
await soak((1 - WARM) * minutes * 60_000);
const { end, left } = await drained();
const sum = tally();
const slope = (end.heap - warm.end.heap) / (sum.sent - warmRequests);
const grown = end.heap - begin.heap;
problems.push(...left.map((thing) => `left over: ${thing}`));
if (!isClean(sum)) problems.push('answers were missing, doubled or wrong');
if (lossy === false && minutes >= STEADY_MINUTES && slope > MOST_BYTES_A_REQUEST)
  problems.push(`the heap grows by ${slope.toFixed(1)} bytes a request`);
if (grown > MOST_LEFT) problems.push(`${(grown / MIB).toFixed(1)} MiB of heap stay`);
const { code } = await server.stop();
if (code !== 0) problems.push(`the server ended with ${code}`);

console.log(`requests            ${sum.sent}`);
console.log(`answers missing     ${sum.lost}`);
console.log(`answers duplicated  ${sum.doubled}`);
console.log(`answers malformed   ${sum.malformed + sum.wrong}`);
console.log(`crossed             ${sum.crossed}`);
console.log(`out of order        ${sum.disordered}`);
console.log(`heap slope          ${slope.toFixed(2)} bytes a request`);
const heaps = [begin, warm.end, end].map(({ heap }) => (heap / MIB).toFixed(2));
console.log(`heap                ${heaps.join(', ')} MiB at the start, when warm, after`);
console.log(
  `rss                 ${(begin.rss / MIB).toFixed(0)} MiB at the start, ${(end.rss / MIB).toFixed(0)} MiB after`,
);
console.log(`descriptors         ${begin.descriptors} at the start, ${end.descriptors} after`);
console.log(
  `handles             ${JSON.stringify(begin.resources)} at the start, ${JSON.stringify(end.resources)} after`,
);
for (const remark of residents.flatMap(({ remarks }) => remarks).slice(0, 20)) console.log(`  ${remark}`);
for (const problem of problems) console.log(`  PROBLEM: ${problem}`);
console.log(`  ${problems.length === 0 ? 1 : 0} passed, ${problems.length === 0 ? 0 : 1} failed`);
process.exit(problems.length === 0 ? 0 : 1);
