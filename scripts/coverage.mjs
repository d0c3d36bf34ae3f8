// The coverage gate: what the tests ran, summed up by folder and held against scripts/coverage.json.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { must, ROOT } from './run.mjs';

/** Where test processes leave their raw coverage. */
export const RAW_COVERAGE = join(ROOT, 'coverage', 'raw');

const MEASURES = ['lines', 'branches'];

/** Sums up the files below each gate's folder; a gate without files is `undefined`. */
export function sumUp(summary, gates) {
  const files = Object.entries(summary).filter(([path]) => path !== 'total');
  return gates.map((gate) => {
    const inside = files.filter(([path]) => path.startsWith(`${gate.folder}/`)).map(([, counts]) => counts);
    if (inside.length === 0) return { ...gate, found: undefined, missed: [] };
    const found = Object.fromEntries(
      MEASURES.map((measure) => {
        const total = inside.reduce((sum, counts) => sum + counts[measure].total, 0);
        const covered = inside.reduce((sum, counts) => sum + counts[measure].covered, 0);
        return [measure, total === 0 ? 100 : (covered / total) * 100];
      }),
    );
    return { ...gate, found, missed: MEASURES.filter((measure) => found[measure] < gate[measure]) };
  });
}

async function summarise() {
  const c8 = join(ROOT, 'node_modules', 'c8', 'bin', 'c8.js');
  const options = [
    '--temp-directory',
    RAW_COVERAGE,
    '--reports-dir',
    join(ROOT, 'coverage'),
    '--all',
    '--src',
    'dist/src',
  ];
  const files = [
    '--include',
    'dist/src/**/*.js',
    '--exclude',
    'dist/src/**/*.test.js',
    '--exclude',
    'dist/src/**/generated/**',
  ];
  await must(process.execPath, [
    c8,
    'report',
    ...options,
    ...files,
    '--reporter',
    'json-summary',
    '--reporter',
    'lcovonly',
  ]);
  const summary = JSON.parse(readFileSync(join(ROOT, 'coverage', 'coverage-summary.json'), 'utf8'));
  const named = Object.entries(summary).map(([path, counts]) => {
    const name = path === 'total' ? path : relative(join(ROOT, 'dist'), path).split(sep).join('/');
    return [name, counts];
  });
  return Object.fromEntries(named);
}

const percent = (value) => `${value.toFixed(1).padStart(5)} %`;

function printLowest(summary, folder) {
  const rows = Object.entries(summary)
    .filter(([path]) => path.startsWith(`${folder}/`))
    .sort(([, a], [, b]) => a.lines.covered - a.lines.total - (b.lines.covered - b.lines.total))
    .slice(0, 5);
  for (const [path, { lines, branches }] of rows) {
    console.log(
      `      ${path}: ${lines.total - lines.covered} lines, ${branches.total - branches.covered} branches never ran`,
    );
  }
}

/** Prints coverage by folder and resolves to whether every gate holds. */
export async function checkCoverage() {
  if (!existsSync(RAW_COVERAGE)) throw new Error('No test has run: run `npm test` without --only');
  const gates = JSON.parse(readFileSync(new URL('./coverage.json', import.meta.url), 'utf8'));
  const summary = await summarise();
  const results = sumUp(summary, gates);
  for (const { folder, found, missed, ...wanted } of results) {
    if (found === undefined) console.log(`  ${folder}: not there yet`);
    else {
      const measures = MEASURES.map((measure) => `${measure} ${percent(found[measure])} of ${wanted[measure]} %`);
      console.log(`  ${missed.length === 0 ? '✔' : '✖'} ${folder.padEnd(14)} ${measures.join('   ')}`);
      if (missed.length > 0) printLowest(summary, folder);
    }
  }
  rmSync(RAW_COVERAGE, { recursive: true, force: true });
  return results.every(({ missed }) => missed.length === 0);
}
