import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, test } from 'node:test';
import { REVISIONS } from '../../dialects/mcp/revisions.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type Client, type ClientOptions, connect } from './client.ts';
import { type HttpLinkOptions, openHttp } from './http-link.ts';
import { openLegacySse } from './legacy-sse-link.ts';
import { PeerError } from './peer-error.ts';
import { HttpFault } from './verdict.ts';

const MODERN = REVISIONS.find(({ opens }) => opens === 'every-request')?.id ?? '';
const HANDSHAKE = REVISIONS.find(({ opens }) => opens === 'handshake')?.id ?? '';
const INFO = { name: 'peer', version: '1' };
const EVENTS = { 'content-type': 'text/event-stream' };

interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
}
interface Exchange {
  readonly http: string;
  readonly headers: IncomingMessage['headers'];
  readonly url: string;
  readonly message: Sent;
  readonly response: ServerResponse;
  readonly json: (body: Json, status?: number, headers?: Record<string, string>) => void;
  readonly result: (result: JsonObject, headers?: Record<string, string>) => void;
}
type Script = (exchange: Exchange) => void;

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

/** A server made of a script, on a port of its own; resolves to its origin. */
async function serve(script: Script): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const message = text === '' ? {} : (JSON.parse(text) as Sent);
      const json: Exchange['json'] = (body, status = 200, headers = {}) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(body));
      };
      const result: Exchange['result'] = (value, headers) =>
        json({ jsonrpc: '2.0', id: message.id ?? null, result: value }, 200, headers);
      const { method: http = '', headers, url = '' } = request;
      script({ http, headers, url, message, response, json, result });
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function open(url: string, options: ClientOptions & Partial<HttpLinkOptions> = {}): Promise<Client> {
  const { headers, messageBytes, pace, ...rest } = options;
  const target = { url, headers, messageBytes, pace: { retryMs: 10, ...pace } };
  const client = await connect(openHttp(target), { timeoutMs: 2000, older: () => openLegacySse(target), ...rest });
  clients.push(client);
  return client;
}

const refusal = (error: Json): JsonObject => ({ jsonrpc: '2.0', id: null, error });
const DISCOVERED = { resultType: 'complete', supportedVersions: [MODERN], capabilities: { tools: {} } };

/** Greets in the modern way and leaves the rest to the script. */
const modern =
  (script: Script): Script =>
  (exchange) =>
    exchange.message.method === 'server/discover' ? exchange.result(DISCOVERED) : script(exchange);

/** Refuses what is not the handshake, and leaves the rest to the script. */
const handshake =
  (script: Script, headers: Record<string, string> = { 'mcp-session-id': 'one' }): Script =>
  (exchange) => {
    const { http, message, json, result, response } = exchange;
    if (message.method === 'server/discover') json(refusal({ code: -32000, message: 'No session' }), 400);
    else if (message.method === 'initialize')
      result({ protocolVersion: HANDSHAKE, capabilities: {}, serverInfo: INFO }, headers);
    else if (message.method === 'notifications/initialized') response.writeHead(202).end();
    else if (http === 'GET' && exchange.headers['last-event-id'] === undefined) response.writeHead(405).end();
    else if (http === 'DELETE') response.writeHead(204).end();
    else script(exchange);
  };

const isHttpFault =
  (verdict: string, message: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof HttpFault, String(error));
    assert.equal(error.verdict, verdict);
    assert.match(error.message, message);
    return true;
  };

// What a server turns out to speak

