// The official conformance suite, both sets of requirements, against the built server on a pipe. A warning is a failure.
// Usage: node test/conformance/run.mjs [--dist folder] [--revision 2026-07-28]

import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { install } from '../../scripts/install.mjs';
import { ROOT, run } from '../../scripts/run.mjs';
import { NOT_OURS, NOT_YET } from './excluded.mjs';

const REFEREE = 'test/conformance/referee';
const REVISIONS = ['2025-11-25', '2026-07-28'];
const FINE = new Set(['SUCCESS', 'INFO']);

/** The suite needs `fs.globSync`, which Node 20 has not. */
function newerNode() {
  if ('globSync' in fs) return process.execPath;
  const installed = join(ROOT, REFEREE, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(installed)) return installed;
  throw new Error(`The conformance suite does not run on Node ${process.versions.node}: use 22 or later`);
}

/** The checks of every scenario that was announced, by scenario; one that left nothing behind has none. */
function readResults(folder, output) {
  const announced = [...output.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, name]) => name);
  const results = new Map(announced.map((name) => [name, []]));
  for (const name of readdirSync(folder)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name) ?? [];
    if (scenario !== undefined)
      results.set(scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')));
  }
  return results;
}

function judge(scenario, checks) {
  if (NOT_OURS[scenario] !== undefined) return { verdict: 'excluded', reason: NOT_OURS[scenario] };
  const counted = checks.filter(({ id }) => NOT_OURS[`${scenario}:${id}`] === undefined);
  const wrong = counted.filter(({ status }) => !FINE.has(status));
  const right = counted.filter(({ status }) => status === 'SUCCESS').length;
  const passes = wrong.length === 0 && right > 0;
  if (NOT_YET[scenario] !== undefined) {
    if (!passes) return { verdict: 'excluded', reason: NOT_YET[scenario] };
    return { verdict: 'failed', wrong: [{ id: 'excluded.mjs', errorMessage: 'It passes: take it from the list' }] };
  }
  if (right === 0 && wrong.length === 0) wrong.push({ id: scenario, errorMessage: 'Nothing was checked' });
  return passes ? { verdict: 'passed', right } : { verdict: 'failed', wrong };
}

function print(scenario, { verdict, right, reason, wrong = [] }) {
  const sign = { passed: '✔', failed: '✖', excluded: '–' }[verdict];
  const note = verdict === 'passed' ? `${right} checks` : (reason ?? '');
  console.log(`  ${sign} ${scenario.padEnd(48)} ${note}`.trimEnd());
  for (const { id, status = '', errorMessage = '', details } of wrong) {
    console.log(`      ${id} ${status}: ${errorMessage}`);
    if (details !== undefined) console.log(`      ${JSON.stringify(details).slice(0, 600)}`);
  }
}

async function runSuite(revision, { url, scratch, node }) {
  const output = join(scratch, revision);
  const suite = join(ROOT, REFEREE, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  const told = await run(node, [suite, 'server', '--url', url, '--requirements', revision, '-o', output], {
    quiet: true,
  });
  if (!existsSync(output)) throw new Error(`The suite did not run:\n${told.output}`);
  return readResults(output, told.output);
}

/** Names in the lists that no run knows. */
function staleNames(seen) {
  return [...Object.keys(NOT_OURS), ...Object.keys(NOT_YET)].filter((name) => !seen.has(name.split(':')[0]));
}

async function judgeAll(revisions, options) {
  const counts = { passed: 0, failed: 0, excluded: 0 };
  const seen = new Set();
  for (const revision of revisions) {
    console.log(`\n${revision}`);
    for (const [scenario, checks] of await runSuite(revision, options)) {
      const judged = judge(scenario, checks);
      seen.add(scenario);
      counts[judged.verdict] += 1;
      print(scenario, judged);
    }
  }
  return { counts, seen };
}

async function main() {
  const { values } = parseArgs({
    options: {
      dist: { type: 'string', default: join(ROOT, 'dist') },
      revision: { type: 'string', multiple: true, default: REVISIONS },
    },
  });
  install(REFEREE);
  const node = newerNode();
  const dist = resolve(values.dist);
  const { openBridge } = await import(pathToFileURL(join(dist, 'test', 'conformance', 'bridge.js')).href);
  const fixture = join(dist, 'test', 'conformance', 'fixture.js');
  const scratch = mkdtempSync(join(tmpdir(), 'parley-conformance-'));
  const server = [join(dist, 'src', 'cli', 'parley.js'), 'stdio', '--module', fixture, '--log-level', 'silent'];
  const bridge = await openBridge(server);
  try {
    const { counts, seen } = await judgeAll(values.revision, { url: bridge.url, scratch, node });
    const stale = values.revision.length === REVISIONS.length ? staleNames(seen) : [];
    for (const name of stale) console.log(`  ✖ excluded.mjs names "${name}", which the suite does not have`);
    const failed = counts.failed + stale.length;
    console.log(`\n${counts.excluded} excluded with a reason\n${counts.passed} passed, ${failed} failed`);
    process.exitCode = failed === 0 && counts.passed > 0 ? 0 : 1;
  } finally {
    bridge.close();
    rmSync(scratch, { recursive: true });
  }
}

await main();
