import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { silent } from '../model/log.ts';
import { openStore } from './open.ts';

const options = { log: silent };

test('openStore opens the memory engine, whatever the case of its scheme', async () => {
  for (const url of ['memory:', 'MEMORY:']) {
    const store = await openStore(url, options);
    assert.ok((await store.records.put('a', 1, { ttlMs: 1000 })) !== undefined);
    await store.close();
  }
});

test('openStore opens a store of its own each time', async () => {
  const [one, other] = [await openStore('memory:', options), await openStore('memory:', options)];
  await one.records.put('a', 1, { ttlMs: 1000 });
  assert.equal(await other.records.get('a'), undefined);
  await one.close();
  await other.close();
});

test('openStore gives its log to the engine', async () => {
  const told: string[] = [];
  const store = await openStore('memory:', { log: (_, message) => told.push(message) });
  await store.topics.subscribe('t', () => {
    throw new Error('thrown by a listener');
  });
  await store.topics.publish('t', 1);
  await new Promise(setImmediate);
  assert.deepEqual(told, ['Topic listener failed']);
  await store.close();
});

test('openStore refuses an unknown scheme, names the known ones and keeps the password to itself', async () => {
  await assert.rejects(openStore('nowhere://user:hidden@host', options), (error: Error) => {
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /^Cannot open store: no engine has the scheme "nowhere:"; known schemes: "memory:", /);
    assert.doesNotMatch(error.message, /hidden|host/);
    return true;
  });
});

test('openStore refuses what is not a URL, a property of every object among it', async () => {
  for (const url of ['', 'data', '/var/data', '://x', '1a:b', 'constructor:', '__proto__:'])
    await assert.rejects(openStore(url, options), TypeError);
});

test('openStore refuses anything after "memory:", which would be ignored', async () => {
  await assert.rejects(openStore('memory:?bytes=1', options), {
    name: 'TypeError',
    message: 'Cannot open store: "memory:" takes nothing after the colon',
  });
});

test('openStore refuses a Redis URL it cannot read, and keeps the password to itself', async () => {
  for (const url of [
    'redis:',
    'redis://',
    'redis://user:hidden@',
    'redis://user:hidden@host:0',
    'redis://user:hidden@host:99999',
    'redis://user:hidden@host/zero',
    'redis://user:hidden@host/0/1',
    'redis://user:hidden@host,other',
    'redis://user:%hidden@host',
    'redis://user:hidden@host?pre=hidden',
    'redis://user:hidden@host?prefix={hidden}',
    'redis://user:hidden@host?timeout=hidden',
    'redis://user:hidden@host#hidden',
    'redis+sentinel://user:hidden@host',
    'redis+cluster://user:hidden@host/1',
  ])
    await assert.rejects(openStore(url, options), (error: Error) => {
      assert.ok(error instanceof TypeError, url);
      assert.match(error.message, /^Cannot open store: /);
      assert.doesNotMatch(error.message, /hidden/);
      return true;
    });
});

/** Opens a store in a process where importing the packages of engines fails, and answers the message. */
function openWithout(url: string, code: string): string {
  const hook = `export async function resolve(name, context, next) {
    if (['@redis/client', 'classic-level'].includes(name)) throw Object.assign(new Error('absent'), { code: '${code}' });
    return next(name, context);
  }`;
  const program = `import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
    const { openStore } = await import(${JSON.stringify(new URL('./open.js', import.meta.url).href)});
    await openStore(${JSON.stringify(url)}, { log() {} }).catch((error) => console.log(error.name + ': ' + error.message));`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).stdout.trim();
}

test('openStore says which package an engine lacks, and how to get it', () => {
  for (const [url, name] of [
    ['redis://user:hidden@host', '@redis/client'],
    ['file:absent', 'classic-level'],
  ] as const) {
    assert.equal(
      openWithout(url, 'ERR_MODULE_NOT_FOUND'),
      `TypeError: Cannot open store: its package "${name}" is not installed: run "npm install ${name}"`,
    );
    assert.match(openWithout(url, 'ERR_DLOPEN_FAILED'), /cannot be loaded here; install it anew on this machine: run/);
  }
});
