import assert from 'node:assert/strict';
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
  ['no server', ['list'], /put its command after "--"/],
  ['nothing after --', ['list', '--'], /put its command after "--"/],
  ['a URL', ['list', 'http://127.0.0.1:1/mcp'], /HTTP targets are not in this version yet/],
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
  assert.deepEqual(readTarget(['--json', '--', 'x', '--loud', '--', 'y']).target.command, ['x', '--loud', '--', 'y']);
});

test('a timeout is given in seconds', () => {
  assert.equal(readTarget(['--timeout', '1.5', '--', 'x']).target.timeoutMs, 1500);
});

test('every client command has a help page with an example and the exit codes', () => {
  for (const { help, summary } of Object.values(COMMANDS)) {
    assert.match(help, /^Usage: parley .* -- command args…\n/);
    assert.match(help, /^Example: parley /m);
    assert.match(help, /^Exit codes: /m);
    assert.notEqual(summary, '');
  }
});
