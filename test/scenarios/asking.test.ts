import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/model/json.ts';
import { type Asked, calling, converse } from './dialogue.ts';
import { obligation, scenario } from './obligation.ts';
import { textOf } from './peer.ts';
import { ALL, CODE, isModern, LEGACY, MODERN, NEWEST_LEGACY, since } from './revisions.ts';

const ANN = { action: 'accept', content: { name: 'Ann' } };
const EVERYTHING = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
};
const said = ({ result }: JsonObject): string => textOf(result as JsonObject);
const failed = ({ result }: JsonObject): boolean => (result as JsonObject)['isError'] === true;
const ELICITING = ALL.filter((revision) => since(revision, '2025-06-18'));

obligation(
  'ELIC-2',
  'asks for what must stay secret behind a URL, which it leaves as it is',
  { declares: EVERYTHING },
  async (_, peer) => {
    const { answer, asked } = await converse(peer, calling('visit'), [{ action: 'accept' }]);
    const { mode, url } = (asked[0] as Asked).params;
    assert.deepEqual({ mode, url }, { mode: 'url', url: 'https://example.org/sign-in' });
    assert.equal(said(answer), 'accept');
  },
);

obligation('ELIC-3', 'uses no mode the client did not declare', async (revision, peer, scene) => {
  for (const [elicitation, tool] of [
    [{}, 'visit'],
    [{ form: {} }, 'visit'],
    [{ url: {} }, 'greet'],
  ] as const) {
    if (isModern(revision)) {
      await peer.refused(CODE.missingCapability, [...calling(tool), { capabilities: { elicitation } }]);
      continue;
    }
    const other = scene.peer(revision);
    await other.handshake({ elicitation });
    assert.equal((await other.call(tool))['isError'], true, tool);
    await other.end();
  }
});

obligation('ELIC-3', 'takes an empty declaration to mean forms', { declares: { elicitation: {} } }, async (_, peer) => {
  assert.equal(said((await converse(peer, calling('greet'), [ANN])).answer), 'Hello, Ann');
});

obligation(
  'ELIC-4',
  'takes an answer only from the one who was asked',
  { declares: { elicitation: {} }, secrets: ['shared'] },
  async (revision, peer, scene) => {
    const other = scene.peer(revision, { elicitation: {} }, { id: 'mallory', scopes: [] });
    if (isModern(revision)) {
      const { requestState } = await peer.call('greet');
      await other.refused(CODE.badParams, [
        'tools/call',
        { ...calling('greet')[1], requestState, inputResponses: { 'elicit-1': ANN } } as JsonObject,
      ]);
    } else {
      await other.handshake();
      const answer = peer.call('greet');
      const question = await peer.next();
      other.reply(question, { action: 'accept', content: { name: 'Mallory' } });
      await other.quiet();
      peer.reply(question, ANN);
      assert.equal(textOf(await answer), 'Hello, Ann');
    }
    await other.end();
  },
);

obligation(
  'ELIC-7',
  'gives each visit an id of its own, and tells nobody else of it',
  { declares: EVERYTHING },
  async (revision, peer, scene) => {
    const other = scene.peer(revision);
    await other.handshake(EVERYTHING);
    const ids = new Set<unknown>();
    for (let round = 0; round < 3; round += 1) {
      const { asked } = await converse(peer, calling('visit'), [{ action: 'accept' }]);
      ids.add((asked[0] as Asked).params['elicitationId']);
    }
    assert.equal(ids.size, 3);
    for (const id of ids) assert.match(String(id), /^[0-9a-f-]{36}$/);
    await other.quiet();
    await other.end();
  },
);

obligation('ELIC-8', 'does not demand a visit by an error, but reports that it cannot ask', async (_, peer) => {
  const answer = await peer.request(...calling('visit'));
  assert.equal(answer['error'], undefined);
  assert.equal(failed(answer), true);
});

