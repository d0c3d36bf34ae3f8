import assert from 'node:assert/strict';
import { calling, converse } from './dialogue.ts';
import { obligation, scenario } from './obligation.ts';
import { ALL, CODE, isModern, LEGACY, MODERN, since } from './revisions.ts';

const NOT_JSON = [
  '{',
  '{"jsonrpc":"2.0",}',
  'nonsense',
  "{'a':1}",
  '{"a":1} {"b":2}',
  '\u00a0',
  'null x',
  '"',
  '1e',
  '[1,',
];
const NOT_RPC = [
  '1',
  '"text"',
  'true',
  'null',
  '{}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"1.0","method":"x"}',
  '{"jsonrpc":2,"method":"x"}',
  '{"jsonrpc":"2.0","method":5}',
  '{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":true,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1e400,"method":"tools/list"}',
  '{"method":"tools/list"}',
  '{"type":"anything"}',
  '{"type":null}',
];

obligation('ENV-1', 'refuses every line that is not JSON, once, and goes on', async (_, peer) => {
  for (const line of NOT_JSON) {
    peer.line(line);
    const error = await peer.refusal(CODE.parse);
    assert.doesNotMatch(String(error['message']), /nonsense/, 'the message echoes the line');
  }
  assert.equal(await peer.said('echo', { text: 'still here' }), 'still here');
});

obligation('ENV-1', 'refuses every line that is JSON but no message, once, and goes on', async (_, peer) => {
  for (const line of NOT_RPC) {
    peer.line(line);
    await peer.refusal(CODE.badMessage);
  }
  assert.equal(await peer.said('echo', { text: 'still here' }), 'still here');
});

obligation('ENV-2', 'echoes every id with its type, also those a careless server loses', async (_, peer) => {
  const ids = [0, '', '0', -1, 2 ** 53 - 1, -(2 ** 53 - 1), '1', ' ', 'ü"\\\n', '__proto__', 'constructor'];
  for (const id of ids) {
    const answer = await peer.request('tools/list', undefined, { id });
    assert.equal(answer['id'], id);
    assert.equal((await peer.request('no/such/method', undefined, { id }))['id'], id);
  }
});

obligation('ENV-2', 'keeps ids that differ only in type apart', async (_, peer, { fixture }) => {
  const first = peer.call('wait', { name: 'number' }, { id: 1 });
  const second = peer.call('wait', { name: 'string' }, { id: '1' });
  await fixture.gate('number').entered;
  await fixture.gate('string').entered;
  fixture.gate('string').open();
  await second;
  fixture.gate('number').open();
  await first;
});

obligation('ENV-2', 'echoes the id of a request whose params are wrong', async (_, peer) => {
  peer.send({ jsonrpc: '2.0', id: 'list', method: 'tools/list', params: [1] });
  assert.equal(((await peer.ledger.answer('list'))['error'] as { code: number }).code, CODE.badParams);
  peer.send({ jsonrpc: '2.0', id: 'text', method: 'tools/list', params: 'text' });
  assert.equal(((await peer.ledger.answer('text'))['error'] as { code: number }).code, CODE.badMessage);
});

obligation('ENV-3', 'gives a result or an error, the error with an integer and a text', async (_, peer) => {
  const good = await peer.request('tools/list');
  assert.deepEqual(Object.keys(good).sort(), ['id', 'jsonrpc', 'result']);
  const bad = await peer.request('no/such/method');
  assert.deepEqual(Object.keys(bad).sort(), ['error', 'id', 'jsonrpc']);
  const { code, message } = bad['error'] as { code: number; message: string };
  assert.equal(code, CODE.unknownMethod);
  assert.ok(message.length > 0 && message.length < 200 && !message.includes('\n'));
});

obligation('ENV-4', 'answers no notification, known or not, right or wrong', async (_, peer) => {
  peer.notify('notifications/unheard/of', { a: 1 });
  peer.notify('tools/list');
  peer.notify('tools/call', { name: 'counted' });
  peer.notify('initialize', {});
  peer.notify('notifications/cancelled', { requestId: { no: 'id' } });
  peer.notify('notifications/progress', {});
  peer.line('{"jsonrpc":"2.0","method":"notifications/x","params":[1]}');
  peer.line('{"jsonrpc":"2.0","method":"notifications/x","params":7}');
  await peer.quiet();
  assert.equal(await peer.said('counted'), '1', 'a notification ran a tool');
});

