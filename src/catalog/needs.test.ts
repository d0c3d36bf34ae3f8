import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silent } from '../model/log.ts';
import { buildCatalog, type Catalog } from './catalog.ts';
import { type AccessRule, checkRules, fits } from './needs.ts';
import { createServer } from './server.ts';

const handler = () => 'x';

async function build(rules: readonly AccessRule[] = [], options: { bareNames?: boolean } = {}): Promise<Catalog> {
  const server = createServer({ name: 'demo', version: '1.0.0' });
  server.tool('open', {}, handler);
  server.tool('secret', { scopes: ['admin'], task: 'optional' }, handler);
  server.resource('note', 'note://1', {}, handler);
  server.resource('vault', 'file:///vault/1', { scopes: ['admin'] }, handler);
  server.template('files', 'file:///{+path}', {}, handler);
  server.template('logs', 'log://{day}', { scopes: ['ops'], complete: { day: () => [] } }, handler);
  server.prompt('hello', {}, handler);
  server.prompt('raise', { scopes: ['admin', 'hr'] }, handler);
  const inner = createServer({ name: 'inner', version: '1.0.0' });
  inner.tool('wipe', {}, handler);
  return buildCatalog([{ provider: server }, { provider: inner, namespace: 'ns' }], {
    pageSize: 100,
    log: silent,
    rules,
    ...options,
  });
}

const tools = (catalog: Catalog): string[] => catalog.tools().tools.map(({ name }) => name);

test('who has the scopes sees the item, and to others it is not there at all', async () => {
  const whole = await build();
  assert.deepEqual(whole.scopes, ['admin', 'hr', 'ops']);
  const none = whole.within(new Set());
  assert.deepEqual(tools(none), ['open', 'ns__wipe']);
  assert.equal(none.findTool('secret'), undefined);
  assert.equal(none.findPrompt('raise'), undefined);
  assert.equal(none.findTemplate('log://{day}'), undefined);
  assert.equal(none.findResource('log://today'), undefined);
  assert.deepEqual(none.counts, { tools: 2, resources: 1, templates: 1, prompts: 1 });
  assert.deepEqual(none.offers, whole.offers, 'what kinds of items there are is no secret, and does not change');
  const admin = whole.within(new Set(['admin']));
  assert.deepEqual(tools(admin), ['open', 'secret', 'ns__wipe']);
  assert.equal(admin.findPrompt('raise'), undefined, 'one of two scopes is not enough');
  assert.ok(whole.within(new Set(['admin', 'hr'])).findPrompt('raise') !== undefined);
});

test('what is hidden as a resource does not come back through a template', async () => {
  const none = (await build()).within(new Set());
  assert.equal(none.findResource('file:///vault/1'), undefined);
  assert.equal(none.findResource('file:///elsewhere')?.kind, 'template');
  const ruled = await build([{ resources: ['file:///vault/*'], scopes: ['admin'] }]);
  const nobody = ruled.within(new Set());
  for (const uri of [
    'file:///vault/2',
    'file:///vault/',
    'FILE:///vault/2',
    'file:///%76ault/2',
    'file:///a/../vault/2',
    'file:///a/%2e%2e/vault/2',
    'file://localhost/vault/2',
  ])
    assert.equal(nobody.findResource(uri), undefined, uri);
  assert.equal(nobody.findResource('file:///vaults/2')?.kind, 'template');
  assert.equal(ruled.within(new Set(['admin'])).findResource('file:///vault/2')?.kind, 'template');
});

test('rules find items by every name they go by, and add up', async () => {
  const rules = [
    { tools: ['*wipe'], scopes: ['danger'] },
    { tools: ['ns__*'], scopes: ['ns'] },
    { resources: ['log://{day}'], prompts: ['hello'], scopes: ['x'] },
  ];
  const whole = await build(rules, { bareNames: true });
  for (const scopes of [[], ['danger'], ['ns']]) {
    const view = whole.within(new Set(scopes));
    for (const name of ['ns__wipe', 'mcp__ns__wipe', 'wipe']) assert.equal(view.findTool(name), undefined, name);
  }
  const both = whole.within(new Set(['danger', 'ns']));
  for (const name of ['ns__wipe', 'mcp__ns__wipe', 'wipe']) assert.ok(both.findTool(name) !== undefined, name);
  assert.equal(both.findPrompt('hello'), undefined);
  assert.equal(whole.within(new Set(['ops'])).findTemplate('log://{day}'), undefined);
});

