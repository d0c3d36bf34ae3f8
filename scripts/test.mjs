// `npm test`: every check, in order, up to the first that fails. `npm test -- --only unit,docs` runs some of them.

import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RAW_COVERAGE } from './coverage.mjs';
import { isMain } from './run.mjs';
import { STEPS } from './steps.mjs';

const NAMES = STEPS.map(({ name }) => name).join(', ');

/** The steps to run: all, or the named ones after a build. */
export function choose(only) {
  if (only.length === 0) return STEPS;
  const names = new Set(only.flatMap((list) => list.split(',')));
  for (const name of names) {
    if (!STEPS.some((step) => step.name === name))
      throw new TypeError(`No step is called "${name}". There are: ${NAMES}`);
  }
  return STEPS.filter(({ name }) => name === 'types' || names.has(name));
}

async function runStep(step) {
  const started = performance.now();
  console.log(`\n── ${step.name}: ${step.says}`);
  let result;
  try {
    result = await step.run();
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
    result = { ok: false };
  }
  if (result.missing !== undefined) console.log(`  not there yet: ${result.missing}`);
  return { passed: 0, failed: 0, ...result, name: step.name, seconds: (performance.now() - started) / 1000 };
}

function sign({ ok, missing }) {
  if (missing !== undefined) return '–';
  return ok ? '✔' : '✖';
}

function printSummary(results, planned) {
  console.log('\n── summary');
  for (const result of results) {
    const note = result.missing === undefined ? '' : '   not there yet';
    console.log(`  ${sign(result)} ${result.name.padEnd(13)} ${result.seconds.toFixed(1).padStart(6)} s${note}`);
  }
  const last = results.at(-1);
  const left = planned.slice(results.length).map(({ name }) => name);
  if (!last.ok) console.log(`  step "${last.name}" failed${left.length > 0 ? `; not run: ${left.join(', ')}` : ''}`);
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const failed = last.ok ? sum('failed') : Math.max(1, sum('failed'));
  console.log(`\n${sum('passed')} passed, ${failed} failed`);
}

async function main() {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true, default: [] } } });
  const planned = choose(values.only);
  rmSync(RAW_COVERAGE, { recursive: true, force: true });
  const results = [];
  for (const step of planned) {
    results.push(await runStep(step));
    if (!results.at(-1).ok) break;
  }
  printSummary(results, planned);
  process.exitCode = results.at(-1).ok ? 0 : 1;
}

if (isMain(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 2;
  }
}
