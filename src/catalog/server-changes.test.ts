import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../model/call.ts';
import { silent } from '../model/log.ts';
import { buildCatalog } from './catalog.ts';
import type { Change, Offer, Provider } from './provider.ts';
import { createServer, type Server } from './server.ts';

const call = {} as Call;
const make = () => createServer({ name: 'home', version: '1.0.0' });
const loaded = (server: Server) => server.load() as Offer;
const catalogOf = (server: Server) => buildCatalog([{ provider: server }], { pageSize: 100, log: silent });

function record(server: Server): { changes: Change[]; stop: () => void } {
  const changes: Change[] = [];
  return { changes, stop: server.watch((change) => changes.push(change)) };
}

test('an updated item keeps its place and what was not changed', () => {
  const server = make();
  const handle = server.tool('a', { description: 'old', title: 'A' }, () => 'old');
  server.tool('b', {}, () => '');
  const [before] = loaded(server).tools ?? [];
  const { changes } = record(server);
  handle.update({ description: 'new', title: undefined, handler: () => 'new' });
  const [after] = loaded(server).tools ?? [];
  assert.deepEqual(after?.tool, { name: 'a', description: 'new', inputSchema: { type: 'object' } });
  assert.deepEqual(after?.run({}, call), { content: [{ type: 'text', text: 'new' }] });
  assert.deepEqual(before?.run({}, call), { content: [{ type: 'text', text: 'old' }] });
  assert.deepEqual(changes, [{ kind: 'tools' }]);
});

test('a bad update is refused and changes nothing', () => {
  const server = make();
  const handle = server.tool('a', { description: 'old' }, () => 'old');
  const { changes } = record(server);
  assert.throws(() => handle.update({ description: 'new', handler: undefined }), TypeError);
  assert.throws(() => handle.update({ deadlineMs: -1 }), RangeError);
  handle.update({ title: 'T' });
  assert.deepEqual(loaded(server).tools?.[0]?.tool, {
    name: 'a',
    title: 'T',
    description: 'old',
    inputSchema: { type: 'object' },
  });
  assert.equal(changes.length, 1);
});

test('a removed item is gone, its name is free, and its handle is spent', () => {
  const server = make();
  const handle = server.prompt('p', {}, () => 'one');
  const { changes } = record(server);
  handle.remove();
  server.prompt('p', { title: 'Second' }, () => 'two');
  handle.remove();
  assert.throws(() => handle.update({ title: 'x' }), new TypeError('Cannot update prompt "p": it was removed'));
  assert.deepEqual(
    loaded(server).prompts?.map(({ prompt }) => prompt),
    [{ name: 'p', title: 'Second' }],
  );
  assert.deepEqual(changes, [{ kind: 'prompts' }, { kind: 'prompts' }]);
});

test('every kind of change is told to every listener until it stops', () => {
  const server = make();
  const first = record(server);
  const second = record(server);
  server.tool('t', {}, () => '');
  server.resource('r', 'x:1', {}, () => '');
  server.template('t', 'x:{a}', {}, () => '');
  server.prompt('p', {}, () => '');
  server.updated('x:1');
  first.stop();
  first.stop();
  server.updated('x:2');
  const kinds: Change[] = [
    { kind: 'tools' },
    { kind: 'resources' },
    { kind: 'resources' },
    { kind: 'prompts' },
    { kind: 'updated', uri: 'x:1' },
  ];
  assert.deepEqual(first.changes, kinds);
  assert.deepEqual(second.changes, [...kinds, { kind: 'updated', uri: 'x:2' }]);
});

test('changes of a mounted source are forwarded while it is mounted and watched', () => {
  const inner = make();
  const outer = make();
  const handle = outer.mount('in', inner);
  const { changes, stop } = record(outer);
  inner.tool('t', {}, () => '');
  inner.updated('x:1');
  assert.deepEqual(changes.splice(0), [{ kind: 'tools' }, { kind: 'updated', uri: 'x:1' }]);
  handle.remove();
  handle.remove();
  assert.deepEqual(changes.splice(0), [{ kind: 'tools' }, { kind: 'resources' }, { kind: 'prompts' }]);
  inner.updated('x:2');
  assert.deepEqual(changes, []);
  outer.mount('again', inner);
  changes.length = 0;
  inner.updated('x:3');
  assert.deepEqual(changes, [{ kind: 'updated', uri: 'x:3' }]);
  stop();
  inner.updated('x:4');
  assert.equal(changes.length, 1);
});

test('a mounted source is followed only while someone watches', () => {
  let followers = 0;
  const source: Provider = {
    name: 'source',
    load: () => ({}),
    watch() {
      followers += 1;
      return () => {
        followers -= 1;
      };
    },
  };
  const server = make();
  server.mount('a', source);
  assert.equal(followers, 0);
  const [one, two] = [record(server), record(server)];
  assert.equal(followers, 1);
  const handle = server.mount('b', source);
  assert.equal(followers, 2);
  handle.remove();
  one.stop();
  assert.equal(followers, 1);
  two.stop();
  assert.equal(followers, 0);
});

test('a server cannot be mounted inside itself by any way around', () => {
  const [a, b, c] = [make(), make(), make()];
  a.mount('b', b);
  b.mount('c', c);
  assert.throws(() => c.mount('a', a), new TypeError('Cannot mount "a": a server cannot hold itself'));
});

test('a mounted server serves under its namespace', async () => {
  const outer = make();
  const inner = make();
  inner.tool('t', {}, () => 'hi');
  const handle = outer.mount('in', inner);
  const catalog = await catalogOf(outer);
  assert.deepEqual(await catalog.findTool('in__t')?.run({}, call), { content: [{ type: 'text', text: 'hi' }] });
  handle.remove();
  assert.equal((await catalogOf(outer)).counts.tools, 0);
});
