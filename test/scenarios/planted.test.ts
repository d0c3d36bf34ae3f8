import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../src/catalog/server.ts';
import { createHost } from '../../src/host/host.ts';
import { createHttpHandler } from '../../src/host/http-handler.ts';
import { createLog } from '../../src/host/log.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { serveOnWire } from './http-stage.ts';
import { createPlanted, PLANTED, THROWN } from './planted.ts';
import { ALL, isModern, KEY, LEGACY, MODERN, NEWEST_LEGACY } from './revisions.ts';

/** Nothing of these may be in what a client gets: the secret, a stack, a path, an address. */
const LEAK = /xyzzy|\bat .*\.[jt]s:\d|\/srv\/|10\.0\.0\.5|74217421|trap/;
/** What has the secret in nothing but what a log cannot read either. */
const UNTOLD = new Set(['bigint', 'nothing', 'unsendableToo', 'symbol']);

interface Keeping {
  readonly lines: string[];
  readonly log: ReturnType<typeof createLog>;
}

function keeping(): Keeping {
  const lines: string[] = [];
  return { lines, log: createLog({ level: 'debug', write: (line) => lines.push(line) }) };
}

/** Holds one answer against the promise: no word of it foreign, an error id in it, and the secret under it in the log. */
function hold(name: string, text: string, { lines }: Keeping): void {
  assert.doesNotMatch(text, LEAK);
  const [, id] =
    /"(?:parley-mcp\/)?errorId":"([0-9a-f]{12})"|error id ([0-9a-f]{12})/.exec(text)?.filter(Boolean) ?? [];
  assert.ok(id !== undefined, `no error id in ${text}`);
  const line = lines.find((logged) => logged.includes(id)) ?? '';
  if (!UNTOLD.has(name)) assert.match(line, /xyzzy|unreadable/, `${name}: ${line.slice(0, 300)}`);
}

/** Every way to run into what `name` throws. */
function asks(name: string): JsonObject[] {
  const argument = { name: 'id', value: '' };
  return [
    { method: 'tools/call', params: { name, arguments: {} } },
    { method: 'tools/call', params: { name: `${name}Later`, arguments: {} } },
    { method: 'resources/read', params: { uri: `planted:${name}` } },
    { method: 'resources/read', params: { uri: `planted:${name}/1` } },
    { method: 'prompts/get', params: { name, arguments: { a: '1' } } },
    { method: 'completion/complete', params: { ref: { type: 'ref/resource', uri: `planted:${name}/{id}` }, argument } },
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name }, argument: { name: 'a', value: '' } },
    },
  ];
}

function claimed(revision: string, { params, ...ask }: JsonObject): JsonObject {
  if (!isModern(revision)) return { ...ask, params };
  const _meta = { [KEY.revision]: revision, [KEY.capabilities]: {}, [KEY.client]: { name: 't', version: '1' } };
  return { ...ask, params: { ...(params as JsonObject), _meta } };
}

const hello = (protocolVersion: string): JsonObject => ({
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } },
});

for (const revision of ALL) {
  test(`${revision} whatever is thrown, the client gets one answer and no word of it, and the log has it`, async () => {
    const kept = keeping();
    const server = createPlanted();
    const host = await createHost({ server: server.info, mounts: [{ provider: server }], log: kept.log });
    const aside: string[] = [];
    const peer = host.converse({ outlet: (text) => aside.push(text), shared: true });
    if (!isModern(revision)) await peer.receive(hello(revision));
    let id = 0;
    for (const name of Object.keys(THROWN)) {
      for (const ask of asks(name)) {
        const reply = await peer.receive(claimed(revision, { jsonrpc: '2.0', id: ++id, ...ask }) as Json);
        hold(name, reply?.text ?? '', kept);
      }
    }
    for (const text of aside) assert.doesNotMatch(text, LEAK);
    for (const line of kept.lines) assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Cf}\p{Zl}]/u);
    host.close();
  });
}

for (const [dialect, say] of Object.entries({
  action: (action: string, id: string) => ({ id, type: 'invoke', payload: { action, input: {} } }),
  bare: (name: string, id: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } }),
})) {
  test(`the ${dialect} dialect lets no word of a foreign error out`, async () => {
    const kept = keeping();
    const server = createPlanted();
    const host = await createHost({ server: server.info, mounts: [{ provider: server }], log: kept.log, bare: true });
    const peer = host.converse({ outlet: () => {}, shared: true });
    for (const name of Object.keys(THROWN)) {
      for (const tool of [name, `${name}Later`]) {
        const { text = '' } = (await peer.receive(say(tool, tool) as Json)) ?? {};
        assert.doesNotMatch(text, LEAK);
        assert.ok(text.startsWith('{') && JSON.parse(text).id === tool, text);
      }
    }
    assert.ok(kept.lines.some((line) => line.includes(PLANTED)));
    host.close();
  });
}

