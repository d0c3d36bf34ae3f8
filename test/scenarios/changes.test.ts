import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/model/json.ts';
import type { Fixture } from './fixture-behind.ts';
import { obligation, scenario } from './obligation.ts';
import type { Peer } from './peer.ts';
import { CODE, isModern, KEY, LEGACY, MODERN } from './revisions.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const changed = (list: string): string => `notifications/${list}/list_changed`;
const tagOf = (message: JsonObject): unknown =>
  ((message['params'] as JsonObject)?.['_meta'] as JsonObject)?.[KEY.subscription];

const add = {
  tools: ({ server }: Fixture, name: string) => server.tool(name, {}, () => ''),
  prompts: ({ server }: Fixture, name: string) => server.prompt(name, {}, () => ''),
  resources: ({ server }: Fixture, name: string) => server.resource(name, `test://new/${name}`, {}, () => ''),
} as const;
const FILTERS = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;
type List = keyof typeof FILTERS;

/** Opens a subscription and takes its acknowledgement; a handshake revision needs none. */
async function listen(peer: Peer, id: string | number, notifications: JsonObject): Promise<JsonObject> {
  peer.start('subscriptions/listen', { notifications }, { id, revision: MODERN });
  const ack = await peer.next('notifications/subscriptions/acknowledged');
  assert.equal(tagOf(ack), id);
  return (ack['params'] as JsonObject)['notifications'] as JsonObject;
}

/** Adds, changes and removes an item, each told once. */
async function tellsChangesOf(list: List, peer: Peer, fixture: Fixture): Promise<void> {
  const modern = isModern(peer.revision);
  if (modern) await listen(peer, 'sub', { [FILTERS[list]]: true });
  const once = async (): Promise<void> => {
    const message = await peer.next(changed(list));
    if (modern) assert.equal(tagOf(message), 'sub');
    await peer.quiet().catch((error: Error) => assert.match(error.message, /without an answer/));
  };
  const item = add[list](fixture, 'new');
  await once();
  item.update({ description: 'changed' } as never);
  await once();
  item.remove();
  await once();
  for (let at = 0; at < 50; at += 1) add[list](fixture, `new-${at}`);
  await once();
  if (modern) peer.cancel('sub');
}

obligation('TOOL-2', 'tells each change of the tools once, and many at once as one', async (_, peer, { fixture }) => {
  await tellsChangesOf('tools', peer, fixture);
});

obligation(
  'RES-2',
  'tells each change of the resources once, and many at once as one',
  async (_, peer, { fixture }) => {
    await tellsChangesOf('resources', peer, fixture);
  },
);

obligation('PROM-1', 'tells each change of the prompts once, and many at once as one', async (_, peer, { fixture }) => {
  await tellsChangesOf('prompts', peer, fixture);
});

scenario(LEGACY, 'lists what is new by the time it tells of it', async (_, peer, { fixture }) => {
  fixture.server.tool('brand-new', {}, () => 'new');
  await peer.next(changed('tools'));
  assert.match(JSON.stringify(await peer.result('tools/list')), /brand-new/);
  assert.equal(await peer.said('brand-new'), 'new');
});

scenario(LEGACY, 'tells nothing before the client is ready', { unopened: true }, async (_, peer, { fixture }) => {
  fixture.server.tool('early', {}, () => '');
  await pause(2);
  await peer.handshake({}, false);
  fixture.server.tool('earlier', {}, () => '');
  await pause(2);
  await peer.quiet();
});

scenario([MODERN], 'tells nothing to who does not listen', async (_, peer, { fixture }) => {
  fixture.server.tool('unheard', {}, () => '');
  fixture.server.updated('test://text');
  await pause(2);
  await peer.quiet();
});

obligation('SUB-1', 'tells updates of a resource from subscription to its end', async (_, peer, { fixture }) => {
  fixture.server.updated('test://text');
  assert.deepEqual(await peer.result('resources/subscribe', { uri: 'test://text' }), {});
  await peer.result('resources/subscribe', { uri: 'test://text' });
  await peer.result('resources/subscribe', { uri: 'test://items/7' });
  fixture.server.updated('test://text');
  assert.deepEqual((await peer.next('notifications/resources/updated'))['params'], { uri: 'test://text' });
  fixture.server.updated('test://items/7');
  await peer.next('notifications/resources/updated');
  fixture.server.updated('test://bytes');
  assert.deepEqual(await peer.result('resources/unsubscribe', { uri: 'test://text' }), {});
  await peer.result('resources/unsubscribe', { uri: 'test://never-subscribed' });
  fixture.server.updated('test://text');
  await peer.quiet();
});

obligation(
  'SUB-1',
  'refuses a subscription to nothing, and more than the limit',
  { limits: { watchedUris: 1 } },
  async (_, peer) => {
    const { data } = await peer.refused(CODE.notFound, ['resources/subscribe', { uri: 'test://gone' }]);
    assert.equal((data as JsonObject)['uri'], 'test://gone');
    await peer.refused(CODE.badParams, ['resources/subscribe', {}]);
    await peer.result('resources/subscribe', { uri: 'test://text' });
    await peer.refused(CODE.busy, ['resources/subscribe', { uri: 'test://bytes' }]);
  },
);

