import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/model/json.ts';
import { openChild } from '../../../src/providers/upstream/child.ts';
import { connect } from '../../../src/providers/upstream/client.ts';
import { openHttp } from '../../../src/providers/upstream/http-link.ts';
import { rule } from '../citation.ts';

// What the contract asks of a client, shown by our own in front of servers that keep a record.

const CHILD = fileURLToPath(new URL('../../../../test/transcripts/003-contract/scripted-server.mjs', import.meta.url));
const LATEST = '2025-11-25';
const UNKNOWN = '1999-01-01';
const GREETING = { capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } };
const HANDSHAKE = { era: 'handshake', timeoutMs: 5000 } as const;

/** A child that answers with this version, for as long as the test takes; gives what it said it heard. */
async function withChild(
  version: string,
  body: (link: ReturnType<typeof openChild>) => Promise<void>,
): Promise<string[]> {
  let noise = '';
  const link = openChild({
    command: [process.execPath, CHILD, version],
    onStderr: (text) => {
      noise += text;
    },
  });
  try {
    await body(link);
  } finally {
    await link.close();
  }
  return noise.trim().split('\n');
}

interface Heard {
  readonly http: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly id: number;
  readonly headers: IncomingMessage['headers'];
}

/** A server over HTTP that answers with this version and leaves calls to the script; resolves when the test is over. */
async function withServer(
  version: string,
  script: (heard: Heard, response: ServerResponse) => void,
  body: (url: string, heard: Heard[]) => Promise<void>,
): Promise<void> {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const one = await listen(request);
    heard.push(one);
    if (one.method === 'initialize') setTimeout(() => greet(response, one.id, version), 100);
    else if (isRoutine(one)) response.writeHead(one.http === 'GET' ? 405 : 202).end();
    else script(one, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await body(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, heard);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function listen(request: IncomingMessage): Promise<Heard> {
  const said = await text(request);
  const { id = 0, method = '', params = {} } = (said === '' ? {} : JSON.parse(said)) as Partial<Heard>;
  return { http: request.method ?? '', method, params, id, headers: request.headers };
}

/** A notice, the end of a session, or a question for a stream that there is not. */
function isRoutine({ http, method, headers }: Heard): boolean {
  if (http === 'POST') return method.startsWith('notifications/');
  return http === 'DELETE' || headers['last-event-id'] === undefined;
}

function greet(response: ServerResponse, id: number, protocolVersion: string): void {
  response.setHeader('mcp-session-id', 'one');
  reply(response, id, { protocolVersion, ...GREETING });
}

function reply(response: ServerResponse, id: number, result: JsonObject): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

rule('C19, C20, C25 over stdio', 'the client offers its latest revision, waits, and says it is ready', async () => {
  const heard = await withChild(LATEST, async (link) => {
    const client = await connect(link, HANDSHAKE);
    await client.listTools();
    await client.close();
  });
  assert.deepEqual(heard, [`initialize ${LATEST}`, 'answered', 'notifications/initialized', 'tools/list', 'closed']);
});

rule('C24, C27 over stdio', 'the client hangs up on a version it cannot speak, without a word', async () => {
  const heard = await withChild(UNKNOWN, (link) =>
    assert.rejects(connect(link, HANDSHAKE), { code: 'E_UNSUPPORTED_REVISION' }),
  );
  assert.deepEqual(heard, [`initialize ${LATEST}`, 'answered', 'closed']);
});

rule('C19, C20, C25 over http', 'the client offers its latest revision, waits for the answer, says it is ready', () =>
  withServer(
    LATEST,
    ({ id }, response) => reply(response, id, { tools: [] }),
    async (url, heard) => {
      const client = await connect(openHttp({ url }), HANDSHAKE);
      const before = heard.map(({ method }) => method);
      await client.listTools();
      await client.close();
      assert.equal(before[0], 'initialize');
      assert.equal(heard[0]?.params['protocolVersion'], LATEST);
      assert.deepEqual(
        heard.filter(({ http }) => http === 'POST').map(({ method }) => method),
        ['initialize', 'notifications/initialized', 'tools/list'],
      );
    },
  ),
);

rule('C26, C45 over http', 'the client sends its revision and its session with everything after initialize', () =>
  withServer(
    LATEST,
    ({ id }, response) => reply(response, id, { tools: [] }),
    async (url, heard) => {
      const client = await connect(openHttp({ url }), HANDSHAKE);
      await client.listTools();
      await client.close();
      const beside = ({ headers }: Heard) => [headers['mcp-session-id'], headers['mcp-protocol-version']];
      const [first, ...later] = heard;
      assert.equal(first?.headers['mcp-session-id'], undefined);
      assert.deepEqual(new Set(later.map(({ http }) => http)), new Set(['POST', 'GET', 'DELETE']));
      for (const one of later) assert.deepEqual(beside(one), ['one', LATEST], `${one.http} ${one.method}`);
    },
  ),
);

rule('C24 over http', 'the client says nothing more to a server whose version it cannot speak', () =>
  withServer(
    UNKNOWN,
    ({ id }, response) => reply(response, id, {}),
    async (url, heard) => {
      await assert.rejects(connect(openHttp({ url }), HANDSHAKE), { code: 'E_UNSUPPORTED_REVISION' });
      assert.deepEqual(
        heard.filter(({ http }) => http === 'POST').map(({ method }) => method),
        ['initialize'],
      );
    },
  ),
);

rule('C49 over http', 'the client comes back to a stream that broke, with the last event it heard', () => {
  let asked = 0;
  const script = ({ http, id, headers }: Heard, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (http === 'POST') {
      asked = id;
      response.end('id: a1\nretry: 10\ndata:\n\nid: a2\nevent: message\ndata: {"jsonrpc":"2.0","method":"x"}\n\n');
    } else {
      assert.equal(headers['last-event-id'], 'a2');
      const result = { content: [{ type: 'text', text: 'still here' }] };
      response.end(`id: a3\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: asked, result })}\n\n`);
    }
  };
  return withServer(LATEST, script, async (url, heard) => {
    const client = await connect(openHttp({ url }), HANDSHAKE);
    const { content } = await client.call('anything');
    assert.deepEqual(content, [{ type: 'text', text: 'still here' }]);
    assert.equal(heard.filter(({ method }) => method === 'tools/call').length, 1);
    await client.close();
  });
});
