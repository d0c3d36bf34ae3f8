// The Redis engine on servers that stand for each other (sentinels) and share the keys (a cluster).

import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silent } from '../../src/model/log.ts';
import { createRedisStore } from '../../src/store/redis.ts';
import { StoreError } from '../../src/store/store.ts';
import { type RedisServer, startRedis, withoutRedis } from './store/redis-server.ts';
import { LONG_MS, settle } from './store/world.ts';
import { storeContract } from './store.ts';

async function eventually(claim: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await claim()); tries += 1) {
    assert.ok(tries < 1000, `Waited in vain for ${claim}`);
    await sleep(20);
  }
}

describe('A Redis cluster', { skip: withoutRedis }, () => {
  const servers: RedisServer[] = [];
  before(async () => {
    const share = Math.ceil(16_384 / 3);
    for (let index = 0; index < 3; index += 1)
      servers.push(await startRedis('--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'));
    for (const [index, server] of servers.entries()) {
      server.cli('CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(Math.min((index + 1) * share, 16_384) - 1));
      server.cli('CONFIG', 'SET', 'cluster-announce-ip', '127.0.0.1');
      server.cli('CLUSTER', 'MEET', '127.0.0.1', String(servers[0]?.port));
    }
    await eventually(() => servers.every((server) => /cluster_state:ok/.test(server.cli('CLUSTER', 'INFO'))));
    await eventually(() => servers.every((server) => server.cli('CLUSTER', 'NODES').split('\n').length === 3));
  });
  after(async () => {
    for (const server of servers) await server.stop();
  });
  storeContract('a Redis cluster', () =>
    createRedisStore(`redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, silent),
  );
});

describe('Redis behind sentinels', { skip: withoutRedis }, () => {
  test('The engine finds the master, and the next one when the first is gone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-sentinel-'));
    const master = await startRedis();
    const replica = await startRedis('--replicaof', '127.0.0.1', String(master.port));
    const config = join(folder, 'sentinel.conf');
    writeFileSync(config, `sentinel monitor main 127.0.0.1 ${master.port} 1\n`);
    appendFileSync(config, 'sentinel down-after-milliseconds main 1000\nsentinel failover-timeout main 5000\n');
    const sentinel = await startRedis('SENTINEL', config);
    try {
      await eventually(() => /slave0:.*state=online/.test(master.cli('INFO', 'replication')));
      await eventually(() => /num-slaves\n1\n/.test(sentinel.cli('SENTINEL', 'MASTER', 'main')));
      const store = await createRedisStore(`redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/main`, silent);
      const version = await store.records.put('a', 1, { ttlMs: LONG_MS });
      await eventually(() => replica.cli('EXISTS', 'parley:r:a') === '1');
      await master.kill();
      await assert.rejects(
        settle(() => store.records.put('b', 1, { ttlMs: LONG_MS })),
        StoreError,
      );
      await eventually(() => store.awake());
      assert.deepEqual(await store.records.get('a'), { value: 1, version });
      assert.ok((await store.records.put('b', 1, { ttlMs: LONG_MS })) !== undefined);
      assert.equal(replica.cli('EXISTS', 'parley:r:b'), '1');
      await store.close();
      await assert.rejects(
        createRedisStore(`redis+sentinel://127.0.0.1:${sentinel.port}/other`, silent),
        /no master of that name/,
      );
    } finally {
      for (const server of [sentinel, replica, master]) await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
