import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { obligation, scenario } from './obligation.ts';
import type { Peer } from './peer.ts';
import { ALL, CODE, LEGACY, since } from './revisions.ts';

const ping = (id: number | string): JsonObject => ({ jsonrpc: '2.0', id, method: 'ping' });
const call = (id: number, name: string, input: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});
const note = { jsonrpc: '2.0', method: 'notifications/unheard-of' };
const codeOf = (answer: JsonObject): number => (answer['error'] as { code: number }).code;
const last = (peer: Peer): Json => JSON.parse(peer.ledger.lines.at(-1) as string) as Json;

obligation(
  'ENV-6',
  'answers a batch with a batch, one answer to each request and none to a notification',
  async (_, peer) => {
    const batch = [ping(1), note, call(2, 'echo', { text: 'x' }), { jsonrpc: '2.0', id: 3, method: 'no/such/method' }];
    peer.send(batch);
    for (const id of [1, 2]) assert.ok((await peer.ledger.answer(id))['result']);
    assert.equal(codeOf(await peer.ledger.answer(3)), CODE.unknownMethod);
    assert.equal((last(peer) as Json[]).length, 3);
  },
);

obligation('ENV-6', 'answers a batch of one with a batch of one', async (_, peer) => {
  peer.send([ping(1)]);
  await peer.ledger.answer(1);
  assert.equal((last(peer) as Json[]).length, 1);
});

obligation('ENV-6', 'answers a batch of notifications, or of answers, with nothing', async (_, peer) => {
  peer.line(JSON.stringify([note, note]));
  peer.line(
    JSON.stringify([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, error: { code: 1, message: '' } },
    ]),
  );
  await peer.quiet();
});

obligation('ENV-6', 'refuses an empty batch once', async (_, peer) => {
  peer.line('[]');
  await peer.refusal(CODE.badMessage);
  peer.line(' [ ] ');
  await peer.refusal(CODE.badMessage);
});

obligation('ENV-6', 'refuses a handshake inside a batch and serves the rest', async (revision, peer) => {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  peer.send([{ jsonrpc: '2.0', id: 'again', method: 'initialize', params }, ping(2)]);
  assert.equal(codeOf(await peer.ledger.answer('again')), CODE.badMessage);
  await peer.ledger.answer(2);
  peer.send([{ jsonrpc: '2.0', id: 'bare', method: 'initialize' }]);
  assert.ok([CODE.badMessage, CODE.badParams].includes(codeOf(await peer.ledger.answer('bare')) as never));
});

obligation('ENV-6', 'refuses each member that is no message, a batch in a batch too', async (_, peer) => {
  peer.send([1, null, [ping(9)], {}, ping(1)] as Json[]);
  await peer.ledger.answer(1);
  for (let at = 0; at < 4; at += 1) await peer.refusal(CODE.badMessage);
  assert.equal((last(peer) as Json[]).length, 5);
});

obligation('ENV-6', 'refuses a batch over the limit as a whole', { limits: { batchLength: 3 } }, async (_, peer) => {
  peer.line(JSON.stringify([1, 2, 3, 4].map(ping)));
  await peer.refusal(CODE.badMessage);
  peer.send([1, 2, 3].map(ping));
  for (const id of [1, 2, 3]) await peer.ledger.answer(id);
});

obligation('ENV-6', 'waits for the slowest member, and leaves out a cancelled one', async (_, peer, { fixture }) => {
  peer.send([call(1, 'wait', { name: 'a' }), call(2, 'wait', { name: 'b' }), ping(3)]);
  await fixture.gate('b').entered;
  peer.cancel(2);
  await peer.settle();
  fixture.gate('a').open();
  for (const id of [1, 3]) await peer.ledger.answer(id);
  assert.deepEqual((last(peer) as JsonObject[]).map(({ id }) => id).sort(), [1, 3]);
});

obligation('ENV-6', 'refuses an id used twice in one batch', async (_, peer, { fixture }) => {
  peer.send([call(1, 'wait', { name: 'a' })]);
  await fixture.gate('a').entered;
  peer.line(JSON.stringify([ping(1)]));
  await peer.refusal(CODE.badMessage);
  fixture.gate('a').open();
  await peer.ledger.answer(1);
});

obligation('ENV-6', 'refuses a batch with a modern request in it', async (_, peer) => {
  peer.line(JSON.stringify([ping(1), peer.message('tools/list', {}, { id: 2, revision: '2026-07-28' })]));
  await peer.refusal(CODE.badMessage);
});

scenario(
  ALL.filter((revision) => revision !== '2025-03-26'),
  'refuses every batch once',
  async (_, peer) => {
    for (const batch of [[], [ping(1)], [ping(1), ping(2)], [note], [1], [[]]]) {
      peer.line(JSON.stringify(batch));
      await peer.refusal(CODE.badMessage);
    }
    await peer.settle();
  },
);

// Before the handshake nobody knows the revision, so the error has the id that JSON-RPC itself gives it.
scenario(
  LEGACY.filter((revision) => !since(revision, '2025-11-25')),
  'refuses a batch before the handshake',
  { unopened: true },
  async (revision, peer) => {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    peer.line(JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'initialize', params }]));
    await peer.refusal(CODE.badMessage);
    await peer.handshake();
  },
);
