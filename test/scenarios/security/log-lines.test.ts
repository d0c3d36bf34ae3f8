import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { send } from '../http/heard.ts';
import { HttpPeer } from '../http/http-peer.ts';
import { MODERN, NEWEST_LEGACY } from '../revisions.ts';
import { serveCommand } from './served.ts';

const FORGED = '\n{"level":"error","message":"forged","time":"2026"}\r\n\u001b[2J\u2028\u202e';

test('nothing a client sends over HTTP makes a line of the log or the audit its own', async () => {
  const served = await serveCommand(['--audit', 'stderr'], { PARLEY_LOG_LEVEL: 'debug' });
  try {
    const { port } = served;
    const modern = new HttpPeer(MODERN, port);
    const post = (body: unknown, headers: Record<string, string> = {}) => {
      const given = modern.headersFor(body as never);
      const { 'mcp-name': _, ...rest } = given;
      const name = { 'mcp-name': `=?base64?${Buffer.from(FORGED).toString('base64')}?=` };
      return send(port, {
        method: 'POST',
        path: '/mcp',
        headers: { ...rest, ...name, ...headers },
        body: JSON.stringify(body),
      });
    };
    await (await post(modern.message('tools/call', { name: FORGED, arguments: { [FORGED]: FORGED } }))).text();
    await (await post(modern.message('resources/read', { uri: FORGED }))).text();
    await (await post(modern.message(FORGED), { 'mcp-method': 'x' })).text();
    const older = new HttpPeer(NEWEST_LEGACY, port);
    const clientInfo = { name: FORGED, version: FORGED };
    const hello = { protocolVersion: FORGED, capabilities: { [FORGED]: {} }, clientInfo };
    const opened = await older.request('initialize', hello);
    await opened.text();
    older.session = opened.headers['mcp-session-id'] as string;
    await (await older.call(FORGED)).text();
    for (const headers of [
      { 'mcp-session-id': '"}{"level":"error"}' },
      { 'mcp-protocol-version': '"}\\n{"' },
      { 'last-event-id': '"},{"' },
      { authorization: 'Bearer "},{"' },
      { host: '"}{"' },
      { origin: '"}{"' },
      { 'user-agent': '\u00e9\u0085"}{"' },
    ] as Record<string, string>[])
      await (await send(port, { method: 'POST', path: '/%0d%0a%1b[2J?%0a', headers, body: FORGED })).text();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    socket.end(`GET /\u0001\n${FORGED} HTTP/9.9\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    const last = new HttpPeer(MODERN, port);
    await (await last.call('hello', { name: 'the-very-last-call' })).text();
    await served.said('"outcome":"ok"');
    const lines = served.lines();
    const entries = lines.slice(lines.findIndex((line) => line.startsWith('{')));
    assert.ok(entries.length > 5, `${entries.length} lines`);
    for (const line of entries) {
      if (!line.startsWith('{')) continue;
      const { level, message, verb } = JSON.parse(line) as Record<string, string>;
      assert.ok(level !== undefined || verb !== undefined, line);
      assert.notEqual(message, 'forged');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/);
    }
    const odd = entries.filter((line) => !line.startsWith('{') && /forged|2J/.test(line));
    assert.deepEqual(odd, []);
  } finally {
    served.end();
  }
});
