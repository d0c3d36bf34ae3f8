import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../../model/call.ts';
import { createServerInfo } from './server-info.ts';

test('every reading asks anew', async () => {
  let asked = 0;
  const count = () => ({ asked: ++asked });
  const pack = createServerInfo({
    config: count,
    metrics: count,
    system: count,
    logs: () => [`line ${++asked}`, 'last'],
  });
  const { resources = [] } = await pack.load();
  assert.deepEqual(
    resources.map(({ resource }) => [resource.name, resource.uri, resource.mimeType]),
    [
      ['config', 'config://server/options', 'application/json'],
      ['metrics', 'metrics://server/stats', 'application/json'],
      ['system', 'system://runtime/info', 'application/json'],
      ['logs', 'logs://server/recent', 'text/plain'],
    ],
  );
  for (let round = 0; round < 2; round++) {
    for (const { resource, read, fresh } of resources) {
      const before = asked;
      const [contents] = await read(resource.uri, {} as Call);
      assert.equal(asked, before + 1);
      assert.equal(contents?.text, resource.name === 'logs' ? `line ${asked}\nlast` : `{\n  "asked": ${asked}\n}`);
      assert.deepEqual(fresh, { ttlMs: 0, scope: 'private' });
    }
  }
});
