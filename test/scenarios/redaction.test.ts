import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/model/json.ts';
import { KEY } from './revisions.ts';

const SECRET = 'hunter2-of-the-operator';
const MODULE = `export default (server) => {
  const secret = process.env.PARLEY_SECRET + ' ' + process.env.SHOP_API_KEY;
  server.tool('leaks', {}, () => { throw new Error('cannot use ' + secret); });
};
`;

test('secrets of the environment are in no answer, no resource about the server, and no line of its log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-redaction-'));
  try {
    const module = join(folder, 'leaking-tools.mjs');
    writeFileSync(module, MODULE);
    const cli = fileURLToPath(new URL('../../src/cli/parley.js', import.meta.url));
    const args = [cli, 'stdio', '--preset', 'hyperserve', '--module', module, '--log-level', 'debug'];
    const log = join(folder, 'server.log');
    const child = spawn(process.execPath, [...args, '--log-file', log, '--audit', 'stderr', '--audit-arguments'], {
      env: {
        ...process.env,
        PARLEY_RESOURCES: 'true',
        PARLEY_SECRET: SECRET,
        SHOP_API_KEY: `${SECRET}-too`,
        PARLEY_FILE_ROOT: folder,
      },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const _meta = { [KEY.revision]: '2026-07-28', [KEY.capabilities]: {} };
    const ask = (id: number, method: string, params: JsonObject): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`);
    };
    const answered = async (id: number): Promise<void> => {
      while (!out.includes(`"id":${id},`)) await once(child.stdout, 'data');
    };
    ask(1, 'tools/call', { name: 'leaks', arguments: { note: `it is ${SECRET}` } });
    await answered(1);
    ask(2, 'resources/read', { uri: 'config://server/options' });
    ask(3, 'resources/read', { uri: 'logs://server/recent' });
    await answered(3);
    child.stdin.end();
    await once(child, 'close');
    const logged = readFileSync(log, 'utf8');
    assert.match(logged, /cannot use \[redacted\]/);
    assert.match(err, /"verb":"tools\.call","item":"leaks","outcome":"E_INTERNAL"/);
    assert.match(out, /"secrets\\?": \\?"\[redacted\]/);
    for (const text of [out, err, logged]) assert.doesNotMatch(text, /hunter2/);
    assert.ok(!out.includes(folder), 'no place on this machine is a client told');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
