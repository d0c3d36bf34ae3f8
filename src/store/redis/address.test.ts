import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddress } from './address.ts';

const PLAIN = {
  kind: 'single',
  tls: false,
  nodes: [{ host: 'host', port: 6379 }],
  master: '',
  username: undefined,
  password: undefined,
  database: 0,
  prefix: 'parley:',
  timeoutMs: 1000,
};

test('readAddress reads the shortest URL and fills in the rest', () => {
  assert.deepEqual(readAddress('redis://host'), PLAIN);
  assert.deepEqual(readAddress('REDIS://host/'), PLAIN);
});

test('readAddress reads user, password, port, database and options', () => {
  assert.deepEqual(readAddress('rediss://us%40er:p%3A%2Fw@[::1]:7000/3?prefix=a:b&timeout=50'), {
    ...PLAIN,
    tls: true,
    nodes: [{ host: '::1', port: 7000 }],
    username: 'us@er',
    password: 'p:/w',
    database: 3,
    prefix: 'a:b',
    timeoutMs: 50,
  });
  assert.equal(readAddress('redis://:only:password@host').password, 'only:password');
  assert.equal(readAddress('redis://user@host').username, 'user');
  assert.equal(readAddress('redis://host?prefix=').prefix, '');
});

test('readAddress reads sentinels with the name they watch', () => {
  assert.deepEqual(readAddress('redis+sentinel://:secret@one,two:26380/the%20master/2'), {
    ...PLAIN,
    kind: 'sentinel',
    nodes: [
      { host: 'one', port: 26_379 },
      { host: 'two', port: 26_380 },
    ],
    master: 'the master',
    password: 'secret',
    database: 2,
  });
});

test('readAddress reads the servers of a cluster', () => {
  const { kind, tls, nodes } = readAddress('rediss+cluster://one:7000,two:7001');
  assert.deepEqual([kind, tls, nodes.length], ['cluster', true, 2]);
});
