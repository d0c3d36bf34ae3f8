// The client half of the official conformance suite, both sets of requirements, on our own client. A warning is a failure.
// Usage: node test/conformance/run-client.mjs [--dist folder] [--revision 2026-07-28]

import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from '../../scripts/install.mjs';
import { ROOT, run } from '../../scripts/run.mjs';

const REFEREE = 'test/conformance/referee';
const LOOPBACK = new URL('./loopback.mjs', import.meta.url).href;
const REVISIONS = ['2025-11-25', '2026-07-28'];
const FINE = new Set(['SUCCESS', 'INFO', 'SKIPPED']);
const OAUTH = /^auth\//;
/** What must have run, so that a suite that stops early does not pass. */
const WANTED = {
  '2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
  ],
};
/** Checks the suite itself skips for our client, each with its reason. */
const SKIPPED = {
  'http-standard-headers': 'a client of this revision says neither "initialize" nor "notifications/initialized"',
};

/** The suite needs `fs.globSync`, which Node 20 has not. */
function newerNode() {
  if ('globSync' in fs) return process.execPath;
  const installed = join(ROOT, REFEREE, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(installed)) return installed;
  throw new Error(`The conformance suite does not run on Node ${process.versions.node}: use 22 or later`);
}

/** The checks of every scenario, by name; a name may hold slashes and is then a folder in a folder. */
function readResults(folder) {
  const results = new Map();
  for (const path of readdirSync(folder, { recursive: true })) {
    const [, scenario] = /^(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(path.split('\\').join('/')) ?? [];
    if (scenario === undefined || !statSync(join(folder, path)).isDirectory()) continue;
    const checks = join(folder, path, 'checks.json');
    results.set(scenario, existsSync(checks) ? JSON.parse(readFileSync(checks, 'utf8')) : []);
  }
  return results;
}

function judge(scenario, checks) {
  if (OAUTH.test(scenario)) return { verdict: 'excluded', reason: 'needs an OAuth client' };
  const wrong = checks.filter(({ status }) => !FINE.has(status));
  const right = checks.filter(({ status }) => status === 'SUCCESS').length;
  const skipped = checks.filter(({ status }) => status === 'SKIPPED');
  if (skipped.length > 0 && SKIPPED[scenario] === undefined) wrong.push(...skipped);
  if (right === 0 && wrong.length === 0) wrong.push({ id: scenario, errorMessage: 'Nothing was checked' });
  return wrong.length === 0 ? { verdict: 'passed', right, skipped: skipped.length } : { verdict: 'failed', wrong };
}

function print(scenario, { verdict, right, skipped = 0, reason, wrong = [] }) {
  const sign = { passed: '✔', failed: '✖', excluded: '–' }[verdict];
  const left = skipped === 0 ? '' : `, ${skipped} skipped by the suite: ${SKIPPED[scenario]}`;
  const note = verdict === 'passed' ? `${right} checks${left}` : (reason ?? '');
  console.log(`  ${sign} ${scenario.padEnd(48)} ${note}`.trimEnd());
  for (const { id, status = '', errorMessage = '', details } of wrong) {
    console.log(`      ${id} ${status}: ${errorMessage}`);
    if (details !== undefined) console.log(`      ${JSON.stringify(details).slice(0, 600)}`);
  }
}

async function runSuite(revision, { command, scratch, node }) {
  const output = join(scratch, revision);
  const suite = join(ROOT, REFEREE, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  const args = ['client', '--command', command, '--requirements', revision, '--timeout', '120000', '-o', output];
  const told = await run(node, ['--import', LOOPBACK, suite, ...args], { quiet: true });
  if (!existsSync(output)) throw new Error(`The suite did not run:\n${told.output}`);
  const results = readResults(output);
  for (const scenario of WANTED[revision] ?? []) if (!results.has(scenario)) results.set(scenario, []);
  return results;
}

async function main() {
  const { values } = parseArgs({
    options: {
      dist: { type: 'string', default: join(ROOT, 'dist') },
      revision: { type: 'string', multiple: true, default: REVISIONS },
    },
  });
  install(REFEREE);
  const scratch = mkdtempSync(join(tmpdir(), 'parley-conformance-'));
  const program = join(resolve(values.dist), 'test', 'conformance', 'client.js');
  const options = { node: newerNode(), scratch, command: `node ${relative(ROOT, program)}` };
  const counts = { passed: 0, failed: 0, excluded: 0 };
  try {
    for (const revision of values.revision) {
      console.log(`\n${revision}, as a client`);
      for (const [scenario, checks] of await runSuite(revision, options)) {
        const judged = judge(scenario, checks);
        counts[judged.verdict] += 1;
        print(scenario, judged);
      }
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  console.log(`\n${counts.excluded} excluded with a reason\n${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

await main();