for (const [what, refuse] of [
  ['400 and no body', ({ response }: Exchange) => response.writeHead(400).end()],
  ['404 and HTML', ({ response }: Exchange) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>No')],
  ['405', ({ response }: Exchange) => response.writeHead(405).end()],
  ['400 and an error of JSON-RPC', ({ json }: Exchange) => json(refusal({ code: -32000, message: 'x' }), 400)],
  ['200 and an error of JSON-RPC', ({ json }: Exchange) => json(refusal({ code: -32601, message: 'x' }))],
  [
    'a header mismatch that cannot be mended',
    ({ json }: Exchange) => json(refusal({ code: -32020, message: 'x' }), 400),
  ],
  ['a result that greets nobody', ({ result }: Exchange) => result({})],
] as const) {
  test(`a server that answers the first modern request with ${what} is greeted with the handshake`, async () => {
    const seen: (string | undefined)[] = [];
    const greeting = handshake(() => assert.fail('nothing else is asked'));
    const origin = await serve((exchange) => {
      seen.push(exchange.message.method);
      if (exchange.message.method === 'server/discover') refuse(exchange);
      else greeting(exchange);
    });
    const { server } = await open(origin);
    assert.equal(server.revision, HANDSHAKE);
    assert.deepEqual(seen.slice(0, 2), ['server/discover', 'initialize']);
  });
}

for (const [what, verdict, refuse] of [
  ['401', 'forbidden', ({ response }: Exchange) => response.writeHead(401).end()],
  [
    '403 and an error of JSON-RPC',
    'forbidden',
    ({ json }: Exchange) => json(refusal({ code: -32000, message: 'x' }), 403),
  ],
  ['500', 'broken', ({ response }: Exchange) => response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>')],
  [
    '503 and a time to come back',
    'broken',
    ({ response }: Exchange) => response.writeHead(503, { 'retry-after': '7' }).end(),
  ],
  ['429', 'broken', ({ response }: Exchange) => response.writeHead(429).end()],
  [
    'HTML',
    'broken',
    ({ response }: Exchange) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi'),
  ],
  ['nothing at all', 'broken', ({ response }: Exchange) => response.writeHead(202).end()],
  [
    'JSON that is none',
    'broken',
    ({ response }: Exchange) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
  ],
  ['JSON that is no answer', 'broken', ({ json }: Exchange) => json({ hello: 'world' })],
  ['the answer to something else', 'broken', ({ json }: Exchange) => json({ jsonrpc: '2.0', id: 'x', result: {} })],
  ['an event stream without events', 'broken', ({ response }: Exchange) => response.writeHead(200, EVENTS).end()],
  [
    'an event stream without data',
    'broken',
    ({ response }: Exchange) => response.writeHead(200, EVENTS).end('id: 1\nevent: message\n\n: hi\n\n'),
  ],
  [
    'an event that is no JSON',
    'broken',
    ({ response }: Exchange) => response.writeHead(200, EVENTS).end('data: <h1>\n\n'),
  ],
  ['a cut connection', 'broken', ({ response }: Exchange) => response.destroy()],
] as const) {
  test(`a server that answers with ${what} is not taken for an older one`, async () => {
    const seen: (string | undefined)[] = [];
    const origin = await serve((exchange) => {
      seen.push(exchange.message.method);
      refuse(exchange);
    });
    await assert.rejects(open(origin), isHttpFault(verdict, /127\.0\.0\.1|The server sent/));
    assert.deepEqual(seen, ['server/discover']);
  });
}

test('a server that says when to come back is quoted', async () => {
  const origin = await serve(({ response }) => response.writeHead(503, { 'retry-after': '7' }).end());
  await assert.rejects(open(origin), /Try again in 7 s/);
});

test('a server that is silent is given the whole time, and is asked nothing else', async () => {
  const seen: (string | undefined)[] = [];
  const origin = await serve(({ message }) => seen.push(message.method));
  await assert.rejects(open(origin, { timeoutMs: 150, probeMs: 10 }), { code: 'E_DEADLINE' });
  assert.deepEqual(seen, ['server/discover']);
});

test('nobody listening is a clear error', async () => {
  await assert.rejects(
    open('http://127.0.0.1:1/mcp'),
    isHttpFault('broken', /^Cannot reach "http:\/\/127\.0\.0\.1:1\/mcp"/),
  );
});

// What goes over the wire

test('every modern request says beside itself what it is', async () => {
  const seen: Exchange[] = [];
  const origin = await serve(
    modern((exchange) => {
      seen.push(exchange);
      if (exchange.message.method === 'tools/list') exchange.result({ resultType: 'complete', tools: [MARKED] });
      else exchange.result({ resultType: 'complete', content: [], contents: [] });
    }),
  );
  const client = await open(origin, { headers: { authorization: 'Bearer x', accept: 'nonsense' } });
  await client.listTools();
  await client.call('marked', { region: 'Zürich', deep: { count: 3 }, gone: null });
  await client.read('note://ä');
  assert.deepEqual(
    seen.map(({ headers }) => [headers['mcp-method'], headers['mcp-name'], headers['mcp-protocol-version']]),
    [
      ['tools/list', undefined, MODERN],
      ['tools/call', 'marked', MODERN],
      ['resources/read', '=?base64?bm90ZTovL8Ok?=', MODERN],
    ],
  );
  const { headers } = seen[1] as Exchange;
  assert.equal(headers['mcp-param-region'], '=?base64?WsO8cmljaA==?=');
  assert.equal(headers['mcp-param-count'], '3');
  assert.equal('mcp-param-gone' in headers, false);
  assert.equal(headers.authorization, 'Bearer x');
  assert.equal(headers.accept, 'application/json, text/event-stream');
  assert.equal('mcp-session-id' in headers, false);
});

const MARKED = {
  name: 'marked',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      gone: { type: 'string', 'x-mcp-header': 'Gone' },
      deep: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
    },
  },
};

