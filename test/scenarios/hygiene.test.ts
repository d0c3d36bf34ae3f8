import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calling } from './dialogue.ts';
import { SECRET } from './fixture-behind.ts';
import { obligation, scenario } from './obligation.ts';
import { run } from './process.ts';
import { ALL, isModern, KEY, LEGACY, MODERN } from './revisions.ts';

scenario(
  ALL,
  'lets no word of a foreign error out, and logs it under the id the client sees',
  async (revision, peer, { logged }) => {
    const meta = { [KEY.level]: 'debug' };
    if (!isModern(revision)) await peer.result('logging/setLevel', { level: 'debug' });
    const answers = [];
    for (const name of ['throws', 'rejects', 'unfit', 'unwritable'])
      answers.push(await peer.request(...calling(name), { meta }));
    answers.push(await peer.request('resources/read', { uri: 'test://broken' }, { meta }));
    answers.push(await peer.request('prompts/get', { name: 'failing' }, { meta }));
    for (const line of peer.ledger.lines) assert.doesNotMatch(line, /hunter2|planted|\bat .*\.js:\d/);
    for (const answer of answers) {
      const [, id] = /"(?:parley-mcp\/)?errorId":"([0-9a-f]+)"/.exec(JSON.stringify(answer)) ?? [];
      assert.ok(id !== undefined, JSON.stringify(answer));
      assert.ok(
        logged.some((line) => line.includes(id)),
        `${id} is not in the log`,
      );
    }
  },
);

scenario(ALL, 'echoes no more of a wrong message than it must', async (_, peer) => {
  peer.line(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"password":"${SECRET}"}`);
  await peer.refusal(-32700);
  peer.line(JSON.stringify({ jsonrpc: '2.0', id: 1.5, method: SECRET }));
  await peer.refusal(-32600);
  for (const line of peer.ledger.lines) assert.doesNotMatch(line, /hunter2/);
});

obligation('STDIO-6', 'knows nobody by name on a pipe, whatever a request claims', async (_, peer) => {
  const meta = { authorization: 'Bearer root', 'example.org/principal': 'root' };
  const about = JSON.parse(await peer.said('about', {}, { meta })) as { principal: unknown };
  assert.equal(about.principal, null);
});

obligation(
  'STDIO-3',
  'writes nothing that is a request',
  { declares: { elicitation: {}, roots: {}, sampling: {} } },
  async (_, peer) => {
    for (const name of ['greet', 'where', 'ponder', 'both', 'steps', 'chatter']) await peer.call(name);
    for (const line of peer.ledger.lines) assert.doesNotMatch(line, /^\{"jsonrpc":"2\.0","id":[^,]*,"method"/);
  },
);

obligation(
  'STDIO-4',
  'is done when the input ends, after answering what is in flight',
  async (_, peer, { fixture }) => {
    peer.start(...calling('wait', { name: 'door' }), { id: 'slow' });
    await fixture.gate('door').entered;
    const ended = peer.end().catch((error: Error) => error);
    fixture.gate('door').open();
    await ended;
    assert.ok((await peer.ledger.answer('slow'))['result']);
  },
);

scenario(
  ALL,
  'fails what does not end in time when the input ends',
  { limits: { drainMs: 20 } },
  async (_, peer, { fixture }) => {
    peer.start(...calling('wait', { name: 'door' }), { id: 'slow' });
    await fixture.gate('door').entered;
    const started = performance.now();
    await peer.end();
    assert.ok(performance.now() - started < 10_000);
    const { result } = (await peer.ledger.answer('slow')) as { result: { isError: boolean } };
    assert.equal(result.isError, true);
    assert.equal(fixture.signals.get('door')?.aborted, true);
  },
);

for (const revision of ALL) {
  test(`${revision} the command serves a module, answers, and ends with its input`, async () => {
    const { peer, exit, errors } = run(revision);
    if (isModern(revision)) await peer.settle();
    else await peer.handshake();
    assert.equal(await peer.said('echo', { text: 'through a process' }), 'through a process');
    await peer.call('throws');
    peer.line('nonsense');
    await peer.refusal(-32700);
    await peer.end();
    assert.deepEqual(await exit, { code: 0, signal: null });
    for (const line of peer.ledger.lines) assert.doesNotMatch(line, /hunter2/);
    assert.match(errors.join(''), /hunter2/, 'the operator must find the cause in the log');
  });
}

test('the command answers what is in flight when it is told to end, and exits with 0', async () => {
  const { peer, child, exit } = run(MODERN);
  await peer.settle();
  peer.start('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'sub' });
  await peer.next('notifications/subscriptions/acknowledged');
  child.kill('SIGTERM');
  assert.ok((await peer.ledger.answer('sub'))['result']);
  await peer.next('notifications/cancelled');
  assert.deepEqual(await exit, { code: 0, signal: null });
  await peer.end();
});

test('the command survives a client that stops reading', async () => {
  const [revision] = LEGACY;
  const { peer, child, exit } = run(revision as never);
  await peer.handshake();
  child.stdout?.destroy();
  for (let at = 0; at < 50; at += 1) peer.line(JSON.stringify(peer.message('tools/list', {}, { id: at })));
  child.stdin?.end();
  assert.deepEqual(await exit, { code: 0, signal: null });
});