for (const revision of [NEWEST_LEGACY, MODERN]) {
  test(`${revision} over HTTP nothing of a foreign error is in a status, a header or a body`, async () => {
    const kept = keeping();
    const handler = await createHttpHandler(createPlanted(), { log: kept.log });
    const post = (message: JsonObject, headers: Record<string, string> = {}): Promise<Response> =>
      handler.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
          body: JSON.stringify(message),
        }),
      );
    const opened = isModern(revision) ? undefined : await post(hello(revision));
    const session = opened?.headers.get('mcp-session-id');
    for (const name of Object.keys(THROWN)) {
      const [ask] = asks(name) as [JsonObject];
      const beside = isModern(revision) ? { 'mcp-method': 'tools/call', 'mcp-name': name } : {};
      const headers = {
        ...beside,
        'mcp-protocol-version': revision,
        ...(session ? { 'mcp-session-id': session } : {}),
      };
      const response = await post(claimed(revision, { jsonrpc: '2.0', id: name, ...ask }), headers);
      assert.doesNotMatch(JSON.stringify([response.status, response.statusText, ...response.headers]), LEAK);
      hold(name, await response.text(), kept);
    }
    await handler.close();
  });
}

test('over HTTP nothing of what an authenticator or an issuer says reaches the client', async () => {
  const kept = keeping();
  const verdicts = [
    () => ({ kind: 'invalid', reason: PLANTED }) as const,
    () => ({ kind: 'unavailable', reason: PLANTED }) as const,
    () => {
      throw new Error(PLANTED);
    },
    () => Promise.reject(new Error(PLANTED)),
  ];
  for (const authenticate of verdicts) {
    const handler = await createHttpHandler(createPlanted(), {
      log: kept.log,
      access: { authenticator: { authenticate } },
    });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer abcdefgh' };
    const response = await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' }));
    assert.ok(response.status >= 400);
    assert.doesNotMatch(JSON.stringify([...response.headers]) + (await response.text()), LEAK);
    await handler.close();
  }
  assert.equal(kept.lines.filter((line) => line.includes(PLANTED)).length, 4);
  for (const line of kept.lines) assert.doesNotMatch(line, /abcdefgh/);
});

test('over the older transport nothing of a foreign error is on the stream', async () => {
  const stage = await serveOnWire(createPlanted());
  const stream = await fetch(`${stage.origin}/sse`, { headers: { accept: 'text/event-stream' } });
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  let heard = '';
  const until = async (found: () => boolean): Promise<void> => {
    while (!found()) heard += new TextDecoder().decode((await reader.read()).value);
  };
  await until(() => /data: (\S+)\n/.test(heard));
  const [, path = ''] = /data: (\S+)\n/.exec(heard) ?? [];
  const post = (message: JsonObject): Promise<Response> =>
    fetch(new URL(path, stage.origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
  await post(hello(LEGACY[0] as string));
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  for (const name of Object.keys(THROWN)) {
    const [ask] = asks(name) as [JsonObject];
    await post({ jsonrpc: '2.0', id: `id-${name}-`, ...ask });
    await until(() => heard.includes(`id-${name}-`) && heard.endsWith('\n\n'));
  }
  assert.doesNotMatch(heard, LEAK);
  await reader.cancel();
  await stage.close();
});

test('a task that fails tells no word of a foreign error, in its result, its record and its notices', async () => {
  const kept = keeping();
  const server = createServer({ name: 'tasks', version: '1.0.0' });
  for (const [name, make] of Object.entries(THROWN)) {
    server.tool(name, { task: 'optional' }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      throw make();
    });
  }
  const host = await createHost({ server: server.info, mounts: [{ provider: server }], log: kept.log, trusting: true });
  const heard: string[] = [];
  const peer = host.converse({ outlet: (text) => heard.push(text), shared: true });
  let id = 0;
  const ask = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const reply = await peer.receive({ jsonrpc: '2.0', id: ++id, method, params } as Json);
    heard.push(reply?.text ?? '');
    return JSON.parse(reply?.text ?? '') as JsonObject;
  };
  await peer.receive(hello(NEWEST_LEGACY));
  await peer.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
  for (const name of Object.keys(THROWN)) {
    const { result } = await ask('tools/call', { name, arguments: {}, task: { ttl: 60_000 } });
    const { taskId } = (result as { task: { taskId: string } }).task;
    const answer = JSON.stringify(await ask('tasks/result', { taskId }));
    // A fault that cannot be kept is logged before the one that says so.
    if (name !== 'unsendable') hold(name, answer, kept);
    await ask('tasks/get', { taskId });
  }
  for (const text of heard) assert.doesNotMatch(text, LEAK);
  host.close();
});
