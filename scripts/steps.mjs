// The steps of `npm test`, in order. A step resolves to `{ ok, passed?, failed?, missing? }`.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { checkApi } from './api.mjs';
import { checkHouse } from './check-house.mjs';
import { checkCoverage, RAW_COVERAGE } from './coverage.mjs';
import { checkDocs } from './docs.mjs';
import { install } from './install.mjs';
import { joinModules } from './join.mjs';
import { checkPackage } from './package.mjs';
import { filesIn, ROOT, run } from './run.mjs';

const TEST_TIMEOUT_MS = 120_000;

/** Deletes what was built from sources that are gone, so that no test of theirs runs on. */
function sweep() {
  for (const path of filesIn('dist', '.js')) {
    const source = join(ROOT, relative(join(ROOT, 'dist'), path)).replace(/\.js$/, '.ts');
    const ours = ['src', 'test'].includes(relative(join(ROOT, 'dist'), path).split(sep)[0]);
    if (ours && !existsSync(source))
      for (const end of ['.js', '.d.ts']) rmSync(path.replace(/\.js$/, end), { force: true });
  }
}

async function types() {
  sweep();
  const { code } = await run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.']);
  if (code !== 0) return { ok: false };
  await joinModules({ from: join(ROOT, 'dist', 'src'), to: join(ROOT, 'dist', 'joined') });
  return { ok: true };
}

async function lint() {
  install('test/tools');
  const biome = join(ROOT, 'test', 'tools', 'node_modules', '.bin', 'biome');
  const { code } = await run(biome, [
    'ci',
    '--error-on-warnings',
    '--diagnostic-level=warn',
    `--colors=${process.stdout.isTTY ? 'force' : 'off'}`,
  ]);
  return { ok: code === 0 };
}

function house() {
  const { files, violations } = checkHouse(ROOT);
  for (const { file, line, rule } of violations) console.log(`${file}:${line}: ${rule}`);
  console.log(`  ${files} files, ${violations.length} violations`);
  return { ok: violations.length === 0 };
}

