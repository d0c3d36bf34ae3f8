// The official conformance suite, both sets of requirements, against the built server: at its own HTTP endpoint, and on a
// pipe behind a bridge. A warning is a failure.
// Usage: node test/conformance/run.mjs [--dist folder] [--revision 2026-07-28] [--over http] [--serve --port 8808]

import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from '../../scripts/install.mjs';
import { ROOT, run } from '../../scripts/run.mjs';
import { EXCLUDED } from './excluded.mjs';
import { openTarget, serveAlone, WAYS } from './targets.mjs';

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

function judge(scenario, checks, excluded) {
  if (excluded[scenario] !== undefined) return { verdict: 'excluded', reason: excluded[scenario] };
  const counted = checks.filter(({ id }) => excluded[`${scenario}:${id}`] === undefined);
  const wrong = counted.filter(({ status }) => !FINE.has(status));
  const right = counted.filter(({ status }) => status === 'SUCCESS').length;
  if (right === 0 && wrong.length === 0) wrong.push({ id: scenario, errorMessage: 'Nothing was checked' });
  return wrong.length === 0 ? { verdict: 'passed', right } : { verdict: 'failed', wrong };
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

async function judgeAll(way, { revisions, ...options }) {
  const counts = { passed: 0, failed: 0, excluded: 0 };
  const seen = new Set();
  for (const revision of revisions) {
    console.log(`\n${revision} over ${way}`);
    for (const [scenario, checks] of await runSuite(revision, options)) {
      const judged = judge(scenario, checks, EXCLUDED[way]);
      seen.add(scenario);
      counts[judged.verdict] += 1;
      print(scenario, judged);
    }
  }
  const whole = revisions.length === REVISIONS.length;
  const stale = whole ? Object.keys(EXCLUDED[way]).filter((name) => !seen.has(name.split(':')[0])) : [];
  for (const name of stale) console.log(`  ✖ excluded.mjs names "${name}", which the suite does not have`);
  return { ...counts, failed: counts.failed + stale.length };
}

async function meet(way, options) {
  const scratch = mkdtempSync(join(tmpdir(), 'parley-conformance-'));
  const target = await openTarget(way, options);
  try {
    return await judgeAll(way, { ...options, url: target.url, scratch });
  } finally {
    await target.close();
    rmSync(scratch, { recursive: true });
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      dist: { type: 'string', default: join(ROOT, 'dist') },
      revision: { type: 'string', multiple: true, default: REVISIONS },
      over: { type: 'string', multiple: true, default: WAYS },
      serve: { type: 'boolean', default: false },
      port: { type: 'string', default: '8808' },
    },
  });
  const { dist, revision: revisions, port } = values;
  if (values.serve) return serveAlone({ dist, port });
  install(REFEREE);
  const node = newerNode();
  const sum = { passed: 0, failed: 0, excluded: 0 };
  for (const way of values.over) {
    const counts = await meet(way, { dist, revisions, node });
    for (const key of Object.keys(sum)) sum[key] += counts[key];
  }
  console.log(`\n${sum.excluded} excluded with a reason\n${sum.passed} passed, ${sum.failed} failed`);
  process.exitCode = sum.failed === 0 && sum.passed > 0 ? 0 : 1;
}

await main();
