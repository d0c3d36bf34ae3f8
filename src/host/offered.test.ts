import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildCatalog, type Catalog } from '../catalog/catalog.ts';
import type { Offer } from '../catalog/provider.ts';
import { offeredBy } from './offered.ts';

function build(offer: Offer): Promise<Catalog> {
  return buildCatalog([{ provider: { name: 'demo', load: () => offer } }], { pageSize: 2, log: () => {} });
}

const tool = (name: string) => ({ tool: { name, inputSchema: { type: 'object' } }, run: () => ({ content: [] }) });
const resource = (uri: string) => ({ resource: { uri, name: uri }, read: () => [] });
const prompt = (name: string) => ({ prompt: { name }, get: () => ({ messages: [] }) });

describe('offeredBy', () => {
  it('gathers the names of every page', async () => {
    const catalog = await build({
      tools: ['a', 'b', 'c', 'd', 'e'].map(tool),
      resources: ['x://1', 'x://2', 'x://3'].map(resource),
      prompts: [prompt('p')],
    });
    assert.deepEqual(offeredBy(() => catalog)(), {
      tools: ['a', 'b', 'c', 'd', 'e'],
      resources: ['x://1', 'x://2', 'x://3'],
      prompts: ['p'],
    });
  });

  it('gives the same object for the same catalog and a new one for a new', async () => {
    let catalog = await build({ tools: [tool('a')] });
    const offered = offeredBy(() => catalog);
    const first = offered();
    assert.equal(offered(), first);
    catalog = await build({ tools: [tool('b')] });
    assert.deepEqual(offered().tools, ['b']);
  });

  it('offers empty lists where there is nothing', async () => {
    const catalog = await build({});
    assert.deepEqual(offeredBy(() => catalog)(), { tools: [], resources: [], prompts: [] });
  });
});
