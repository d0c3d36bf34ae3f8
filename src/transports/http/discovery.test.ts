import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchanged } from '../../../test/http/fake-exchange.ts';
import { createDiscovery, DISCOVERY_POLICIES, type DiscoveryOptions, type Offered } from './discovery.ts';

const OFFERED: Offered = { tools: ['read_file', 'calculator'], resources: ['config://server/options'], prompts: [] };
const OPTIONS: DiscoveryOptions = {
  server: { name: 'hyperserve', version: '1.0.0' },
  label: '2024-11-05',
  revisions: ['2026-07-28', '2024-11-05'],
  endpoint: '/mcp',
  offered: () => OFFERED,
};
const KNOWN = { id: 'ada', scopes: [] };
interface Said {
  capabilities: Record<string, { supported: boolean; count: number; available?: string[] }>;
}

describe('createDiscovery', () => {
  it('begins with exactly the members older clients read, in their order', async () => {
    const { text, sent } = await exchanged(createDiscovery(OPTIONS));
    const begins =
      '{"type":"mcp-server","version":"2024-11-05","serverInfo":{"name":"hyperserve","version":"1.0.0"},' +
      '"transports":[{"type":"http","endpoint":"/mcp"},{"type":"sse","endpoint":"/mcp"}],' +
      '"protocolVersions":["2026-07-28","2024-11-05"],"capabilities":{';
    assert.equal(text?.slice(0, begins.length), begins);
    assert.equal(sent['content-type'], 'application/json');
  });

  it('counts and names nothing unless told otherwise', async () => {
    const said = (await exchanged(createDiscovery(OPTIONS), { principal: KNOWN })).json<Said>();
    assert.deepEqual(said.capabilities, {
      tools: { supported: true, count: 2 },
      resources: { supported: true, count: 1 },
      prompts: { supported: false, count: 0 },
    });
  });

  const table = [
    { policy: 'public', principal: undefined, names: true, cache: 'public, max-age=300' },
    { policy: 'public', principal: KNOWN, names: true, cache: 'public, max-age=300' },
    { policy: 'counts', principal: undefined, names: false, cache: 'public, max-age=300' },
    { policy: 'counts', principal: KNOWN, names: false, cache: 'public, max-age=300' },
    { policy: 'authenticated', principal: undefined, names: false, cache: 'no-store' },
    { policy: 'authenticated', principal: KNOWN, names: true, cache: 'no-store' },
  ] as const;
  for (const { policy, principal, names, cache } of table) {
    const who = principal === undefined ? 'a stranger' : 'a known principal';
    it(`with policy "${policy}" gives ${who} ${names ? 'the names' : 'numbers only'}`, async () => {
      const exchange = await exchanged(createDiscovery({ ...OPTIONS, policy }), { principal });
      assert.equal(exchange.status, 200);
      assert.equal(exchange.sent['cache-control'], cache);
      const { tools, resources } = exchange.json<Said>().capabilities;
      assert.deepEqual(tools?.available, names ? OFFERED.tools : undefined);
      assert.deepEqual(resources?.available, names ? OFFERED.resources : undefined);
      assert.equal(exchange.text?.includes('read_file'), names);
    });
  }

  it('with policy "authenticated" an Authorization header alone opens nothing', async () => {
    const handler = createDiscovery({ ...OPTIONS, policy: 'authenticated' });
    const { text } = await exchanged(handler, { headers: { authorization: 'Bearer made-up' } });
    assert.doesNotMatch(text ?? '', /read_file/);
  });

  for (const principal of [undefined, KNOWN]) {
    it(`with policy "none" is not found, ${principal === undefined ? 'unknown' : 'known'} or not`, async () => {
      const { status, text, sent } = await exchanged(createDiscovery({ ...OPTIONS, policy: 'none' }), { principal });
      assert.equal(status, 404);
      assert.equal(sent['cache-control'], 'no-store');
      assert.doesNotMatch(text ?? '', /hyperserve|read_file/);
    });
  }

  for (const policy of DISCOVERY_POLICIES) {
    it(`with policy "${policy}" refuses POST`, async () => {
      const { status, sent } = await exchanged(createDiscovery({ ...OPTIONS, policy }), { method: 'POST' });
      assert.equal(status, 405);
      assert.equal(sent['allow'], 'GET, HEAD');
    });
  }

  it('shows a change of the items at once', async () => {
    let offered = OFFERED;
    const handler = createDiscovery({ ...OPTIONS, policy: 'public', offered: () => offered });
    await exchanged(handler);
    offered = { tools: ['new_tool'], resources: [], prompts: ['greet'] };
    const { capabilities } = (await exchanged(handler)).json<Said>();
    assert.deepEqual(capabilities['tools'], { supported: true, count: 1, available: ['new_tool'] });
    assert.deepEqual(capabilities['prompts'], { supported: true, count: 1, available: ['greet'] });
  });

  it('names no event streams where the endpoint has none', async () => {
    const { text } = await exchanged(createDiscovery({ ...OPTIONS, sse: false, endpoint: '/rpc' }));
    assert.match(text ?? '', /"transports":\[\{"type":"http","endpoint":"\/rpc"\}\]/);
  });

  it('stays JSON whatever the server is called', async () => {
    const name = '"}],</script>\n\u2028\\';
    const { text } = await exchanged(createDiscovery({ ...OPTIONS, server: { name, version: '1' } }));
    assert.equal((JSON.parse(text ?? '') as { serverInfo: { name: string } }).serverInfo.name, name);
  });
});
