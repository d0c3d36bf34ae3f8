import { after, before, describe } from 'node:test';
import { silent } from '../../src/model/log.ts';
import { createRedisStore } from '../../src/store/redis.ts';
import { type RedisServer, startRedis, withoutRedis } from './store/redis-server.ts';
import { storeContract } from './store.ts';

describe('Redis', { skip: withoutRedis }, () => {
  let server: RedisServer;
  before(async () => {
    server = await startRedis();
  });
  after(() => server.stop());
  storeContract('Redis', () => createRedisStore(server.url, silent));
});
