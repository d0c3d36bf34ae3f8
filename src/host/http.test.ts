import assert from 'node:assert/strict';
import { createServer as createNodeServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createAuthenticator } from '../auth/auth.ts';
import { createStaticTokens } from '../auth/static-tokens.ts';
import { createServer } from '../catalog/server.ts';
import { limitsWith } from '../model/limits.ts';
import { silent } from '../model/log.ts';
import type { Handler } from '../transports/http/exchange.ts';
import { serveHttp } from './http.ts';
import { createHttpHandler } from './http-handler.ts';

const host = { limits: limitsWith({ drainMs: 200 }), log: silent };
const answers: Handler = (exchange) => exchange.reply(200, `{"at":"${exchange.path}"}`);
const routes = [
  { path: '/mcp', handler: answers },
  { path: '/readyz', handler: answers, exempt: 'all' as const },
  { path: '/about', handler: answers, exempt: 'access' as const },
];

/** `fetch` does not let a caller choose the Host. */
function get(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

function greeter() {
  const server = createServer({ name: 'greeter', version: '1.0.0' });
  server.tool('hello', { description: 'Greets' }, () => 'Hello');
  return server;
}

const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hello', arguments: {} } });
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe('serveHttp', () => {
  it('guards every route but the probes, and every path there is none at', async () => {
    const server = await serveHttp(host, { host: '127.0.0.1', port: 0, routes });
    try {
      for (const [path, own, foreign] of [
        ['/mcp', 200, 403],
        ['/about', 200, 403],
        ['/nothing', 404, 403],
        ['/readyz', 200, 200],
        ['/readyz/', 200, 200],
      ] as const) {
        assert.equal(await get(`${server.url}${path}`, {}), own, path);
        assert.equal(await get(`${server.url}${path}`, { host: 'evil.example' }), foreign, path);
        assert.equal(await get(`${server.url}${path}`, { origin: 'http://evil.example' }), foreign, path);
      }
    } finally {
      await server.close();
    }
  });

  it('takes names and origins that were allowed', async () => {
    const doors = {
      allowedHosts: ['mcp.example'],
      allowedOrigins: ['https://app.example'],
      publicUrl: 'https://me.example',
    };
    const server = await serveHttp(host, { host: '127.0.0.1', port: 0, routes, ...doors });
    try {
      for (const name of ['mcp.example', 'me.example'])
        assert.equal(await get(`${server.url}/mcp`, { host: name }), 200);
      assert.equal(await get(`${server.url}/mcp`, { origin: 'https://app.example' }), 200);
    } finally {
      await server.close();
    }
  });

  it('refuses to open the door to everyone', async () => {
    await assert.rejects(serveHttp(host, { host: '127.0.0.1', port: 0, routes, allowedOrigins: ['*'] }), TypeError);
    await assert.rejects(serveHttp(host, { host: '0.0.0.0', port: 0, routes }), /--allow-unauthenticated/);
  });
});

describe('createHttpHandler', () => {
  it('serves a server over fetch', async () => {
    const handler = await createHttpHandler(greeter());
    const response = await handler.fetch(
      new Request('https://any.example/anywhere', { method: 'POST', headers, body: call }),
    );
    assert.equal(response.status, 200);
    assert.match(await response.text(), /Hello/);
    await handler.close();
  });

  it('serves a server in a program that listens itself, also behind its body parser', async () => {
    const handler = await createHttpHandler(greeter());
    const parsing = createNodeServer(async (incoming, response) => {
      if (incoming.url === '/parsed') {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        Object.assign(incoming, { body: JSON.parse(Buffer.concat(chunks).toString()) });
      }
      handler.listener(incoming, response);
    });
    await new Promise<void>((resolve) => parsing.listen(0, '127.0.0.1', resolve));
    const { port } = parsing.address() as AddressInfo;
    try {
      for (const path of ['/plain', '/parsed']) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: call });
        assert.match(await response.text(), /Hello/, path);
      }
    } finally {
      await handler.close();
      parsing.closeAllConnections();
      await new Promise((resolve) => parsing.close(resolve));
    }
  });

  it('limits the rate of those whose address nobody tells it together', async () => {
    const handler = await createHttpHandler(greeter(), { rateLimit: { perSecond: 0.01, burst: 2 } });
    const post = () => handler.fetch(new Request('https://any.example/', { method: 'POST', headers, body: call }));
    const statuses = [(await post()).status, (await post()).status, (await post()).status];
    assert.deepEqual(statuses, [200, 200, 429]);
    await handler.close();
  });

  it('refuses a rate no bucket can keep', async () => {
    await assert.rejects(createHttpHandler(greeter(), { rateLimit: { perSecond: 1, burst: 0 } }), RangeError);
  });

  it('checks who asks, and shows them what they may see', async () => {
    const server = greeter();
    server.tool('wipe', { scopes: ['admin'] }, () => 'wiped');
    const authenticator = createAuthenticator({
      verifiers: [createStaticTokens([{ id: 'ada', token: 'a-token-long-enough' }])],
      tokenBytes: 100,
    });
    const access = { authenticator, issuers: ['https://as.example'] };
    await assert.rejects(createHttpHandler(server, { access }), /publicUrl/);
    const handler = await createHttpHandler(server, { access, publicUrl: 'https://any.example/mcp' });
    const ask = (token: string) =>
      handler.fetch(
        new Request('https://any.example/mcp', {
          method: 'POST',
          headers: { ...headers, authorization: `Bearer ${token}` },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        }),
      );
    const refused = await ask('wrong');
    assert.equal(refused.status, 401);
    const metadata = 'https://any.example/.well-known/oauth-protected-resource/mcp';
    assert.ok(refused.headers.get('www-authenticate')?.includes(metadata));
    const document = (await (await handler.fetch(new Request(metadata))).json()) as { resource: string };
    assert.equal(document.resource, 'https://any.example/mcp');
    const text = await (await ask('a-token-long-enough')).text();
    assert.match(text, /hello/);
    assert.doesNotMatch(text, /wipe/);
    await handler.close();
  });

  it('refuses pages nobody allowed', async () => {
    const handler = await createHttpHandler(greeter(), { allowedOrigins: ['https://app.example'] });
    const from = (origin: string) =>
      handler.fetch(
        new Request('https://any.example/', { method: 'POST', headers: { ...headers, origin }, body: call }),
      );
    assert.equal((await from('https://any.example')).status, 403);
    const allowed = await from('https://app.example');
    assert.equal(allowed.status, 200);
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example');
    await handler.close();
  });
});