obligation(
  'ELIC-9',
  'copes with refusal, cancellation and silence',
  { declares: EVERYTHING, limits: { drainMs: 20 } },
  async (_, peer) => {
    for (const action of ['decline', 'cancel'])
      assert.equal(said((await converse(peer, calling('greet'), [{ action }])).answer), `You chose to ${action}`);
    await peer.call('greet');
    await peer.quiet();
  },
);

obligation(
  'ELIC-10',
  'holds what a user entered against the form',
  { declares: EVERYTHING },
  async (revision, peer) => {
    const wrong = [
      { action: 'accept', content: { name: 'A' } },
      { action: 'accept', content: { name: 5 } },
      { action: 'accept', content: {} },
      { action: 'accept', content: { name: 'Ann', age: -1 } },
      { action: 'accept', content: { name: 'Ann', age: 1.5 } },
      { action: 'accept' },
      { action: 'accept', content: [] },
      { action: 'maybe' },
      {},
    ];
    for (const given of wrong as JsonObject[]) {
      const { answer } = await converse(peer, calling('greet'), [given]);
      if (isModern(revision))
        assert.equal((answer['error'] as JsonObject)?.['code'], CODE.badParams, JSON.stringify(given));
      else assert.equal(failed(answer), true, JSON.stringify(given));
    }
    assert.equal(said((await converse(peer, calling('greet'), [ANN])).answer), 'Hello, Ann');
  },
);

obligation(
  'SAMP-1',
  'offers tools to a model only where the client takes them',
  { declares: { sampling: {} } },
  async (revision, peer) => {
    if (isModern(revision)) await peer.refused(CODE.missingCapability, calling('ponder-with-tools'));
    else assert.equal((await peer.call('ponder-with-tools'))['isError'], true);
    const answer = { role: 'assistant', content: { type: 'text', text: 'because' }, model: 'm' };
    const plain = await converse(peer, calling('ponder'), [answer]);
    assert.equal((plain.asked[0] as Asked).params['tools'], undefined);
    assert.match(said(plain.answer), /^m: .*because/);
  },
);

scenario(
  [NEWEST_LEGACY, MODERN],
  'offers tools to a model where the client takes them',
  { declares: EVERYTHING },
  async (_, peer) => {
    const use = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: '1', name: 'look', input: {} }],
      model: 'm',
      stopReason: 'toolUse',
    };
    const { answer, asked } = await converse(peer, calling('ponder-with-tools'), [use]);
    assert.equal(said(answer), 'toolUse');
    assert.deepEqual((asked[0] as Asked).params['toolChoice'], { mode: 'auto' });
  },
);

obligation(
  'SAMP-2',
  'sends no tool results that stand with others or answer nothing',
  { declares: EVERYTHING },
  async (_, peer) => {
    for (const how of ['mixed', 'missing']) {
      const answer = await peer.request(...calling('ponder-results', { how }));
      assert.equal(failed(answer), true, how);
      assert.match(said(answer), /tool/);
    }
    const given = { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'good' };
    assert.equal(said((await converse(peer, calling('ponder-results', { how: 'right' }), [given])).answer), 'good');
  },
);

obligation(
  'ROOT-1',
  'asks for roots only where declared, and copes when they are gone',
  { declares: { roots: {} } },
  async (revision, peer, scene) => {
    const roots = [{ uri: 'file:///a', name: 'a' }, { uri: 'file:///b' }];
    assert.equal(said((await converse(peer, calling('where'), [{ roots }])).answer), 'file:///a,file:///b');
    peer.notify('notifications/roots/list_changed');
    assert.equal(said((await converse(peer, calling('where'), [{ roots: [] }])).answer), '');
    const other = scene.peer(revision);
    if (isModern(revision)) await other.refused(CODE.missingCapability, calling('where'));
    else {
      await other.handshake({});
      assert.equal((await other.call('where'))['isError'], true);
    }
    await other.end();
  },
);

