import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runTool, textIn } from '../../../../test/packs/run-tool.ts';
import type { Server } from '../../../catalog/server.ts';
import { Fault } from '../../../model/fault.ts';
import type { JsonObject } from '../../../model/json.ts';
import { createFiles } from './files.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'parley-files-')));
const root = join(base, 'root');
let files: Server;

before(async () => {
  mkdirSync(join(root, 'many'), { recursive: true });
  mkdirSync(join(root, 'empty'));
  writeFileSync(join(base, 'secret.txt'), 'secret');
  writeFileSync(join(root, 'hello.txt'), 'Hello, wörld!\n');
  writeFileSync(join(root, 'empty.txt'), '');
  writeFileSync(join(root, 'long.txt'), 'äöü€😀'.repeat(50));
  writeFileSync(join(root, 'picture.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]));
  writeFileSync(join(root, 'latin1.txt'), Buffer.from([0x66, 0xfc, 0x72]));
  symlinkSync('../secret.txt', join(root, 'out.txt'));
  for (const name of ['b', 'a', 'Z', 'ä', '10', '9']) writeFileSync(join(root, 'many', name), name);
  utimesSync(join(root, 'hello.txt'), new Date(0), new Date(1_700_000_000_000));
  files = await createFiles({ root, pageBytes: 100, listing: { pageEntries: 4, mostEntries: 50 } });
});
after(() => rmSync(base, { recursive: true }));

const read = (input: JsonObject) => runTool(files, { name: 'read_file', input });
const list = (input: JsonObject) => runTool(files, { name: 'list_directory', input });
const failing = (code: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  assert.ok(!error.message.includes(base), 'the message names no place of the machine');
  return true;
};

describe('read_file', () => {
  test('gives text as it is', async () => {
    assert.equal(textIn(await read({ path: 'hello.txt' })), 'Hello, wörld!\n');
    assert.equal(textIn(await read({ path: 'empty.txt' })), '');
  });

  test('gives anything else as base64 with its media type', async () => {
    const { content } = await read({ path: 'picture.png' });
    const resource = { uri: 'file:///picture.png', mimeType: 'image/png', blob: 'iVBORwABAv8=' };
    assert.deepEqual(content, [{ type: 'resource', resource }]);
    const latin = await read({ path: 'latin1.txt' });
    assert.equal(latin.content[0]?.type, 'resource');
  });

  test('gives a long file page by page, and never half a character', async () => {
    let text = '';
    let offset = 0;
    for (let pages = 0; pages < 100; pages++) {
      const { content } = await read({ path: 'long.txt', offset, length: 31 });
      const [page, note] = content;
      assert.ok(page?.type === 'text' && note?.type === 'text');
      text += page.text;
      const next = /offset (\d+)$/.exec(note.text)?.[1];
      if (next === undefined) break;
      offset = Number(next);
    }
    assert.equal(text, 'äöü€😀'.repeat(50));
    const { content } = await read({ path: 'long.txt' });
    assert.match(JSON.stringify(content[1]), /Bytes 0 to \d+ of 650; go on with offset \d+/);
  });

  test('gives bytes where a page is shorter than a character, so that reading goes on', async () => {
    const { content } = await read({ path: 'long.txt', length: 1 });
    assert.equal(content[0]?.type, 'resource');
    assert.match(JSON.stringify(content[1]), /go on with offset 1"/);
  });

  test('refuses what it may not or cannot read', async () => {
    const cases: [JsonObject, string, RegExp][] = [
      [{ path: '../secret.txt' }, 'E_TOOL_ERROR', /leads outside the file root: "\.\.\/secret\.txt"/],
      [{ path: '/etc/hostname' }, 'E_TOOL_ERROR', /leads outside/],
      [{ path: 'out.txt' }, 'E_TOOL_ERROR', /leads outside/],
      [{ path: 'missing' }, 'E_TOOL_ERROR', /no such file/],
      [{ path: 'many' }, 'E_TOOL_ERROR', /not a regular file/],
      [{ path: 'hello.txt', offset: 1000 }, 'E_TOOL_ERROR', /it has 15 bytes/],
      [{ path: '' }, 'E_BAD_ARGUMENTS', /./],
      [{}, 'E_BAD_ARGUMENTS', /./],
      [{ path: 7 }, 'E_BAD_ARGUMENTS', /./],
      [{ path: 'hello.txt', length: 101 }, 'E_BAD_ARGUMENTS', /./],
      [{ path: 'hello.txt', length: 0 }, 'E_BAD_ARGUMENTS', /./],
      [{ path: 'hello.txt', offset: -1 }, 'E_BAD_ARGUMENTS', /./],
      [{ path: 'hello.txt', mode: 'w' }, 'E_BAD_ARGUMENTS', /./],
    ];
    for (const [input, code, message] of cases)
      await assert.rejects(read(input), failing(code, message), JSON.stringify(input));
  });
});

describe('list_directory', () => {
  test('lists what is there, sorted, without following links', async () => {
    const entries = JSON.parse(textIn(await list({ path: '.' }).then(({ content: [page] }) => ({ content: [page!] }))));
    assert.deepEqual(
      entries.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`),
      ['empty directory', 'empty.txt file', 'hello.txt file', 'latin1.txt file'],
    );
    assert.deepEqual(entries[2], { modTime: '2023-11-14T22:13:20.000Z', name: 'hello.txt', size: 15, type: 'file' });
    const rest = await list({ offset: 4 });
    assert.match(JSON.stringify(rest.content[0]), /out\.txt[^}]*link/);
    assert.match(JSON.stringify(rest.content[1]), /Entries 4 to 8 of 8/);
  });

  test('sorts by code unit and says where to go on', async () => {
    const { content } = await list({ path: 'many' });
    const [page, note] = content;
    assert.ok(page?.type === 'text' && note?.type === 'text');
    assert.deepEqual(
      JSON.parse(page.text).map(({ name }: { name: string }) => name),
      ['10', '9', 'Z', 'a'],
    );
    assert.equal(note.text, 'Entries 0 to 4 of 6; go on with offset 4');
  });

  test('gives an empty list for an empty directory', async () => {
    assert.equal(textIn(await list({ path: 'empty' })), '[]');
  });

  test('refuses what is no directory below the root, or too big a one', async () => {
    await assert.rejects(list({ path: '..' }), failing('E_TOOL_ERROR', /leads outside/));
    await assert.rejects(list({ path: 'hello.txt' }), failing('E_TOOL_ERROR', /not a directory/));
    const few = await createFiles({ root, listing: { mostEntries: 3 } });
    await assert.rejects(runTool(few, { name: 'list_directory', input: {} }), failing('E_TOOL_ERROR', /more than 3/));
  });
});

test('without a directory there are no file tools', async () => {
  await assert.rejects(createFiles({ root: join(base, 'nowhere') }), TypeError);
  await assert.rejects(createFiles({ root: '' }), TypeError);
});
