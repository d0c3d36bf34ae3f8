import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { clientName, setups, shellQuote } from './setups.ts';

const URL_GIVEN = 'http://127.0.0.1:8808/mcp';
const NEWEST = { handshake: '2025-11-25', everyRequest: '2026-07-28' };
const of = (client: string, url = URL_GIVEN) =>
  setups({ name: 'demo', url, newest: NEWEST }).find((setup) => setup.client === client)?.text ?? '';

/** What a shell makes of a command, argument by argument. */
function words(command: string): string[] {
  const text = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' });
  return text.split('\0').slice(0, -1);
}

describe('setups', () => {
  it('gives each client the text it reads', () => {
    assert.equal(of('Claude Code'), `claude mcp add --transport http demo ${URL_GIVEN}`);
    assert.equal(of('Gemini CLI'), `gemini mcp add --transport http demo ${URL_GIVEN}`);
    assert.equal(of('Parley'), `npx parley-mcp list ${URL_GIVEN}`);
    assert.equal(of('Codex'), `[mcp_servers.demo]\nurl = "${URL_GIVEN}"`);
    assert.deepEqual(JSON.parse(of('Cursor')), { mcpServers: { demo: { url: URL_GIVEN } } });
    assert.deepEqual(JSON.parse(of('VS Code')), { servers: { demo: { type: 'http', url: URL_GIVEN } } });
    assert.deepEqual(JSON.parse(of('Claude Desktop')), {
      mcpServers: { demo: { command: 'npx', args: ['-y', 'mcp-remote', URL_GIVEN] } },
    });
  });

  for (const [url, flags] of [
    ['http://127.0.0.1:8808/mcp', []],
    ['http://localhost:8808/mcp', []],
    ['https://tools.example/mcp', []],
    ['http://tools.example/mcp', ['--allow-http']],
    ['http://localhost.example/mcp', ['--allow-http']],
  ] as const) {
    it(`gives the bridge of Claude Desktop ${flags.length === 0 ? 'no' : 'a'} flag for ${url}`, () => {
      const { args } = (JSON.parse(of('Claude Desktop', url)) as { mcpServers: { demo: { args: string[] } } })
        .mcpServers.demo;
      assert.deepEqual(args.slice(2), [url, ...flags]);
    });
  }

  it('writes a request of the newest stateless revision whose headers and body agree', () => {
    const [command, , url, ...rest] = words(of('curl, 2026-07-28'));
    assert.deepEqual([command, url], ['curl', URL_GIVEN]);
    assert.ok(rest.includes('MCP-Protocol-Version: 2026-07-28'));
    const body = JSON.parse(rest.at(-1) ?? '') as { method: string; params: { _meta: Record<string, unknown> } };
    assert.ok(rest.includes(`Mcp-Method: ${body.method}`));
    assert.equal(body.params._meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
    assert.deepEqual(body.params._meta['io.modelcontextprotocol/clientCapabilities'], {});
  });

  it('writes a handshake of the newest revision that has one, and shows the headers of the answer', () => {
    const all = words(of('curl, 2025-11-25'));
    assert.equal(all[1], '-si');
    const body = JSON.parse(all.at(-1) ?? '') as { method: string; params: { protocolVersion: string } };
    assert.equal(body.method, 'initialize');
    assert.equal(body.params.protocolVersion, '2025-11-25');
    assert.ok(!all.some((word) => word.startsWith('MCP-Protocol-Version')));
  });

  it('leaves out the era that is not spoken', () => {
    const clients = setups({ name: 'demo', url: URL_GIVEN, newest: { handshake: '2025-11-25' } });
    assert.deepEqual(
      clients.filter(({ client }) => client.startsWith('curl')).map(({ client }) => client),
      ['curl, 2025-11-25'],
    );
  });

  it('keeps a hostile address one word of the shell', () => {
    const url = 'http://x/\'$(touch /tmp/owned)`id`;rm -rf $HOME&"';
    assert.deepEqual(words(of('Claude Code', url)).slice(-1), [url]);
    assert.equal(words(of('curl, 2026-07-28', url))[2], url);
  });
});

describe('shellQuote', () => {
  it('gives back any text through a shell as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'\'"$`\\ \n;&|<>*?~#!(){}aé') }), (text) => {
        assert.deepEqual(words(shellQuote(text)), [text]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('clientName', () => {
  for (const [given, wanted] of [
    ['hyperserve', 'hyperserve'],
    ['Team Tools (EU)', 'team-tools-eu'],
    ['"; rm -rf / #', 'rm-rf'],
    ['日本', 'server'],
    ['', 'server'],
    ['--help', 'help'],
  ] as const) {
    it(`makes "${wanted}" of ${JSON.stringify(given)}`, () => assert.equal(clientName(given), wanted));
  }

  it('is short and plain whatever is given', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (name) => /^[a-z0-9][a-z0-9-]{0,39}$/.test(clientName(name))));
  });
});