scenario(
  ELICITING,
  'asks for several choices where the revision has them',
  { declares: EVERYTHING },
  async (revision, peer) => {
    if (!since(revision, '2025-11-25')) {
      const answer = await peer.request(...calling('choose'));
      assert.match(said(answer), /no multiple choice/);
      return;
    }
    const given = { action: 'accept', content: { fruits: ['apple', 'pear'] } };
    assert.equal(said((await converse(peer, calling('choose'), [given])).answer), '{"fruits":["apple","pear"]}');
  },
);

scenario(LEGACY, 'has no questions the revision has not', { declares: EVERYTHING }, async (revision, peer) => {
  for (const [tool, first] of [
    ['greet', '2025-06-18'],
    ['visit', '2025-11-25'],
    ['ponder-with-tools', '2025-11-25'],
  ] as const) {
    if (!since(revision, first)) assert.equal((await peer.call(tool))['isError'], true, tool);
  }
});

scenario(
  LEGACY,
  'takes an error for an answer, and drops answers nobody waits for',
  { declares: EVERYTHING },
  async (_, peer) => {
    const answer = peer.call('where');
    const { id } = await peer.next('roots/list');
    peer.line(JSON.stringify({ jsonrpc: '2.0', id: `${id}`, result: { roots: [] } }));
    peer.line(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'I have no roots' } }));
    peer.line(JSON.stringify({ jsonrpc: '2.0', id, result: { roots: [] } }));
    const result = await answer;
    assert.equal(result['isError'], true);
    assert.match(textOf(result), /refused to answer: I have no roots/);
  },
);

scenario(LEGACY, 'takes answers to questions in any order', { declares: EVERYTHING }, async (revision, peer) => {
  if (!since(revision, '2025-06-18')) return;
  const answer = peer.call('both');
  const [left, right] = [await peer.next(), await peer.next()];
  peer.reply(right, { action: 'accept', content: { value: 'R' } });
  peer.reply(left, { action: 'accept', content: { value: 'L' } });
  assert.equal(textOf(await answer), 'L and R');
});

scenario(
  LEGACY,
  'runs a call that waits for its user longer than its deadline',
  { declares: EVERYTHING, limits: { callDeadlineMs: 30 } },
  async (_, peer) => {
    const answer = peer.call('where');
    const question = await peer.next('roots/list');
    await new Promise((resolve) => setTimeout(resolve, 60));
    peer.reply(question, { roots: [] });
    assert.equal((await answer)['isError'], undefined);
  },
);

scenario(
  ELICITING,
  'asks before a resource is read and a prompt is given',
  { declares: EVERYTHING },
  async (_, peer) => {
    const read = await converse(peer, ['resources/read', { uri: 'test://asked' }], [{ action: 'accept', content: {} }]);
    assert.match(JSON.stringify(read.answer), /"text":"accept"/);
    const prompt = await converse(peer, ['prompts/get', { name: 'asked' }], [{ action: 'decline' }]);
    assert.match(JSON.stringify(prompt.answer), /"text":"decline"/);
  },
);

scenario(
  LEGACY,
  'answers what is in flight when the input ends, questions too',
  { declares: EVERYTHING },
  async (_, peer) => {
    const answer = peer.request(...calling('where'));
    await peer.next('roots/list');
    await peer.end().catch((error: Error) => assert.match(error.message, /without an answer/));
    assert.equal(failed(await answer), true);
  },
);

scenario(LEGACY, 'withdraws a question whose call is over', { declares: EVERYTHING }, async (_, peer, { fixture }) => {
  const answer = peer.call('forgets');
  const question = await peer.next('roots/list');
  fixture.gate('forgetting').open();
  assert.equal(textOf(await answer), 'forgot');
  const { params } = (await peer.next('notifications/cancelled')) as { params: JsonObject };
  assert.equal(params['requestId'], question['id']);
  peer.reply(question, { roots: [] });
  await peer.quiet();
});

scenario(
  ELICITING,
  'reports the failure of work begun before a question',
  { declares: EVERYTHING },
  async (_, peer) => {
    const { answer } = await converse(peer, calling('pays-badly'), [ANN]);
    assert.equal(failed(answer), true);
    assert.doesNotMatch(JSON.stringify(answer), /hunter2/);
  },
);
