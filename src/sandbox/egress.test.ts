import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { isPublic, readAllowed } from './addresses.ts';
import { createEgress, type EgressOptions } from './egress.ts';
import { EgressError } from './egress-rules.ts';

/** Everything here means a place that is not on the public internet. The port is put in for PORT. */
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7f.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.1',
  '127.0.0.1.',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0.0.0.0',
  '0',
  '0x0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '169.254.1.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001::7f00:1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[5f00::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[ff0e::1]',
  '[::ffff:169.254.169.254]',
];
/** Names the machine itself knows. */
const NAMES = ['localhost', 'localhost.', 'LOCALHOST', 'sub.localhost', 'ip6-localhost'];

/** What the spellings mean, as a resolver would answer. */
const ADDRESSES = [
  ...HOSTS.map((host) => new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '')),
  'fe80::1%eth0',
  '::1%lo',
  'not an address',
  '127.1',
];

let connections = 0;
let canary: Server;
let port = 0;
let open: Server;
let openPort = 0;
let respond: RequestListener = (_request, response) => void response.end('ok');

const listening = (server: Server, host: string) =>
  new Promise<number>((resolve) => server.listen(0, host, () => resolve((server.address() as AddressInfo).port)));

before(async () => {
  canary = createServer((_request, response) => response.end('reached'));
  canary.on('connection', () => connections++);
  port = await listening(canary, '::');
  open = createServer((request, response) => respond(request, response));
  openPort = await listening(open, '127.0.0.1');
});
after(() => {
  canary.close();
  open.close();
});

const refused = (error: unknown) => {
  assert.ok(error instanceof EgressError, String(error));
  return true;
};
/** Reaches the open server by name alone, so that everything else is still closed. */
const egress = (options: EgressOptions = {}) =>
  createEgress({
    allow: ['open.example'],
    ports: [port, openPort, 80],
    resolve: async () => ['127.0.0.1'],
    ...options,
    limits: { deadlineMs: 4000, ...options.limits },
  });
const reply = (answer: (request: IncomingMessage, response: ServerResponse) => void): string => {
  respond = answer;
  return `http://open.example:${openPort}`;
};

