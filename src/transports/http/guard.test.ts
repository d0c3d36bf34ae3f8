import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitsWith } from '../../model/limits.ts';
import { silent } from '../../model/log.ts';
import type { Handler } from './exchange.ts';
import { createFetch } from './fetch-exchange.ts';
import { type GuardOptions, guarded } from './guard.ts';
import { sendsJson, takesAnswer, takesMethod } from './refuse.ts';

type Options = Omit<GuardOptions, 'urlBytes'>;

const limits = limitsWith({ unreadBytes: 1024, readerMs: 1000 });
const answers: Handler = (exchange) => exchange.reply(200, '{}');

function send(
  options: Options,
  headers: Record<string, string>,
  { method = 'POST', path = '/mcp', handler = answers } = {},
): Promise<Response> {
  const fetch = createFetch(guarded(handler, { ...options, urlBytes: 100 }), { limits, log: silent });
  return fetch(new Request(`http://placeholder${path}`, { method, headers }));
}

function corsHeaders(response: Response): string[] {
  return [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));
}

const loopback: Options = { loopback: true };
const proxied: Options = { loopback: true, allowedHosts: ['mcp.example', 'other.example:8443', '::2'] };
const open: Options = { loopback: false };
const named: Options = { loopback: false, allowedHosts: ['mcp.example'], publicUrl: 'https://public.example/base' };

describe('guarded: the Host header', () => {
  const cases: readonly [string, Options, string, boolean][] = [
    ['loopback', loopback, 'localhost', true],
    ['loopback', loopback, 'localhost:8808', true],
    ['loopback', loopback, 'LOCALHOST:1', true],
    ['loopback', loopback, '127.0.0.1', true],
    ['loopback', loopback, '127.0.0.1:65535', true],
    ['loopback', loopback, '[::1]', true],
    ['loopback', loopback, '[::1]:8808', true],
    ['loopback', loopback, 'evil.example', false],
    ['loopback', loopback, 'localhost.evil.example', false],
    ['loopback', loopback, 'evil.example:8808', false],
    ['loopback', loopback, 'localhost:8808, evil.example', false],
    ['loopback', loopback, 'localhost, localhost', false],
    ['loopback', loopback, 'localhost@evil.example', false],
    ['loopback', loopback, 'evil.example#localhost', false],
    ['loopback', loopback, 'localhost:', false],
    ['loopback', loopback, 'localhost:x', false],
    ['loopback', loopback, 'localhost:123456', false],
    ['loopback', loopback, 'localhost.', false],
    ['loopback', loopback, '127.0.0.1.nip.example', false],
    ['loopback', loopback, '127.0.0.2', false],
    ['loopback', loopback, '0.0.0.0', false],
    ['loopback', loopback, '::1', false],
    ['loopback', loopback, '[::2]', false],
    ['loopback with names', proxied, 'mcp.example', true],
    ['loopback with names', proxied, 'mcp.example:443', true],
    ['loopback with names', proxied, 'other.example:8443', true],
    ['loopback with names', proxied, 'other.example', false],
    ['loopback with names', proxied, 'other.example:1', false],
    ['loopback with names', proxied, '[::2]:80', true],
    ['loopback with names', proxied, 'localhost', true],
    ['loopback with names', proxied, 'sub.mcp.example', false],
    ['a network without names', open, 'anything.example', true],
    ['a network with names', named, 'mcp.example', true],
    ['a network with names', named, 'public.example', true],
    ['a network with names', named, 'localhost', false],
    ['a network with names', named, '10.0.0.1', false],
  ];
  for (const [bind, options, host, taken] of cases) {
    it(`${taken ? 'takes' : 'refuses'} ${JSON.stringify(host)} on ${bind}`, async () => {
      const response = await send(options, { host });
      assert.equal(response.status, taken ? 200 : 403);
      if (taken) return;
      const { jsonrpc, error, ...rest } = (await response.json()) as Record<string, { message: string }>;
      assert.deepEqual([jsonrpc, rest], ['2.0', {}]);
      assert.match(error?.message ?? '', /--allowed-hosts/);
    });
  }

  it('refuses again after it took a name, and takes again after it refused one', async () => {
    const fetch = createFetch(guarded(answers, { ...loopback, urlBytes: 100 }), { limits, log: silent });
    for (const [host, status] of [
      ['localhost', 200],
      ['localhost', 200],
      ['evil.example', 403],
      ['localhost', 200],
      ['localhost.', 403],
    ] as const) {
      assert.equal((await fetch(new Request('http://placeholder/', { headers: { host } }))).status, status);
    }
  });

  it('repeats only the start of a long name', async () => {
    const { error } = (await (await send(loopback, { host: 'x'.repeat(5000) })).json()) as {
      error: { message: string };
    };
    assert.ok(error.message.length < 300);
  });
});