/** Runs test files with node's runner, collecting coverage. */
async function nodeTests(files) {
  const scratch = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const countsFile = join(scratch, 'counts.json');
  const reporters = [
    ['./scripts/report-failures.mjs', 'stdout'],
    ['./scripts/report-counts.mjs', countsFile],
  ].flatMap(([reporter, to]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${to}`]);
  try {
    const { code } = await run(
      process.execPath,
      ['--test', `--test-timeout=${TEST_TIMEOUT_MS}`, ...reporters, ...files],
      {
        env: { NODE_V8_COVERAGE: RAW_COVERAGE },
      },
    );
    if (!existsSync(countsFile)) throw new Error('The test runner ended before it could count');
    const { passed, failed, skipped } = JSON.parse(readFileSync(countsFile, 'utf8'));
    console.log(
      `  ${files.length} files, ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    );
    return { ok: code === 0 && failed === 0, passed, failed };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

const builtTests = (folder) => async () => {
  const files = filesIn(`dist/${folder}`, '.test.js');
  return files.length === 0 ? { ok: true, missing: `${folder} has no tests` } : nodeTests(files);
};

/** Every port on every engine that is there. */
function contract() {
  if (spawnSync('redis-server', ['--version']).error !== undefined)
    console.log('  not run: the store on Redis, because redis-server is not installed');
  return builtTests('test/contract')();
}

function unit() {
  return nodeTests([
    ...filesIn('dist/src', '.test.js'),
    ...filesIn('scripts', '.test.mjs'),
    ...filesIn('bench', '.test.mjs'),
  ]);
}

/** Adds up what a program that runs tests said at its end. */
export function readCounts(output) {
  const sum = (...patterns) =>
    patterns.flatMap((found) => [...output.matchAll(found)]).reduce((total, match) => total + Number(match[1]), 0);
  return {
    passed: sum(/^(?:#|ℹ) pass (\d+)$/gm, /^\s*(\d+) passed, \d+ failed$/gm),
    failed: sum(/^(?:#|ℹ) fail (\d+)$/gm, /^\s*\d+ passed, (\d+) failed$/gm),
  };
}

const program =
  (path, args = []) =>
  async () => {
    if (!existsSync(join(ROOT, path))) return { ok: true, missing: `${path} does not exist` };
    const { code, output } = await run(process.execPath, [path, ...args]);
    return { ok: code === 0, ...readCounts(output) };
  };

/** What the fuzzer knows is tested first, then it is let loose for a short while. */
async function fuzz() {
  const tests = await builtTests('test/fuzz')();
  if (!tests.ok) return tests;
  const { code, output } = await run(process.execPath, ['dist/test/fuzz/run.js', '--quick']);
  const { passed, failed } = readCounts(output);
  return { ok: code === 0, passed: (tests.passed ?? 0) + passed, failed: (tests.failed ?? 0) + failed };
}

/** What judges the histories is tested first, then a few are made. */
async function replicasChaos() {
  const tests = await builtTests('test/chaos/replicas')();
  if (!tests.ok) return tests;
  const { code, output } = await run(process.execPath, ['dist/test/chaos/run.js', '--replicas', '3', '--short']);
  const { passed, failed } = readCounts(output);
  return { ok: code === 0, passed: (tests.passed ?? 0) + passed, failed: (tests.failed ?? 0) + failed };
}

const judged = (check) => async () => ({ ok: await check() });

export const STEPS = [
  { name: 'types', says: 'the compiler', run: types },
  { name: 'lint', says: 'the linter and formatter', run: lint },
  { name: 'house', says: 'the rules of the house', run: house },
  { name: 'docs', says: 'documents that match the code', run: judged(checkDocs) },
  { name: 'unit', says: 'tests beside their file', run: unit },
  { name: 'scenarios', says: 'the server from the outside', run: builtTests('test/scenarios') },
  { name: 'requirements', says: 'obligations of the specification', run: builtTests('test/requirements') },
  { name: 'golden', says: 'each revision, fully expanded', run: builtTests('test/golden') },
  { name: 'transcripts', says: 'the presets as their documents show them', run: builtTests('test/transcripts') },
  { name: 'contract', says: 'one suite a port', run: contract },
  { name: 'fuzz', says: 'malformed input of every kind', run: fuzz },
  { name: 'replicas', says: 'one session on several servers', run: builtTests('test/replicas') },
  { name: 'coverage', says: 'what the tests above ran', run: judged(checkCoverage), whole: true },
  { name: 'clients', says: 'clients of other makers', run: program('test/clients/run.mjs') },
  { name: 'conformance', says: 'the official conformance suite', run: program('test/conformance/run.mjs') },
  {
    name: 'conformance-client',
    says: 'the official suite, on our own client',
    run: program('test/conformance/run-client.mjs'),
  },
  {
    name: 'access',
    says: 'tokens of an authorization server of another maker',
    run: program('test/access/run.mjs'),
  },
  { name: 'examples', says: 'the server in other programs', run: program('test/examples/run.mjs') },
  { name: 'chaos', says: 'faults, one by one', run: program('dist/test/chaos/run.js', ['--short']) },
  { name: 'replicas-chaos', says: 'faults below several replicas', run: replicasChaos },
  { name: 'soak', says: 'everything at once', run: program('dist/test/soak/run.js', ['--minutes', '0.25']) },
  {
    name: 'cross-talk',
    says: 'what is for one client reaches no other',
    run: program('dist/test/soak/cross-talk.js', ['--requests', '6000']),
  },
  { name: 'deploy', says: 'replicas behind nginx, replaced under load', run: program('test/deploy/run.mjs') },
  { name: 'package', says: 'what is published', run: checkPackage },
  { name: 'api', says: 'the public surface', run: checkApi },
];
