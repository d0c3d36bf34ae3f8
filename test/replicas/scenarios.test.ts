import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const FILES = ['streams', 'sessions', 'older', 'shutdown', 'batches', 'obligations', 'decisions', 'headers', 'access'];
const PATIENCE_MS = 100_000;

// Every connection goes to the next of three servers, so that no two requests of a session meet the same one.
describe('The scenarios of one server, played on three that share a store', () => {
  for (const file of FILES) {
    it(`hold for ${file}`, () => {
      const path = fileURLToPath(new URL(`../scenarios/http/${file}.test.js`, import.meta.url));
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const { status, stdout } = spawnSync(process.execPath, [path], {
        encoding: 'utf8',
        timeout: PATIENCE_MS,
        env: { ...env, PARLEY_TEST_REPLICAS: '3' },
      });
      const failed = stdout.split(/\n(?=# Subtest)/).filter((part) => /^not ok/m.test(part));
      assert.deepEqual(failed, []);
      assert.equal(status, 0, stdout.slice(-2000));
      assert.match(stdout, /^# pass [1-9]/m);
    });
  }
});
