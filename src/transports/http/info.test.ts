import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchanged } from '../../../test/http/fake-exchange.ts';
import { type InfoOptions, infoRoutes } from './info.ts';

const OPTIONS: InfoOptions = {
  server: { name: 'demo', version: '1' },
  version: '0.1.0',
  label: '2024-11-05',
  revisions: [{ id: '2025-11-25', opens: 'handshake' }],
  endpoint: '/mcp',
  transports: ['Streamable HTTP'],
  readiness: () => 'ready',
  offered: () => ({ tools: ['a'], resources: [], prompts: [] }),
};

describe('infoRoutes', () => {
  it('exempts probes from every check, documents from access, and metrics from nothing', () => {
    const routes = infoRoutes({ ...OPTIONS, metrics: { collect: () => [] } });
    assert.deepEqual(
      routes.map(({ path, exempt }) => [path, exempt]),
      [
        ['/', 'access'],
        ['/.well-known/mcp.json', 'access'],
        ['/mcp/discover', 'access'],
        ['/health', 'all'],
        ['/healthz', 'all'],
        ['/livez', 'all'],
        ['/readyz', 'all'],
        ['/metrics', undefined],
      ],
    );
  });

  it('has no metrics where nothing is counted', () => {
    assert.ok(!infoRoutes(OPTIONS).some(({ path }) => path === '/metrics'));
  });

  it('leaves the root to an endpoint that is there', () => {
    const paths = infoRoutes({ ...OPTIONS, endpoint: '/' }).map(({ path }) => path);
    assert.ok(!paths.includes('/'));
    assert.ok(paths.includes('/discover'));
  });

  it('puts discovery below the endpoint, wherever that is', () => {
    const paths = (endpoint: string) => infoRoutes({ ...OPTIONS, endpoint }).map(({ path }) => path);
    assert.ok(paths('/api/rpc').includes('/api/rpc/discover'));
    assert.ok(paths('/rpc/').includes('/rpc/discover'));
  });

  it('serves every route, the two discovery documents alike', async () => {
    const routes = infoRoutes({ ...OPTIONS, metrics: { collect: () => [] } });
    const served = await Promise.all(routes.map(async ({ path, handler }) => exchanged(handler, { path })));
    assert.deepEqual([...new Set(served.map(({ status }) => status))], [200]);
    assert.equal(served[1]?.text, served[2]?.text);
    assert.match(served[1]?.text ?? '', /"version":"2024-11-05".*"protocolVersions":\["2025-11-25"\]/);
  });
});