test('a tool whose marks are wrong is left out, and the log says why', async () => {
  const bad = (name: string, mark: Json, type = 'string'): JsonObject => ({
    name,
    inputSchema: { type: 'object', properties: { x: { type, 'x-mcp-header': mark } } },
  });
  const tools = [MARKED, bad('space', 'a b'), bad('number', 'a', 'number'), { name: 'loose', inputSchema: {} }];
  const origin = await serve(modern(({ result }) => result({ resultType: 'complete', tools })));
  const said: string[] = [];
  const client = await open(origin, { log: (_, message) => said.push(message) });
  assert.deepEqual(
    (await client.listTools()).map(({ name }) => name),
    ['marked', 'loose'],
  );
  assert.match(
    said.join('\n'),
    /"space": x-mcp-header must be a header name\n.*"number": .*string, integer or boolean/,
  );
});

test('a header mismatch is answered with a fresh list and one more try, not more', async () => {
  const seen: (string | undefined)[] = [];
  const origin = await serve(
    modern(({ message, result, json }) => {
      seen.push(message.method);
      if (message.method === 'tools/list') result({ resultType: 'complete', tools: [MARKED] });
      else json({ jsonrpc: '2.0', id: message.id ?? null, error: { code: -32020, message: 'No' } }, 400);
    }),
  );
  const client = await open(origin);
  await assert.rejects(
    client.call('marked', { region: 'x' }),
    (error) => error instanceof PeerError && error.code === -32020,
  );
  assert.deepEqual(seen, ['tools/call', 'tools/list', 'tools/call']);
});

test('in a session every message carries its id and the revision, and the end is said', async () => {
  const seen: Exchange[] = [];
  const origin = await serve((exchange) => {
    seen.push(exchange);
    handshake(({ result }) => result({ tools: [] }))(exchange);
  });
  const client = await open(origin);
  await client.listTools();
  await client.close();
  const about = seen.map(({ http, message: { method }, headers }) =>
    [http, method, headers['mcp-session-id'], headers['mcp-protocol-version']].join(' ').replace(/ +/g, ' '),
  );
  assert.equal(about[1], 'POST initialize ');
  assert.deepEqual(about.slice(2).sort(), [
    `DELETE one ${HANDSHAKE}`,
    `GET one ${HANDSHAKE}`,
    `POST notifications/initialized one ${HANDSHAKE}`,
    `POST tools/list one ${HANDSHAKE}`,
  ]);
});

