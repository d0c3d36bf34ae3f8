// Clients of other makers, of every era, against the built server over stdio.
// Usage: node test/clients/run.mjs [--only "sdk 1.9.0"] [--cli path/to/parley.js]

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install } from '../../scripts/install.mjs';
import { ROOT } from '../../scripts/run.mjs';

const STEP_MS = 10_000;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

async function within(ms, work) {
  const controller = new AbortController();
  const late = pause(ms, undefined, { signal: controller.signal }).then(() => {
    throw new Error(`Took longer than ${ms} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    controller.abort();
    late.catch(() => {});
  }
}

/** Waits until every server that was started has ended, and returns how. */
async function readRecords(folder) {
  let files = [];
  for (let left = 100; left > 0; left -= 1) {
    files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    if (files.length > 0) break;
    await pause(50);
  }
  if (files.length === 0) throw new Error('The server did not end');
  return files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

async function take(step, context) {
  try {
    return (await within(
      STEP_MS,
      Promise.resolve().then(() => step(context)),
    )) === false
      ? 'absent'
      : 'passed';
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function meet(peer, { steps, cli, folder }) {
  mkdirSync(folder);
  const outcome = { name: peer.name, steps: {} };
  const server = {
    command: process.execPath,
    args: [
      here('witness.mjs'),
      folder,
      cli,
      'stdio',
      '--module',
      here('fixture.ts'),
      '--log-file',
      join(folder, 'log'),
    ],
    env: { PATH: process.env.PATH },
  };
  const context = { peer, records: () => readRecords(folder) };
  outcome.steps.connect = await take(async () => {
    context.client = await peer.open(server);
  }, context);
  if (context.client === undefined) return outcome;
  for (const [name, step] of Object.entries(steps)) outcome.steps[name] = await take(step, context);
  return outcome;
}

const SIGNS = { passed: '✔', absent: '–' };

function printTable(outcomes, names) {
  const width = Math.max(...names.map((name) => name.length));
  console.log(`\n${'step'.padEnd(width)}  ${outcomes.map((_, index) => String(index + 1).padStart(3)).join('')}`);
  for (const name of names) {
    const row = outcomes.map(({ steps }) => (SIGNS[steps[name]] ?? '✖').padStart(3));
    console.log(`${name.padEnd(width)}  ${row.join('')}`);
  }
  console.log(`\n${outcomes.map(({ name }, index) => `${String(index + 1).padStart(3)} = ${name}`).join('\n')}`);
  console.log('  ✔ as it should be   – this client has no such thing   ✖ failed');
}

function printFailures(outcomes) {
  for (const { name, steps } of outcomes) {
    for (const [step, result] of Object.entries(steps)) {
      if (result instanceof Error) console.log(`\n✖ ${name}: ${step}\n  ${result.stack ?? result.message}`);
    }
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      cli: { type: 'string', default: join(ROOT, 'dist', 'src', 'cli', 'parley.js') },
    },
  });
  install('test/clients');
  const [{ PEERS }, { STEPS }] = await Promise.all([import('./peers.mjs'), import('./steps.mjs')]);
  const peers = PEERS.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  const scratch = mkdtempSync(join(tmpdir(), 'parley-clients-'));
  const outcomes = [];
  for (const [index, peer] of peers.entries()) {
    const started = performance.now();
    outcomes.push(await meet(peer, { steps: STEPS, cli: values.cli, folder: join(scratch, String(index)) }));
    console.log(`  ${peer.name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  printFailures(outcomes);
  printTable(outcomes, ['connect', ...Object.keys(STEPS)]);
  const results = outcomes.flatMap(({ steps }) => Object.values(steps));
  const failed = results.filter((result) => result instanceof Error).length;
  console.log(`\n${results.filter((result) => result === 'passed').length} passed, ${failed} failed`);
  if (failed === 0) rmSync(scratch, { recursive: true });
  else console.log(`Logs and records are in ${scratch}`);
  process.exit(failed === 0 ? 0 : 1);
}

await main();