obligation('ENV-4', 'answers no answer, known or not', async (_, peer) => {
  peer.line('{"jsonrpc":"2.0","id":77,"result":{}}');
  peer.line('{"jsonrpc":"2.0","id":"77","error":{"code":-1,"message":"no"}}');
  peer.line('{"jsonrpc":"2.0","error":{"code":-1,"message":"no id"}}');
  await peer.quiet();
});

obligation('ENV-5', 'asks under ids that are never used twice', { declares: { roots: {} } }, async (_, peer) => {
  const ids = new Set<unknown>();
  for (let round = 0; round < 5; round += 1) {
    const answer = peer.request(...calling('where'));
    const question = await peer.next('roots/list');
    ids.add(question['id']);
    peer.reply(question, { roots: [] });
    await answer;
  }
  assert.equal(ids.size, 5);
});

obligation('ENV-7', 'refuses bytes that are not UTF-8 and writes UTF-8', async (_, peer) => {
  peer.line(Buffer.from([0x22, 0xff, 0xfe, 0x22]));
  await peer.refusal(CODE.parse);
  peer.line(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xc3\x28"}', 'latin1'));
  await peer.refusal(CODE.parse);
  const text = 'grüße \u{1f600} 漢字';
  assert.equal(await peer.said('echo', { text }), text);
  const line = JSON.stringify(peer.message('tools/call', { name: 'echo', arguments: { text } }, { id: 'split' }));
  const bytes = Buffer.from(`${line}\n`);
  peer.ledger.expect('split', 'tools/call', peer.revision);
  for (const byte of bytes) peer.raw(Buffer.of(byte));
  assert.match(JSON.stringify(await peer.ledger.answer('split')), /grüße/);
});

obligation('ENV-8', 'says of every result what type it is', { declares: { elicitation: {} } }, async (_, peer) => {
  for (const [method, params] of [
    ['server/discover', {}],
    ['tools/list', {}],
    ['tools/call', { name: 'nothing' }],
    ['tools/call', { name: 'throws' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'gallery' }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'test://text' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'welcome' }, argument: { name: 'who', value: '' } }],
  ] as const) {
    assert.equal((await peer.result(method, params))['resultType'], 'complete', method);
  }
  assert.equal((await peer.call('greet'))['resultType'], 'input_required');
});

obligation(
  'ENV-9',
  'never sends a request, whatever a handler asks',
  { declares: { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } } },
  async (_, peer) => {
    for (const name of ['greet', 'visit', 'ponder', 'where', 'both']) await peer.call(name);
    await peer.quiet();
    assert.ok(peer.ledger.lines.every((line) => !('method' in JSON.parse(line))));
  },
);

obligation('ENV-10', 'uses no retired and no undefined code', async (_, peer) => {
  const codes = new Set<number>();
  for (const [method, params] of [
    ['resources/read', { uri: 'test://gone' }],
    ['resources/read', { uri: 'test://broken' }],
    ['tools/call', { name: 'gone' }],
    ['tools/call', { name: 'greet' }],
    ['tools/call', { name: 'visit' }],
    ['prompts/get', { name: 'gone' }],
    ['tools/list', { cursor: 'gone' }],
    ['ping', {}],
  ] as const) {
    const { error } = await peer.request(method, params);
    codes.add((error as { code: number }).code);
  }
  for (const code of codes) {
    assert.ok(
      [CODE.badParams, CODE.unknownMethod, CODE.internal, CODE.missingCapability].includes(code as never),
      `${code}`,
    );
  }
});

obligation('STDIO-1', 'puts no newline into a message, whatever a result holds', async (_, peer) => {
  const before = peer.ledger.lines.length;
  const said = await peer.said('lines');
  assert.ok(said.startsWith('a\nb\r\nc\u2028d\u2029e\u0000f'));
  assert.equal(peer.ledger.lines.length, before + 1);
});

