import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { call } from './call.ts';
import type { Terminal } from './command.ts';
import { list } from './list.ts';
import { prompt } from './prompt.ts';
import { read } from './read.ts';
import { readTarget } from './target.ts';

const COMMANDS = { list, call, read, prompt };
const quiet: Terminal = { print: () => assert.fail('nothing is printed'), say: () => {}, env: {} };

function run([name, ...args]: readonly [keyof typeof COMMANDS, ...string[]]): Promise<number> {
  return COMMANDS[name].run(args, quiet);
}

for (const [what, args, message] of [
  ['no server', ['list'], /put its command after "--"$/],
  ['nothing after --', ['list', '--'], /put its command after "--"$/],
  ['a URL that is no server’s', ['list', 'ftp://127.0.0.1:1/mcp'], /begins with http:/],
  ['a URL that is none', ['list', 'http://:99999/'], /begins with http:/],
  ['a URL that is not the first word', ['list', 'tools', 'http://127.0.0.1:1/mcp'], /first word/],
  ['a header without a colon', ['list', 'http://127.0.0.1:1/', '--header', 'nonsense'], /"Name: value"/],
  ['a header no name is', ['list', 'http://127.0.0.1:1/', '--header', 'a b: c'], /Cannot send the header "a b"/],
  [
    'a header with a line break',
    ['list', 'http://127.0.0.1:1/', '--header', 'a: b\nc: d'],
    /Cannot send the header "a"/,
  ],
  ['a header for a command', ['list', '--header', 'a: b', '--', 'x'], /--header goes with a URL/],
  ['a URL and no tool', ['call', 'http://127.0.0.1:1/mcp'], /which tool/],
  ['a kind that is none', ['list', 'things', '--', 'x'], /Cannot list "things"/],
  ['two kinds', ['list', 'tools', 'prompts', '--', 'x'], /Too many words/],
  ['a timeout that is none', ['list', '--timeout', 'soon', '--', 'x'], /--timeout/],
  ['a timeout of nothing', ['list', '--timeout', '0', '--', 'x'], /--timeout/],
  ['a revision nobody speaks', ['list', '--revision', '1999-01-01', '--', 'x'], /Unknown revision: "1999-01-01"/],
  ['no tool', ['call', '--', 'x'], /which tool/],
  ['a word that is no pair', ['call', 'echo', 'loose', '--', 'x'], /key=value/],
  ['a key given twice', ['call', 'echo', 'a=1', 'a=2', '--', 'x'], /twice/],
  ['input that is no JSON', ['call', 'echo', '--input', '{', '--', 'x'], /Cannot read --input/],
  ['input that is no object', ['call', 'echo', '--input', '[]', '--', 'x'], /must be a JSON object/],
  ['an input file that is not there', ['call', 'echo', '--input', '@/no/such/file', '--', 'x'], /no such file/],
  ['no URI', ['read', '--', 'x'], /which URI/],
  ['two URIs', ['read', 'a:', 'b:', '--', 'x'], /Too many words/],
  ['no prompt', ['prompt', '--', 'x'], /which prompt/],
] as const) {
  test(`a command called with ${what} is a usage error`, async () => {
    await assert.rejects(run(args), { name: 'UsageError', message });
  });
}

test('an unknown option before -- is a usage error, and one after it is the server’s', async () => {
  await assert.rejects(run(['list', '--loud', '--', 'x']), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' });
  const { place } = readTarget(['--json', '--', 'x', '--loud', '--', 'y']).target;
  assert.deepEqual(place, { command: ['x', '--loud', '--', 'y'] });
});

test('a timeout is given in seconds', () => {
  assert.equal(readTarget(['--timeout', '1.5', '--', 'x']).target.timeoutMs, 1500);
});

test('the server is the URL that comes first, and every other word is the command’s', () => {
  const { target, words } = readTarget([
    ...['http://127.0.0.1:1/mcp', 'https://a.example/b', '--header', 'X-Key:  k:1 '],
    ...['--header', 'x-other: 2', '--header', 'X-Other: 3'],
  ]);
  const headers = { 'x-key': 'k:1', 'x-other': '2, 3' };
  assert.deepEqual(target.place, { url: 'http://127.0.0.1:1/mcp', headers });
  assert.deepEqual(words, ['https://a.example/b']);
  assert.deepEqual(readTarget(['https://a.example/b', '--', 'x']).words, ['https://a.example/b']);
});

test('every client command has a help page with an example and the exit codes', () => {
  for (const { help, summary } of Object.values(COMMANDS)) {
    assert.match(help, /^Usage: parley \w+ <url> .*\n {7}parley .* -- command args…\n/);
    assert.match(help, /^Example: parley /m);
    assert.match(help, /^Exit codes: /m);
    assert.notEqual(summary, '');
  }
});

test('a server that wants to know who asks is answered with advice, and hears the header that was given', async () => {
  const heard: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.authorization);
    response.writeHead(401).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const said: string[] = [];
  const code = await list.run([`http://127.0.0.1:${port}/mcp`, '--header', 'Authorization: Bearer wrong'], {
    ...quiet,
    say: (text) => said.push(text),
  });
  server.closeAllConnections();
  server.close();
  assert.equal(code, 4);
  assert.deepEqual(heard, ['Bearer wrong']);
  assert.match(said.join('\n'), /401 Unauthorized\nGive credentials with --header "Authorization: Bearer …"$/);
  assert.doesNotMatch(said.join('\n'), /wrong/);
});
