// What the Redis engine does when the server, the network or the operator does not do what they should.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../src/model/json.ts';
import { createRedisStore } from '../../src/store/redis.ts';
import { type Store, StoreError, type StoreTrouble } from '../../src/store/store.ts';
import { type RedisServer, startRedis, withoutRedis } from './store/redis-server.ts';
import { LONG_MS, settle, until } from './store/world.ts';

const wide = { entries: 1000, bytes: 10_000_000, ttlMs: LONG_MS };
const ttlMs = LONG_MS;

interface Scene {
  readonly server: RedisServer;
  readonly told: string[];
  open(query?: string): Promise<Store>;
}

/** Plays a scene on a server of its own and leaves nothing behind. */
async function play(options: readonly string[], scene: (given: Scene) => Promise<void>): Promise<void> {
  const server = await startRedis(...options);
  const told: string[] = [];
  const stores: Store[] = [];
  try {
    await scene({
      server,
      told,
      async open(query = '?timeout=5000') {
        const store = await createRedisStore(server.url + query, (_, message) => told.push(message));
        stores.push(store);
        return store;
      },
    });
  } finally {
    server.thaw();
    for (const store of stores) await store.close();
    await server.stop();
  }
}

const troubled = (trouble: StoreTrouble) => (error: unknown) => {
  assert.ok(error instanceof StoreError, `${error}`);
  assert.equal(error.trouble, trouble);
  return true;
};

const usesOf = (store: Store): (() => unknown)[] => [
  () => store.records.get('a'),
  () => store.records.put('a', 1, { ttlMs }),
  () => store.records.put('a', 1, { ttlMs, ifVersion: 1 }),
  () => store.records.list('a', { limit: 1 }),
  () => store.logs.append('a', 'text', wide),
  () => store.logs.end('a', 'text', wide),
  () => store.logs.read('a', 0),
  () => store.logs.follow('b', () => {}),
  () => store.topics.publish('a', 1),
  () => store.topics.subscribe('b', () => {}),
  () => store.counters.take('a', { capacity: 1, refillPerSecond: 1 }),
  () => store.inboxes.send('a', 1),
  () => store.inboxes.open('b', () => {}),
];

