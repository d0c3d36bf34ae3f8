import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchanged } from '../../../test/http/fake-exchange.ts';
import { createHealth, type Readiness } from './health.ts';

function handlers(readiness: Readiness) {
  return createHealth({ version: '1.2.3', readiness: () => readiness, uptime: () => 12.34567 });
}

describe('createHealth', () => {
  it('says that it runs, for how long, and which version', async () => {
    const exchange = await exchanged(handlers('ready').health);
    assert.equal(exchange.status, 200);
    assert.deepEqual(exchange.json(), { status: 'ok', ready: true, uptime: 12.346, version: '1.2.3' });
  });

  it('measures the process when no clock is given', async () => {
    const { health } = createHealth({ version: '1', readiness: () => 'ready' });
    const { uptime } = (await exchanged(health)).json<{ uptime: number }>();
    assert.ok(uptime > 0 && uptime <= process.uptime() + 0.001);
  });

  const table = [
    { readiness: 'ready', ready: 200, reason: undefined },
    { readiness: 'starting', ready: 503, reason: 'The server is starting' },
    { readiness: 'draining', ready: 503, reason: 'The server is shutting down' },
  ] as const;
  for (const { readiness, ready, reason } of table) {
    it(`answers ${ready} to a load balancer and stays alive while ${readiness}`, async () => {
      const probes = handlers(readiness);
      const asked = await exchanged(probes.ready);
      assert.equal(asked.status, ready);
      assert.equal(asked.json<{ reason?: string }>().reason, reason);
      assert.equal(asked.sent['retry-after'], ready === 200 ? undefined : '1');
      assert.equal((await exchanged(probes.live)).status, 200);
      assert.equal((await exchanged(probes.health)).json<{ ready: boolean }>().ready, ready === 200);
    });
  }

  it('asks for the state anew at every probe', async () => {
    let readiness: Readiness = 'starting';
    const { ready } = createHealth({ version: '1', readiness: () => readiness });
    assert.equal((await exchanged(ready)).status, 503);
    readiness = 'ready';
    assert.equal((await exchanged(ready)).status, 200);
    readiness = 'draining';
    assert.equal((await exchanged(ready, { method: 'HEAD' })).status, 503);
  });

  for (const probe of ['health', 'live', 'ready'] as const) {
    it(`lets nobody keep what ${probe} said, and refuses POST`, async () => {
      assert.equal((await exchanged(handlers('ready')[probe])).sent['cache-control'], 'no-store');
      assert.equal((await exchanged(handlers('ready')[probe], { method: 'POST' })).status, 405);
    });
  }
});
