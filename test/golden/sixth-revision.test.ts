import assert from 'node:assert/strict';
import { test } from 'node:test';
import { r20251125 } from '../../src/dialects/mcp/2025-11-25.ts';
import { r20260728 } from '../../src/dialects/mcp/2026-07-28.ts';
import { type Revision, revise } from '../../src/dialects/mcp/revision.ts';
import { REVISIONS } from '../../src/dialects/mcp/revisions.ts';
import { toolsCall } from '../../src/dialects/mcp/rows/tools.ts';
import { createHost } from '../../src/host/host.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import { createFixture } from '../scenarios/fixture.ts';
import { pipes } from '../scenarios/peer.ts';
import { KEY } from '../scenarios/revisions.ts';

/** One value is all a revision takes: this one renames a method, drops prompts, moves a code and stamps its results. */
const sixth = revise(r20260728, {
  id: '2099-01-01',
  stamp: { resultType: 'complete', moon: 'full' },
  codes: { ...r20260728.codes, notFound: -32002 },
  without: ['tools/call', 'prompts/list', 'prompts/get'],
  methods: { 'tools/run': toolsCall({ content: ['text'], structured: 'none' }) },
});

/** And one of the handshake era, which takes batches again. */
const seventh = revise(r20251125, { id: '2099-02-02', batches: true, unreadableId: 'null' });

async function speak(revisions: readonly Revision[], messages: readonly unknown[]): Promise<JsonObject[]> {
  const { server } = createFixture();
  const host = await createHost({ server: server.info, mounts: [{ provider: server }], revisions });
  const { input, output } = pipes();
  const { closed } = serveStdio({
    input,
    output,
    limits: host.limits,
    log: host.log,
    converse: (outlet) => host.converse({ outlet, shared: true }),
  });
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
  input.end();
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  host.close();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
}

const asking = (method: string, params: JsonObject, revision = '2099-01-01'): JsonObject => ({
  jsonrpc: '2.0',
  id: method,
  method,
  params: { ...params, _meta: { [KEY.revision]: revision, [KEY.capabilities]: {} } },
});

test('a made-up revision is one value, spoken end to end beside the others', async () => {
  const [found, ran, gone, missing, dropped, older, unknown] = (await speak(
    [sixth, ...REVISIONS],
    [
      asking('server/discover', {}),
      asking('tools/run', { name: 'media' }),
      asking('tools/call', { name: 'echo' }),
      asking('resources/read', { uri: 'test://gone' }),
      asking('prompts/list', {}),
      asking('tools/call', { name: 'echo', arguments: { text: 'old' } }, '2026-07-28'),
      asking('tools/list', {}, '2098-01-01'),
    ],
  )) as { result: JsonObject; error: { code: number; data: JsonObject } }[];
  assert.deepEqual(found?.result['supportedVersions'], ['2099-01-01', '2026-07-28']);
  assert.equal(found?.result['moon'], 'full');
  assert.deepEqual(
    [...new Set(((ran as { result: JsonObject }).result['content'] as JsonObject[]).map(({ type }) => type))],
    ['text'],
  );
  assert.equal(gone?.error.code, -32601);
  assert.equal(missing?.error.code, -32002);
  assert.equal(dropped?.error.code, -32601);
  assert.equal(older?.result['moon'], undefined);
  assert.deepEqual(unknown?.error.data['supported'], ['2099-01-01', '2026-07-28']);
});

test('a made-up revision of the handshake era is negotiated, and is the newest for who asks for another', async () => {
  const hello = (protocolVersion: string): JsonObject => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  });
  const batch = [{ jsonrpc: '2.0', id: 2, method: 'ping' }];
  for (const asked of ['2099-02-02', '1900-01-01']) {
    const [welcome, pong, refused] = await speak([seventh, ...REVISIONS], [hello(asked), batch, 5]);
    assert.deepEqual((welcome as { result: JsonObject }).result['capabilities'] !== undefined, true);
    assert.deepEqual(pong, [{ jsonrpc: '2.0', id: 2, result: {} }]);
    assert.equal(refused?.['id'], null);
  }
});

test('a revision says nothing of what it dropped and keeps the one before as it was', () => {
  assert.equal(sixth.methods['tools/call'], undefined);
  assert.notEqual(r20260728.methods['tools/call'], undefined);
  assert.equal(r20260728.codes.notFound, -32602);
  assert.equal(sixth.methods['tools/list'], r20260728.methods['tools/list']);
});