obligation('SUB-2', 'acknowledges first, with what it will honour', async (_, peer, { fixture }) => {
  const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const uris = ['test://text', 'test://gone'];
  assert.deepEqual(await listen(peer, 1, { ...all, resourceSubscriptions: uris }), {
    ...all,
    resourceSubscriptions: ['test://text'],
  });
  assert.deepEqual(await listen(peer, 'two', { toolsListChanged: true, promptsListChanged: false }), {
    toolsListChanged: true,
  });
  fixture.server.tool('x', {}, () => '');
  const tags = [tagOf(await peer.next(changed('tools'))), tagOf(await peer.next(changed('tools')))];
  assert.deepEqual(tags.sort(), [1, 'two']);
  for (const id of [1, 'two']) peer.cancel(id);
});

obligation('SUB-2', 'answers at once where there is nothing to honour', async (_, peer) => {
  for (const filter of [
    {},
    { resourceSubscriptions: [] },
    { resourceSubscriptions: ['test://gone'] },
    { unheardOf: true },
  ]) {
    assert.deepEqual(await listen(peer, 'none', filter as JsonObject), {});
    const { result } = (await peer.ledger.answer('none')) as { result: JsonObject };
    assert.equal(result['resultType'], 'complete');
  }
});

obligation('SUB-2', 'refuses a filter of the wrong shape', async (_, peer) => {
  for (const notifications of [
    undefined,
    [],
    'x',
    { toolsListChanged: 'yes' },
    { resourceSubscriptions: 'x' },
    { resourceSubscriptions: [1] },
  ])
    await peer.refused(CODE.badParams, ['subscriptions/listen', { notifications } as JsonObject]);
});

obligation('SUB-3', 'tags everything with the id of the request, type and all', async (_, peer, { fixture }) => {
  for (const id of [0, '', '0']) {
    await listen(peer, id, { resourceSubscriptions: ['test://text'] });
    fixture.server.updated('test://text');
    const message = await peer.next('notifications/resources/updated');
    assert.equal(tagOf(message), id);
    peer.cancel(id);
    await peer.settle();
  }
});

obligation('SUB-4', 'tells a subscription only what it asked for', async (_, peer, { fixture }) => {
  await listen(peer, 'sub', { promptsListChanged: true, resourceSubscriptions: ['test://text'] });
  add.tools(fixture, 'x');
  add.resources(fixture, 'x');
  fixture.server.updated('test://bytes');
  await peer.call('steps');
  await peer.call('chatter');
  await pause(2);
  await peer.quiet().catch((error: Error) => assert.match(error.message, /without an answer/));
  fixture.server.updated('test://text');
  await peer.next('notifications/resources/updated');
  peer.cancel('sub');
  await peer.settle();
  fixture.server.updated('test://text');
  add.prompts(fixture, 'x');
  await pause(2);
  await peer.quiet();
});

obligation(
  'SUB-4',
  'keeps two subscriptions on one pipe apart, and takes no more than the limit',
  { limits: { listens: 2 } },
  async (_, peer, { fixture }) => {
    await listen(peer, 'a', { toolsListChanged: true });
    await listen(peer, 'b', { resourceSubscriptions: ['test://text'] });
    await peer.refused(CODE.busy, ['subscriptions/listen', { notifications: { toolsListChanged: true } }]);
    add.tools(fixture, 'x');
    assert.equal(tagOf(await peer.next(changed('tools'))), 'a');
    fixture.server.updated('test://text');
    assert.equal(tagOf(await peer.next('notifications/resources/updated')), 'b');
    peer.cancel('a');
    peer.cancel('b');
  },
);

obligation('SUB-5', 'ends a subscription with its result when the server goes', async (_, peer, scene) => {
  await listen(peer, 'sub', { toolsListChanged: true });
  await scene.shutdown();
  const { result } = (await peer.ledger.answer('sub')) as { result: JsonObject };
  assert.equal(result['resultType'], 'complete');
  assert.equal((result['_meta'] as JsonObject)[KEY.subscription], 'sub');
  await peer.next('notifications/cancelled');
});

obligation('CANC-4', 'sends a cancellation only to end a subscription, after its result', async (_, peer, scene) => {
  await listen(peer, 9, { toolsListChanged: true });
  await peer.call('steps');
  await scene.shutdown();
  await peer.ledger.answer(9);
  const { params } = (await peer.next('notifications/cancelled')) as { params: JsonObject };
  assert.equal(params['requestId'], 9);
  const [result, cancelled] = peer.ledger.lines.slice(-2).map((line) => JSON.parse(line) as JsonObject);
  assert.equal(result?.['id'], 9);
  assert.equal(cancelled?.['method'], 'notifications/cancelled');
});

scenario(LEGACY, 'serves a subscription of the modern era beside the session', async (_, peer, { fixture }) => {
  await listen(peer, 'sub', { toolsListChanged: true });
  fixture.server.tool('x', {}, () => '');
  const tags = [tagOf(await peer.next(changed('tools'))), tagOf(await peer.next(changed('tools')))];
  assert.deepEqual(tags, ['sub', undefined]);
  peer.cancel('sub');
});
