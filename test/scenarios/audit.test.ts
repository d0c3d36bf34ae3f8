import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createServer, type Server } from '../../src/catalog/server.ts';
import type { AuditEntry } from '../../src/core/policies/audit.ts';
import { createHost } from '../../src/host/host.ts';
import { createHttpHandler } from '../../src/host/http-handler.ts';
import { ToolError } from '../../src/model/fault.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { ALL, isModern, KEY } from './revisions.ts';

const SECRET = 'hunter2-of-the-session';

function fixture(): Server {
  const server = createServer({ name: 'audited', version: '1.0.0' });
  const input = { type: 'object', properties: { password: { type: 'string' } } } as const;
  server.tool('fine', { input }, () => 'done');
  server.tool('told', {}, () => {
    throw new ToolError('No');
  });
  server.tool('said', {}, () => ({ content: [], isError: true }));
  server.tool('broken', {}, async () => {
    throw new Error('inside');
  });
  server.tool('slow', { deadlineMs: 5 }, () => new Promise<string>(() => {}));
  server.tool('waits', {}, () => new Promise<string>(() => {}));
  server.tool('asks', {}, async (_, call) => {
    await call.ask.elicit({ message: 'Well?', schema: { type: 'object', properties: {} } });
    return 'asked';
  });
  server.tool('secret', { scopes: ['admin'] }, () => 'hidden');
  server.resource('page', 'page:one', {}, () => 'one');
  server.prompt('greet', {}, () => 'hello');
  return server;
}

async function stage(revision: string, options: { arguments?: boolean } = {}) {
  const server = fixture();
  const entries: AuditEntry[] = [];
  const lines: JsonObject[] = [];
  const host = await createHost({
    server: server.info,
    mounts: [{ provider: server }],
    log: (_, __, fields) => lines.push(fields as JsonObject),
    audit: { sink: (entry) => entries.push(entry), ...options },
  });
  const peer = host.converse({
    outlet: () => {},
    shared: true,
    session: SECRET,
    principal: { id: 'alice', scopes: [] },
  });
  const claim = {
    [KEY.revision]: revision,
    [KEY.capabilities]: { elicitation: { form: {} } },
    [KEY.client]: { name: 'tester', version: '1' },
  };
  let id = 0;
  const ask = async (method: string, params: JsonObject) => {
    const said = isModern(revision) ? { ...params, _meta: claim } : params;
    const reply = await peer.receive({ jsonrpc: '2.0', id: ++id, method, params: said } as Json);
    return { reply, entry: entries.at(-1) as AuditEntry };
  };
  if (!isModern(revision)) {
    const clientInfo = { name: 'tester', version: '1' };
    await ask('initialize', { protocolVersion: revision, capabilities: {}, clientInfo });
  }
  return { host, peer, ask, entries, lines };
}

for (const revision of ALL) {
  test(`${revision} the audit says how each call ended, under the error id the client sees`, async () => {
    const { host, peer, ask, entries } = await stage(revision);
    const call = (name: string) => ask('tools/call', { name, arguments: {} });
    const outcomes: Record<string, string> = {};
    for (const name of ['fine', 'told', 'said', 'broken', 'slow', 'secret', 'absent']) {
      const { reply, entry } = await call(name);
      outcomes[name] = `${entry.outcome}${entry.hidden === true ? ' hidden' : ''}`;
      assert.equal(entry.bytesOut, Buffer.byteLength(reply?.text ?? ''));
      assert.equal(entry.errorId !== undefined, /errorId/.test(reply?.text ?? ''));
      if (entry.errorId !== undefined) assert.ok(reply?.text.includes(entry.errorId));
      const { item, verb, principal, client, dialect, session } = entry;
      assert.deepEqual(
        [item, verb, principal, client, dialect],
        [name, 'tools.call', 'alice', 'tester', `mcp/${revision}`],
      );
      assert.match(session ?? '', /^[0-9a-f]{16}$/);
    }
    assert.deepEqual(outcomes, {
      fine: 'ok',
      told: 'E_TOOL_ERROR',
      said: 'failed',
      broken: 'E_INTERNAL',
      slow: 'E_DEADLINE',
      secret: 'E_UNKNOWN_TOOL hidden',
      absent: 'E_UNKNOWN_TOOL',
    });
    assert.equal((await ask('resources/read', { uri: 'page:one' })).entry.item, 'page:one');
    assert.equal((await ask('prompts/get', { name: 'greet' })).entry.verb, 'prompts.get');
    if (isModern(revision)) assert.equal((await call('asks')).entry.outcome, 'asked');
    const waiting = call('waits');
    peer.close('gone');
    await waiting;
    assert.equal(entries.at(-1)?.outcome, 'cancelled');
    assert.doesNotMatch(JSON.stringify(entries), new RegExp(SECRET));
    host.close();
  });
}

