import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REVISIONS } from '../../dialects/mcp/revisions.ts';
import { Fault } from '../../model/fault.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Notice } from '../../model/peer.ts';
import { type Client, type ClientOptions, connect } from './client.ts';
import type { Ears, Link } from './link.ts';

const MODERN = REVISIONS.find(({ opens }) => opens === 'every-request')!.id;
const NEWEST_HANDSHAKE = REVISIONS.find(({ opens }) => opens === 'handshake')!.id;
const INFO = { name: 'peer', version: '1' };
const DISCOVERED = { resultType: 'complete', supportedVersions: [MODERN], capabilities: { tools: {} } };
const initialized = (protocolVersion: string): JsonObject => ({ protocolVersion, capabilities: {}, serverInfo: INFO });

interface Sent extends JsonObject {
  id?: number;
  method?: string;
  params?: JsonObject;
}
type Script = (message: Sent, peer: Peer) => void;

/** A server made of a script: it sees every message and says whatever it likes. */
class Peer implements Link {
  readonly sent: Sent[] = [];
  readonly #script: Script;
  ears!: Ears;
  ended = false;

  constructor(script: Script) {
    this.#script = script;
  }

  open(ears: Ears): void {
    this.ears = ears;
  }

  send(text: string): void {
    const message = JSON.parse(text) as Sent;
    this.sent.push(message);
    queueMicrotask(() => this.#script(message, this));
  }

  close(): Promise<void> {
    this.ended = true;
    return Promise.resolve();
  }

  say(message: Json): void {
    this.ears.message(isObject(message) ? { jsonrpc: '2.0', ...message } : message);
  }

  result(id: Json | undefined, result: JsonObject): void {
    this.say({ id, result });
  }

  error(id: Json | undefined, code: number, data?: Json): void {
    this.say({ id, error: { code, message: 'No', data } });
  }

  methods(): (string | undefined)[] {
    return this.sent.map(({ method }) => method);
  }
}

const modern =
  (script: Script): Script =>
  (message, peer) =>
    message.method === 'server/discover' ? peer.result(message.id, DISCOVERED) : script(message, peer);

const legacy =
  (script: Script): Script =>
  (message, peer) => {
    if (message.method === 'server/discover') peer.error(message.id, -32601);
    else if (message.method === 'initialize') peer.result(message.id, initialized(NEWEST_HANDSHAKE));
    else script(message, peer);
  };

async function open(script: Script, options?: ClientOptions): Promise<{ client: Client; peer: Peer }> {
  const peer = new Peer(script);
  return { client: await connect(peer, options), peer };
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const nothing: Script = () => {};

test('a client asks in the modern way first, and says who it is in every request', async () => {
  const { client, peer } = await open(
    modern(({ id }, it) => it.result(id, { resultType: 'complete', tools: [] })),
    { client: INFO, capabilities: { experimental: {} } },
  );
  await client.listTools();
  assert.deepEqual(peer.methods(), ['server/discover', 'tools/list']);
  for (const { params } of peer.sent) {
    assert.deepEqual(params?.['_meta'], {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': { experimental: {} },
      'io.modelcontextprotocol/clientInfo': INFO,
    });
  }
});

for (const code of [-32601, -32602, -32600, -32603, -32000, -32021, 1]) {
  test(`a client takes a server that answers the probe with ${code} for an older one`, async () => {
    const { client, peer } = await open((message, it) => {
      if (message.method === 'server/discover') it.error(message.id, code);
      if (message.method === 'initialize') it.result(message.id, initialized('2025-03-26'));
    });
    assert.equal(client.server.revision, '2025-03-26');
    assert.deepEqual(peer.methods(), ['server/discover', 'initialize', 'notifications/initialized']);
    assert.equal(peer.sent[1]?.params?.['protocolVersion'], NEWEST_HANDSHAKE);
  });
}

test('a client takes a server that answers the probe with an error without an id for an older one', async () => {
  const { client } = await open((message, it) => {
    if (message.method === 'server/discover') it.error(null, -32600);
    if (message.method === 'initialize') it.result(message.id, initialized(NEWEST_HANDSHAKE));
  });
  assert.equal(client.server.revision, NEWEST_HANDSHAKE);
});

test('a client takes a silent server for an older one', async () => {
  const { client } = await open(
    (message, it) => {
      if (message.method === 'initialize') it.result(message.id, initialized(NEWEST_HANDSHAKE));
    },
    { probeMs: 10 },
  );
  assert.equal(client.server.revision, NEWEST_HANDSHAKE);
});

test('a late answer to the probe wins only when the server refuses the handshake', async () => {
  const slow =
    (refuse: boolean): Script =>
    (message, it) => {
      if (message.method !== 'initialize') return;
      it.result(1, DISCOVERED);
      if (refuse) it.error(message.id, -32601);
      else it.result(message.id, initialized(NEWEST_HANDSHAKE));
    };
  assert.equal((await open(slow(true), { probeMs: 10 })).client.server.revision, MODERN);
  assert.equal((await open(slow(false), { probeMs: 10 })).client.server.revision, NEWEST_HANDSHAKE);
});

test('a client starts the server again when the probe ended it', async () => {
  const again = new Peer((message, it) => {
    if (message.method === 'initialize') it.result(message.id, initialized(NEWEST_HANDSHAKE));
  });
  const dying: Script = (_, it) => it.ears.closed(new Fault('E_CLOSED', 'died'));
  const { client } = await open(dying, { reopen: () => again });
  assert.deepEqual(again.methods(), ['initialize', 'notifications/initialized']);
  assert.equal(client.server.info.name, 'peer');
  await assert.rejects(open(dying), /died/);
});

test('a client retries with a revision both sides speak when its own is refused', async () => {
  const older = { ...REVISIONS[0]!, id: '2026-01-01' };
  const { client, peer } = await open(
    (message, it) => {
      const meta = message.params?.['_meta'] as JsonObject;
      if (meta['io.modelcontextprotocol/protocolVersion'] === older.id)
        it.result(message.id, { ...DISCOVERED, supportedVersions: [older.id] });
      else it.error(message.id, -32022, { supported: [older.id], requested: MODERN });
    },
    { revisions: [REVISIONS[0]!, older] },
  );
  assert.equal(client.server.revision, older.id);
  assert.equal(peer.sent.length, 2);
});

test('a client leaves a server that chooses a revision it does not speak', async () => {
  const peer = new Peer((message, it) => it.result(message.id, initialized('2031-01-01')));
  await assert.rejects(connect(peer, { era: 'handshake' }), { code: 'E_UNSUPPORTED_REVISION' });
  assert.equal(peer.ended, true);
  assert.deepEqual(peer.methods(), ['initialize']);
});

test('a pinned revision is the only one taken', async () => {
  const peer = new Peer((message, it) => it.result(message.id, initialized('2024-11-05')));
  await assert.rejects(connect(peer, { revision: '2025-06-18' }), { code: 'E_UNSUPPORTED_REVISION' });
  assert.equal(peer.sent[0]?.params?.['protocolVersion'], '2025-06-18');
});

test('the modern era alone is never left for the handshake', async () => {
  const peer = new Peer(({ id }, it) => it.error(id, -32601));
  await assert.rejects(connect(peer, { era: 'modern' }), { name: 'PeerError', code: -32601 });
  assert.deepEqual(peer.methods(), ['server/discover']);
});

test('a handshake that is not answered in time fails, and is not cancelled', async () => {
  const peer = new Peer(nothing);
  await assert.rejects(connect(peer, { era: 'handshake', timeoutMs: 20 }), { code: 'E_DEADLINE' });
  assert.deepEqual(peer.methods(), ['initialize']);
});

const input = (state: Json | undefined, asked: JsonObject | undefined): JsonObject => ({
  resultType: 'input_required',
  ...(asked === undefined ? {} : { inputRequests: asked }),
  ...(state === undefined ? {} : { requestState: state }),
});
const FORM = { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: {} } };
const DONE = { resultType: 'complete', content: [] };

test('a retry has a new id, the same params, the answers and the exact state, and only for that retry', async () => {
  const state = 'opaque \u2028 "quoted" é \ud83d\ude00';
  const replies = [input(state, { who: FORM }), input(undefined, { again: FORM }), DONE];
  const { client, peer } = await open(
    modern(({ id }, it) => it.result(id, replies.shift()!)),
    { onQuestion: { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) } },
  );
  await client.call('ask', { a: 1 });
  const [first, second, third] = peer.sent.slice(1);
  assert.equal(new Set([first?.id, second?.id, third?.id]).size, 3);
  assert.deepEqual(first?.params?.['arguments'], { a: 1 });
  assert.equal(first?.params?.['requestState'], undefined);
  const answer = { action: 'accept', content: { name: 'Ada' } };
  assert.deepEqual(second?.params, { ...first?.params, inputResponses: { who: answer }, requestState: state });
  assert.deepEqual(third?.params, { ...first?.params, inputResponses: { again: answer } });
});

