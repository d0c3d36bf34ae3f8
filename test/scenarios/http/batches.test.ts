import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { scenario } from './obligation.ts';

const ONLY = ['2025-03-26'] as const;

/** A call under an id that is also its progress token. */
function call(id: string, name: string, input: JsonObject = {}): JsonObject {
  const params = { name, arguments: input, _meta: { progressToken: id } };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

const HANDSHAKE = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'peer', version: '1' } };

function idsIn(messages: Json): unknown[] {
  return (messages as JsonObject[]).map(({ id }) => id);
}

for (const unopened of [false, true]) {
  const where = unopened ? 'without a session' : 'in a session';

  scenario(ONLY, `a batch ${where} is answered with a batch, each request once`, { unopened }, async (_, peer) => {
    const heard = await peer.post([
      call('a', 'echo', { text: 'x' }),
      { jsonrpc: '2.0', method: 'notifications/unheard' },
      peer.message('no/such', {}, { id: 'b' }),
      { nonsense: true },
      peer.message('initialize', HANDSHAKE, { id: 'c' }),
    ]);
    assert.equal(heard.status, 200);
    const answers = JSON.parse(await heard.text()) as JsonObject[];
    assert.deepEqual(idsIn(answers), ['a', 'b', null, 'c']);
    assert.deepEqual(
      answers.map(({ error }) => (error as JsonObject | undefined)?.['code']),
      [undefined, -32601, -32600, -32600],
    );
  });

  scenario(ONLY, `a batch of notices and answers ${where} gets 202`, { unopened }, async (_, peer) => {
    const notices: JsonObject[] = [
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    ];
    const heard = await peer.post(notices);
    assert.equal(heard.status, 202);
    assert.equal(await heard.text(), '');
  });

  scenario(
    ONLY,
    `a batch ${where} that is too long is refused whole`,
    { unopened, limits: { batchLength: 3 } },
    async (_, peer, scene) => {
      const heard = await peer.post(['a', 'b', 'c', 'd'].map((id) => call(id, 'counted')));
      assert.equal(heard.status, 400);
      assert.equal(((await heard.json())['error'] as JsonObject)['code'], -32600);
      assert.equal(scene.fixture.ran.get('counted'), undefined);
    },
  );
}

scenario(ONLY, 'a batch whose calls say more than their answers becomes one stream', async (_, peer) => {
  const heard = await peer.post([call('a', 'march', { steps: 2 }), call('b', 'march', { steps: 2 })]);
  await heard.ended();
  const told = heard.messages.slice(0, -1).map(({ params }) => (params as JsonObject)['progressToken']);
  assert.deepEqual(told.sort(), ['a', 'a', 'b', 'b']);
  assert.deepEqual(idsIn(heard.messages.at(-1) as unknown as Json), ['a', 'b']);
});

scenario(ONLY, 'one request of a batch is cancelled, the others are answered', async (_, peer, scene) => {
  const waiting = peer.post([call('a', 'wait', { name: 'w' }), call('b', 'echo', { text: 'x' })]);
  await scene.fixture.gate('w').entered;
  await peer.notify('notifications/cancelled', { requestId: 'a' });
  const heard = await waiting;
  assert.deepEqual(idsIn(JSON.parse(await heard.text())), ['b']);
});

scenario(
  ONLY,
  'answers to questions may come in a batch',
  { declares: { roots: {}, sampling: {} } },
  async (_, peer) => {
    const heard = await peer.post([call('a', 'where'), call('b', 'where')]);
    const questions = [await heard.message('roots/list'), await heard.message('roots/list')];
    const replies = questions.map(({ id }) => ({ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///here' }] } }));
    assert.equal((await peer.post(replies as Json)).status, 202);
    await heard.ended();
    assert.deepEqual(idsIn(heard.messages.at(-1) as unknown as Json), ['a', 'b']);
  },
);
