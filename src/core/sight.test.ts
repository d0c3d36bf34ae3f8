import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCatalog, type Catalog } from '../catalog/catalog.ts';
import { createServer } from '../catalog/server.ts';
import { silent } from '../model/log.ts';
import { createSight } from './sight.ts';

function build(scopes: readonly string[]): Promise<Catalog> {
  const server = createServer({ name: 'demo', version: '1.0.0' });
  server.tool('open', {}, () => 'x');
  for (const scope of scopes) server.tool(`needs-${scope}`, { scopes: [scope] }, () => 'x');
  return buildCatalog([{ provider: server }], { pageSize: 10, log: silent });
}

const principal = (...scopes: string[]) => ({ id: 'ada', scopes });

test('a catalog nobody needs scopes for is shown as it is', async () => {
  const catalog = await build([]);
  const sight = createSight(() => catalog, { trusting: false, scopeSetsKept: 4 });
  assert.equal(sight(undefined), catalog);
  assert.equal(sight(principal('a')), catalog);
});

test('the same scopes see the same catalog and the same lists, whoever has them and in whatever order', async () => {
  const catalog = await build(['a', 'b']);
  const sight = createSight(() => catalog, { trusting: false, scopeSetsKept: 4 });
  const seen = sight(principal('a', 'b', 'other'));
  assert.equal(sight(principal('b', 'a')), seen);
  assert.equal(sight(principal('b', 'a')).tools(), seen.tools());
  assert.notEqual(sight(principal('a')), seen);
  assert.equal(sight(undefined), sight(principal('other')));
});

test('who started the server sees everything, and nobody else is taken for them', async () => {
  const catalog = await build(['a']);
  const trusting = createSight(() => catalog, { trusting: true, scopeSetsKept: 4 });
  assert.equal(trusting(undefined), catalog);
  assert.equal(trusting(principal()).findTool('needs-a'), undefined);
  const wary = createSight(() => catalog, { trusting: false, scopeSetsKept: 4 });
  assert.equal(wary(undefined).findTool('needs-a'), undefined);
});

test('a change of the catalog is seen by those it concerns', async () => {
  let catalog = await build(['a']);
  const sight = createSight(() => catalog, { trusting: false, scopeSetsKept: 4 });
  const ada = principal('a', 'b');
  assert.ok(sight(ada).findTool('needs-a') !== undefined);
  catalog = await build(['b']);
  assert.equal(sight(ada).findTool('needs-a'), undefined);
  assert.ok(sight(ada).findTool('needs-b') !== undefined);
});

test('views are kept within bounds, and one that was dropped is made again', async () => {
  const catalog = await build(['a', 'b', 'c']);
  const sight = createSight(() => catalog, { trusting: false, scopeSetsKept: 2 });
  const first = sight(principal('a'));
  sight(principal('b'));
  assert.equal(sight(principal('a')), first, 'what was used last is kept');
  sight(principal('c'));
  sight(principal('b'));
  const again = sight(principal('a'));
  assert.notEqual(again, first);
  assert.deepEqual(again.tools(), first.tools());
});
