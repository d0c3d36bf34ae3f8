import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOptions } from './arguments.ts';
import { readAnswers, wantedBy } from './http-oracle.ts';
import { type Heard, hear } from './oracle/answers.ts';
import { dueTo } from './oracle/due.ts';
import type { Ground, Tongue } from './oracle/ground.ts';
import { isText, parseJson } from './oracle/json.ts';
import { settle } from './oracle/tally.ts';
import { Random } from './random.ts';
import { shrink } from './shrink.ts';

const ground = (speaks: Tongue): Ground => ({ speaks, messageBytes: 1000, jsonDepth: 8, batchLength: 3 });
const due = (line: string, speaks: Tongue = '2025-06-18') => dueTo(Buffer.from(line), ground(speaks));

describe('the oracle', () => {
  test('owes a request one answer, a notification and an answer none, and everything else one error', () => {
    assert.deepEqual(due('{"jsonrpc":"2.0","id":7,"method":"ping"}'), { kind: 'named', id: 7 });
    assert.equal(due('{"jsonrpc":"2.0","method":"ping"}').kind, 'none');
    assert.equal(due('{"jsonrpc":"2.0","id":7,"result":{}}').kind, 'none');
    assert.equal(due(' \t').kind, 'none');
    for (const line of [
      '{',
      '7',
      '[]',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      '[[[[[[[[[1]]]]]]]]]',
      'x'.repeat(1001),
    ])
      assert.equal(due(line).kind, 'nameless', line);
    assert.deepEqual(due('{"jsonrpc":"2.0","id":7,"method":"no"}'), { kind: 'named', id: 7, codes: [-32601] });
  });

  test('owes a batch an answer a request in the one revision that has batches', () => {
    const batch = '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},5]';
    assert.equal(due(batch).kind, 'nameless');
    const owed = due(batch, '2025-03-26');
    assert.deepEqual(owed.kind === 'batch' && owed.parts.map(({ kind }) => kind), ['named', 'nameless']);
  });

  test('owes an action one line, whatever it is', () => {
    for (const line of ['', '{', '[]', '5', '{}']) assert.equal(due(line, 'action').kind, 'action', line);
    assert.deepEqual(due('{"id":"a","type":"list_actions"}', 'action'), { kind: 'action', id: 'a', refused: false });
  });
});

describe('what is heard is held against what is due', () => {
  const dues = [due('{"jsonrpc":"2.0","id":1,"method":"ping"}'), due('{'), due('{"jsonrpc":"2.0","method":"x"}')];
  const answer: Heard = { kind: 'named', key: '#1', id: 1, code: undefined };
  const error: Heard = { kind: 'nameless', shape: 'null', code: -32700 };
  const held = (...gaps: Heard[][]) => settle({ dues, takenBack: new Set() }, { gaps }, () => '');

  test('good answers pass, also late ones', () => {
    held([answer], [error], [], []);
    held([], [error], [], [answer]);
  });

  test('silence, a second answer, the wrong place, code or form do not', () => {
    assert.throws(() => held([answer], [], [], []));
    assert.throws(() => held([], [error], [], []));
    assert.throws(() => held([answer, answer], [error], [], []));
    assert.throws(() => held([answer], [error, error], [], []));
    assert.throws(() => held([answer], [], [error], []));
    assert.throws(() => held([answer], [{ ...error, code: -32603 }], [], []));
    assert.throws(() => held([answer], [{ ...error, shape: 'absent' }], [], []));
  });

  test('what is not well-formed, or tells too much, is not heard', () => {
    const bad = [
      '{}',
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"x"}}',
      '{"jsonrpc":"2.0","id":1.5,"result":{}}',
      '{"jsonrpc":"2.0","result":{}}',
      '{"jsonrpc":"2.0","id":1,"result":{},"more":1}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"at x (node:internal/y)"}}',
      '{"ok":true,"error":"x"}',
      '[]',
      'x',
    ];
    for (const line of bad) assert.throws(() => hear(line), line);
  });
});

describe('the reader of HTTP', () => {
  const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const both = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

  test('counts requests, and stops at what must be refused', () => {
    assert.deepEqual(wantedBy(Buffer.from(get + get)), { methods: ['GET', 'GET'], broken: false, sure: true });
    assert.deepEqual(wantedBy(Buffer.from(both + get)).methods, []);
    assert.equal(wantedBy(Buffer.from(both + get)).broken, true);
    assert.equal(wantedBy(Buffer.from(get.slice(0, -2))).broken, true);
  });

  test('finds where responses end, and what is none', () => {
    const one = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi';
    assert.deepEqual(
      readAnswers(one + one, ['GET', 'GET']).map(({ body }) => body),
      ['hi', 'hi'],
    );
    assert.throws(() => readAnswers(`${one}x`, ['GET']));
  });
});

test('JSON and UTF-8 are told from what is neither', () => {
  for (const text of ['{"a":[1,-0.5e3,"\\u00e9"]}', ' null ']) assert.equal(typeof parseJson(text), 'object', text);
  for (const text of ['', '01', '{"a":1,}', '"\t"', 'nul', '[1']) assert.equal(parseJson(text), 'wrong', text);
  assert.equal(isText(Buffer.from('é\u{1f600}')), true);
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]])
    assert.equal(isText(Buffer.from(bytes)), false);
});

test('a seed gives the same numbers every time, and other numbers to others', () => {
  const numbers = (seed: number, name: string) => new Random(seed, name).bytes(16).toString('hex');
  assert.equal(numbers(1, 'a'), numbers(1, 'a'));
  assert.notEqual(numbers(1, 'a'), numbers(2, 'a'));
  assert.notEqual(numbers(1, 'a'), numbers(1, 'b'));
});

test('an input that fails is made smaller', async () => {
  const input = Buffer.from(`${'line\n'.repeat(50)}some bug here\n${'line\n'.repeat(50)}`);
  assert.equal((await shrink(input, async (smaller) => smaller.includes('bug'))).toString(), 'bug');
});

test('options that cannot be meant are refused', () => {
  for (const args of [['--seed', 'x'], ['--runs', '-1'], ['--minutes', '0'], ['--nothing'], ['x']])
    assert.throws(() => readOptions(args), args.join(' '));
  assert.deepEqual(readOptions(['--seed', '5', '--only', 'a,b']).only, ['a', 'b']);
});
