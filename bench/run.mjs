// `npm run bench`: what a request costs, as ratios to the cheapest server there can be. See bench/README.md.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { install } from '../scripts/install.mjs';
import { must, ROOT } from '../scripts/run.mjs';
import { loadSubjects, loadWorks } from './catalogue.mjs';
import { drawChart } from './chart.mjs';
import { writeDocument } from './document.mjs';
import { checkLoad, describeMachine, layOut } from './machine.mjs';
import { chooseWorks, readOptions } from './options.mjs';
import { showProfiles } from './profile.mjs';
import { lossesOf, ratiosOf, readRecorded, TOLERANCE, writeRecorded } from './recorded.mjs';
import { runWork } from './run-work.mjs';
import { renderPlain, summarise } from './tables.mjs';
import { boundOf, judge, TARGETS } from './targets.mjs';

const DOCUMENT = join(ROOT, 'docs', 'benchmarks.md');
const CHART = join(ROOT, 'docs', 'benchmarks.svg');
const PROFILES = join(ROOT, 'bench', 'profiles');

async function prepare({ dist, profile }) {
  install('bench');
  if (dist === undefined) await must('npm', ['run', '--silent', 'build']);
  if (profile) mkdirSync(PROFILES, { recursive: true });
  return {
    layout: layOut(),
    dist: resolve(dist ?? join(ROOT, 'dist')),
    profiles: profile ? PROFILES : undefined,
  };
}

async function measureAll(works, context) {
  const results = [];
  const began = performance.now();
  for (const [index, work] of works.entries()) {
    const seconds = Math.round((performance.now() - began) / 1000);
    console.error(`[${index + 1} of ${works.length}, ${seconds} s] ${work.id}`);
    const result = await runWork(work, context);
    results.push(result);
    console.log(`${renderPlain(result)}\n`);
    for (const { id, pids } of context.bench.profiles === undefined ? [] : result.rows) {
      showProfiles(pids, { folder: PROFILES, name: `${work.id}-${id}`, dist: context.bench.dist });
    }
  }
  return results;
}

function showTargets(verdicts) {
  const measured = verdicts.filter(({ verdict }) => verdict !== 'not measured');
  if (measured.length === 0) return;
  console.log('Targets');
  for (const { says, value, verdict, ...target } of measured) {
    console.log(`  ${verdict.padEnd(8)} ${value.toFixed(2).padStart(8)}  ${boundOf(target).padEnd(7)} ${says}`);
  }
  console.log('');
}

const lossText = ({ key, was, is, loss }) => `  ${key}: was ${was}, is ${is}, ${Math.round(loss * 100)} % worse`;

/** A loss counts when it shows twice. */
async function check(recorded, results, { works, ...context }) {
  const first = lossesOf(recorded.ratios, ratiosOf(results));
  const doubtful = new Set(first.map(({ key }) => key.split('/')[0]));
  if (doubtful.size === 0) return console.log(`Nothing lost more than ${TOLERANCE * 100} % since ${recorded.date}.`);
  console.error(`Measuring again: ${[...doubtful].join(', ')}`);
  const again = ratiosOf(
    await measureAll(
      works.filter(({ id }) => doubtful.has(id)),
      context,
    ),
  );
  const lost = lossesOf(Object.fromEntries(first.map(({ key, was }) => [key, was])), again);
  if (lost.length === 0) return console.log('What looked lost at first was not when measured again.');
  console.log(`Lost more than ${TOLERANCE * 100} % since ${recorded.date}:\n${lost.map(lossText).join('\n')}`);
  process.exitCode = 1;
}

function asJson(results, verdicts, machine) {
  const rows = results.map(({ work, skipped, ...result }) => ({
    work: work.id,
    rows: summarise({ work, ...result }),
    skipped,
  }));
  return JSON.stringify({ machine, results: rows, targets: verdicts });
}

async function main(args) {
  const options = readOptions(args);
  if (options.help !== undefined) return console.log(options.help);
  const [subjects, all] = [await loadSubjects(), await loadWorks()];
  if (options.list) {
    console.log(all.map(({ id, title }) => `${id.padEnd(24)} ${title}`).join('\n'));
    return console.log(`\nSubjects: ${subjects.map(({ id }) => id).join(', ')}`);
  }
  if (options.json) console.log = console.error;
  const works = chooseWorks(all, options.only);
  const recorded = readRecorded();
  if (options.check && recorded === undefined) {
    throw new Error('Cannot check: nothing is recorded yet. Run npm run bench -- --record on a quiet machine first');
  }
  const load = checkLoad(options.force);
  const bench = await prepare(options);
  const context = { bench, plan: options.plan, subjects, only: options.subject };
  const machine = describeMachine(bench.layout);
  const began = performance.now();
  const results = await measureAll(works, context);
  const verdicts = judge(TARGETS, results, machine);
  showTargets(verdicts);
  const run = { date: new Date().toISOString().slice(0, 10), load, seconds: (performance.now() - began) / 1000 };
  const { quick, profile, check: checks } = options;
  const whole = works.length === all.length && options.subject.length === 0 && !quick && !profile;
  if (whole && !checks) {
    writeFileSync(CHART, drawChart(results));
    writeFileSync(DOCUMENT, writeDocument({ results, verdicts, machine, run }));
    console.log('Written: docs/benchmarks.md, docs/benchmarks.svg');
  } else if (!checks) console.log('docs/benchmarks.md is left as it is: not everything was measured in full.');
  if (options.record) writeRecorded({ machine, date: run.date, ratios: ratiosOf(results) });
  if (checks) await check(recorded, results, { works, ...context });
  if (options.json) process.stdout.write(`${asJson(results, verdicts, machine)}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
