import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/model/json.ts';
import type { Heard } from './heard.ts';
import { textIn } from './http-peer.ts';
import { obligation } from './obligation.ts';

async function assertMismatch(heard: Heard, what: unknown, id: unknown): Promise<void> {
  assert.equal(heard.status, 400, JSON.stringify(what));
  const { error, id: answered } = await heard.json();
  assert.equal((error as JsonObject)['code'], -32020, JSON.stringify(what));
  assert.equal(answered, id);
}

function encoded(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

obligation('HTTP-26', 'a version header that is missing or differs from the message is refused', async (_, peer) => {
  for (const version of ['', '2025-11-25', '2025-03-26', '2026-07-29', 'x', '2026-07-28, 2026-07-28']) {
    const heard = await peer.request('tools/list', {}, { id: 5, headers: { 'mcp-protocol-version': version } });
    await assertMismatch(heard, version, 5);
  }
  const spaced = await peer.request('tools/list', {}, { headers: { 'mcp-protocol-version': '  2026-07-28\t' } });
  assert.equal(spaced.status, 200);
});

obligation(
  'HTTP-27',
  'a method header that is missing or differs is refused; its value has a case',
  async (_, peer) => {
    for (const method of ['', 'tools/call', 'Tools/List', 'tools/list,tools/list', 'tools%2Flist']) {
      const heard = await peer.request('tools/list', {}, { id: 'm', headers: { 'mcp-method': method } });
      await assertMismatch(heard, method, 'm');
    }
    const shouted = { 'mcp-method': '', 'MCP-METHOD': ' tools/list ' };
    assert.equal((await peer.request('tools/list', {}, { headers: shouted })).status, 200);
  },
);

obligation('HTTP-27', 'a name header that is missing, differs or cannot be read is refused', async (_, peer) => {
  const named: [string, JsonObject, string][] = [
    ['tools/call', { name: 'echo', arguments: { text: 'x' } }, 'echo'],
    ['prompts/get', { name: 'gallery' }, 'gallery'],
    ['resources/read', { uri: 'test://text' }, 'test://text'],
  ];
  for (const [method, params, name] of named) {
    const wrong = [
      '',
      'other',
      name.toUpperCase(),
      encoded('other'),
      '=?base64?!!!?=',
      '=?base64?/w==?=',
      `${encoded(name)} x`,
    ];
    for (const value of wrong) {
      const heard = await peer.request(method, params, { id: 0, headers: { 'mcp-name': value } });
      await assertMismatch(heard, [method, value], 0);
    }
    for (const value of [name, `  ${name} `, encoded(name)]) {
      const heard = await peer.request(method, params, { headers: { 'mcp-name': value } });
      assert.equal(heard.status, 200, `${method} ${value}`);
    }
  }
});

obligation('HTTP-27', 'a name header counts where the message has a name, and nowhere else', async (_, peer) => {
  const heard = await peer.request('tools/list', {}, { headers: { 'mcp-name': 'anything' } });
  assert.equal(heard.status, 200);
  const nameless = await peer.request('tools/call', {}, { headers: { 'mcp-name': 'echo' } });
  assert.equal(((await nameless.json())['error'] as JsonObject)['code'], -32602);
});

obligation('HTTP-28', 'parameter headers equal their arguments, in the plain and the encoded form', async (_, peer) => {
  const call = (input: JsonObject, headers: Record<string, string>) => peer.call('here', input, { id: 9, headers });
  for (const [input, headers] of [
    [{ region: 'north' }, { 'mcp-param-region': 'north' }],
    [{ region: 'north' }, { 'Mcp-Param-Region': ' north ' }],
    [{ region: ' Zürich' }, { 'mcp-param-region': encoded(' Zürich') }],
    [{ region: '=?base64?eA==?=' }, { 'mcp-param-region': encoded('=?base64?eA==?=') }],
    [{ floor: 3 }, { 'mcp-param-floor': '3' }],
    [{ floor: 3 }, { 'mcp-param-floor': '3.0' }],
    [{ open: true }, { 'mcp-param-open': 'true' }],
    [{}, { 'mcp-param-region': 'ignored' }],
    [{}, {}],
  ] as [JsonObject, Record<string, string>][]) {
    const heard = await call(input, headers);
    assert.equal(heard.status, 200, JSON.stringify([input, headers]));
    assert.match(textIn(await heard.json()), /\d$/);
  }
  for (const [input, headers] of [
    [{ region: 'north' }, {}],
    [{ region: 'north' }, { 'mcp-param-region': 'south' }],
    [{ region: 'north' }, { 'mcp-param-region': 'North' }],
    [{ region: 'north' }, { 'mcp-param-region': '=?base64?%%?=' }],
    [{ region: 'north' }, { 'mcp-param-region': 'north, north' }],
    [{ region: '' }, {}],
    [{ floor: 3 }, { 'mcp-param-floor': '4' }],
    [{ floor: 3 }, { 'mcp-param-floor': 'three' }],
    [{ floor: 0 }, {}],
    [{ open: false }, {}],
    [{ open: true }, { 'mcp-param-open': 'TRUE' }],
    [{ region: 'north', floor: 3 }, { 'mcp-param-region': 'north' }],
  ] as [JsonObject, Record<string, string>][])
    await assertMismatch(await call(input, headers), [input, headers], 9);
});