test('a server that only asks to be asked again is asked again, with its state and no answers', async () => {
  const replies = [input('s', undefined), DONE];
  const { client, peer } = await open(modern(({ id }, it) => it.result(id, replies.shift()!)));
  await client.call('ask');
  assert.equal(peer.sent[2]?.params?.['requestState'], 's');
  assert.equal('inputResponses' in peer.sent[2]!.params!, false);
});

test('a server that never stops asking is given up', async () => {
  const { client, peer } = await open(
    modern(({ id }, it) => it.result(id, input('s', { who: FORM }))),
    { onQuestion: { elicit: () => ({ action: 'decline' }) } },
  );
  await assert.rejects(client.call('ask'), { code: 'E_BAD_MESSAGE' });
  assert.equal(peer.sent.length, 12);
});

test('a question nobody answers here ends the call', async () => {
  const { client, peer } = await open(modern(({ id }, it) => it.result(id, input('s', { who: FORM }))));
  await assert.rejects(client.call('ask'), { code: 'E_UNKNOWN_METHOD' });
  assert.equal(peer.sent.length, 2);
});

for (const result of [
  { resultType: 'partial', content: [] },
  { resultType: 'input_required' },
  input(7, { who: FORM }),
  input('s', { who: 'x' }),
  { resultType: 'complete', content: [{ text: 'no type' }] },
]) {
  test(`a result that is none rejects: ${JSON.stringify(result)}`, async () => {
    const { client } = await open(modern(({ id }, it) => it.result(id, result)));
    await assert.rejects(client.call('x'), { code: 'E_BAD_MESSAGE' });
  });
}

