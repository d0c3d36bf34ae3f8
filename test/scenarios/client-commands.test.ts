import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PARLEY = fileURLToPath(new URL('../../src/cli/parley.js', import.meta.url));
const DESK = fileURLToPath(new URL('./fixtures/desk.js', import.meta.url));
const HELLO = [process.execPath, PARLEY, 'stdio', '--log-level', 'error'];
const AT_DESK = [...HELLO, '--module', DESK];

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `parley` with these arguments; its input is no terminal. */
function parley(args: readonly string[], server: readonly string[] = []): Promise<Ended> {
  const whole = server.length === 0 ? args : [...args, '--', ...server];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PARLEY, ...whole], { timeout: 30_000 }, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
    child.stdin?.end();
  });
}

test('parley list shows everything a server offers, in aligned columns', async () => {
  const { code, out } = await parley(['list'], HELLO);
  assert.equal(code, 0);
  assert.match(out, /^Parley .* \(MCP \d{4}-\d\d-\d\d\)$/m);
  assert.match(out, /^tools:\n {2}hello {2,}Greets somebody by name$/m);
  assert.match(out, /^resources:\n {2}hello:\/\/greeting {2}\S/m);
  assert.match(out, /^prompts:\n {2}introduce {2}\S/m);
});

test('parley list shows the first line of a description', async () => {
  const { out } = await parley(['list', 'tools'], AT_DESK);
  assert.match(out, /^ {2}fail {2}Fails$/m);
  assert.match(out, /^ {2}echo {2}Gives its input back$/m);
});

test('parley list --json prints one document and nothing else', async () => {
  const { code, out } = await parley(['list', 'tools', '--json'], HELLO);
  assert.equal(code, 0);
  const { server, tools, prompts } = JSON.parse(out);
  assert.equal(server.name, 'parley');
  assert.equal(tools[0].name, 'hello');
  assert.equal(prompts, undefined);
});

for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
  test(`parley speaks ${revision} when told to`, async () => {
    const { code, out } = await parley(['list', '--json', '--revision', revision], HELLO);
    assert.equal(code, 0);
    assert.equal(JSON.parse(out).revision, revision);
  });
}

test('parley call reads each value as the input schema says', async () => {
  const words = ['count=3', 'loud=true', 'tags=[1,"a"]', 'deep={"x":null}', 'text=7', 'other=8=9'];
  const { code, out } = await parley(['call', 'echo', ...words], AT_DESK);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(out), {
    count: 3,
    loud: true,
    tags: [1, 'a'],
    deep: { x: null },
    text: '7',
    other: '8=9',
  });
});

test('parley call takes its input from JSON or a file, and words add to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-call-'));
  const file = join(folder, 'input.json');
  writeFileSync(file, '{"count":1,"text":"a"}');
  try {
    const inline = await parley(['call', 'echo', '--input', '{"count":1}', 'text=b'], AT_DESK);
    assert.deepEqual(JSON.parse(inline.out), { count: 1, text: 'b' });
    const filed = await parley(['call', 'echo', '--input', `@${file}`, 'count=2'], AT_DESK);
    assert.deepEqual(JSON.parse(filed.out), { count: 2, text: 'a' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('parley call prints text as it is and describes the rest', async () => {
  const { out } = await parley(['call', 'show'], AT_DESK);
  assert.equal(out, 'plain\n[image, image/png, 3 bytes]\ninside\n[resource link: b <desk://b>]\n');
});

test('parley call --json prints the result in the words of the protocol', async () => {
  const { code, out } = await parley(['call', 'hello', 'name=Ada', '--json'], HELLO);
  assert.equal(code, 0);
  const { structuredContent, isError } = JSON.parse(out);
  assert.deepEqual(structuredContent, { message: 'Hello, Ada!' });
  assert.equal(isError, false);
});

test('parley call keeps progress off stdout', async () => {
  const { out, err } = await parley(['call', 'work'], AT_DESK);
  assert.equal(out, 'done\n');
  assert.match(err, /1\/2 half/);
});

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`parley call declines a question of ${revision} when nobody is at a terminal`, async () => {
    const { code, out, err } = await parley(['call', 'ask', '--revision', revision], AT_DESK);
    assert.equal(code, 0);
    assert.equal(out, 'decline\n');
    assert.match(err, /desk asks: Who are you\?/);
  });
}

test('a tool that failed ends with 1 and says why on stderr', async () => {
  const plain = await parley(['call', 'fail'], AT_DESK);
  assert.deepEqual([plain.code, plain.out], [1, '']);
  assert.match(plain.err, /The desk is closed/);
  const json = await parley(['call', 'fail', '--json'], AT_DESK);
  assert.equal(json.code, 1);
  assert.equal(JSON.parse(json.out).isError, true);
});

test('parley read and parley prompt print what they get', async () => {
  const read = await parley(['read', 'hello://greeting'], HELLO);
  assert.deepEqual([read.code, read.out], [0, 'Hello, world!\n']);
  const prompt = await parley(['prompt', 'introduce', 'name=Ada'], HELLO);
  assert.equal(prompt.code, 0);
  assert.match(prompt.out, /^user: Introduce yourself to Ada/);
  const json = await parley(['prompt', 'introduce', 'name=Ada', '--json'], HELLO);
  assert.equal(JSON.parse(json.out).messages[0].role, 'user');
});

test('a command called wrongly ends with 2 and points to its help', async () => {
  const { code, out, err } = await parley(['list', '--loud', '--', 'x']);
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /See: parley help list/);
});

test('a value that does not fit the schema ends with 2', async () => {
  const { code, err } = await parley(['call', 'echo', 'count=many'], AT_DESK);
  assert.equal(code, 2);
  assert.match(err, /"count" must be integer/);
});

test('a server that cannot be started, or ends at once, or stays silent, ends with 3', async () => {
  const absent = await parley(['list'], ['parley-no-such-program']);
  assert.equal(absent.code, 3);
  assert.match(absent.err, /Cannot start "parley-no-such-program"/);
  const gone = await parley(['list'], [process.execPath, '-e', 'process.exit(9)']);
  assert.equal(gone.code, 3);
  assert.match(gone.err, /ended with code 9/);
  const silent = await parley(['list', '--timeout', '0.1'], [process.execPath, '-e', 'process.stdin.resume()']);
  assert.equal(silent.code, 3);
  assert.match(silent.err, /did not answer/);
});

test('a server that refuses ends with 4', async () => {
  for (const args of [
    ['call', 'absent'],
    ['read', 'hello://absent'],
    ['prompt', 'absent'],
  ]) {
    const { code, out, err } = await parley(args, HELLO);
    assert.deepEqual([code, out], [4, '']);
    assert.match(err, /The server refused: /);
  }
});

test('a server that knows only the handshake and prints to stdout is spoken with all the same', async () => {
  const source = `
    console.log('Old server ready');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const serverInfo = { name: 'old', version: '0.1' };
      const result = { initialize: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo },
        'tools/list': { tools: [{ name: 'saw', inputSchema: { type: 'object' } }] } }[method];
      if (id === undefined) return;
      console.log(JSON.stringify(result ? { jsonrpc: '2.0', id, result }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
    });`;
  const { code, out, err } = await parley(['list'], [process.execPath, '-e', source]);
  assert.equal(code, 0);
  assert.match(out, /^old 0\.1 \(MCP 2024-11-05\)\n\ntools:\n {2}saw\n$/);
  assert.match(err, /printed a line to stdout that is no message/);
});
