import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createServer } from '../catalog/server.ts';
import { loadModule, type ModuleOptions } from './modules.ts';

const FILL = (copy: string) => `export default (server) => { server.tool('which', {}, () => ${copy}); };`;
// A loader that translates gives modules a `require`; Node gives them none.
const NATIVE = 'typeof require === "undefined"';

describe('loadModule', () => {
  let folder: string;
  let asked: number;
  let options: ModuleOptions;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-modules-'));
    options = {
      async modules() {
        asked += 1;
        return { 'parley-test': { copy: 'own' } };
      },
      create: (name) => createServer({ name, version: '0.0.0' }),
    };
  });
  after(() => rmSync(folder, { recursive: true }));

  function put(path: string, text: string): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  const manifest = (content: object): string => JSON.stringify(content);

  /** What the one tool of a file answers. */
  async function answerOf(file: string): Promise<unknown> {
    asked = 0;
    const { provider } = await loadModule(file, options);
    const { tools = [] } = await provider.load({ limits: {} as never, log: () => {} });
    const result = await tools[0]?.run({}, {} as never);
    assert.ok(result !== undefined && 'content' in result);
    const [block] = result.content;
    assert.ok(block?.type === 'text');
    return block.text;
  }

  it('has Node import a module that needs nothing else', async () => {
    assert.equal(await answerOf(put('plain.mjs', FILL(`String(${NATIVE})`))), 'true');
    assert.equal(asked, 0);
  });

  it('has Node import a .js file where the manifest calls it a module', async () => {
    put('typed/package.json', manifest({ type: 'module' }));
    assert.equal(await answerOf(put('typed/deep/file.js', FILL(`String(${NATIVE})`))), 'true');
  });

  it('translates a .js file that no manifest calls a module', async () => {
    put('untyped/package.json', manifest({}));
    assert.equal(await answerOf(put('untyped/file.js', FILL(`String(${NATIVE})`))), 'false');
    put('broken/package.json', '{');
    assert.equal(await answerOf(put('broken/file.js', FILL(`String(${NATIVE})`))), 'false');
  });

  it('translates TypeScript', async () => {
    const text = `enum Word { one = 'ours' }\nexport default (server: any) => { server.tool('which', {}, () => Word.one); };`;
    assert.equal(await answerOf(put('typescript.ts', text)), 'ours');
  });

  it('gives its own package to a file that finds none', async () => {
    const file = put('lone/file.mjs', `import { copy } from 'parley-test';\n${FILL('copy')}`);
    assert.equal(await answerOf(file), 'own');
    assert.equal(asked, 1);
  });

  it('leaves a file the package it finds', async () => {
    put('inside/node_modules/parley-test/package.json', manifest({ name: 'parley-test', exports: './index.js' }));
    put('inside/node_modules/parley-test/index.js', 'exports.copy = "installed";');
    const file = put('inside/file.mjs', `import { copy } from 'parley-test';\n${FILL('copy')}`);
    assert.equal(await answerOf(file), 'installed');
    assert.equal(asked, 0);
  });

  it('translates a module with imports that only a loader understands', async () => {
    put('mixed/words.ts', 'export const word: string = "typed";');
    assert.equal(await answerOf(put('mixed/a.mjs', `import { word } from './words.ts';\n${FILL('word')}`)), 'typed');
    put('mixed/more/index.mjs', 'export const word = "folder";');
    assert.equal(await answerOf(put('mixed/b.mjs', `import { word } from './more';\n${FILL('word')}`)), 'folder');
    put('mixed/data.json', '{"word":"data"}');
    assert.equal(await answerOf(put('mixed/c.mjs', `import data from './data.json';\n${FILL('data.word')}`)), 'data');
  });

  it('translates a module that uses words of CommonJS', async () => {
    const text = `const { sep } = require('node:path');\n${FILL('String(sep.length)')}`;
    assert.equal(await answerOf(put('required.mjs', text)), '1');
  });

  it('tells what a module throws, and runs it once', async () => {
    const text = 'globalThis.runs = (globalThis.runs ?? 0) + 1;\nthrow new Error("Run " + globalThis.runs);';
    const file = put('thrower.mjs', text);
    await assert.rejects(loadModule(file, options), { message: 'Run 1' });
  });

  it('refuses a file that exports nothing to serve, and one that is not there', async () => {
    await assert.rejects(loadModule(put('empty.mjs', 'export const x = 1;'), options), /export a server as default/);
    await assert.rejects(loadModule(join(folder, 'none.mjs'), options), /no such file/);
  });
});
