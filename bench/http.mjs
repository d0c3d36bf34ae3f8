// HTTP: what a request costs in both eras, what a session weighs, and what is left of it.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HttpDriver } from './http-driver.mjs';
import { summarise } from './report.mjs';
import { MEGABYTE } from './subjects/http-tools.mjs';

const subject = (name) => fileURLToPath(new URL(`subjects/${name}`, import.meta.url));
const program = { name: 'parley in a program', argv: [subject('parley-http-program.mjs')] };

export const httpSubjects = (dist) => [
  { name: 'floor: node:http', argv: [subject('floor-http.mjs')], modern: true, sessions: false },
  {
    name: 'parley serve --module',
    argv: [join(dist, 'src', 'cli', 'parley.js'), 'serve', '--port', '0', '--module', subject('parley-http-tools.mjs')],
    modern: true,
    sessions: true,
  },
  { name: 'official SDK 1.32.2', argv: [subject('sdk-1-http.mjs')], modern: false, sessions: true },
  { name: 'official SDK 2.4.0', argv: [subject('sdk-2-http.mjs')], modern: true, sessions: true },
  { name: 'tmcp 1.20.0', argv: [subject('tmcp-http.mjs')], modern: true, sessions: true, agrees: '2025-06-18' },
];

const MANY = 1000;
const FULL = { rounds: 3, ms: 1500, warmMs: 1000, opens: 2000, streams: 2000, abandoned: 10_000, idleMs: 4000 };
const QUICK = { rounds: 1, ms: 700, warmMs: 700, opens: 500, streams: 500, abandoned: 2000, idleMs: 2000 };
const ANY = Number.MAX_SAFE_INTEGER;

const BLOCKS = {
  session: { title: 'tools/call, 64 connections, 2025-11-25' },
  alone: { title: 'tools/call, 64 connections, 2026-07-28' },
  opens: { title: 'initialize and initialized, 64 connections' },
  lists: { title: `tools/list, ${MANY} tools, 4 connections` },
  argument: { title: '1 MB argument, 4 connections' },
  result: { title: '1 MB result, 4 connections' },
  start: { title: 'start to first answer', kind: 'start' },
};

async function measureCalls(subject, plan) {
  const driver = new HttpDriver(subject);
  const measured = { start: { ms: await driver.open() } };
  const many = await driver.connect(64);
  await driver.calls({ ...many, count: ANY, ms: plan.warmMs });
  measured.session = await driver.calls({ ...many, count: ANY, ms: plan.ms });
  if (subject.modern) {
    const modern = await driver.connect(64, { modern: true });
    await driver.calls({ ...modern, count: ANY, ms: plan.warmMs });
    measured.alone = await driver.calls({ ...modern, count: ANY, ms: plan.ms });
  }
  const few = await driver.connect(4);
  const large = { tool: 'measure', text: () => MEGABYTE, expected: () => String(MEGABYTE.length) };
  measured.argument = await driver.calls({ ...few, ...large, count: ANY, ms: plan.ms });
  measured.result = await driver.calls({ ...few, tool: 'produce', expected: () => MEGABYTE, count: ANY, ms: plan.ms });
  // Connections that rested may be closed by now.
  const fresh = await driver.connect(64, { modern: true });
  await driver.opens({ ...fresh, count: plan.opens / 4, ms: plan.ms });
  measured.opens = await driver.opens({ ...fresh, count: plan.opens, ms: plan.ms });
  await driver.close();
  return measured;
}

async function measureLists(subject, plan) {
  const driver = new HttpDriver(subject, { env: { BENCH_TOOLS: String(MANY) } });
  await driver.open();
  const few = await driver.connect(4);
  await driver.lists({ ...few, count: 10, tools: MANY });
  const lists = await driver.lists({ ...few, count: ANY, ms: plan.ms, tools: MANY });
  await driver.close();
  return { lists };
}

const KB = 1024;

/** What an idle session with an open stream weighs. */
async function weighStreams(subject, plan) {
  const driver = new HttpDriver(subject, { probed: true });
  await driver.open();
  await driver.streams(100);
  const before = await driver.memory();
  await driver.streams(plan.streams);
  const after = await driver.memory();
  await driver.close();
  const each = (key) => (after[key] - before[key]) / plan.streams / KB;
  return { heap: each('heap'), rss: each('rss') };
}

/** What sessions weigh that nobody comes back to, and what is left when they are over. */
async function abandon(plan) {
  const limits = { sessions: 2 * plan.abandoned, sessionIdleMs: plan.idleMs };
  const driver = new HttpDriver(program, { probed: true, env: { BENCH_LIMITS: JSON.stringify(limits) } });
  await driver.open();
  const opens = async (count) => driver.opens({ ...(await driver.connect(16, { modern: true })), count });
  const rounds = [];
  await opens(500);
  await pause(plan.idleMs + 2000);
  const before = await driver.memory();
  for (const _ of [1, 2]) {
    await opens(plan.abandoned);
    const full = await driver.memory();
    await pause(plan.idleMs + 2000);
    rounds.push({ full, left: await driver.memory() });
  }
  await driver.close();
  const over = ({ heap, rss }) => ({ heap: (heap - before.heap) / KB, rss: (rss - before.rss) / KB });
  return rounds.flatMap(({ full, left }, index) => [
    { name: `round ${index + 1}: all open`, summary: over(full) },
    { name: `round ${index + 1}: all expired`, summary: over(left) },
  ]);
}

function keep(samples, measured) {
  for (const [block, values] of Object.entries(measured)) {
    samples[block] ??= {};
    for (const [key, value] of Object.entries(values)) {
      samples[block][key] ??= [];
      samples[block][key].push(value);
    }
  }
}

async function measureAll(subjects, plan) {
  const samples = new Map(subjects.map(({ name }) => [name, {}]));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(round + turn) % subjects.length];
      keep(samples.get(subject.name), await measureCalls(subject, plan));
      keep(samples.get(subject.name), await measureLists(subject, plan));
    }
    console.error(`http: round ${round + 1} of ${plan.rounds}`);
  }
  return samples;
}

async function memoryBlocks(subjects, plan) {
  const rows = [];
  for (const subject of subjects.filter(({ sessions }) => sessions)) {
    rows.push({ name: subject.name, summary: await weighStreams(subject, plan) });
  }
  const thousands = (count) => count.toLocaleString('en');
  return [
    { title: `each of ${thousands(plan.streams)} idle sessions with a stream`, kind: 'memory', key: 'idle', rows },
    {
      title: `${thousands(plan.abandoned)} abandoned sessions of parley, in all`,
      kind: 'memory',
      key: 'abandoned',
      rows: await abandon(plan),
    },
  ];
}

/** The blocks of the report on HTTP. */
export async function measureHttp(subjects, { quick, memory }) {
  const plan = quick ? QUICK : FULL;
  const samples = await measureAll(subjects, plan);
  const [floor] = samples.values();
  const blocks = Object.entries(BLOCKS).map(([key, block]) => ({
    ...block,
    key,
    rows: [...samples]
      .filter(([, taken]) => taken[key] !== undefined)
      .map(([name, taken]) => ({ name, summary: summarise(taken[key], floor[key]) })),
  }));
  return { rounds: plan.rounds, blocks: memory ? [...blocks, ...(await memoryBlocks(subjects, plan))] : blocks };
}
