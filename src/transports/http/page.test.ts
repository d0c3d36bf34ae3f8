import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exchanged, type FakeRequest } from '../../../test/http/fake-exchange.ts';
import { html } from './html.ts';
import { createPage, type PageOptions } from './page.ts';

const OPTIONS: PageOptions = {
  server: { name: 'demo', title: 'Demo tools', version: '1.2.3' },
  instructions: 'Ask before you delete',
  revisions: [
    { id: '2026-07-28', opens: 'every-request' },
    { id: '2025-11-25', opens: 'handshake' },
  ],
  endpoint: '/mcp',
  transports: ['Streamable HTTP'],
  offered: () => ({ tools: ['tool_a', 'tool_b', 'tool_c'], resources: [], prompts: ['greet_x'] }),
};
const KNOWN = { id: 'ada', scopes: [] };

async function page(changes: Partial<PageOptions> = {}, request: FakeRequest = {}) {
  const exchange = await exchanged(createPage({ ...OPTIONS, ...changes }), {
    headers: { host: 'localhost:8808' },
    ...request,
  });
  return { ...exchange, text: exchange.text ?? '', sent: exchange.sent, status: exchange.status };
}

describe('createPage', () => {
  it('says what the server is and how to reach it', async () => {
    const { status, text, sent } = await page();
    assert.equal(status, 200);
    assert.equal(sent['content-type'], 'text/html; charset=utf-8');
    for (const part of ['Demo tools', 'demo', '1.2.3', 'Ask before you delete', '2026-07-28, 2025-11-25']) {
      assert.ok(text.includes(part), part);
    }
    assert.ok(text.includes('claude mcp add --transport http demo http://localhost:8808/mcp'));
    assert.match(text, /<dt>Tools<\/dt><dd>3<\/dd>/);
  });

  it('allows its own style and nothing else', async () => {
    const { text, sent } = await page();
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = sent['content-security-policy'] ?? '';
    assert.ok(policy.includes(`style-src 'sha256-${hash}'`));
    assert.ok(policy.startsWith("default-src 'none'"));
    assert.ok(policy.includes("frame-ancestors 'none'"));
    assert.doesNotMatch(policy, /unsafe|\*|script-src/);
    assert.doesNotMatch(text, /<script|<img|\son[a-z]+=|\sstyle=|src=|@import|url\(/i);
  });

  it('has one first heading, a language, and headings in order', async () => {
    const { text } = await page();
    assert.match(text, /^<!doctype html>\n<html lang="en">/);
    const levels = [...text.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    assert.equal(levels.filter((level) => level === 1).length, 1);
    levels.reduce((before, level) => {
      assert.ok(level <= before + 1);
      return level;
    }, 0);
  });

  const HOSTILE = '</title></style><script>alert(1)</script><img src=x onerror=alert(1)>"\'&\u202e\0';
  for (const place of ['name', 'title', 'version', 'description'] as const) {
    it(`escapes a hostile ${place} of the server`, async () => {
      const { text } = await page({ server: { ...OPTIONS.server, [place]: HOSTILE } });
      const plain = await page({ server: { ...OPTIONS.server, [place]: 'plain' } });
      assert.deepEqual(tags(text), tags(plain.text));
      assert.ok(text.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
      assert.doesNotMatch(text, /\u202e|\0/);
    });
  }

  it('escapes hostile instructions, items, transports and endpoints', async () => {
    const items = { tools: [HOSTILE], resources: [HOSTILE], prompts: [HOSTILE] };
    const plain = { tools: ['a'], resources: ['a'], prompts: ['a'] };
    const hostile = { instructions: HOSTILE, transports: [HOSTILE], endpoint: `/${HOSTILE}`, offered: () => items };
    const { text } = await page({ ...hostile, policy: 'public' });
    assert.deepEqual(tags(text), tags((await page({ policy: 'public', offered: () => plain })).text));
  });

  for (const host of ['x"><script>', 'a b', '$(id)', "a'b", 'a\\b', 'user@evil', 'a:999999', '', '[::1', 'a/b']) {
    it(`takes no address from the Host header ${JSON.stringify(host)}`, async () => {
      const { text } = await page({}, { headers: { host } });
      assert.ok(text.includes('<code>http://localhost/mcp</code>'));
      if (host !== '') assert.ok(!text.includes(`//${host}`));
    });
  }

  for (const [headers, url] of [
    [{ host: '[::1]:8808' }, 'http://[::1]:8808/mcp'],
    [{ host: 'tools.example', 'x-forwarded-proto': 'https' }, 'https://tools.example/mcp'],
    [{ host: 'tools.example', 'x-forwarded-proto': 'javascript' }, 'http://tools.example/mcp'],
    [{}, 'http://localhost/mcp'],
  ] as const) {
    it(`shows ${url} for ${JSON.stringify(headers)}`, async () => {
      assert.ok((await page({}, { headers })).text.includes(`<code>${url}</code>`));
    });
  }

  for (const publicUrl of ['https://mcp.example.com', 'https://mcp.example.com/', 'https://mcp.example.com/mcp']) {
    it(`prefers the public address ${publicUrl} over what the request says`, async () => {
      const { text } = await page({ publicUrl }, { headers: { host: 'inside:1' } });
      assert.ok(text.includes('<code>https://mcp.example.com/mcp</code>'));
      assert.ok(!text.includes('inside:1'));
    });
  }

  const table = [
    { policy: 'public', principal: undefined, counts: true, names: true },
    { policy: 'counts', principal: KNOWN, counts: true, names: false },
    { policy: 'authenticated', principal: undefined, counts: true, names: false },
    { policy: 'authenticated', principal: KNOWN, counts: true, names: true },
    { policy: 'none', principal: KNOWN, counts: false, names: false },
  ] as const;
  for (const { policy, principal, counts, names } of table) {
    const who = principal === undefined ? 'a stranger' : 'a known principal';
    it(`with policy "${policy}" shows ${who} ${names ? 'names' : counts ? 'numbers' : 'nothing'} of what is on offer`, async () => {
      const { text } = await page({ policy }, { principal });
      assert.equal(text.includes('tool_b'), names);
      assert.equal(text.includes('<dt>Tools</dt>'), counts);
      assert.equal(text.includes('Ask before you delete'), counts);
    });
  }

  it('names a hundred items and counts the rest', async () => {
    const tools = Array.from({ length: 250 }, (_, index) => `tool_${index}`);
    const { text } = await page({ policy: 'public', offered: () => ({ tools, resources: [], prompts: [] }) });
    assert.ok(text.includes('tool_99<') && !text.includes('tool_100<') && text.includes('and 150 more'));
  });

  it('says that a token is needed only where one is', async () => {
    assert.ok((await page({ secured: true })).text.includes('Authorization: Bearer'));
    assert.ok(!(await page()).text.includes('Authorization: Bearer'));
  });

  it('is kept by nobody, because it depends on who asks and by which name', async () => {
    assert.equal((await page()).sent['cache-control'], 'no-store');
  });
});

describe('html', () => {
  it('lets no value end the element or the attribute it stands in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const { text } = html`<p title="${value}">${value}</p>`;
        assert.match(text, /^<p title="[^"<>]*">[^<>]*<\/p>$/);
      }),
    );
  });
});

function tags(text: string): string[] {
  return [...text.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
}