describe('an address that is not on the public internet is never connected to', () => {
  test(`in ${HOSTS.length} spellings and ${NAMES.length} names, directly`, async () => {
    const client = createEgress({ ports: [port], limits: { deadlineMs: 3000 } });
    for (const host of [...HOSTS, ...NAMES]) {
      await assert.rejects(client.request({ url: `http://${host}:${port}/` }), refused, host);
    }
    assert.equal(connections, 0);
  });

  test(`as ${ADDRESSES.length} answers of a resolver, alone and beside a public address`, async () => {
    for (const address of ADDRESSES) {
      for (const answer of [[address], ['93.184.216.34', address], [address, '2606:2800:220:1::1']]) {
        const client = createEgress({ ports: [port], resolve: async () => answer });
        await assert.rejects(client.request({ url: `http://name.example:${port}/` }), refused, address);
      }
    }
    assert.equal(connections, 0);
  });

  test('as the target of a redirect, in every spelling', async () => {
    for (const host of [...HOSTS, ...NAMES]) {
      const url = reply((_request, response) =>
        response.writeHead(302, { location: encodeURI(`http://${host}:${port}/`).replaceAll('%25', '%') }).end(),
      );
      const client = egress();
      await assert.rejects(client.request({ url }), refused, host);
    }
    assert.equal(connections, 0);
  });

  test('as an answer that changes between the look and the connection', async () => {
    for (const address of ADDRESSES) {
      let asked = 0;
      const client = egress({
        limits: { deadlineMs: 30 },
        // The documentation network stands for a public address where nobody answers.
        allow: ['192.0.2.0/24'],
        resolve: async () => (asked++ === 0 ? ['192.0.2.7'] : [address]),
      });
      await assert.rejects(client.request({ url: `http://rebinding.example:${port}/` }), refused, address);
      assert.equal(asked, 1, 'a name is asked for once');
    }
    assert.equal(connections, 0);
  });

  test('as an answer that changes between two redirects', async () => {
    for (const address of ADDRESSES.filter((other) => other !== '127.0.0.1')) {
      let asked = 0;
      reply(
        (_request, response) => void response.writeHead(307, { location: `http://rebinding.example:${port}/` }).end(),
      );
      const client = egress({
        allow: ['127.0.0.1'],
        resolve: async () => (asked++ === 0 ? ['127.0.0.1'] : [address]),
      });
      await assert.rejects(client.request({ url: `http://rebinding.example:${openPort}/` }), refused, address);
      assert.equal(asked, 2, 'a name is asked for again on a redirect');
    }
    assert.equal(connections, 0);
  });

  test('nor is anything asked through a proxy of the environment', async () => {
    const names = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${port}`;
    const { status } = await egress().request({ url: reply((_request, response) => void response.end('ok')) });
    for (const name of names) delete process.env[name];
    assert.equal(status, 200);
    assert.equal(connections, 0);
  });
});

test('public addresses are told from all others', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '93.184.216.34', '100.63.255.255', '172.32.0.1', '2606:4700::1111']) {
    assert.equal(isPublic(address), true, address);
  }
  for (const address of ADDRESSES) assert.equal(isPublic(address), false, address);
});

test('what is allowed is reached, and nothing beside it', async () => {
  const url = reply((_request, response) => void response.end('hello'));
  const local = url.replace('open.example', '127.0.0.1');
  const allowed = createEgress({ allow: ['127.0.0.0/8'], ports: [openPort] });
  assert.equal((await allowed.request({ url: local })).body.toString(), 'hello');
  await assert.rejects(createEgress({ allow: ['127.0.0.2'], ports: [openPort] }).request({ url: local }), refused);
  await assert.rejects(egress({ allow: ['other.example'] }).request({ url }), refused);
  for (const bad of ['10.0.0.0/33', '10.0.0.0/x', 'http://x', '*', '', '10.0.0'])
    assert.throws(() => readAllowed([bad]), TypeError, bad);
});

describe('a request', () => {
  const cases: [string, Parameters<ReturnType<typeof egress>['request']>[0]][] = [
    ['to another scheme', { url: 'file:///etc/passwd' }],
    ['to a script', { url: 'javascript:alert(1)' }],
    ['to a data URL', { url: 'data:text/plain,x' }],
    ['that is relative', { url: '/x' }],
    ['with a password in it', { url: 'http://user:secret@open.example/' }],
    ['to a closed port', { url: 'http://open.example:25/' }],
    ['with the method CONNECT', { url: 'http://open.example/', method: 'CONNECT' }],
    ['with the method TRACE', { url: 'http://open.example/', method: 'TRACE' }],
    ['with a method of two lines', { url: 'http://open.example/', method: 'GET\r\nX: y' }],
    ['with a header of two lines', { url: 'http://open.example/', headers: { x: 'a\r\ny: b' } }],
    ['with a header name of two words', { url: 'http://open.example/', headers: { 'x y': 'a' } }],
    ['with its own length', { url: 'http://open.example/', headers: { 'Content-Length': '5' } }],
    ['with its own framing', { url: 'http://open.example/', headers: { 'Transfer-Encoding': 'chunked' } }],
    ['with another host', { url: 'http://open.example/', headers: { Host: 'metadata' } }],
    ['with words for a proxy', { url: 'http://open.example/', headers: { 'Proxy-Authorization': 'x' } }],
    ['that asks for compression', { url: 'http://open.example/', headers: { 'Accept-Encoding': 'gzip' } }],
    ['with a body and GET', { url: 'http://open.example/', body: 'x' }],
    ['with a long body', { url: 'http://open.example/', method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) }],
    ['with long headers', { url: 'http://open.example/', headers: { x: 'y'.repeat(20_000) } }],
    [
      'with many headers',
      { url: 'http://open.example/', headers: Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`x${n}`, ''])) },
    ],
  ];
  for (const [what, ask] of cases) {
    test(`${what} is not sent`, async () => {
      await assert.rejects(egress({ resolve: () => assert.fail('asked') }).request(ask), refused);
    });
  }

  test('carries what was given and nothing of the process', async () => {
    let seen: IncomingMessage | undefined;
    let sent = '';
    const url = reply((request, response) => {
      seen = request;
      request.on('data', (chunk) => {
        sent += chunk;
      });
      request.on('end', () => response.writeHead(201, 'Made', { 'X-One': ['a', 'b'] }).end('done'));
    });
    const ask = { url: `${url}/path?q=1#part`, method: 'post', headers: { 'X-Mine': 'yes' }, body: 'béta' };
    const { status, reason, headers, body, truncated } = await egress().request(ask);
    assert.deepEqual([status, reason, body.toString(), truncated], [201, 'Made', 'done', false]);
    assert.deepEqual(
      headers.filter(([name]) => name === 'X-One').map(([, value]) => value),
      ['a', 'b'],
    );
    assert.equal(seen?.url, '/path?q=1');
    assert.equal(sent, 'béta');
    assert.deepEqual(Object.keys(seen?.headers ?? {}).sort(), [
      'accept-encoding',
      'connection',
      'content-length',
      'host',
      'user-agent',
      'x-mine',
    ]);
    assert.equal(seen?.headers.host, `open.example:${openPort}`);
  });
});

