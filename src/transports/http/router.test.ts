import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitsWith } from '../../model/limits.ts';
import { silent } from '../../model/log.ts';
import type { Handler } from './exchange.ts';
import { createFetch } from './fetch-exchange.ts';
import { createRouter } from './router.ts';

const limits = limitsWith({ readerMs: 1000 });
const says =
  (text: string): Handler =>
  (exchange) =>
    exchange.reply(200, text);

async function visit(router: Handler, path: string): Promise<string> {
  const response = await createFetch(router, { limits, log: silent })(new Request(`http://localhost${path}`));
  return `${response.status} ${await response.text()}`;
}

describe('createRouter', () => {
  const router = createRouter([
    { path: '/mcp', handler: says('endpoint') },
    { path: '/mcp/discover', handler: says('discovery') },
    { path: '/', handler: says('page') },
    { path: '/slashed/', handler: says('slashed') },
  ]);

  for (const [path, found] of [
    ['/mcp', 'endpoint'],
    ['/mcp/', 'endpoint'],
    ['/mcp?a=/x', 'endpoint'],
    ['/mcp/discover', 'discovery'],
    ['/', 'page'],
    ['/?', 'page'],
    ['/slashed', 'slashed'],
    ['/slashed/', 'slashed'],
  ] as const) {
    it(`finds ${path}`, async () => assert.equal(await visit(router, path), `200 ${found}`));
  }

  for (const path of ['/mc', '/mcpx', '/MCP', '/mcp/x', '/mcp//', '/%6dcp', '/__proto__', '/constructor']) {
    it(`finds nothing at ${path}`, async () => {
      assert.equal(
        await visit(router, path),
        '404 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Nothing is here","data":{"reason":"path"}}}',
      );
    });
  }

  it('refuses two handlers for one path and paths that cannot be', () => {
    const at = (path: string) => ({ path, handler: says('') });
    assert.throws(() => createRouter([at('/a'), at('/a/')]), /"\/a\/".*already taken/);
    for (const path of ['', 'mcp', '/a?b', '/a#b', '/a b']) assert.throws(() => createRouter([at(path)]), TypeError);
  });
});