obligation('STDIO-1', 'takes lines however they end and however they arrive', async (_, peer) => {
  const say = (id: string) => {
    peer.ledger.expect(id, 'tools/call', peer.revision);
    return JSON.stringify(peer.message('tools/call', { name: 'echo', arguments: { text: id } }, { id }));
  };
  peer.raw(`${say('crlf')}\r\n\n  \t\n\r\n${say('one')}\n${say('two')}\n`);
  const half = say('half');
  peer.raw(half.slice(0, 20));
  await new Promise((resolve) => setImmediate(resolve));
  peer.raw(`${half.slice(20)}\n`);
  for (const id of ['crlf', 'one', 'two', 'half']) await peer.ledger.answer(id);
  peer.raw(say('unended'));
  await peer.end();
  await peer.ledger.answer('unended');
});

scenario(ALL, 'takes a byte order mark at the start only', { unopened: true }, async (revision, peer) => {
  peer.raw('\ufeff');
  if (isModern(revision)) await peer.settle();
  else await peer.handshake();
  peer.line('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await peer.refusal(CODE.parse);
});

scenario(
  ALL,
  'refuses a line over the limit once and takes the next',
  { limits: { messageBytes: 1000 } },
  async (_, peer) => {
    for (const length of [1001, 1002, 5000, 200_000]) {
      peer.line('x'.repeat(length));
      await peer.refusal(CODE.badMessage);
    }
    peer.line('x'.repeat(1000));
    await peer.refusal(CODE.parse);
    assert.equal(await peer.said('echo', { text: 'y' }), 'y');
  },
);

scenario(ALL, 'refuses a message nested too deep, without falling over', async (_, peer) => {
  peer.line(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  await peer.refusal(CODE.badMessage);
  peer.line(`{"a":${'['.repeat(65)}${']'.repeat(65)}}`);
  await peer.refusal(CODE.badMessage);
});

scenario(
  ALL,
  'refuses a second request under an id still being answered, and answers the first once',
  async (_, peer, { fixture }) => {
    const first = peer.request(...calling('wait', { name: 'slow' }), { id: 7 });
    await fixture.gate('slow').entered;
    peer.line(JSON.stringify(peer.message('tools/list', {}, { id: 7 })));
    const { data } = (await peer.refusal(CODE.badMessage)) as { data: { requestId: number } };
    assert.equal(data.requestId, 7);
    fixture.gate('slow').open();
    assert.ok((await first)['result'] !== undefined);
    await peer.result('tools/list', {}, { id: 7 });
  },
);

scenario(
  ALL,
  'refuses more requests at once than the limit, and answers each',
  { limits: { inFlight: 2 } },
  async (_, peer, { fixture }) => {
    const first = peer.request(...calling('wait', { name: 'a' }));
    const second = peer.request(...calling('wait', { name: 'b' }));
    await fixture.gate('b').entered;
    await peer.refused(CODE.busy, calling('wait', { name: 'c' }));
    fixture.releaseAll();
    await Promise.all([first, second]);
  },
);

scenario(
  LEGACY,
  'answers an unreadable id with null or without one, as the revision has it',
  async (revision, peer) => {
    peer.line('{"jsonrpc":"2.0","id":1.5,"method":"ping"}');
    await peer.refusal(CODE.badMessage);
    const { id } = JSON.parse(peer.ledger.lines.at(-1) as string) as { id?: null };
    assert.equal(id, since(revision, '2025-11-25') ? undefined : null);
  },
);

scenario([MODERN], 'refuses params that are missing, as they carry the claim', async (_, peer) => {
  peer.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  assert.equal(((await peer.ledger.answer(1))['error'] as { code: number }).code, CODE.badMessage);
});

scenario(ALL, 'reads a message with doubled and unknown members as JSON does', async (_, peer) => {
  const line = JSON.stringify(peer.message('tools/call', { name: 'echo', arguments: { text: 'x' } }, { id: 'b' }));
  peer.ledger.expect('b', 'tools/call', peer.revision);
  peer.line(`{"id":"a","extra":{"x":[1]},${line.slice(1)}`);
  await peer.ledger.answer('b');
});

obligation(
  'STDIO-2',
  'lets nothing but messages out, whatever a tool does',
  { declares: { elicitation: {}, roots: {} } },
  async (_, peer) => {
    await peer.call('throws');
    await peer.call('rejects');
    await peer.call('unwritable');
    await converse(peer, calling('where'), [{ roots: [] }]);
    for (const line of peer.ledger.lines) assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, '2.0');
  },
);