test('nothing is asked before the server has taken the end of the handshake', async () => {
  const seen: (string | undefined)[] = [];
  const greeting = handshake(({ result }) => result({ tools: [] }));
  const origin = await serve((exchange) => {
    const { method } = exchange.message;
    if (method === 'notifications/initialized') {
      setTimeout(() => {
        seen.push(method);
        greeting(exchange);
      }, 50);
    } else {
      if (exchange.http === 'POST') seen.push(method);
      greeting(exchange);
    }
  });
  await (await open(origin)).listTools();
  assert.deepEqual(seen.slice(-2), ['notifications/initialized', 'tools/list']);
});

// Streams that end early

test('a stream that ends before the answer is taken up where it ended, at the pace the server asks for', async () => {
  const resumed: [string | undefined, number][] = [];
  let endedAt = 0;
  const origin = await serve(
    handshake(({ http, headers, message: { id }, response }) => {
      response.writeHead(200, EVENTS);
      if (http === 'POST') {
        asked = id;
        endedAt = performance.now();
        response.end('id: a1\nretry: 60\ndata:\n\n');
      } else {
        resumed.push([String(headers['last-event-id']), performance.now() - endedAt]);
        endedAt = performance.now();
        if (resumed.length < 3) response.end(`id: a${resumed.length + 1}\ndata:\n\n`);
        else response.end(`id: a9\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: asked, result: { tools: [] } })}\n\n`);
      }
    }),
  );
  let asked: number | undefined;
  const client = await open(origin);
  assert.deepEqual(await client.listTools(), []);
  assert.deepEqual(
    resumed.map(([id]) => id),
    ['a1', 'a2', 'a3'],
  );
  for (const [, waited] of resumed) assert.ok(waited >= 55 && waited < 400, `waited ${waited} ms`);
});

test('a stream that cannot be taken up again is given up after a few tries', async () => {
  let tries = 0;
  const origin = await serve(
    handshake(({ http, response }) => {
      if (http === 'POST') response.writeHead(200, EVENTS).end('id: a1\nretry: 1\ndata:\n\n');
      else {
        tries += 1;
        response.destroy();
      }
    }),
  );
  const client = await open(origin, { pace: { tries: 3 } });
  await assert.rejects(client.listTools(), isHttpFault('broken', /unanswered/));
  assert.equal(tries, 3);
});

test('a call is not made again when its session is gone halfway', async () => {
  let calls = 0;
  const origin = await serve(
    handshake(({ http, response }) => {
      if (http === 'POST') {
        calls += 1;
        response.writeHead(200, EVENTS).end('id: a1\nretry: 1\ndata:\n\n');
      } else response.writeHead(404).end();
    }),
  );
  const client = await open(origin);
  await assert.rejects(client.call('pay'), isHttpFault('gone', /session/));
  assert.equal(calls, 1);
});

test('a server that never knows its own sessions is not greeted for ever', async () => {
  let greetings = 0;
  const origin = await serve((exchange) => {
    if (exchange.message.method === 'initialize') greetings += 1;
    handshake(({ response }) => response.writeHead(404).end())(exchange);
  });
  const client = await open(origin);
  await assert.rejects(client.listTools(), isHttpFault('gone', /session/));
  assert.equal(greetings, 2);
});

// Too much, too long

test('a message over the limit is refused, in either form', async () => {
  const big = JSON.stringify({ jsonrpc: '2.0', id: 2, result: { text: 'x'.repeat(20_000) } });
  for (const [type, body] of [
    ['application/json', big],
    ['text/event-stream', `data: ${big}\n\n`],
  ] as const) {
    const origin = await serve(modern(({ response }) => response.writeHead(200, { 'content-type': type }).end(body)));
    const client = await open(origin, { messageBytes: 10_000 });
    await assert.rejects(client.listTools(), isHttpFault('broken', /longer than 10000|too long/));
  }
});

