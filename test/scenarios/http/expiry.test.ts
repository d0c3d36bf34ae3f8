import assert from 'node:assert/strict';
import type { Authenticator, Verdict } from '../../../src/auth/auth.ts';
import { LEGACY, MODERN, since } from '../revisions.ts';
import { send } from './heard.ts';
import { scenario } from './obligation.ts';

/** Two tokens of one principal: the life of the first begins when it is used. */
class Tokens implements Authenticator {
  until = Number.POSITIVE_INFINITY;

  authenticate(token: string | undefined): Verdict {
    if (token === 'long') return { kind: 'principal', principal: ADA };
    if (token !== 'short') return { kind: 'missing' };
    if (this.until === Number.POSITIVE_INFINITY) this.until = Date.now() + LIFE_MS;
    const { until } = this;
    return until <= Date.now()
      ? { kind: 'expired' }
      : { kind: 'principal', principal: { ...ADA, expires: until }, until };
  }
}

const ADA = { id: 'ada', scopes: [] };
const LIFE_MS = 1500;
const LONG = { authorization: 'Bearer long' };
const SHORT = { authorization: 'Bearer short' };
const withStreams = LEGACY.filter((revision) => since(revision, '2025-03-26'));

for (const revision of withStreams) {
  const authenticator = new Tokens();
  const access = { authenticator, endpoint: '/mcp' };
  scenario(
    [revision],
    'a stream ends with its token, and goes on with another one without a loss',
    { access, token: 'long' },
    async (_, peer, { fixture, port }) => {
      const stream = await peer.listen(undefined, SHORT);
      assert.equal(stream.status, 200);
      fixture.server.tool('first-new', {}, () => 'x');
      const { id } = await stream.event();
      await stream.ended();
      assert.ok(Date.now() >= authenticator.until, 'not before the token');
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
  const authenticator = new Tokens();
  const access = { authenticator, endpoint: '/mcp' };
  scenario(
    LEGACY.slice(0, 1),
    'the channel of the older transport ends with its token',
    { access, unopened: true },
    async (_, __, { port }) => {
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
  const authenticator = new Tokens();
  const access = { authenticator, endpoint: '/mcp' };
  scenario(
    [MODERN],
    'work that began in time may end after its token',
    { access, token: 'short' },
    async (_, peer, { fixture }) => {
      const answer = peer.answer(peer.call('march', { steps: 2, gate: 'after' }, { meta: { progressToken: 'p' } }));
      while (authenticator.until === Number.POSITIVE_INFINITY || Date.now() < authenticator.until + 1200)
        await new Promise((resolve) => setTimeout(resolve, 50));
      fixture.releaseAll();
      assert.match(JSON.stringify(await answer), /there/);
      assert.equal((await peer.call('march')).status, 401);
    },
  );
}

{
  const authenticator = new Tokens();
  const access = { authenticator, endpoint: '/mcp' };
  scenario(
    [MODERN],
    'a subscription ends with its token, and not a call deadline later',
    { access, token: 'short', limits: { callDeadlineMs: 60_000 } },
    async (_, peer) => {
      const heard = await peer.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
      await heard.message('notifications/subscriptions/acknowledged');
      await heard.until(() => heard.over !== undefined, 'the end');
      assert.ok(Date.now() >= authenticator.until, 'not before the token');
    },
  );
}

{
  let good = true;
  const authenticator: Authenticator = {
    authenticate: (token) =>
      token === 'listed' && good
        ? { kind: 'principal', principal: ADA, good: () => good }
        : { kind: 'invalid', reason: 'not on the list' },
  };
  const access = { authenticator, endpoint: '/mcp' };
  scenario(
    [MODERN],
    'streams of a token that was taken back end, whatever opened them',
    { access, token: 'listed' },
    async (_, peer, { port, peer: peerOf }) => {
      const session = await peerOf('2025-11-25', { token: 'listed' }).open();
      const streams = [
        await session.listen(),
        await send(port, { method: 'GET', path: '/sse', headers: { authorization: 'Bearer listed' } }),
        await peer.request('subscriptions/listen', { notifications: { toolsListChanged: true } }),
      ];
      for (const stream of streams) assert.equal(stream.status, 200);
      good = false;
      for (const stream of streams) await stream.until(() => stream.over !== undefined, 'the end');
    },
  );
}
