import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rule } from '../citation.ts';
import { type Received, send } from '../sending.ts';

// What becomes of work when the pipe ends or a stream breaks, shown by the command a user would start.

const PARLEY = fileURLToPath(new URL('../../../src/cli/parley.js', import.meta.url));
const REVISION = '2025-11-25';
const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'client', version: '1.0' } },
};
const READY = { jsonrpc: '2.0', method: 'notifications/initialized' };
const job = (id: number, ms: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'job', arguments: { ms } },
});
const EVENTS = 'text/event-stream';

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [PARLEY, ...args, '--preset', 'contract', '--log-level', 'info'], { stdio: 'pipe' });
}

rule('C27 over stdio', 'the end of the input ends the server, after the work it was given', async () => {
  const child = start('stdio');
  const exit = once(child, 'close');
  const lines: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
  for (const message of [HELLO, READY, job(2, 200)]) child.stdin?.write(`${JSON.stringify(message)}\n`);
  child.stdin?.end();
  assert.deepEqual(await exit, [0, null]);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ id, result }) => [id, result?.content?.[0]?.text]),
    [
      [1, undefined],
      [2, 'Done after 200 ms'],
    ],
  );
});

/** Starts a server on a port of its own, for as long as the test takes. */
async function withEndpoint(body: (url: URL) => Promise<void>): Promise<void> {
  const child = start('serve', '--port', '0');
  try {
    const url = await new Promise<URL>((resolve, reject) => {
      let noise = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        noise += text;
        const found = /Serving at (\S+?)["\s]/.exec(noise)?.[1];
        if (found !== undefined) resolve(new URL(found));
      });
      child.once('close', () => reject(new Error(`The server ended: ${noise}`)));
    });
    await body(url);
  } finally {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  }
}

rule('C49, C50 over http', 'a call outlives its stream, and its answer waits for who comes back to the stream', () =>
  withEndpoint(async (url) => {
    const post = (message: object, headers = {}): Promise<Received> => {
      const own = { 'content-type': 'application/json', accept: `application/json, ${EVENTS}` };
      return send(url, { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify(message) });
    };
    const hello = await post(HELLO);
    const session = {
      'mcp-session-id': String(hello.headers['mcp-session-id']),
      'mcp-protocol-version': REVISION,
    };
    await post(READY, session);
    const calling = await post(job(2, 1500), session);
    assert.ok(calling.stream !== undefined, 'a call that takes its time is answered with a stream');
    await calling.stream.next();
    const { lastId } = calling.stream;
    assert.match(lastId, /^[\x21-\x7e]+$/);
    calling.stream.close();
    const headers = { ...session, accept: EVENTS, 'last-event-id': lastId };
    const { stream } = await send(url, { method: 'GET', headers, body: undefined });
    const event = (await stream?.next()) ?? '';
    const { id, result } = JSON.parse(event.replace(/^event message /, ''));
    assert.deepEqual([id, result.content], [2, [{ type: 'text', text: 'Done after 1500 ms' }]]);
    stream?.close();
  }),
);
