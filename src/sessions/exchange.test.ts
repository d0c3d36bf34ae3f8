import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createServer, type Server } from '../catalog/server.ts';
import { createHost, type HostOptions } from '../host/host.ts';
import type { Call } from '../model/call.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Conversation } from './conversation.ts';

const HELLO = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
    clientInfo: { name: 'c', version: '1' },
  },
};
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const FORM = { message: '?', schema: { type: 'object', properties: {} } };

interface Desk {
  readonly conversation: Conversation;
  readonly logged: string[];
  readonly sent: JsonObject[];
  call(name: string, extra?: JsonObject): Promise<JsonObject | undefined>;
}

async function desk(stock: (server: Server) => void, options: Partial<HostOptions> = {}, shake = true): Promise<Desk> {
  const server = createServer({ name: 'x', version: '1' });
  stock(server);
  const logged: string[] = [];
  const sent: JsonObject[] = [];
  const host = await createHost({
    server: server.info,
    mounts: [{ provider: server }],
    log: (severity, message) => logged.push(`${severity}: ${message}`),
    ...options,
  });
  const conversation = host.converse({ outlet: (text) => sent.push(JSON.parse(text)) });
  if (shake) await conversation.receive(HELLO);
  let id = 0;
  return {
    conversation,
    logged,
    sent,
    async call(name, extra = {}) {
      const params = { name, ...extra, ...(shake ? {} : { _meta: META }) };
      const reply = await conversation.receive({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params } as Json);
      return reply === undefined ? undefined : (JSON.parse(reply.text) as JsonObject);
    },
  };
}

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('An exchange', () => {
  it('that was cancelled is over once: a late answer, a late error and a second end change nothing', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      let finish = (): void => {};
      const { conversation, call, logged } = await desk((server) => {
        server.tool(
          'slow',
          {},
          () =>
            new Promise<string>((resolve, reject) => {
              finish = () => (end === 'resolve' ? resolve('late') : reject(new Error('late')));
            }),
        );
      });
      const answer = call('slow');
      await later();
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
      await conversation.receive(cancel);
      await conversation.receive(cancel);
      assert.equal(await answer, undefined);
      finish();
      await later();
      assert.deepEqual(
        logged.filter((line) => line.startsWith('error')),
        [],
      );
      assert.equal(conversation.busy, false);
    }
  });

  it('whose result cannot be written is answered with an error, at once and later', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const block = { type: 'text', text: 'x', _meta: circular };
    const { call } = await desk((server) => {
      server.tool('now', {}, () => [block] as never);
      server.tool('later', {}, async () => [block] as never);
    });
    for (const name of ['now', 'later']) {
      const { result } = (await call(name)) ?? assert.fail();
      assert.equal((result as JsonObject)['isError'], true, name);
    }
  });

  it('sends a long result up to the limit, to the byte, and none beyond it', async () => {
    const text = 'ä'.repeat(20_000);
    const stock = (server: Server) => void server.tool('long', {}, () => text);
    const { conversation } = await desk(stock);
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'long' } };
    const reply = await conversation.receive(request);
    const size = Buffer.byteLength(reply?.text ?? '');
    assert.ok(size > 40_000);
    for (const [outputBytes, fails] of [
      [size, false],
      [size - 1, true],
    ] as const) {
      const { call } = await desk(stock, { limits: { outputBytes } });
      const { result } = ((await call('long')) ?? assert.fail()) as { result: JsonObject };
      assert.equal(result['isError'] === true, fails);
      assert.equal(JSON.stringify(result).includes(text), !fails);
    }
  });

  it('refuses a subscription over the limit, whenever it comes', async () => {
    const { conversation } = await desk(
      (server) => {
        server.resource('a', 'a:1', {}, () => 'x');
        server.resource('b', 'a:2', {}, () => 'x');
      },
      { limits: { watchedUris: 1 } },
    );
    const watch = async (uri: string) => {
      const reply = await conversation.receive({
        jsonrpc: '2.0',
        id: uri,
        method: 'resources/subscribe',
        params: { uri },
      });
      return JSON.parse(reply?.text ?? '') as JsonObject;
    };
    assert.deepEqual((await watch('a:1'))['result'], {});
    assert.equal(((await watch('a:2'))['error'] as JsonObject)['code'], -31001);
  });

  it('asks nothing once it is over or cancelled', async () => {
    let kept: Call | undefined;
    const { conversation, call, sent } = await desk((server) => {
      server.tool('ends', {}, (_, turn) => {
        kept = turn;
        return 'x';
      });
      server.tool('waits', {}, (_, turn) => {
        kept = turn;
        return new Promise<string>(() => {});
      });
    });
    await call('ends');
    await assert.rejects((kept as unknown as Call).ask.roots(), { code: 'E_CLOSED' });
    const waiting = call('waits');
    await later();
    await conversation.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await waiting;
    assert.equal((kept as unknown as Call).signal.aborted, true);
    await assert.rejects((kept as unknown as Call).ask.elicit(FORM), { code: 'E_CLOSED' });
    assert.deepEqual(sent, []);
  });

  it('takes no state that is too long, or of too many rounds', async () => {
    const stock = (server: Server): void => {
      server.tool('asks', {}, async (_, { ask }) => {
        for (let at = 0; ; at += 1) await ask.elicit({ ...FORM, key: `k${at}` });
      });
    };
    const { call } = await desk(stock, { limits: { askRounds: 2, stateBytes: 2000 } }, false);
    const long = await call('asks', { requestState: 'x'.repeat(2001) });
    assert.match(JSON.stringify(long?.['error']), /too long/);
    let state: string | undefined;
    const codes: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const inputResponses = Object.fromEntries(
        Array.from({ length: round }, (_, at) => [`k${at}`, { action: 'decline' }]),
      );
      const answer = await call('asks', state === undefined ? {} : { requestState: state, inputResponses });
      state = (answer?.['result'] as JsonObject | undefined)?.['requestState'] as string;
      codes.push((answer?.['error'] as JsonObject | undefined)?.['code']);
    }
    assert.deepEqual(codes, [undefined, undefined, -32602]);
  });

  it('fails when what it must remember is too long to carry', async () => {
    const stock = (server: Server): void => {
      server.tool('remembers', {}, async (_, call) => {
        await call.once('much', () => 'x'.repeat(3000));
        await call.ask.elicit(FORM);
        return 'x';
      });
    };
    const { call } = await desk(stock, { limits: { stateBytes: 2000 } }, false);
    const { result } = (await call('remembers')) ?? assert.fail();
    assert.match(JSON.stringify(result), /too large/);
  });

  it('in a conversation that is closing is refused', async () => {
    const { conversation, call } = await desk((server) => server.tool('x', {}, () => 'x'));
    await conversation.drain(10);
    const { error } = (await call('x')) ?? assert.fail();
    assert.match(String((error as JsonObject)['message']), /shutting down/);
    assert.equal(conversation.reachable, false);
  });
});
