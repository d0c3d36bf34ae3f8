import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAuthenticator } from '../../../src/auth/auth.ts';
import { createStaticTokens } from '../../../src/auth/static-tokens.ts';
import { openClient } from '../../../src/host/client.ts';
import { ALL } from '../revisions.ts';
import { scenario } from './obligation.ts';

const TOKEN = 'the-token-that-stays-here';
const tokens = createStaticTokens([{ id: 'ada', token: TOKEN }]);
const access = { authenticator: createAuthenticator({ verifiers: [tokens], tokenBytes: 1000 }), endpoint: '/mcp' };

/** A server that only remembers what it was sent. */
async function openWitness(): Promise<{ url: string; heard: string[]; close(): void }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const headers: IncomingHttpHeaders = request.headers;
    heard.push(`${request.method} ${request.url} ${JSON.stringify(headers)}`);
    request.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
    request.on('end', () => response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, heard, close: () => void server.close() };
}

scenario(
  ALL,
  'no token that comes in goes out to another server',
  { access, token: TOKEN },
  async (_, peer, { fixture }) => {
    const witness = await openWitness();
    let known = '';
    fixture.server.tool('ask-further', {}, async (_input, call) => {
      known = JSON.stringify({ ...call, principal: call.principal, meta: call.meta, session: call.session });
      const front = { onQuestion: {}, onStderr: () => {}, onRemark: () => {} };
      await openClient({ place: { url: witness.url, headers: {} } }, front).catch(() => undefined);
      return 'asked';
    });
    assert.equal(await peer.said('ask-further'), 'asked');
    witness.close();
    assert.ok(witness.heard.length > 0);
    assert.doesNotMatch(witness.heard.join(), new RegExp(`${TOKEN}|authorization`, 'i'));
    assert.match(known, /token#ada/);
    assert.doesNotMatch(known, new RegExp(TOKEN), 'a handler cannot pass on what it does not have');
  },
);
