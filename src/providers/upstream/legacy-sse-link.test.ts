import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { REVISIONS } from '../../dialects/mcp/revisions.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type Client, type ClientOptions, connect } from './client.ts';
import { openLegacySse } from './legacy-sse-link.ts';

const OLDEST = REVISIONS.at(-1)?.id ?? '';
const WITH_FORMS = REVISIONS.findLast(({ questions }) => questions.elicit !== undefined)?.id ?? '';

interface Sent extends JsonObject {
  id?: number;
  method?: string;
}
interface Stage {
  readonly url: string;
  readonly posted: { path: string; message: Sent }[];
  /** Says something on the stream. */
  say(text: string): void;
  end(): void;
}
type Script = (message: Sent, stage: Stage, post: ServerResponse) => void;

const servers: Server[] = [];
const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

const event = (message: Json): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

/** A server of the older transport: `greeting` is the first thing on its stream, `script` what it does with a message. */
async function stage(greeting: string, script: Script, revision = OLDEST): Promise<Stage> {
  let stream: ServerResponse | undefined;
  const posted: Stage['posted'] = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      stream.write(greeting);
      return;
    }
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const message = JSON.parse(text) as Sent;
      posted.push({ path: request.url ?? '', message });
      if (message.method === 'initialize') {
        response.writeHead(202).end('Accepted');
        const result = { protocolVersion: revision, capabilities: {}, serverInfo: { name: 'old', version: '1' } };
        self.say(event({ jsonrpc: '2.0', id: message.id, result }));
      } else if (message.method === 'notifications/initialized') response.writeHead(202).end();
      else script(message, self, response);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const self: Stage = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/deep/sse`,
    posted,
    say: (text) => stream?.write(text),
    end: () => stream?.end(),
  };
  return self;
}

async function open({ url }: Stage, options: ClientOptions = {}): Promise<Client> {
  const client = await connect(openLegacySse({ url }), { era: 'handshake', timeoutMs: 1000, ...options });
  clients.push(client);
  return client;
}

for (const [said, path] of [
  ['/messages?id=1', '/messages?id=1'],
  ['post', '/deep/post'],
  ['?id=2', '/deep/sse?id=2'],
] as const) {
  test(`messages go where "${said}" leads from the address of the stream`, async () => {
    const old = await stage(`event: endpoint\ndata: ${said}\n\n`, ({ id }, { say }, post) => {
      post.writeHead(202).end();
      say(event({ jsonrpc: '2.0', id, result: { tools: [] } }));
    });
    const client = await open(old);
    assert.equal(client.server.revision, OLDEST);
    assert.deepEqual(await client.listTools(), []);
    assert.deepEqual([...new Set(old.posted.map((one) => one.path))], [path]);
  });
}

test('the first address counts, whatever is said later', async () => {
  const old = await stage('event: endpoint\ndata: /a\n\n', ({ id }, { say }, post) => {
    post.writeHead(202).end();
    say(event({ jsonrpc: '2.0', id, result: { tools: [] } }));
  });
  const client = await open(old);
  old.say('event: endpoint\ndata: /b\n\nevent: endpoint\ndata: http://127.0.0.1:1/c\n\n');
  await client.listTools();
  assert.deepEqual([...new Set(old.posted.map(({ path }) => path))], ['/a']);
});

test('a stream that never says where to post ends with the deadline', async () => {
  const old = await stage(': welcome\n\n', () => {});
  await assert.rejects(open(old, { timeoutMs: 100 }), { code: 'E_DEADLINE' });
  assert.deepEqual(old.posted, []);
});

test('a message the server refuses fails the request it is, and no other', async () => {
  const old = await stage('event: endpoint\ndata: /a\n\n', ({ id, method }, { say }, post) => {
    if (method === 'tools/list') return void post.writeHead(500).end();
    post.writeHead(202).end();
    setTimeout(() => say(event({ jsonrpc: '2.0', id, result: { prompts: [] } })), 50);
  });
  const client = await open(old);
  const [tools, prompts] = await Promise.allSettled([client.listTools(), client.listPrompts()]);
  assert.equal(tools.status, 'rejected');
  assert.match(String(tools.status === 'rejected' && tools.reason), /answered 500/);
  assert.equal(prompts.status, 'fulfilled');
});

test('the end of the stream is the end of the connection', async () => {
  const old = await stage('event: endpoint\ndata: /a\n\n', (_, { end }, post) => {
    post.writeHead(202).end();
    end();
  });
  const client = await open(old);
  await assert.rejects(client.listTools(), /ended its event stream/);
  await assert.rejects(client.listPrompts(), /ended its event stream/);
});

test('an event that is no message ends the connection, clearly', async () => {
  const old = await stage('event: endpoint\ndata: /a\n\n', (_, { say }, post) => {
    post.writeHead(202).end();
    say('data: <h1>Oops</h1>\n\n');
  });
  const client = await open(old);
  await assert.rejects(client.listTools(), /The server sent no message/);
});

test('a question on the stream is answered by a post', async () => {
  let asked: number | undefined;
  const old = await stage(
    'event: endpoint\ndata: /a\n\n',
    (message, { say }, post) => {
      post.writeHead(202).end();
      if (message.method === 'tools/call') {
        asked = message.id;
        const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
        say(event({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params }));
      } else if (message['id'] === ('q' as unknown)) {
        say(event({ jsonrpc: '2.0', id: asked, result: { content: [] } }));
      }
    },
    WITH_FORMS,
  );
  const client = await open(old, { onQuestion: { elicit: () => ({ action: 'accept', content: {} }) } });
  await client.call('ask');
  assert.deepEqual(old.posted.at(-1)?.message['result'], { action: 'accept', content: {} });
});