test('a result without a type is complete', async () => {
  const { client } = await open(modern(({ id }, it) => it.result(id, { content: [] })));
  assert.deepEqual(await client.call('x'), { content: [] });
});

test('a server’s error has its code, message and data', async () => {
  const { client } = await open(legacy(({ id }, it) => it.error(id, -1234, { why: 'so' })));
  await assert.rejects(client.call('x'), { name: 'PeerError', code: -1234, message: 'No', data: { why: 'so' } });
});

test('replies that are late, unknown, doubled or malformed hurt nobody', async () => {
  const { client, peer } = await open(legacy(nothing));
  peer.result(99, {});
  peer.result('1', {});
  peer.say({ id: 1.5, result: {} });
  peer.say([]);
  peer.say('text');
  peer.say({ method: 'notifications/unheard' });
  peer.say({ method: 'notifications/progress', params: { progressToken: 'x', progress: 'y' } });
  const call = client.call('x');
  const { id } = peer.sent.at(-1)!;
  peer.result(id, { content: [] });
  peer.result(id, { content: [{ type: 'text', text: 'again' }] });
  assert.deepEqual(await call, { content: [] });
  const broken = assert.rejects(client.call('y'), { code: 'E_BAD_MESSAGE' });
  peer.say({ id: peer.sent.at(-1)!.id, result: 'none' });
  await broken;
});

test('a server request with the id of a request of ours is not its reply', async () => {
  const { client, peer } = await open(legacy(nothing));
  const call = client.call('x');
  const { id } = peer.sent.at(-1)!;
  peer.say({ id, method: 'ping' });
  peer.say({ id, method: 'roots/list', params: [] });
  await soon();
  assert.deepEqual(peer.sent.at(-1), { jsonrpc: '2.0', id, result: {} });
  peer.result(id, { content: [] });
  assert.deepEqual(await call, { content: [] });
});

