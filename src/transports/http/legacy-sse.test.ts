import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeExchange } from '../../../test/http/fake-exchange.ts';
import { createServer } from '../../catalog/server.ts';
import { createHost } from '../../host/host.ts';
import { limitsWith } from '../../model/limits.ts';
import { Channels } from '../../sessions/channels.ts';
import { Replica } from '../../sessions/replica.ts';
import { createMemoryStore } from '../../store/memory.ts';
import { KeepAlive } from './keep-alive.ts';
import { LegacySse } from './legacy-sse.ts';

const EVENTS = { accept: 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

async function desk() {
  const server = createServer({ name: 'x', version: '1' });
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  server.tool('wait', {}, () => finished.then(() => 'waited'));
  const host = await createHost({ server: server.info, mounts: [{ provider: server }] });
  const keepAlive = new KeepAlive(60_000);
  const older = new LegacySse({
    limits: limitsWith(),
    messagesPath: '/messages',
    keepAlive,
    channels: new Channels(new Replica(createMemoryStore(), host), host),
    converse: (options) => host.converse(options),
  });
  const open = () => {
    const exchange = new FakeExchange({ path: '/sse', headers: EVENTS });
    void older.open(exchange);
    const query = String(exchange.events[0]?.data).split('?')[1] ?? '';
    return { exchange, query };
  };
  return { older, open, finish };
}

describe('LegacySse', () => {
  it('counts the channels that are open, and forgets one whose client left', async () => {
    const { older, open } = await desk();
    const first = open();
    open();
    assert.equal(older.size, 2);
    first.exchange.go();
    assert.equal(older.size, 1);
    await older.drain(10);
    assert.equal(older.size, 0);
  });

  it('lets each client go when its own work is done, and takes nothing new for those that wait', async () => {
    const { older, open, finish } = await desk();
    const [idle, busy] = [open(), open()];
    const post = async (query: string, body: string): Promise<FakeExchange> => {
      const exchange = new FakeExchange({ method: 'POST', query, headers: JSON_TYPE, body });
      await Promise.race([older.post(exchange), new Promise((resolve) => setTimeout(resolve, 20))]);
      return exchange;
    };
    const say = (message: object): Promise<FakeExchange> =>
      post(busy.query, JSON.stringify({ jsonrpc: '2.0', ...message }));
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    await say({ id: 1, method: 'initialize', params });
    await say({ method: 'notifications/initialized' });
    await say({ id: 2, method: 'tools/call', params: { name: 'wait' } });
    const drained = older.drain(10_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual([idle.exchange.open, busy.exchange.open], [false, true]);
    assert.equal((await post(busy.query, PING)).status, 404);
    finish();
    await drained;
    assert.equal(busy.exchange.open, false);
    assert.match(String(busy.exchange.events.at(-1)?.data), /"id":2.*waited/);
  });

  it('gives each channel an id of its own, which nobody can guess', async () => {
    const { open } = await desk();
    const ids = new Set(Array.from({ length: 20 }, () => open().query));
    assert.equal(ids.size, 20);
    for (const id of ids) assert.match(id, /^sessionId=[\w-]{32}$/);
  });

  it('answers on the stream, and says so to who posts', async () => {
    const { older, open } = await desk();
    const { exchange, query } = open();
    const post = new FakeExchange({ method: 'POST', query, headers: JSON_TYPE, body: PING });
    await older.post(post);
    assert.deepEqual([post.status, post.text], [202, 'Accepted']);
    assert.deepEqual(JSON.parse(String(exchange.events[1]?.data)), { jsonrpc: '2.0', id: 1, result: {} });
  });

  it('takes from the endpoint what names a channel or asks for a stream, and leaves the rest', async () => {
    const { older } = await desk();
    const takes = (request: ConstructorParameters<typeof FakeExchange>[0]) =>
      older.take(new FakeExchange(request)) !== false;
    assert.equal(takes({ method: 'GET', headers: EVENTS }), true);
    assert.equal(takes({ method: 'POST', headers: { 'x-sse-client-id': 'x' } }), true);
    for (const headers of [
      {},
      { accept: '*/*' },
      { ...EVENTS, 'mcp-session-id': 'x' },
      { ...EVENTS, 'mcp-protocol-version': 'x' },
    ])
      assert.equal(takes({ method: 'GET', headers }), false, JSON.stringify(headers));
    assert.equal(takes({ method: 'DELETE', headers: { 'x-sse-client-id': 'x', ...EVENTS } }), false);
    assert.equal(takes({ method: 'POST', headers: EVENTS }), false);
  });

  it('serves GET for streams and POST for messages, and says so to others', async () => {
    const { older } = await desk();
    const wrong = new FakeExchange({ method: 'POST' });
    await older.open(wrong);
    assert.deepEqual([wrong.status, wrong.sent], [405, { allow: 'GET' }]);
    const other = new FakeExchange({ method: 'GET' });
    await older.post(other);
    assert.deepEqual([other.status, other.sent], [405, { allow: 'POST' }]);
  });
});
