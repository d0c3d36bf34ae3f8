import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sumUp } from './coverage.mjs';
import { ROOT } from './run.mjs';
import { readCounts } from './steps.mjs';
import { choose } from './test.mjs';

const counts = (covered, total) => ({ covered, total });
const summary = {
  total: { lines: counts(0, 0), branches: counts(0, 0) },
  'src/rpc/a.js': { lines: counts(90, 100), branches: counts(10, 10) },
  'src/core/b.js': { lines: counts(100, 100), branches: counts(0, 0) },
};

test('A coverage gate sums up the files of its folder', () => {
  const [all, rpc, none] = sumUp(summary, [
    { folder: 'src', lines: 95, branches: 95 },
    { folder: 'src/rpc', lines: 95, branches: 95 },
    { folder: 'src/attic', lines: 95, branches: 95 },
  ]);
  assert.deepEqual([all.found, all.missed], [{ lines: 95, branches: 100 }, []]);
  assert.deepEqual([rpc.found, rpc.missed], [{ lines: 90, branches: 100 }, ['lines']]);
  assert.deepEqual([none.found, none.missed], [undefined, []]);
});

test('Counts are read from the closing lines of test programs', () => {
  assert.deepEqual(readCounts('# pass 3\n# fail 1\nℹ pass 4\nℹ fail 0\n'), { passed: 7, failed: 1 });
  assert.deepEqual(readCounts('x\n12 passed, 2 failed\n'), { passed: 12, failed: 2 });
  assert.deepEqual(readCounts('nothing'), { passed: 0, failed: 0 });
});

test('Choosing steps keeps their order, builds first and refuses unknown names', () => {
  assert.deepEqual(
    choose(['unit,house', 'lint']).map(({ name }) => name),
    ['types', 'lint', 'house', 'unit'],
  );
  assert.ok(choose([]).length > 10);
  assert.throws(() => choose(['nonsense']), /No step is called "nonsense".*types/);
});

test('The reporters count tests and not suites, and print only what failed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reporters-'));
  try {
    const source = `import { describe, test } from 'node:test';
describe('suite', () => { test('good', () => {}); test('bad', () => { throw new Error('broken'); }); });
test('fine', () => {});`;
    writeFileSync(join(folder, 'a.test.mjs'), source);
    const report = (name) => {
      const reporter = `--test-reporter=${join(ROOT, 'scripts', name)}`;
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      return spawnSync(process.execPath, ['--test', reporter, join(folder, 'a.test.mjs')], { encoding: 'utf8', env })
        .stdout;
    };
    assert.deepEqual(JSON.parse(report('report-counts.mjs')), { passed: 2, failed: 1, skipped: 0 });
    const failures = report('report-failures.mjs');
    assert.match(failures, /✖ bad .*a\.test\.mjs[\s\S]*broken/);
    assert.doesNotMatch(failures, /good|fine/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
