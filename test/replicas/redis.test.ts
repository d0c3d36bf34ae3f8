import { test } from 'node:test';
import { silent } from '../../src/model/log.ts';
import { openStore } from '../../src/store/open.ts';
import { startRedis, withoutRedis } from '../contract/store/redis-server.ts';
import { stageOn } from './stage.ts';
import { walks } from './walks.ts';

if (withoutRedis !== false) {
  test('Replicas on Redis', { skip: withoutRedis }, () => {});
} else {
  walks('Redis', async () => {
    const redis = await startRedis();
    const stores = await Promise.all(['A', 'B', 'C'].map(() => openStore(redis.url, { log: silent })));
    return stageOn(stores, { end: () => redis.stop() });
  });
}