test('a rule that says nothing, or something nobody knows, is refused', async () => {
  const bad: unknown[] = [
    {},
    { scopes: ['a'] },
    { tools: ['x'] },
    { tools: ['x'], scopes: [] },
    { tools: 'x', scopes: ['a'] },
    { tools: [''], scopes: ['a'] },
    { tool: ['x'], scopes: ['a'] },
    { tools: ['x'], scopes: 'a' },
  ];
  for (const rule of bad) await assert.rejects(build([rule as AccessRule]), TypeError, JSON.stringify(rule));
  const server = createServer({ name: 'demo', version: '1.0.0' });
  const scopes = 'admin' as unknown as string[];
  assert.throws(() => server.tool('a', { scopes }, handler), /scopes/);
});

test('a pattern fits by its stars, and takes no time to find out', () => {
  for (const [name, pattern, fit] of [
    ['admin_x', 'admin_*', true],
    ['admin_', 'admin_*', true],
    ['xadmin_', 'admin_*', false],
    ['abc', 'abc', true],
    ['abc', 'ab', false],
    ['aba', 'ab*ba', false],
    ['abba', 'ab*ba', true],
    ['a.b', 'a?b', false],
    ['anything', '*', true],
    ['', '*', true],
    ['axbxc', 'a*b*c', true],
    ['axcxb', 'a*b*c', false],
    ['aXb', 'axb', false],
  ] as const)
    assert.equal(fits(name, pattern), fit, `${name} ${pattern}`);
  const started = performance.now();
  assert.equal(fits('a'.repeat(100_000), `${'a*'.repeat(50)}b`), false);
  assert.ok(performance.now() - started < 500);
});

async function buildOpen(rules: readonly AccessRule[] = []): Promise<Catalog> {
  const server = createServer({ name: 'demo', version: '1.0.0' });
  server.tool('wipe', { scopes: ['admin'], stepUp: true }, handler);
  server.tool('hidden', { scopes: ['admin'] }, handler);
  server.resource('vault', 'file:///vault/1', { scopes: ['admin'], stepUp: true }, handler);
  server.template('files', 'file:///{+path}', {}, handler);
  server.prompt('raise', { scopes: ['admin', 'hr'], stepUp: true }, handler);
  return buildCatalog([{ provider: server }], { pageSize: 100, log: silent, rules });
}

test('an item that says so is shown to those who lack a scope, and knows which scopes it takes', async () => {
  const whole = await buildOpen();
  const none = whole.within(new Set(['hr']));
  assert.deepEqual(tools(none), ['wipe']);
  assert.deepEqual(none.findTool('wipe')?.lacks, ['admin']);
  assert.deepEqual(none.findPrompt('raise')?.lacks, ['admin', 'hr'], 'all at once, those that are there too');
  assert.deepEqual(none.findResource('file:///vault/1')?.entry.lacks, ['admin']);
  assert.equal(none.findResource('file:///elsewhere')?.entry.lacks, undefined);
  const admin = whole.within(new Set(['admin', 'hr']));
  assert.deepEqual(tools(admin), ['wipe', 'hidden']);
  for (const entry of [admin.findTool('wipe'), admin.findPrompt('raise'), admin.findResource('file:///vault/1')?.entry])
    assert.equal(entry?.lacks, undefined);
});

test('an item is shown only if everybody who asks for a scope agrees', async () => {
  const strict = (await buildOpen([{ tools: ['wipe'], scopes: ['root'] }])).within(new Set(['admin']));
  assert.equal(strict.findTool('wipe'), undefined);
  const open = (await buildOpen([{ tools: ['*'], scopes: ['root'], stepUp: true }])).within(new Set(['admin']));
  assert.deepEqual(open.findTool('wipe')?.lacks, ['admin', 'root']);
  assert.deepEqual(open.findTool('hidden')?.lacks, ['admin', 'root'], 'what hid it is held');
  assert.equal(
    (await buildOpen([{ tools: ['*'], scopes: ['x'], stepUp: true }])).within(new Set()).findTool('hidden'),
    undefined,
  );
  assert.throws(
    () => checkRules([{ tools: ['a'], scopes: ['b'], stepUp: 'yes' as unknown as boolean }]),
    /"stepUp" must be/,
  );
});

test('a rule that shows URIs shows what a template makes of them, in every spelling, and says what it takes', async () => {
  const ruled = await buildOpen([{ resources: ['file:///deep/*'], scopes: ['ops'], stepUp: true }]);
  const nobody = ruled.within(new Set());
  for (const uri of ['file:///deep/1', 'file:///a/../deep/1', 'file:///%64eep/1'])
    assert.deepEqual(nobody.findResource(uri)?.entry.lacks, ['ops'], uri);
  assert.equal(ruled.within(new Set(['ops'])).findResource('file:///deep/1')?.entry.lacks, undefined);
});
