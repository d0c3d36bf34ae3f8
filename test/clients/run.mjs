// Clients of other makers, of every era, against the built server over stdio, HTTP and the
// older event streams.
// Usage: node test/clients/run.mjs [--only "sdk 1.9.0 sse"] [--cli path/to/parley.js]

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { install } from '../../scripts/install.mjs';
import { ROOT } from '../../scripts/run.mjs';
import { openServer } from './servers.mjs';

const STEP_MS = 10_000;
const AT_ONCE = 3;

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
  const server = await openServer(peer.way, { cli, folder });
  const context = { peer, records: server.records };
  outcome.steps.connect = await take(async () => {
    context.client = await peer.open(server.at, peer.way);
  }, context);
  const taken = context.client === undefined ? [] : Object.entries(steps).filter(([name]) => takes(peer, name));
  for (const [name, step] of taken) outcome.steps[name] = await take(step, context);
  await server.close();
  return outcome;
}

/** Every client is let go and looked back at. */
const LAST = ['shutdown', 'revision'];

function takes({ steps }, name) {
  return steps === undefined || steps.includes(name) || LAST.includes(name);
}

/** Meets all, a few at a time; outcomes come in the order of the peers. */
async function meetAll(peers, { atOnce, scratch, ...options }) {
  const outcomes = [];
  const queue = [...peers.entries()];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, peer] = next;
      const started = performance.now();
      outcomes[index] = await meet(peer, { ...options, folder: join(scratch, String(index)) });
      console.log(`  ${peer.name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes;
}

const SIGNS = { passed: '✔', absent: '–' };

function printTable(outcomes, names) {
  const width = Math.max(...names.map((name) => name.length));
  console.log(`\n${'step'.padEnd(width)}  ${outcomes.map((_, index) => String(index + 1).padStart(3)).join('')}`);
  for (const name of names) {
    const row = outcomes.map(({ steps }) => (name in steps ? (SIGNS[steps[name]] ?? '✖') : '–').padStart(3));
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
      cli: { type: 'string', default: join(ROOT, 'dist', 'joined', 'parley.js') },
    },
  });
  install('test/clients');
  const [{ PEERS }, { STEPS }] = await Promise.all([import('./peers.mjs'), import('./steps.mjs')]);
  const peers = PEERS.filter(({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)));
  const scratch = mkdtempSync(join(tmpdir(), 'parley-clients-'));
  const outcomes = await meetAll(peers, { steps: STEPS, cli: values.cli, atOnce: AT_ONCE, scratch });
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
