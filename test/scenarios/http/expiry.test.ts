import assert from 'node:assert/strict';
import type { Authenticator, Verdict } from '../../../src/auth/auth.ts';
import { LEGACY, MODERN, since } from '../revisions.ts';
import { send } from './heard.ts';
import { scenario } from './obligation.ts';

/** Two tokens of one principal: the first ends when the test says so. */
function tokens(lifeMs: number): { access: { authenticator: Authenticator; endpoint: string }; until: number } {
  const until = Date.now() + lifeMs;
  const ada = { id: 'ada', scopes: [] };
  const known: Readonly<Record<string, () => Verdict>> = {
    short: () =>
      until <= Date.now() ? { kind: 'expired' } : { kind: 'principal', principal: { ...ada, expires: until }, until },
    long: () => ({ kind: 'principal', principal: ada }),
  };
  const authenticator: Authenticator = {
    authenticate: (token) => known[token ?? '']?.() ?? { kind: 'missing' },
  };
  return { access: { authenticator, endpoint: '/mcp' }, until };
}

const LIFE_MS = 1500;
const LONG = { authorization: 'Bearer long' };
const SHORT = { authorization: 'Bearer short' };
const withStreams = LEGACY.filter((revision) => since(revision, '2025-03-26'));

for (const revision of withStreams) {
  const { access, until } = tokens(LIFE_MS);
  scenario(
    [revision],
    'a stream ends with its token, and goes on with another one without a loss',
    { access, token: 'long' },
    async (_, peer, { fixture, port }) => {
      if (until <= Date.now()) return;
      const stream = await peer.listen(undefined, SHORT);
      assert.equal(stream.status, 200);
      fixture.server.tool('first-new', {}, () => 'x');
      const { id } = await stream.event();
      await stream.ended();
      assert.ok(Date.now() >= until, 'not before the token');
      assert.equal((await peer.listen(id, SHORT)).status, 401, 'the token has ended');
      fixture.server.tool('second-new', {}, () => 'x');
      const again = await peer.listen(id, LONG);
      assert.equal(again.status, 200);
      assert.match((await again.event()).data ?? '', /list_changed/);
      again.cut();
      assert.equal((await send(port, { method: 'GET', path: '/mcp' })).status, 401);
    },
  );
}

{
  const { access, until } = tokens(LIFE_MS);
  scenario(
    LEGACY.slice(0, 1),
    'the channel of the older transport ends with its token',
    { access, unopened: true },
    async (_, __, { port }) => {
      if (until <= Date.now()) return;
      const stream = await send(port, { method: 'GET', path: '/sse', headers: SHORT });
      const where = String((await stream.event()).data);
      await stream.ended();
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const headers = { ...LONG, 'content-type': 'application/json' };
      assert.equal(
        (await send(port, { method: 'POST', path: where, headers, body })).status,
        404,
        'the channel is gone',
      );
    },
  );
}

{
  const { access, until } = tokens(LIFE_MS);
  scenario(
    [MODERN],
    'work that began in time may end after its token',
    { access, token: 'short' },
    async (_, peer, { fixture }) => {
      if (until <= Date.now()) return;
      const answer = peer.answer(peer.call('march', { steps: 2, gate: 'after' }, { meta: { progressToken: 'p' } }));
      while (Date.now() < until + 1200) await new Promise((resolve) => setTimeout(resolve, 50));
      fixture.releaseAll();
      assert.match(JSON.stringify(await answer), /there/);
      assert.equal((await peer.call('march')).status, 401);
    },
  );
}
