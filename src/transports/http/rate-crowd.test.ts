import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchanged, FakeExchange } from '../../../test/http/fake-exchange.ts';
import { limitsWith } from '../../model/limits.ts';
import type { StreamTable } from './exchange.ts';
import { crowdLimited } from './rate-crowd.ts';

const limits = limitsWith({ requestsPerPrincipal: 2, streamsPerPrincipal: 1, streams: 3 });
const principal = { id: 'ada', scopes: [] };
const answers = (exchange: { reply(status: number): void }) => exchange.reply(200);

test('a principal has so many requests at once, however they end, and others are not held back', async () => {
  const ends: (() => void)[] = [];
  const waits = crowdLimited(async (exchange) => {
    await new Promise<void>((resolve) => ends.push(resolve));
    if (exchange.path === '/fails') throw new Error('failed');
    exchange.reply(200);
  }, limits);
  const running = [
    exchanged(waits, { method: 'POST', principal, path: '/fails' }),
    exchanged(waits, { method: 'POST', principal }),
  ];
  const refused = await exchanged(waits, { method: 'POST', principal });
  assert.equal(refused.status, 429);
  assert.equal(refused.sent['retry-after'], '1');
  assert.match(refused.text ?? '', /"code":"E_BUSY","limit":"requestsPerPrincipal","retryAfterMs":1000/);
  const others = [
    exchanged(waits, { method: 'POST', principal: { id: 'bob', scopes: [] } }),
    ...[1, 2, 3].map(() => exchanged(waits, { method: 'POST' })),
  ];
  assert.equal(ends.length, 6);
  for (const end of ends.splice(0)) end();
  const [failed, ...rest] = await Promise.allSettled([...running, ...others]);
  assert.equal(failed?.status, 'rejected');
  assert.ok(rest.every((one) => one.status === 'fulfilled' && one.value.status === 200));
  const again = exchanged(waits, { method: 'POST', principal });
  for (const end of ends) end();
  assert.equal((await again).status, 200, 'both made room');
});

test('a handler that throws at once leaves no place taken', async () => {
  let throws = true;
  const handler = crowdLimited(
    (exchange) => {
      if (throws) throw new Error('at once');
      exchange.reply(200);
    },
    limitsWith({ requestsPerPrincipal: 1 }),
  );
  for (const _ of [1, 2]) await assert.rejects(exchanged(handler, { method: 'POST', principal }), /at once/);
  throws = false;
  assert.equal((await exchanged(handler, { method: 'POST', principal })).status, 200);
});

class Streamed extends FakeExchange {
  readonly streams: StreamTable;

  constructor(streams: StreamTable, owner: typeof principal | undefined) {
    super({ method: 'GET', principal: owner });
    this.streams = streams;
  }
}

test('streams to listen on are bounded for each principal and for all, and closed ones do not count', () => {
  const handler = crowdLimited(answers, limits);
  const ask = (streams: StreamTable, known = true) => {
    const exchange = new Streamed(streams, known ? principal : undefined);
    void handler(exchange);
    return exchange;
  };
  const table = (size: number, own: number): StreamTable => ({ size, of: () => own, sweep: () => {} });
  assert.equal(ask(table(2, 0)).status, 200);
  assert.equal(ask(table(1, 1)).status, 429);
  assert.equal(ask(table(3, 0)).status, 503);
  assert.match(ask(table(3, 0)).text ?? '', /"limit":"streams"/);
  assert.equal(ask(table(2, 2), false).status, 200, 'who is not known has no bound of their own');
  let closed = false;
  const stale: StreamTable = {
    size: 1,
    of: () => (closed ? 0 : 1),
    sweep: () => {
      closed = true;
    },
  };
  assert.equal(ask(stale).status, 200);
});