describe('a redirect', () => {
  const secrets = { authorization: 'Bearer s', cookie: 'c=1', 'x-api-key': 'k', accept: 'text/plain' };
  const chain = (locations: string[], code = 302) => {
    const seen: { url: string; method: string; headers: Record<string, unknown>; host: string }[] = [];
    const base = reply((request, response) => {
      seen.push({
        url: request.url ?? '',
        method: request.method ?? '',
        headers: request.headers,
        host: request.headers.host ?? '',
      });
      const location = locations[seen.length - 1];
      request.resume();
      if (location === undefined) response.end('end');
      else response.writeHead(code, { location }).end();
    });
    return { base, seen };
  };

  test('within one origin keeps the headers', async () => {
    const { base, seen } = chain(['/next']);
    const { url } = await egress().request({ url: base, headers: secrets });
    assert.equal(url, `${base}/next`);
    assert.equal(seen[1]?.headers['authorization'], 'Bearer s');
  });

  test('to another origin takes no secret along', async () => {
    const { base, seen } = chain([`http://other.example:${openPort}/next`]);
    await egress({ allow: ['open.example', 'other.example'] }).request({ url: base, headers: secrets });
    assert.equal(seen[1]?.host, `other.example:${openPort}`);
    for (const name of ['authorization', 'cookie', 'x-api-key']) assert.equal(seen[1]?.headers[name], undefined, name);
    assert.equal(seen[1]?.headers['accept'], 'text/plain');
  });

  test('after POST becomes a GET without the body, but for 307 and 308', async () => {
    for (const [code, method] of [
      [301, 'GET'],
      [302, 'GET'],
      [303, 'GET'],
      [307, 'POST'],
      [308, 'POST'],
    ] as const) {
      const { base, seen } = chain(['/next'], code);
      await egress().request({ url: base, method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } });
      assert.equal(seen[1]?.method, method, String(code));
      assert.equal(seen[1]?.headers['content-type'], method === 'GET' ? undefined : 'text/plain');
    }
  });

  test('takes a body to no other origin', async () => {
    const { base, seen } = chain([`http://other.example:${openPort}/next`], 307);
    const client = egress({ allow: ['open.example', 'other.example'] });
    await assert.rejects(client.request({ url: base, method: 'POST', body: 'x' }), refused);
    assert.equal(seen.length, 1);
  });

  test('is followed only so often, to web addresses and open ports', async () => {
    const { base } = chain(Array.from({ length: 9 }, (_, hop) => `/${hop}`));
    await assert.rejects(egress().request({ url: base }), /redirects/);
    for (const location of [
      'file:///etc/passwd',
      'http://u:p@open.example/',
      'http://open.example:22/',
      'http://[',
      'ftp://open.example/',
    ]) {
      await assert.rejects(egress().request({ url: chain([location]).base }), refused, location);
    }
  });
});

describe('a response', () => {
  test('is cut at the limit', async () => {
    const url = reply((_request, response) => {
      const more = () => (response.write('x'.repeat(65_536)) ? setImmediate(more) : response.once('drain', more));
      response.on('error', () => {});
      more();
    });
    const { body, truncated } = await egress({ limits: { responseBytes: 100_000 } }).request({ url });
    assert.deepEqual([body.length, truncated], [100_000, true]);
  });

  test('that grows when unpacked is cut at the limit too', async () => {
    const bomb = Buffer.alloc(200 * 1024 * 1024);
    for (const [name, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      const packed = pack(name === 'br' ? bomb.subarray(0, 8 * 1024 * 1024) : bomb);
      const url = reply((_request, response) => void response.writeHead(200, { 'content-encoding': name }).end(packed));
      const before = process.memoryUsage().rss;
      const { body, truncated } = await egress({ limits: { responseBytes: 1024 } }).request({ url });
      assert.deepEqual([body.length, truncated], [1024, true]);
      assert.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024);
    }
  });

  test('that is not HTTP, is packed strangely or stops short is an error', async () => {
    const odd = reply((_request, response) => void response.writeHead(200, { 'content-encoding': 'zip' }).end('x'));
    await assert.rejects(egress().request({ url: odd }), refused);
    const bad = reply((_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'));
    await assert.rejects(egress().request({ url: bad }), refused);
    const short = reply((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x');
      setTimeout(() => response.destroy(), 20);
    });
    await assert.rejects(egress().request({ url: short }), refused);
    const raw = createTcp((socket) => socket.end('SSH-2.0-x\r\n')).listen(0, '127.0.0.1');
    await new Promise((resolve) => raw.once('listening', resolve));
    const { port: rawPort } = raw.address() as AddressInfo;
    await assert.rejects(egress({ ports: [rawPort] }).request({ url: `http://open.example:${rawPort}` }), refused);
    raw.close();
  });

  test('that takes too long is given up, whichever part of it', async () => {
    const limits = { deadlineMs: 100 };
    const never = reply(() => {});
    await assert.rejects(egress({ limits }).request({ url: never }), /longer than 100 ms/);
    const drip = reply((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    await assert.rejects(egress({ limits }).request({ url: drip }), /longer than 100 ms/);
    const unknown = egress({ limits, resolve: () => new Promise(() => {}) });
    await assert.rejects(unknown.request({ url: never }), /longer than 100 ms/);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('gone')), 50);
    await assert.rejects(egress().request({ url: never }, controller.signal), /gone/);
  });
});