test('a question of an older server is answered by request, and refused where nobody answers', async () => {
  const { peer } = await open(legacy(nothing), {
    onQuestion: {
      elicit: () => ({ action: 'decline' }),
      roots: () => {
        throw new Error('secret');
      },
    },
  });
  const ask = async (method: string, params?: JsonObject): Promise<Sent> => {
    peer.say({ id: 'q', method, ...(params === undefined ? {} : { params }) });
    await soon();
    return peer.sent.at(-1)!;
  };
  assert.deepEqual((await ask('elicitation/create', FORM.params))['result'], { action: 'decline' });
  const codeOf = ({ error }: Sent): Json | undefined => (error as JsonObject)['code'];
  assert.equal(codeOf(await ask('sampling/createMessage', { messages: [], maxTokens: 1 })), -32601);
  assert.equal(codeOf(await ask('no/such')), -32601);
  assert.equal(codeOf(await ask('elicitation/create', { mode: 'url', message: 'm', url: 'https://a' })), -32602);
  assert.equal(codeOf(await ask('elicitation/create', { message: 1 })), -32602);
  const failed = await ask('roots/list');
  assert.equal(codeOf(failed), -32603);
  assert.doesNotMatch(JSON.stringify(failed), /secret/);
});

test('a question the server withdraws is not answered, and whoever answers is told', async () => {
  let told = false;
  const { peer } = await open(legacy(nothing), {
    onQuestion: {
      roots: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            told = true;
            reject(signal.reason);
          });
        }),
    },
  });
  const before = peer.sent.length;
  peer.say({ id: 5, method: 'roots/list' });
  await soon();
  peer.say({ method: 'notifications/cancelled', params: { requestId: 5 } });
  await soon();
  assert.equal(told, true);
  assert.equal(peer.sent.length, before);
});

test('a modern server gets no responses, whatever it sends', async () => {
  const { peer } = await open(modern(nothing), { onQuestion: { roots: () => ({ roots: [] }) } });
  peer.say({ id: 5, method: 'roots/list' });
  peer.say({ id: 6, method: 'ping' });
  await soon();
  assert.deepEqual(peer.methods(), ['server/discover']);
});

test('batches are taken apart where the revision has them, and dropped where it has not', async () => {
  for (const [revision, heard] of [
    ['2025-03-26', 2],
    ['2025-06-18', 0],
  ] as const) {
    const notices: Notice[] = [];
    const { peer } = await open((message, it) => it.result(message.id, initialized(revision)), {
      revision,
      onNotice: (notice) => notices.push(notice),
    });
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    peer.say([changed, changed]);
    assert.equal(notices.length, heard);
  }
});

test('a server whose cursors go round in circles is given up', async () => {
  const { client } = await open(legacy(({ id }, it) => it.result(id, { tools: [], nextCursor: 'same' })));
  await assert.rejects(client.listTools(), /does not end/);
});

test('everything pending rejects when the server ends, and everything after', async () => {
  const { client, peer } = await open(legacy(nothing));
  const calls = [client.call('a'), client.listTools(), client.read('x:')].map((call) =>
    assert.rejects(call, { code: 'E_CLOSED', message: 'it ended with code 7' }),
  );
  peer.ears.closed(new Fault('E_CLOSED', 'it ended with code 7'));
  await Promise.all(calls);
  await assert.rejects(client.call('b'), /code 7/);
});

for (const [how, script] of [
  ['a modern', modern(({ id }, it) => it.result(id, input('s', { who: FORM })))],
  ['an older', legacy((message, it) => message.method === 'tools/call' && it.say({ id: 1, ...FORM }))],
] as const) {
  test(`a call rejects when ${how} server ends while a person still thinks, and the person is told`, async () => {
    let thinking: AbortSignal | undefined;
    const elicit = (_: unknown, { signal }: { signal: AbortSignal }): Promise<never> => {
      thinking = signal;
      return new Promise(() => {});
    };
    const { client, peer } = await open(script, { onQuestion: { elicit } });
    const call = assert.rejects(client.call('ask'), /it died/);
    await soon();
    assert.equal(thinking?.aborted, false);
    peer.ears.closed(new Fault('E_CLOSED', 'it died'));
    await call;
    assert.equal(thinking?.aborted, true);
  });
}