describe('guarded: the Origin header', () => {
  const app: Options = { loopback: true, allowedOrigins: ['https://app.example', 'http://dev.example:3000/'] };
  const web: Options = { ...named, allowedOrigins: ['https://app.example'] };
  const cases: readonly [string, Options, string, string, boolean][] = [
    ['loopback', loopback, 'localhost:8808', 'http://localhost:8808', true],
    ['loopback', loopback, 'localhost:8808', 'http://localhost:6274', true],
    ['loopback', loopback, 'localhost:8808', 'https://127.0.0.1', true],
    ['loopback', loopback, '127.0.0.1', 'http://[::1]:3000', true],
    ['loopback', loopback, 'localhost', 'null', false],
    ['loopback', loopback, 'localhost', '', false],
    ['loopback', loopback, 'localhost', 'http://evil.example', false],
    ['loopback', loopback, 'localhost', 'http://localhost.evil.example', false],
    ['loopback', loopback, 'localhost', 'http://localhost@evil.example', false],
    ['loopback', loopback, 'localhost', 'http://localhost/path', false],
    ['loopback', loopback, 'localhost', 'http://localhost, http://evil.example', false],
    ['loopback', loopback, 'localhost', 'file://localhost', false],
    ['loopback', loopback, 'localhost', 'chrome-extension://abc', false],
    ['loopback', loopback, 'localhost', 'localhost', false],
    ['loopback behind a proxy', proxied, 'mcp.example', 'https://mcp.example', true],
    ['loopback behind a proxy', proxied, 'mcp.example', 'https://other.example', false],
    ['loopback with origins', app, 'localhost', 'https://app.example', true],
    ['loopback with origins', app, 'localhost', 'HTTPS://APP.example', true],
    ['loopback with origins', app, 'localhost', 'http://app.example', false],
    ['loopback with origins', app, 'localhost', 'https://app.example:444', false],
    ['loopback with origins', app, 'localhost', 'https://sub.app.example', false],
    ['loopback with origins', app, 'localhost', 'http://dev.example:3000', true],
    ['a network', open, 'rebound.example', 'http://rebound.example', false],
    ['a network', open, 'rebound.example', 'http://localhost', false],
    ['a network', { ...open, publicUrl: 'https://public.example' }, 'public.example', 'https://public.example', true],
    ['a network with names', named, 'mcp.example', 'https://mcp.example', true],
    ['a network with names', named, 'mcp.example', 'http://localhost:3000', false],
    ['a network with names', web, 'mcp.example', 'https://app.example', true],
  ];
  for (const [bind, options, host, origin, taken] of cases) {
    const [verb, status] = taken ? ['takes', 200] : ['refuses', 403];
    it(`${verb} ${JSON.stringify(origin)} at ${host} on ${bind}, whatever the method`, async () => {
      for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS']) {
        const response = await send(options, { host, origin }, { method });
        assert.equal(response.status, status, method);
        if (taken) continue;
        assert.match(await response.text(), /--allowed-origins/);
        assert.deepEqual(corsHeaders(response), []);
      }
    });
  }

  it('refuses what cannot be a host or an origin when it is configured', () => {
    for (const origin of ['*', 'null', 'app.example', 'https://app.example/path', 'https://app.example?x', '']) {
      assert.throws(
        () => guarded(answers, { ...loopback, urlBytes: 1, allowedOrigins: [origin] }),
        /Cannot allow the origin/,
      );
    }
    for (const host of ['*', 'http://mcp.example', 'mcp.example/path', 'a b', '', 'user@mcp.example', 'mcp.example:']) {
      assert.throws(
        () => guarded(answers, { ...loopback, urlBytes: 1, allowedHosts: [host] }),
        /Cannot allow the host/,
      );
    }
  });
});