describe('Redis in trouble', { skip: withoutRedis }, () => {
  test('A server that is killed is away at once and for every use, and back by itself', async () => {
    await play([], async ({ server, told, open }) => {
      const store = await open();
      assert.equal(store.awake(), true);
      await server.kill();
      await until(() => !store.awake());
      for (const use of usesOf(store)) await assert.rejects(settle(use), troubled('away'), `${use}`);
      await server.start();
      await until(() => store.awake());
      assert.ok((await store.records.put('a', 1, { ttlMs })) !== undefined);
      assert.deepEqual(told, ['Redis is away', 'Redis is back']);
    });
  });

  test('A command under way when the server dies fails, and is not run later', async () => {
    await play(['--appendonly', 'yes', '--appendfsync', 'always'], async ({ server, open }) => {
      const store = await open();
      await store.logs.append('log', 'before', wide);
      server.freeze();
      const lost = assert.rejects(
        settle(() => store.logs.append('log', 'lost', wide)),
        troubled('away'),
      );
      await sleep(20);
      await server.kill();
      await lost;
      await until(() => !store.awake());
      await server.start();
      await until(() => store.awake());
      await sleep(100);
      const { entries } = await store.logs.read('log', 0);
      assert.deepEqual(
        entries.map(({ text }) => text),
        ['before'],
      );
    });
  });

  test('A server that keeps what it is told has everything after a restart', async () => {
    await play(['--appendonly', 'yes', '--appendfsync', 'always'], async ({ server, open }) => {
      const store = await open();
      const version = await store.records.put('record', { kept: true }, { ttlMs });
      await store.logs.append('log', 'one', wide);
      await store.logs.end('log', 'two', wide);
      await store.counters.take('bucket', { capacity: 2, refillPerSecond: 0.001, cost: 2 });
      await server.kill();
      await until(() => !store.awake());
      await server.start();
      await until(() => store.awake());
      assert.deepEqual(await store.records.get('record'), { value: { kept: true }, version });
      assert.equal(await store.logs.append('log', 'three', wide), undefined);
      assert.deepEqual((await store.logs.read('log', 0)).entries.length, 2);
      assert.equal((await store.counters.take('bucket', { capacity: 2, refillPerSecond: 0.001 })).ok, false);
    });
  });

  test('A server that goes silent is away after the time it has, then at once, and back when it answers again', async () => {
    await play([], async ({ server, open }) => {
      const store = await open('?timeout=300');
      server.freeze();
      await assert.rejects(
        settle(() => store.records.get('a')),
        troubled('away'),
      );
      assert.equal(store.awake(), false);
      const before = performance.now();
      for (const use of usesOf(store)) await assert.rejects(settle(use), troubled('away'));
      assert.ok(performance.now() - before < 300 * 5, 'no use waits once the engine counts as away');
      server.thaw();
      await until(() => store.awake());
      assert.equal(await store.records.get('never'), undefined);
    });
  });

  test('A silent server is noticed also where nobody asks for anything', async () => {
    await play([], async ({ server, open }) => {
      const store = await open('?timeout=300');
      server.freeze();
      await until(() => !store.awake());
    });
  });

  test('Listeners, followers and inboxes go on after their connections were killed, and are told what they may have missed', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      const other = await open();
      const heard: Json[] = [];
      await store.topics.subscribe(
        't',
        (message) => heard.push(message),
        () => heard.push('missed'),
      );
      await store.logs.follow('log', () => heard.push('woken'));
      await store.logs.follow(
        'other',
        () => heard.push('other'),
        () => heard.push('missed other'),
      );
      await store.inboxes.open('box', (message) => heard.push(message));
      server.cli('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await until(() => heard.length >= 3);
      assert.deepEqual(heard.toSorted(), ['missed', 'missed other', 'woken']);
      await until(() => store.awake() && other.awake());
      heard.length = 0;
      await other.topics.publish('t', 'topic');
      await other.logs.append('log', 'text', wide);
      assert.equal(await other.inboxes.send('box', 'box'), true);
      await until(() => heard.length >= 3);
      assert.deepEqual(heard.toSorted(), ['box', 'topic', 'woken']);
    });
  });

  test('An inbox keeps messages for a holder whose connections are down, and gives them once and in order', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      const sender = await open();
      const heard: Json[] = [];
      await store.inboxes.open('box', (message) => heard.push(message));
      for (let round = 0; round < 5; round += 1) {
        const first = round * 100;
        const sends = Array.from({ length: 100 }, (_, index) => sender.inboxes.send('box', first + index));
        server.cli('CLIENT', 'KILL', 'TYPE', 'pubsub');
        await Promise.allSettled(sends);
        await until(() => sender.awake() && store.awake());
      }
      assert.equal(await sender.inboxes.send('box', 'last'), true);
      await until(() => heard.at(-1) === 'last');
      assert.deepEqual(heard, [...new Set(heard as number[])], 'no message is heard twice');
      const numbers = heard.slice(0, -1) as number[];
      assert.deepEqual(
        numbers,
        numbers.toSorted((one, other) => one - other),
      );
      assert.ok(numbers.length >= 100);
    });
  });

  test('A message that the channel lost is heard before the one that shows it, once', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      const heard: Json[] = [];
      await store.inboxes.open('box', (message) => heard.push(message));
      assert.equal(await store.inboxes.send('box', 'first'), true);
      await until(() => heard.length === 1);
      const keepOnly = `local head = string.gsub(redis.call('LINDEX', KEYS[1], 0), '%d+$', function (bytes) return bytes + #ARGV[1] end)
        redis.call('LSET', KEYS[1], 0, head)
        redis.call('RPUSH', KEYS[1], ARGV[1])`;
      server.cli('EVAL', keepOnly, '1', 'parley:i:box', '"lost"');
      for (const message of ['next', 'last']) assert.equal(await store.inboxes.send('box', message), true);
      await until(() => heard.length >= 4);
      await sleep(20);
      assert.deepEqual(heard, ['first', 'lost', 'next', 'last']);
    });
  });

  test('An inbox is held anew after the server forgot everything', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      const heard: Json[] = [];
      await store.inboxes.open('box', (message) => heard.push(message));
      server.cli('FLUSHALL');
      assert.equal(await store.inboxes.send('box', 'too early'), false);
      for (let tries = 0; !(await store.inboxes.send('box', 'again')); tries += 1) {
        assert.ok(tries < 200);
        await sleep(20);
      }
      await until(() => heard.length === 1);
    });
  });

  test('An inbox whose holder was not heard of for its time is no longer held', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      await store.inboxes.open('box', () => {});
      server.cli('PEXPIRE', 'parley:i:box', '1');
      await sleep(5);
      assert.equal(await store.inboxes.send('box', 1), false);
    });
  });

  test('An inbox whose holder takes nothing refuses more as full', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      server.cli('EVAL', "redis.call('RPUSH', KEYS[1], 'holder 1 67108863')", '1', 'parley:i:box');
      assert.equal(await store.inboxes.send('box', 1), true);
      await assert.rejects(
        settle(() => store.inboxes.send('box', 1)),
        troubled('full'),
      );
    });
  });

  test('Killed connections fail what was under way, and the next use works', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      server.cli('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await until(() => store.awake());
      for (let tries = 0; ; tries += 1) {
        try {
          await store.records.put('a', 1, { ttlMs });
          break;
        } catch (error) {
          assert.ok(tries < 500 && troubled('away')(error));
          await sleep(5);
        }
      }
    });
  });

  test('A wrong password, a missing one, an unknown database and a closed port are refused at once, without the URL', async () => {
    const server = await startRedis('--requirepass', 'open-sesame');
    const at = (login: string, rest = '') => `redis://${login}127.0.0.1:${server.port}${rest}`;
    try {
      for (const [url, says] of [
        [at(':guessed@'), /user or password are wrong \(WRONGPASS\)/],
        [at('nobody:guessed@'), /user or password are wrong \(WRONGPASS\)/],
        [at(''), /it wants a password \(NOAUTH\)/],
        [at(':open-sesame@', '/99'), /\(ERR\)/],
        ['redis://:guessed@127.0.0.1:1', /nothing listens at its host and port \(ECONNREFUSED\)/],
        ['redis://:guessed@host.invalid', /its host/],
        ['redis+sentinel://:guessed@127.0.0.1:1/main', /ECONNREFUSED/],
        ['redis+cluster://:guessed@127.0.0.1:1', /Redis cannot be used/],
      ] as const) {
        await assert.rejects(
          createRedisStore(url, () => {}),
          (error: Error) => {
            troubled('away')(error);
            assert.match(error.message, /^Cannot open store: Redis cannot be used: /);
            assert.match(error.message, says);
            assert.doesNotMatch(error.message, /guessed|open-sesame|127\.0\.0\.1|nobody/);
            return true;
          },
        );
      }
      const store = await createRedisStore(at(':open-sesame@', '/3'), () => {});
      await store.records.put('a', 1, { ttlMs });
      assert.match(server.cli('-a', 'open-sesame', '--no-auth-warning', '-n', '3', 'KEYS', '*'), /parley:r:a/);
      await store.close();
    } finally {
      await server.stop();
    }
  });

  test('A password that is changed while the server is away is told once, and not for every try', async () => {
    await play([], async ({ server, told, open }) => {
      const store = await open();
      server.cli('CONFIG', 'SET', 'requirepass', 'changed');
      server.cli('-a', 'changed', '--no-auth-warning', 'CLIENT', 'KILL', 'TYPE', 'normal');
      await until(() => told.length === 2);
      await sleep(500);
      assert.deepEqual(told, ['Redis is away', 'Redis lets nobody in']);
      assert.equal(store.awake(), false);
      server.cli('-a', 'changed', '--no-auth-warning', 'CONFIG', 'SET', 'requirepass', '');
      await until(() => store.awake());
      assert.deepEqual(told, ['Redis is away', 'Redis lets nobody in', 'Redis is back']);
    });
  });

  test('A server at its limit refuses what is new as full and keeps what it has', async () => {
    await play(['--maxmemory', '4mb', '--maxmemory-policy', 'noeviction'], async ({ open }) => {
      const store = await open();
      await store.logs.append('log', 'first', { ...wide, entries: 2 });
      await store.logs.append('log', 'second', { ...wide, entries: 2 });
      const text = 'x'.repeat(10_000);
      const fill = async (write: (name: string) => unknown) => {
        for (let index = 0; ; index += 1) await write(`${index}`);
      };
      await assert.rejects(
        fill((name) => store.records.put(name, text, { ttlMs })),
        troubled('full'),
      );
      await assert.rejects(
        fill((name) => store.logs.append(name, text, wide)),
        troubled('full'),
      );
      await assert.rejects(
        fill((name) => store.records.put(`new${name}`, text, { ttlMs, ifVersion: 0 })),
        troubled('full'),
      );
      assert.equal(store.awake(), true);
      assert.equal((await store.records.get('0'))?.value, 'x'.repeat(10_000));
      assert.equal(await store.logs.append('log', 'third', { ...wide, entries: 2 }), 3);
      assert.equal(await store.records.remove('0'), true);
    });
  });

  test('Scripts the server has forgotten are sent again', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      for (let round = 1; round <= 3; round += 1) {
        assert.equal(await store.logs.append('log', 'text', wide), round);
        server.cli('SCRIPT', 'FLUSH');
      }
      assert.equal((await store.logs.read('log', 0)).next, 4);
    });
  });

  test('A read-only server is away, and back when it is a master again', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      server.cli('REPLICAOF', '127.0.0.1', '1');
      await assert.rejects(
        settle(() => store.records.put('a', 1, { ttlMs })),
        troubled('away'),
      );
      server.cli('REPLICAOF', 'NO', 'ONE');
      for (let tries = 0; ; tries += 1) {
        const done = await settle(() => store.records.put('a', 1, { ttlMs })).catch(troubled('away'));
        if (typeof done === 'number') break;
        assert.ok(tries < 500);
        await sleep(10);
      }
    });
  });

  test('Every key expires', async () => {
    await play([], async ({ server, open }) => {
      const store = await open();
      await store.records.put('a', 1, { ttlMs });
      await store.records.get('a', ttlMs);
      await store.logs.append('a', 'text', wide);
      await store.logs.end('ended', 'text', { ...wide, bytes: 1 });
      await store.counters.take('a', { capacity: 10, refillPerSecond: 0.1 });
      await store.inboxes.open('a', () => {});
      await store.inboxes.send('a', 1);
      const keys = server.cli('KEYS', '*').split('\n');
      assert.equal(keys.length, 5);
      for (const key of keys) assert.ok(Number(server.cli('PTTL', key)) > 0, key);
    });
  });

  test('Two prefixes on one server do not know each other', async () => {
    await play([], async ({ server, open }) => {
      const [one, other] = [await open('?prefix=one:'), await open('?prefix=other:')];
      await one.records.put('a', 1, { ttlMs });
      await one.inboxes.open('a', () => {});
      assert.equal(await other.records.get('a'), undefined);
      assert.equal(await other.inboxes.send('a', 1), false);
      assert.deepEqual((await other.records.list('', { limit: 10 })).keys, []);
      for (const key of server.cli('KEYS', '*').split('\n')) assert.match(key, /^one:/);
    });
  });

  test('Two processes that race to write a version, or to end a log, have one winner', async () => {
    await play([], async ({ open }) => {
      const stores = [await open(), await open()] as const;
      const version = await stores[0].records.put('a', 0, { ttlMs });
      for (let round = 0; round < 50; round += 1) {
        const held = (await stores[0].records.get('a'))!;
        const puts = stores.map((store, index) => store.records.put('a', index, { ttlMs, ifVersion: held.version }));
        assert.equal((await Promise.all(puts)).filter((put) => put !== undefined).length, 1);
        const ends = await Promise.all(stores.map((store, index) => store.logs.end(`${round}`, `${index}`, wide)));
        assert.equal(ends.filter((end) => end === 1).length, 1);
        assert.equal(ends.filter((end) => end === undefined).length, 1);
      }
      assert.notEqual((await stores[1].records.get('a'))?.version, version);
    });
  });

  test('What one process appends, publishes and sends another one hears', async () => {
    await play([], async ({ open }) => {
      const [one, other] = [await open(), await open()];
      const heard: Json[] = [];
      await other.logs.follow('log', () => heard.push('woken'));
      await other.topics.subscribe('topic', (message) => heard.push(message));
      const leave = await other.inboxes.open('box', (message) => heard.push(message));
      await one.logs.append('log', 'text', wide);
      await one.topics.publish('topic', 'topic');
      assert.equal(await one.inboxes.send('box', 'box'), true);
      await until(() => heard.length === 3);
      assert.deepEqual(heard.toSorted(), ['box', 'topic', 'woken']);
      leave();
      await other.records.get('a');
      assert.equal(await one.inboxes.send('box', 'box'), false);
    });
  });
});