test('the audit holds arguments only where it is told to, and never a password', async () => {
  for (const wanted of [false, true]) {
    const { host, ask } = await stage('2025-06-18', { arguments: wanted });
    const { entry } = await ask('tools/call', { name: 'fine', arguments: { password: 'hunter2', page: 2 } });
    assert.deepEqual(
      entry.arguments === undefined ? undefined : { ...(entry.arguments as object) },
      wanted ? { password: '[redacted]', page: 2 } : undefined,
    );
    host.close();
  }
});

test('the audit tells of requests that are turned away before they are read', async () => {
  const entries: AuditEntry[] = [];
  const handler = await createHttpHandler(fixture(), {
    audit: { sink: (entry) => entries.push(entry) },
    access: { authenticator: { authenticate: () => ({ kind: 'invalid', reason: 'unknown' }) } },
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` };
  await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' }));
  await handler.close();
  const [entry, another] = entries;
  assert.deepEqual(
    [entry?.verb, entry?.outcome, entry?.item, another],
    ['http', 'unauthorized', 'POST /mcp', undefined],
  );
  assert.doesNotMatch(JSON.stringify(entries), new RegExp(SECRET));
});

test('the command writes the audit to the file it is told, and answers on when it cannot', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-audit-'));
  try {
    const run = async (audit: string): Promise<{ out: string; err: string }> => {
      const cli = fileURLToPath(new URL('../../src/cli/parley.js', import.meta.url));
      const child = spawn(process.execPath, [cli, 'stdio', '--audit', audit, '--preset', 'starter']);
      let out = '';
      let err = '';
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      const _meta = { [KEY.revision]: '2026-07-28', [KEY.capabilities]: {} };
      const params = { name: 'hello', arguments: { name: 'you' }, _meta };
      child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
      await once(child, 'close');
      return { out, err };
    };
    const file = join(folder, 'audit.log');
    const { out } = await run(file);
    const { verb, item, outcome } = JSON.parse(readFileSync(file, 'utf8')) as AuditEntry;
    assert.deepEqual([verb, item, outcome], ['tools.call', 'hello', 'ok']);
    const failing = await run(folder);
    assert.equal(failing.out, out);
    assert.match(failing.err, /Cannot write the audit/);
    assert.match(failing.err, /The audit ends with lines that could not be written/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the audit has a line for calls that are refused before any work begins, under the id the client sees', async () => {
  const server = fixture();
  const entries: AuditEntry[] = [];
  const host = await createHost({
    server: server.info,
    mounts: [{ provider: server }],
    limits: { inFlight: 1 },
    audit: { sink: (entry) => entries.push(entry) },
  });
  const peer = host.converse({ outlet: () => {}, shared: true, session: SECRET });
  const call = (id: number, name: string) =>
    peer.receive({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } } as Json);
  const seen = async (reply: ReturnType<typeof call>) => {
    const { text = '' } = (await reply) ?? {};
    return /"errorId":"([^"]+)"/.exec(text)?.[1];
  };
  const early = await seen(call(1, 'fine'));
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tester', version: '1' } };
  await peer.receive({ jsonrpc: '2.0', id: 2, method: 'initialize', params } as Json);
  await peer.receive({ jsonrpc: '2.0', method: 'notifications/initialized' } as Json);
  void call(3, 'waits');
  const again = await seen(call(3, 'fine'));
  const busy = await seen(call(4, 'fine'));
  assert.deepEqual(
    entries.map(({ item, outcome, errorId }) => [item, outcome, errorId]),
    [
      ['fine', 'E_NOT_INITIALIZED', early],
      ['fine', 'E_DUPLICATE_ID', again],
      ['fine', 'E_BUSY', busy],
    ],
  );
  peer.close('the test is over');
  host.close();
});
