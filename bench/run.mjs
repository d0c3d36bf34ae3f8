// `npm run bench`: how much a call costs, as ratios to the cheapest server there can be. See bench/README.md.

import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from '../scripts/install.mjs';
import { must, ROOT } from '../scripts/run.mjs';
import { Driver } from './driver.mjs';
import { httpSubjects, measureHttp } from './http.mjs';
import { render, summarise } from './report.mjs';

const at = (...path) => join(ROOT, ...path);
const subject = (name) => at('bench', 'subjects', name);

const subjectsIn = (dist) => [
  { name: 'floor: read, parse, write', argv: [subject('floor-stdio.mjs')], modern: true },
  {
    name: 'parley stdio --module',
    argv: [join(dist, 'src', 'cli', 'parley.js'), 'stdio', '--module', subject('parley-tools.mjs')],
    modern: true,
  },
  { name: 'parley in a program', argv: [subject('parley-program.mjs')], modern: true },
  { name: 'official SDK 1.32.2', argv: [subject('sdk-1.mjs')], modern: false },
  { name: 'official SDK 2.4.0', argv: [subject('sdk-2.mjs')], modern: true },
];

const FULL = { rounds: 5, warmUp: 5000, flood: 40_000, line: 4000, lists: 300, ms: 3000 };
const QUICK = { rounds: 2, warmUp: 10_000, flood: 10_000, line: 1000, lists: 50, ms: 1000 };
const MANY = 1000;
/** Load per processor from which on a measurement says more about the neighbours. */
const BUSY = 0.5;

const BLOCKS = {
  flood: { title: 'tools/call, 64 in flight' },
  line: { title: 'tools/call, one at a time' },
  lists: { title: `tools/list, ${MANY} tools` },
  start: { title: 'start to first answer', kind: 'start' },
  startMany: { title: `start to first answer, ${MANY} tools`, kind: 'start' },
};

async function measureCalls(subject, { plan, modern }) {
  const driver = new Driver(subject, { modern });
  const ms = await driver.open();
  await driver.calls(plan.warmUp, { inFlight: 64, ms: plan.ms });
  const flood = await driver.calls(plan.flood, { inFlight: 64, ms: plan.ms });
  await driver.calls(plan.warmUp / 5, { ms: plan.ms });
  const line = await driver.calls(plan.line, { ms: plan.ms });
  await driver.close();
  return { flood, line, start: { ms } };
}

async function measureLists(subject, { plan, modern }) {
  const driver = new Driver(subject, { modern, env: { BENCH_TOOLS: String(MANY) } });
  const ms = await driver.open();
  await driver.lists(Math.ceil(plan.lists / 10), { tools: MANY, ms: plan.ms });
  const lists = await driver.lists(plan.lists, { tools: MANY, ms: plan.ms });
  await driver.close();
  return { lists, startMany: { ms } };
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

/** Every subject once a round, each round starting with another, so that a drift of the machine meets all alike. */
async function measureAll(subjects, options) {
  const samples = new Map(subjects.map(({ name }) => [name, {}]));
  for (let round = 0; round < options.plan.rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(round + turn) % subjects.length];
      keep(samples.get(subject.name), await measureCalls(subject, options));
      keep(samples.get(subject.name), await measureLists(subject, options));
    }
    console.error(`round ${round + 1} of ${options.plan.rounds}`);
  }
  return samples;
}

function report(samples) {
  const [floor] = samples.values();
  return Object.entries(BLOCKS).map(([key, block]) => ({
    ...block,
    key,
    rows: [...samples].map(([name, taken]) => ({ name, summary: summarise(taken[key], floor[key]) })),
  }));
}

function checkLoad(force) {
  const [load] = loadavg();
  if (load < BUSY * cpus().length) return;
  const said = `The machine is busy: load ${load.toFixed(2)} on ${cpus().length} processors`;
  if (!force) throw new Error(`${said}. Wait until it is quiet, or say --force and trust only the ratios`);
  console.error(`!!! ${said}. Trust only the ratios, and those not far !!!`);
}

/** The floor, and those subjects that were named. */
function chosenOf(subjects, only) {
  const named = ({ name }) => only.length === 0 || only.some((part) => name.includes(part));
  return subjects.filter((subject, index) => index === 0 || named(subject));
}

async function overStdio({ dist, quick, modern, only }) {
  const plan = quick ? QUICK : FULL;
  const subjects = chosenOf(subjectsIn(dist), only).filter((subject) => subject.modern || !modern);
  const blocks = report(await measureAll(subjects, { plan, modern }));
  return { over: `stdio, ${modern ? '2026-07-28' : '2025-11-25'}`, rounds: plan.rounds, blocks };
}

async function overHttp({ dist, quick, only }) {
  const { rounds, blocks } = await measureHttp(chosenOf(httpSubjects(dist), only), { quick, memory: true });
  return { over: 'HTTP', rounds, blocks };
}

const WAYS = { stdio: overStdio, http: overHttp };

async function main() {
  const { values } = parseArgs({
    options: {
      over: { type: 'string', multiple: true, default: Object.keys(WAYS) },
      quick: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      modern: { type: 'boolean', default: false },
      dist: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  checkLoad(values.force);
  if (values.json) console.log = console.error;
  install('bench');
  if (values.dist === undefined) await must('npm', ['run', '--silent', 'build']);
  const dist = resolve(values.dist ?? at('dist'));
  process.env.BENCH_DIST = dist;
  const reports = [];
  for (const way of values.over) {
    if (!Object.hasOwn(WAYS, way))
      throw new Error(`Cannot measure over "${way}": there are ${Object.keys(WAYS).join(', ')}`);
    const { over, rounds, blocks } = await WAYS[way]({ ...values, dist });
    reports.push({ over, rounds, blocks });
    console.log(`\n${over}, Node ${process.version}, medians of ${rounds} rounds\n\n${render(blocks)}`);
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ node: process.version, reports })}\n`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
