import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { PathError, type PathTrouble } from './path-trouble.ts';
import { createRoot, type Root, type RootMethod } from './roots.ts';

const SECRET = 'outside the root';
const methods: RootMethod[] = process.platform === 'linux' ? ['walk', 'recheck'] : ['recheck'];
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'parley-roots-')));
after(() => rmSync(scratch, { recursive: true }));

let made = 0;
function makeTree(): { base: string; root: string } {
  const base = join(scratch, `tree-${++made}`);
  const root = join(base, 'root');
  mkdirSync(join(root, 'sub', 'deep'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  for (const sibling of ['root2', 'root_', 'root evil']) {
    mkdirSync(join(base, sibling));
    writeFileSync(join(base, sibling, 'secret.txt'), SECRET);
  }
  writeFileSync(join(base, 'outside', 'secret.txt'), SECRET);
  writeFileSync(join(base, 'outside', 'a.txt'), SECRET);
  writeFileSync(join(root, 'a.txt'), 'a');
  writeFileSync(join(root, 'sub', 'b.txt'), 'b');
  writeFileSync(join(root, 'sub', '..dots'), 'dots');
  return { base, root };
}

async function readAll(root: Root, path: string): Promise<string> {
  const file = await root.openFile(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function troubled(trouble: PathTrouble | PathTrouble[]) {
  return (error: unknown) => {
    assert.ok(error instanceof PathError, String(error));
    assert.ok([trouble].flat().includes(error.trouble), `${error.trouble}, not ${String(trouble)}`);
    assert.ok(!error.message.includes(scratch), 'the message names no place of the machine');
    return true;
  };
}

function openHandles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

for (const method of methods) {
  describe(`a root kept by ${method}`, () => {
    test('opens what stands below it, also through dots and inner links', async () => {
      const { root: path } = makeTree();
      symlinkSync('sub', join(path, 'inner'));
      symlinkSync('../a.txt', join(path, 'sub', 'up.txt'));
      symlinkSync('inner/../sub/up.txt', join(path, 'chain.txt'));
      const root = await createRoot(path, { method });
      const cases = [
        'a.txt',
        './a.txt',
        'sub//b.txt',
        'sub/../a.txt',
        'inner/b.txt',
        'sub/up.txt',
        'chain.txt',
        'sub/..dots',
      ];
      for (const name of cases) assert.match(await readAll(root, name), /^(?:a|b|dots)$/, name);
    });

    test('lends a directory', async () => {
      const { root: path } = makeTree();
      const root = await createRoot(path, { method });
      for (const asked of ['.', '', 'sub/..']) {
        const names = await root.withDirectory(asked, (directory) => readdir(directory.path));
        assert.deepEqual(names.sort(), ['a.txt', 'sub'], asked);
      }
      await assert.rejects(
        root.withDirectory('a.txt', async () => 0),
        troubled('notDirectory'),
      );
    });

    const { base, root: path } = makeTree();
    const links: Record<string, string> = {
      'link-file': join(base, 'outside', 'secret.txt'),
      'link-dir': join(base, 'outside'),
      'link-relative': '../outside/secret.txt',
      'link-relative-dir': '../outside',
      'link-deep': 'sub/../../outside/secret.txt',
      'chain-1': 'chain-2',
      'chain-2': 'chain-3',
      'chain-3': '../outside/secret.txt',
      'proc-root': '/proc/self/root',
      'proc-cwd': '/proc/self/cwd',
      etc: '/etc',
      loop: 'loop',
      'loop-a': 'loop-b',
      'loop-b': 'loop-a',
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(path, name));
    const escapes = [
      '..',
      '../',
      '../outside/secret.txt',
      '../root2/secret.txt',
      '../root_/secret.txt',
      '../root evil/secret.txt',
      'sub/../../outside/secret.txt',
      'sub/../../root2/secret.txt',
      './../outside/secret.txt',
      'sub/deep/../../../outside/secret.txt',
      join(base, 'outside', 'secret.txt'),
      join(path, 'a.txt'),
      '/etc/hostname',
      '//etc/hostname',
      '/proc/self/environ',
      'link-file',
      'link-dir/secret.txt',
      'link-relative',
      'link-relative-dir/secret.txt',
      'link-deep',
      'chain-1',
      'proc-root/etc/hostname',
      'proc-cwd/package.json',
      'etc/hostname',
      'loop',
      'loop-a/x',
    ];
    test('refuses every way out', async () => {
      const root = await createRoot(path, { method });
      const before = openHandles();
      for (const way of escapes) {
        await assert.rejects(readAll(root, way), troubled(['outside', 'missing', 'notFile', 'denied']), way);
        await assert.rejects(
          root.withDirectory(way, async () => assert.fail(`lent ${way}`)),
          troubled(['outside', 'missing', 'notDirectory', 'denied']),
        );
      }
      assert.equal(openHandles(), before, 'nothing stays open');
    });

    test('reads nothing outside by any way the names make', async () => {
      const root = await createRoot(path, { method });
      const names = [
        '..',
        '.',
        '',
        'sub',
        'deep',
        'a.txt',
        'b.txt',
        'outside',
        'secret.txt',
        'root2',
        'etc',
        'proc-root',
      ];
      const name = fc.constantFrom(...names, ...Object.keys(links), '...', '..\\..', '%2e%2e', '~', '\u2024\u2024');
      await fc.assert(
        fc.asyncProperty(
          fc.array(name, { maxLength: 9 }),
          fc.constantFrom('', '/', '//', './'),
          async (parts, lead) => {
            const text = await readAll(root, lead + parts.join('/')).catch((error: unknown) => {
              assert.ok(error instanceof PathError, String(error));
              return 'refused';
            });
            assert.ok(['a', 'b', 'dots', 'refused'].includes(text), text);
          },
        ),
        { numRuns: 500 },
      );
    });

    test('refuses names no file can have', async () => {
      const root = await createRoot(path, { method });
      for (const name of ['a\0.txt', 'a.txt\0/../../outside/secret.txt', 'x'.repeat(300), 'x/'.repeat(3000)]) {
        await assert.rejects(readAll(root, name), troubled(['malformed', 'missing']));
      }
      for (const name of ['missing', 'sub/missing', 'a.txt/b']) {
        await assert.rejects(readAll(root, name), troubled(['missing', 'notDirectory']));
      }
      for (const name of ['', '.', 'sub']) await assert.rejects(readAll(root, name), troubled('notFile'));
    });

    test('opens no FIFO, no socket and no device, and does not wait for one', { timeout: 5000 }, async (t) => {
      if (process.platform === 'win32') return t.diagnostic('there are none here');
      const tree = makeTree();
      execFileSync('mkfifo', [join(tree.root, 'fifo')]);
      const listener = createServer().listen(join(tree.root, 'socket'));
      const root = await createRoot(tree.root, { method });
      for (const name of ['fifo', 'socket']) await assert.rejects(readAll(root, name), troubled('notFile'), name);
      listener.close();
      const devices = await createRoot('/dev', { method });
      for (const name of ['null', 'zero', 'tty']) {
        await assert.rejects(readAll(devices, name), troubled(['notFile', 'missing']), name);
      }
    });

    test('gives nothing of a directory that is swapped for a link while it is read', { timeout: 60_000 }, async () => {
      const tree = makeTree();
      const { escaped, read } = await race(await createRoot(tree.root, { method }), tree);
      assert.equal(escaped, 0);
      assert.ok(read > 0, 'some reads went through');
    });
  });
}

/** Reads thousands of times while a thread swaps the directory for a link to one outside. */
async function race(root: Root, { base, root: path }: { base: string; root: string }) {
  mkdirSync(join(path, 'swap'));
  writeFileSync(join(path, 'swap', 'a.txt'), 'a');
  symlinkSync(join(base, 'outside'), join(path, 'link'));
  const worker = new Worker(
    `const { renameSync } = require('node:fs');
     const { workerData: at, parentPort } = require('node:worker_threads');
     parentPort.postMessage('ready');
     for (;;) {
       renameSync(at + '/swap', at + '/aside'); renameSync(at + '/link', at + '/swap');
       renameSync(at + '/swap', at + '/link'); renameSync(at + '/aside', at + '/swap');
     }`,
    { eval: true, workerData: path },
  );
  await new Promise((resolve) => worker.once('message', resolve));
  const counts = { escaped: 0, read: 0, refused: 0 };
  const began = performance.now();
  const enough = (): boolean => performance.now() - began > 3000 && counts.read + counts.refused > 2000;
  let racing = true;
  const lister = async () => {
    while (racing) {
      const names = await root.withDirectory('swap', ({ path: held }) => readdir(held)).catch((): string[] => []);
      if (names.includes('secret.txt')) counts.escaped++;
    }
  };
  const reader = async () => {
    while (racing) {
      const text = await readAll(root, 'swap/a.txt').catch(() => undefined);
      if (text === undefined) counts.refused++;
      else if (text === SECRET) counts.escaped++;
      else counts.read++;
      racing &&= !enough();
    }
  };
  await Promise.all([reader(), reader(), reader(), lister()]);
  await worker.terminate();
  assert.ok(counts.refused > 0, 'some reads met the link');
  return counts;
}

test('a root must be a directory with an absolute path, and no window into the kernel', async () => {
  const { root } = makeTree();
  await assert.rejects(createRoot('relative'), TypeError);
  await assert.rejects(createRoot(join(root, 'a.txt')), TypeError);
  await assert.rejects(createRoot(join(root, 'missing')), TypeError);
  if (process.platform === 'linux') {
    for (const path of ['/proc', '/proc/self', '/sys']) await assert.rejects(createRoot(path), /kernel/);
  }
});

test('the root of all files does not lead into the kernel', async (t) => {
  if (process.platform !== 'linux') return t.diagnostic('there is no /proc here');
  const root = await createRoot('/');
  for (const path of ['proc/self/environ', 'proc/self/mem', 'sys/kernel/notes']) {
    await assert.rejects(readAll(root, path), troubled(['outside', 'missing', 'denied', 'notFile']), path);
  }
  await assert.rejects(
    root.withDirectory('proc/self/fd', async () => 0),
    troubled('outside'),
  );
  assert.equal(await readAll(root, 'etc/hostname').then((text) => text.length > 0), true);
});
