import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Notice } from '../../../model/peer.ts';
import { connect, PeerError } from '../../../testing.ts';
import { createContract } from './contract.ts';

type Connected = Awaited<ReturnType<typeof connect>>;

const HANDSHAKE = { revision: '2025-11-25' };

async function said(client: Connected, name: string, input = {}): Promise<string> {
  const { content, failed } = await client.call(name, input);
  const text = content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
  return failed === true ? `failed: ${text}` : text;
}

for (const { revision } of [HANDSHAKE, { revision: '2026-07-28' }]) {
  test(`the asking tools give back what a client of ${revision} answers`, async () => {
    const client = await connect(createContract(), {
      revision,
      onQuestion: {
        elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
        elicitUrl: () => ({ action: 'decline' }),
        sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Ahoy' }, model: 'm' }),
        roots: () => ({ roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] }),
      },
    });
    assert.equal(await said(client, 'ask_form'), 'Hello, Ada');
    assert.equal(await said(client, 'ask_url'), 'The user chose to decline');
    assert.equal(await said(client, 'ask_model'), 'm said: Ahoy');
    assert.equal(await said(client, 'ask_roots'), 'file:///a\nfile:///b');
    await client.close();
  });
}

test('the asking tools say so when the user refuses, the model shows a picture or there are no roots', async () => {
  const client = await connect(createContract(), {
    ...HANDSHAKE,
    onQuestion: {
      elicit: () => ({ action: 'cancel' }),
      sample: () => ({
        role: 'assistant',
        content: { type: 'image', data: 'AA==', mimeType: 'image/png' },
        model: 'm',
      }),
      roots: () => ({ roots: [] }),
    },
  });
  assert.equal(await said(client, 'ask_form'), 'The user chose to cancel');
  assert.equal(await said(client, 'ask_model'), 'm said: nothing in words');
  assert.equal(await said(client, 'ask_roots'), 'There are no roots');
  assert.match(await said(client, 'ask_url'), /^failed: .*elicitation\.url/);
  await client.close();
});

test('extras come and go, and clients are told once for every list', async () => {
  const heard: string[] = [];
  const onNotice = (notice: Notice): void => void (notice.kind === 'changed' && heard.push(notice.list));
  const client = await connect(createContract(), { ...HANDSHAKE, onNotice });
  await client.listen({ tools: true, resources: true, prompts: true });
  const has = async () => (await client.listTools()).some(({ name }) => name === 'extra');
  assert.equal(await said(client, 'switch_extras'), 'The extras are here');
  assert.deepEqual(heard, ['tools', 'resources', 'prompts']);
  assert.deepEqual([await has(), await said(client, 'extra')], [true, 'Here']);
  assert.equal((await client.read('contract://extra')).contents[0]?.text, 'Here');
  assert.equal(await said(client, 'switch_extras'), 'The extras are gone');
  assert.equal(heard.length, 6);
  assert.equal(await has(), false);
  await assert.rejects(client.call('extra'), PeerError);
  await client.close();
});

test('a phase that does not exist is a resource that does not exist', async () => {
  const client = await connect(createContract(), HANDSHAKE);
  assert.match((await client.read('contract://phases/shutdown')).contents[0]?.text ?? '', /no message/);
  await assert.rejects(
    client.read('contract://phases/lunch'),
    (error) => error instanceof PeerError && error.code === -32002,
  );
  await client.close();
});

test('what the tools take has bounds', async () => {
  const client = await connect(createContract(), HANDSHAKE);
  for (const [name, input] of [
    ['count', { steps: 101 }],
    ['count', { steps: 0.5 }],
    ['job', { ms: 60_001 }],
    ['job', { ms: -1 }],
    ['write_note', { text: 'x'.repeat(1001) }],
    ['write_note', {}],
    ['ask_form', { name: 'Ada' }],
  ] as const)
    assert.match(await said(client, name, input), /^failed: /, `${name} ${JSON.stringify(input).slice(0, 40)}`);
  await client.close();
});
