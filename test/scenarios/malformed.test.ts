import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/model/json.ts';
import { malformed } from './malformed-lines.ts';
import { scenario } from './obligation.ts';

const COUNT = 10_000;

scenario(
  ['2025-06-18'],
  'answers ten thousand malformed lines with the right error each, and then a good one',
  async (_, peer) => {
    const before = peer.ledger.lines.length;
    let due = 0;
    for (const { line, code } of malformed(COUNT, 7)) {
      const at = peer.ledger.lines.length;
      peer.line(line);
      if (code === undefined) continue;
      due += 1;
      while (peer.ledger.lines.length === at) await new Promise((resolve) => setImmediate(resolve));
      const { error } = JSON.parse(peer.ledger.lines.at(-1) as string) as { error: JsonObject };
      assert.equal(error['code'], code, `${line} → ${JSON.stringify(error)}`);
      assert.equal(typeof error['message'], 'string');
    }
    peer.ledger.forget();
    assert.equal(await peer.said('echo', { text: 'good' }), 'good');
    assert.equal(peer.ledger.lines.length, before + due + 1);
  },
);

test('malformed lines leave nothing behind in memory', async () => {
  const script = fileURLToPath(new URL('./malformed-child.js', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', script, String(COUNT), '6'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  const { heaps, lines } = JSON.parse(text) as { heaps: number[]; lines: number };
  assert.ok(lines > COUNT * 4, `${lines} answers`);
  const [, second = 0] = heaps;
  const growth = (heaps.at(-1) as number) - second;
  assert.ok(growth < 2 * 1024 * 1024, `the heap grew by ${growth} bytes over forty thousand lines: ${heaps}`);
});