for (const [what, type, chunk] of [
  ['JSON', 'application/json', ' '.repeat(4096)],
  ['events that are none', 'text/event-stream', ': still here\n\n'],
  ['notices', 'text/event-stream', 'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'],
] as const) {
  test(`an endless stream of ${what} ends with the limit or the deadline, and the connection with it`, async () => {
    let cut: (value: unknown) => void = () => {};
    const gone = new Promise((resolve) => {
      cut = resolve;
    });
    const origin = await serve(
      modern(({ response }) => {
        response.writeHead(200, { 'content-type': type });
        const timer = setInterval(() => response.write(chunk), 1);
        response.on('close', () => {
          clearInterval(timer);
          cut(undefined);
        });
      }),
    );
    const client = await open(origin, { messageBytes: 100_000, timeoutMs: 300 });
    await assert.rejects(client.listTools());
    await gone;
  });
}

test('a stream that stays open after the answer is let go', async () => {
  let cut: (value: unknown) => void = () => {};
  const gone = new Promise((resolve) => {
    cut = resolve;
  });
  const origin = await serve(
    modern(({ message: { id }, response }) => {
      response.writeHead(200, EVENTS);
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } })}\n\n`);
      response.on('close', cut);
    }),
  );
  assert.deepEqual(await (await open(origin)).listTools(), []);
  await gone;
});

// Somewhere else

test('a redirect within the origin that keeps the method is followed', async () => {
  const origin = await serve((exchange) => {
    if (exchange.url === '/old') exchange.response.writeHead(307, { location: '/new' }).end();
    else modern(({ result }) => result({ resultType: 'complete', tools: [] }))(exchange);
  });
  assert.deepEqual(await (await open(`${origin}/old`)).listTools(), []);
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect to another origin with ${status} is not followed, and nothing leaks there`, async () => {
    const elsewhere = await serve(() => assert.fail('nobody may come here'));
    const origin = await serve(({ response }) =>
      response.writeHead(status, { location: `${elsewhere}/mcp?k=1` }).end(),
    );
    const opening = open(origin, { headers: { authorization: 'Bearer x' } });
    await assert.rejects(opening, isHttpFault('broken', /another origin. If you trust it, connect to "[^?]*\/mcp"$/));
  });
}

test('a server that redirects in a circle, or to nowhere, is given up', async () => {
  const circle = await serve(({ response }) => response.writeHead(307, { location: '/' }).end());
  await assert.rejects(open(circle), /redirects more than 5 times/);
  const nowhere = await serve(({ response }) => response.writeHead(307).end());
  await assert.rejects(open(nowhere), /redirects to nowhere/);
});

test('an older event stream that wants messages elsewhere is refused, and nothing is sent there', async () => {
  const elsewhere = await serve(() => assert.fail('nobody may come here'));
  const origin = await serve(({ http, response }) => {
    if (http === 'GET') response.writeHead(200, EVENTS).write(`event: endpoint\ndata: ${elsewhere}/messages\n\n`);
    else response.writeHead(405).end();
  });
  await assert.rejects(open(origin), isHttpFault('broken', /another origin/));
});

test('an address that takes no messages at all says so in the words of the first refusal', async () => {
  const origin = await serve(({ response }) => response.writeHead(404).end());
  await assert.rejects(open(`${origin}/x?key=secret`), (error: Error) => {
    assert.match(error.message, /\/x" answered 404 Not Found. Is this the address of an MCP endpoint\?$/);
    return true;
  });
});

test('credentials in the address become a header and are never shown', async () => {
  const origin = await serve(({ headers, response }) => {
    const basic = Buffer.from('ada:s3cret').toString('base64');
    response.writeHead(headers.authorization === `Basic ${basic}` ? 401 : 500).end();
  });
  await assert.rejects(open(origin.replace('//', '//ada:s3cret@')), (error: Error) => {
    assert.doesNotMatch(error.message, /s3cret|ada/);
    return isHttpFault('forbidden', /401/)(error);
  });
});

test('an address that is none is a programming error', () => {
  for (const url of ['ftp://127.0.0.1/', 'nonsense']) assert.throws(() => openHttp({ url }), TypeError);
  assert.throws(() => openHttp({ url: 'http://127.0.0.1/', headers: { 'a b': 'c' } }), TypeError);
});