describe('guarded: pages of other origins', () => {
  const options: Options = { loopback: true, allowedOrigins: ['https://app.example'] };
  const ask = { 'access-control-request-method': 'POST' };
  const page = { host: 'localhost', origin: 'https://app.example' };

  it('answers the preflight of a configured origin with everything the protocol needs', async () => {
    const wanted = { 'access-control-request-headers': 'content-type, mcp-param-region, x-evil' };
    const response = await send(options, { ...page, ...ask, ...wanted }, { method: 'OPTIONS' });
    assert.equal(response.status, 204);
    assert.equal(await response.text(), '');
    assert.equal(response.headers.get('access-control-allow-origin'), 'https://app.example');
    assert.equal(response.headers.get('access-control-allow-methods'), 'GET, POST, DELETE, OPTIONS');
    assert.match(response.headers.get('vary') ?? '', /\borigin\b/);
    assert.equal(response.headers.get('access-control-allow-credentials'), null);
    const allowed = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ');
    for (const name of [
      'content-type',
      'accept',
      'authorization',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'mcp-session-id',
      'last-event-id',
      'mcp-param-region',
    ]) {
      assert.ok(allowed.includes(name), name);
    }
    assert.ok(!allowed.includes('x-evil'));
  });

  it('lets a page of a configured origin read every answer, streams and refusals too', async () => {
    const kinds: Record<string, Handler> = {
      reply: answers,
      refusal: (exchange) => void takesMethod(exchange, ['GET']),
      stream: (exchange) => exchange.stream({ 'mcp-session-id': 'x' }).end(),
      varied: (exchange) => exchange.reply(200, '{}', { vary: 'accept' }),
    };
    for (const [kind, handler] of Object.entries(kinds)) {
      const { headers } = await send(options, page, { handler });
      assert.equal(headers.get('access-control-allow-origin'), 'https://app.example', kind);
      assert.match(headers.get('access-control-expose-headers') ?? '', /Mcp-Session-Id/, kind);
      assert.match(headers.get('access-control-expose-headers') ?? '', /WWW-Authenticate/, kind);
      assert.equal(headers.get('vary'), kind === 'varied' ? 'accept, origin' : 'origin', kind);
    }
  });

  it('passes everything else of the exchange through', async () => {
    const handler: Handler = async (exchange) => {
      exchange.principal = { id: 'p', scopes: [] };
      exchange.onGone(() => {});
      const { method, path, query, remote, principal } = exchange;
      const body = String(await exchange.body(100));
      exchange.reply(200, JSON.stringify([method, path, query, remote, principal?.id, exchange.header('x-a'), body]));
    };
    const fetch = createFetch(guarded(handler, { ...options, urlBytes: 100 }), { limits, log: silent });
    const response = await fetch(
      new Request('http://placeholder/mcp?q=1', { method: 'POST', headers: { ...page, 'x-a': 'b' }, body: 'hello' }),
    );
    assert.deepEqual(await response.json(), ['POST', '/mcp', 'q=1', '', 'p', 'b', 'hello']);
  });

  it('says nothing to browsers unless an origin is configured', async () => {
    for (const headers of [{ host: 'localhost' }, { host: 'localhost', origin: 'http://localhost:3000' }]) {
      const response = await send(loopback, headers as Record<string, string>);
      assert.equal(response.status, 200);
      assert.deepEqual(corsHeaders(response), []);
      assert.equal(response.headers.get('vary'), null);
    }
  });

  it('refuses the preflight of an origin nobody configured, and names the setting', async () => {
    for (const origin of ['http://localhost:3000', 'https://evil.example', 'null']) {
      const response = await send(options, { host: 'localhost', origin, ...ask }, { method: 'OPTIONS' });
      assert.equal(response.status, 403);
      assert.match(await response.text(), /--allowed-origins/);
      assert.deepEqual(corsHeaders(response), []);
    }
  });

  it('never answers with a wildcard', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await send(options, { ...page, ...ask }, { method });
      for (const [name, value] of response.headers) assert.notEqual(value, '*', name);
    }
  });
});

describe('what a request must be like', () => {
  it('refuses an address over its limit', async () => {
    assert.equal((await send(loopback, { host: 'localhost' }, { path: `/${'x'.repeat(99)}` })).status, 200);
    assert.equal((await send(loopback, { host: 'localhost' }, { path: `/${'x'.repeat(100)}` })).status, 414);
    assert.equal((await send(loopback, { host: 'localhost' }, { path: `/?${'x'.repeat(100)}` })).status, 414);
  });

  it('names the methods there are', async () => {
    const handler: Handler = (exchange) => {
      if (takesMethod(exchange, ['GET', 'POST'])) exchange.reply(200, '{}');
    };
    assert.equal((await send(loopback, { host: 'localhost' }, { handler })).status, 200);
    const response = await send(loopback, { host: 'localhost' }, { handler, method: 'PUT' });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'GET, POST');
  });

  it('reads the content type by its media type', async () => {
    const handler: Handler = (exchange) => {
      if (sendsJson(exchange)) exchange.reply(200, '{}');
    };
    for (const [type, status] of [
      ['application/json', 200],
      ['application/json; charset=utf-8', 200],
      ['text/plain; x=application/json', 415],
      ['text/plain', 415],
      ['application/x-www-form-urlencoded', 415],
    ] as const) {
      assert.equal(
        (await send(loopback, { host: 'localhost', 'content-type': type }, { handler })).status,
        status,
        type,
      );
    }
    assert.equal((await send(loopback, { host: 'localhost' }, { handler })).status, 415);
  });

  it('refuses a client that takes no form of answer there is', async () => {
    const handler: Handler = (exchange) => {
      if (takesAnswer(exchange, ['events'])) exchange.reply(200, '{}');
    };
    for (const [accept, status] of [
      ['text/event-stream', 200],
      ['*/*', 200],
      ['application/json', 406],
      ['text/html', 406],
    ] as const) {
      assert.equal((await send(loopback, { host: 'localhost', accept }, { handler })).status, status, accept);
    }
  });
});