test('a modern call that is given up while a person still thinks rejects at once', async () => {
  const { client } = await open(
    modern(({ id }, it) => it.result(id, input('s', { who: FORM }))),
    { onQuestion: { elicit: () => new Promise(() => {}) } },
  );
  const controller = new AbortController();
  const call = assert.rejects(client.call('ask', {}, { signal: controller.signal }), /enough/);
  await soon();
  controller.abort(new Error('enough'));
  await call;
});

test('a lost message fails the one request it can belong to', async () => {
  const { client, peer } = await open(legacy(nothing));
  const call = assert.rejects(client.call('a'), { code: 'E_TOO_LARGE' });
  peer.ears.lost(new Fault('E_TOO_LARGE', 'too large'));
  await call;
});

test('a call given up before it was made is never sent', async () => {
  const { client, peer } = await open(legacy(nothing));
  const before = peer.sent.length;
  await assert.rejects(client.call('a', {}, { signal: AbortSignal.abort(new Error('no')) }), /no/);
  assert.equal(peer.sent.length, before);
});

test('a subscription that is refused rejects, one that is never acknowledged times out, and stray notices are dropped', async () => {
  const notices: Notice[] = [];
  const refused = await open(modern(({ id }, it) => it.error(id, -32601)));
  await assert.rejects(refused.client.listen({ tools: true }), { name: 'PeerError' });
  const { client, peer } = await open(modern(nothing), { timeoutMs: 20, onNotice: (notice) => notices.push(notice) });
  await assert.rejects(client.listen({ tools: true }), { code: 'E_DEADLINE' });
  assert.equal(peer.methods().at(-1), 'notifications/cancelled');
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 2 };
  peer.say({ method: 'notifications/tools/list_changed', params: { _meta } });
  peer.say({ method: 'notifications/tools/list_changed' });
  assert.deepEqual(notices, []);
});

test('two subscriptions to one resource are one to an older server', async () => {
  const { client, peer } = await open(
    (message, it) => {
      const capabilities = { resources: { subscribe: true } };
      it.result(message.id, message.method === 'initialize' ? { ...initialized('2025-06-18'), capabilities } : {});
    },
    { era: 'handshake' },
  );
  const first = await client.listen({ uris: ['a:b'], tools: true });
  assert.deepEqual(first.filter, { uris: ['a:b'] });
  const second = await client.listen({ uris: ['a:b'] });
  await first.close();
  await second.close();
  await second.close();
  assert.deepEqual(peer.methods().slice(2), ['resources/subscribe', 'resources/unsubscribe']);
});

test('a client tells of changed roots where there is a word for it', async () => {
  const old = await open(legacy(nothing), { onQuestion: { roots: () => ({ roots: [] }) } });
  old.client.rootsChanged();
  assert.equal(old.peer.methods().at(-1), 'notifications/roots/list_changed');
  const now = await open(modern(nothing));
  now.client.rootsChanged();
  assert.deepEqual(now.peer.methods(), ['server/discover']);
});

test('a form that is accepted has its defaults in every field left alone, and no other form has any', async () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', default: 'x' }, b: { type: 'number', default: 2 } },
  };
  const asked = { confirm: { method: 'elicitation/create', params: { message: '?', requestedSchema: schema } } };
  const heard: (Json | undefined)[] = [];
  const script = modern(({ id, params }, peer) => {
    if (params?.['inputResponses'] === undefined) {
      peer.result(id, { resultType: 'input_required', inputRequests: asked });
      return;
    }
    heard.push(params['inputResponses']);
    peer.result(id, { resultType: 'complete', content: [] });
  });
  for (const answer of [
    { action: 'accept', content: { b: 3 } },
    { action: 'accept' },
    { action: 'decline' },
  ] as const) {
    const { client } = await open(script, { onQuestion: { elicit: () => answer } });
    await client.call('ask');
    await client.close();
  }
  assert.deepEqual(heard, [
    { confirm: { action: 'accept', content: { a: 'x', b: 3 } } },
    { confirm: { action: 'accept', content: { a: 'x', b: 2 } } },
    { confirm: { action: 'decline' } },
  ]);
});

test('a server that understood the modern question and refused it is quoted, not its refusal of the handshake', async () => {
  const script: Script = ({ id, method }, peer) => peer.error(id, method === 'server/discover' ? -32021 : -32601);
  await assert.rejects(open(script), { name: 'PeerError', code: -32021 });
});
