import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silent } from '../model/log.ts';
import type { Level, Operation } from './file/journal.ts';
import { build, createFileStore, folderOf } from './file.ts';
import { openStore } from './open.ts';
import { type Store, StoreError } from './store.ts';

const wide = { entries: 1000, bytes: 1_000_000, ttlMs: 60_000 };
const ttlMs = 60_000;

async function within(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-file-'));
  try {
    await run(join(folder, 'store'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function reopen(store: Store, folder: string): Promise<Store> {
  await store.close();
  return createFileStore(folder, silent);
}

test('Records and logs are there after a restart as they were, with what is left of their time', async () => {
  await within(async (folder) => {
    let store = await createFileStore(folder, silent);
    const version = await store.records.put('kept', { ä: ['\n', null] }, { ttlMs });
    await store.records.put('short', 1, { ttlMs: 200 });
    await store.records.put('prolonged', 1, { ttlMs: 200 });
    await store.records.get('prolonged', ttlMs);
    await store.records.put('removed', 1, { ttlMs });
    await store.records.remove('removed');
    for (let index = 1; index <= 5; index += 1) await store.logs.append('log', `t${index}`, { ...wide, entries: 3 });
    await store.logs.append('long', 'a', wide);
    await store.logs.append('long', 'x'.repeat(100), { ...wide, bytes: 10 });
    await store.logs.end('ended', 'last', wide);
    await store.logs.append('gone', 'a', wide);
    await store.logs.remove('gone');
    const before = await Promise.all(['log', 'long', 'ended', 'gone'].map((log) => store.logs.read(log, 0)));
    store = await reopen(store, folder);
    assert.deepEqual(await store.records.get('kept'), { value: { ä: ['\n', null] }, version });
    assert.equal(await store.records.get('removed'), undefined);
    assert.deepEqual(await Promise.all(['log', 'long', 'ended', 'gone'].map((log) => store.logs.read(log, 0))), before);
    assert.equal(await store.logs.append('log', 't6', wide), 6);
    assert.equal(await store.logs.append('ended', 'more', wide), undefined);
    await sleep(210);
    assert.equal(await store.records.get('short'), undefined);
    assert.equal((await store.records.get('prolonged'))?.value, 1);
    assert.deepEqual((await store.records.list('', { limit: 10 })).keys.toSorted(), ['kept', 'prolonged']);
    await store.close();
  });
});

test('A version is not given again after a restart, not even one whose record was removed', async () => {
  await within(async (folder) => {
    const seen = new Set<number | undefined>();
    for (let round = 0; round < 4; round += 1) {
      const store = await createFileStore(folder, silent);
      for (let puts = 0; puts < 3; puts += 1) seen.add(await store.records.put('a', 1, { ttlMs }));
      await store.records.remove('a');
      await store.close();
    }
    assert.equal(seen.size, 12);
  });
});

test('What was acknowledged before the process was killed is there afterwards', async () => {
  await within(async (folder) => {
    const program = `
      const { createFileStore } = await import(${JSON.stringify(new URL('./file.js', import.meta.url).href)});
      const store = await createFileStore(${JSON.stringify(folder)}, () => {});
      for (let index = 1; ; index += 1) {
        await store.records.put('r' + index, index, { ttlMs: ${ttlMs} });
        await store.logs.append('log', 't' + index, ${JSON.stringify({ ...wide, entries: 100_000 })});
        process.stdout.write(index + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let acknowledged = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged = Number(line);
      if (acknowledged === 300) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const store = await createFileStore(folder, silent);
    for (let index = 1; index <= acknowledged; index += 1)
      assert.equal((await store.records.get(`r${index}`))?.value, index);
    const { entries } = await store.logs.read('log', 0);
    assert.ok(acknowledged >= 300 && entries.length >= acknowledged);
    await store.close();
  });
});

test('What expired while nobody had the store open is gone from its files too', async () => {
  await within(async (folder) => {
    let store = await createFileStore(folder, silent);
    await store.records.put('short', 'x'.repeat(1000), { ttlMs: 50 });
    await store.logs.append('short', 'text', { ...wide, ttlMs: 50 });
    await store.close();
    await sleep(60);
    store = await createFileStore(folder, silent);
    assert.deepEqual((await store.records.list('', { limit: 10 })).keys, []);
    assert.equal((await store.logs.read('short', 0)).next, 1);
    await sleep(1200);
    await store.close();
    const { ClassicLevel } = await import('classic-level');
    const level = new ClassicLevel(folder);
    assert.deepEqual((await level.keys().all()).toSorted(), ['f', 'v']);
    await level.close();
  });
});

test('A folder that another process, or this one, has open is refused with advice', async () => {
  await within(async (folder) => {
    const store = await createFileStore(folder, silent);
    await assert.rejects(createFileStore(folder, silent), (error: Error) => {
      assert.ok(error instanceof StoreError);
      assert.match(error.message, /^Cannot open store: another process has it open; /);
      return true;
    });
    assert.ok((await store.records.put('a', 1, { ttlMs })) !== undefined);
    await store.close();
  });
});

test('The folder is made for its owner only, and a file in its place is refused', async () => {
  await within(async (folder) => {
    const store = await openStore(`file:${folder}`, { log: silent });
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    await store.close();
    writeFileSync(`${folder}-file`, '');
    await assert.rejects(createFileStore(`${folder}-file`, silent), /there is a file where the folder should be/);
  });
});

test('Files another release wrote in another form are refused', async () => {
  await within(async (folder) => {
    const { ClassicLevel } = await import('classic-level');
    const level = new ClassicLevel(folder);
    await level.put('f', '2');
    await level.close();
    await assert.rejects(createFileStore(folder, silent), /another release of the server wrote its files/);
  });
});

test('folderOf reads relative and absolute folders and refuses those of other machines', () => {
  assert.equal(folderOf('file:data'), join(process.cwd(), 'data'));
  assert.equal(folderOf('file:/var/data'), '/var/data');
  assert.equal(folderOf('file:///var/da%20ta'), '/var/da ta');
  for (const url of ['file:', 'file://host/data']) assert.throws(() => folderOf(url), TypeError);
});

/** A disk that can be told to fail. */
function failingLevel(): Level & { error: Error | undefined; readonly kept: Map<string, string>; opened: number } {
  const kept = new Map<string, string>();
  return {
    kept,
    error: undefined,
    opened: 0,
    async open() {
      this.opened += 1;
    },
    async close() {},
    async batch(operations: readonly Operation[]) {
      await sleep(1);
      if (this.error !== undefined) throw this.error;
      for (const operation of operations)
        if (operation.type === 'put') kept.set(operation.key, operation.value);
        else kept.delete(operation.key);
    },
    async *iterator() {},
  };
}

test('A disk that takes nothing is told as away, or full, at once; reading goes on, and so does all when it recovers', async () => {
  const level = failingLevel();
  const told: string[] = [];
  const store = await build(level, (_, message) => told.push(message));
  await store.records.put('a', 1, { ttlMs });
  for (const [message, trouble] of [
    ['IO error: torn', 'away'],
    ['IO error: No space left on device', 'full'],
  ] as const) {
    const is = (error: unknown) => error instanceof StoreError && error.trouble === trouble;
    level.error = new Error(message);
    await Promise.all([
      assert.rejects(async () => store.records.put('b', 1, { ttlMs }), is),
      assert.rejects(async () => store.logs.append('b', 'text', wide), is),
    ]);
    assert.equal(store.awake(), false);
    for (const use of [
      () => store.records.put('c', 1, { ttlMs }),
      () => store.records.touch('a', ttlMs),
      () => store.records.remove('a'),
      () => store.logs.append('c', 'text', wide),
      () => store.logs.end('c', 'text', wide),
      () => store.logs.touch('b', ttlMs),
      () => store.logs.remove('b'),
    ])
      await assert.rejects(async () => use(), is, `${use}`);
    assert.equal((await store.records.get('a', ttlMs))?.value, 1);
    level.error = undefined;
    for (let tries = 0; !store.awake(); tries += 1) {
      assert.ok(tries < 500);
      await sleep(10);
    }
    assert.ok(level.kept.has('ra') && !level.kept.has('rc'));
    assert.ok((await store.records.put('d', 1, { ttlMs })) !== undefined);
  }
  assert.equal(level.opened, 2);
  assert.deepEqual(
    told,
    [1, 2].flatMap(() => ['Cannot write store files', 'Store files can be written again']),
  );
  await store.close();
});

test('A writer is answered when its own write is done, however many follow it', async () => {
  const level = failingLevel();
  const store = await build(level, silent);
  let done = false;
  const flood = (async () => {
    while (!done) await Promise.all(Array.from({ length: 10 }, () => store.records.put('flood', 1, { ttlMs })));
  })();
  for (let index = 0; index < 10; index += 1) {
    await store.records.put(`${index}`, index, { ttlMs });
    assert.ok(level.kept.has(`r${index}`));
  }
  done = true;
  await flood;
  await store.close();
});
