import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/model/json.ts';
import { stageHttp } from '../../scenarios/http/http-scene.ts';
import { stage } from '../../scenarios/stage.ts';
import { rule } from '../citation.ts';

// A server that could do more than it declares does no more than that. The preset declares everything, so others stand in.

const REVISION = '2025-11-25';
const DECLARED = { capabilities: { tools: {}, resources: {} } };
const UNDECLARED: readonly (readonly [string, JsonObject])[] = [
  ['prompts/list', {}],
  ['prompts/get', { name: 'asked' }],
  ['resources/subscribe', { uri: 'test://asked' }],
  ['logging/setLevel', { level: 'info' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'asked' }, argument: { name: 'x', value: '' } }],
  ['tasks/list', {}],
];

rule('C28 over stdio', 'the server does nothing it did not declare, and tells of no change', async () => {
  const scene = await stage(DECLARED);
  try {
    const peer = scene.peer(REVISION);
    const welcome = await peer.handshake();
    assert.deepEqual(welcome['capabilities'], DECLARED.capabilities);
    for (const [method, params] of UNDECLARED) await peer.refused(-32601, [method, params]);
    await peer.result('resources/list');
    scene.fixture.server.tool('extra', {}, () => 'here');
    await peer.quiet();
    assert.equal(await peer.said('extra'), 'here');
    await peer.end();
  } finally {
    await scene.close();
  }
});

rule('C28 over http', 'the server does nothing it did not declare, and tells of no change', async () => {
  const scene = await stageHttp(DECLARED);
  try {
    const peer = await scene.peer(REVISION).open();
    const stream = await peer.listen();
    for (const [method, params] of UNDECLARED) {
      const { error } = await peer.answer(peer.request(method, params));
      assert.equal((error as JsonObject)['code'], -32601, method);
    }
    scene.fixture.server.tool('extra', {}, () => 'here');
    assert.equal(await peer.said('extra'), 'here');
    assert.deepEqual(stream.messages, []);
    peer.assertSound();
  } finally {
    await scene.close();
  }
});
