import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { REVISIONS } from '../../src/dialects/mcp/revisions.ts';
import { createServer, type JsonObject, type Server } from '../../src/index.ts';
import type { Notice } from '../../src/model/peer.ts';
import type { Answerers } from '../../src/providers/upstream/answering.ts';
import { type Client, type ClientOptions, connect } from '../../src/providers/upstream/client.ts';
import { openHttp } from '../../src/providers/upstream/http-link.ts';
import { openLegacySse } from '../../src/providers/upstream/legacy-sse-link.ts';
import { PeerError } from '../../src/providers/upstream/peer-error.ts';
import { type Stage, serveOnWire } from './http-stage.ts';

const ALL = REVISIONS.map(({ id }) => id);
const MODERN = REVISIONS.filter(({ opens }) => opens === 'every-request').map(({ id }) => id);
const HANDSHAKE = REVISIONS.filter(({ opens }) => opens === 'handshake').map(({ id }) => id);
const WITH_FORMS = REVISIONS.filter(({ questions }) => questions.elicit !== undefined).map(({ id }) => id);
const FORM: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', default: 7 } },
};
const REGION = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } as const;
const STEPS = 40;

let signal: AbortSignal | undefined;

function shop(): Server {
  const server = createServer({ name: 'shop', version: '1.2.3', instructions: 'Be kind.' });
  server.tool('greet', { description: 'Greets' }, () => 'Hello!');
  server.tool('where', { description: 'Says where', input: REGION }, ({ region }) => `In ${region}`);
  server.tool('march', { description: 'Takes its time' }, async (_, call) => {
    for (let step = 1; step <= STEPS; step += 1) {
      call.progress(step, STEPS);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return 'there';
  });
  server.tool('leave', { description: 'Lets the client go' }, async (_, call) => {
    call.release();
    await new Promise((resolve) => setTimeout(resolve, 120));
    return 'back';
  });
  server.tool('hang', { description: 'Never answers' }, (_, call) => {
    ({ signal } = call);
    return new Promise<string>(() => {});
  });
  server.tool('form', { description: 'Asks' }, async (_, call) => {
    const { content } = await call.ask.elicit({ message: 'Who?', schema: FORM });
    return `${content?.['name']}, ${content?.['age']}`;
  });
  server.resource('note', 'note://ä', { description: 'A note' }, () => 'Buy milk');
  server.prompt('review', { description: 'Reviews' }, () => 'Review it');
  return server;
}

let server: Server;
let stage: Stage;
before(async () => {
  server = shop();
  stage = await serveOnWire(server, { retryMs: 30, streamAfterMs: 20 });
});
after(() => stage.close());

let added = 0;
/** Adds a tool, so that clients are told. */
function changeTools(): void {
  added += 1;
  server.tool(`extra-${added}`, { description: 'One more' }, () => 'more');
}

function open(options: ClientOptions = {}, path = '/mcp'): Promise<Client> {
  const target = { url: `${stage.origin}${path}`, pace: { retryMs: 20 } };
  return connect(openHttp(target), { older: () => openLegacySse(target), ...options });
}

function textOf({ content }: { content: readonly { type: string }[] }): string {
  return content.map((block) => (block as { text?: string }).text).join('\n');
}

async function until(check: () => boolean): Promise<void> {
  const end = Date.now() + 5000;
  while (!check()) {
    if (Date.now() > end) throw new Error('It never happened');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

for (const revision of ALL) {
  test(`a client of ${revision} lists, calls, reads and prompts over HTTP`, async () => {
    const client = await open({ revision });
    assert.equal(client.server.revision, revision);
    assert.equal(client.server.info.name, 'shop');
    assert.equal((await client.listTools())[0]?.name, 'greet');
    assert.equal(textOf(await client.call('greet')), 'Hello!');
    assert.equal((await client.read('note://ä')).contents[0]?.text, 'Buy milk');
    assert.equal((await client.prompt('review')).messages.length, 1);
    await assert.rejects(client.call('absent'), PeerError);
    const parallel = await Promise.all(Array.from({ length: 20 }, () => client.call('greet')));
    assert.equal(parallel.length, 20);
    await client.close();
    assert.equal(stage.sessions(), 0);
  });

  test(`a client of ${revision} hears progress over HTTP in order, before the answer`, async () => {
    const client = await open({ revision });
    const steps: number[] = [];
    const result = await client.call('march', {}, { onProgress: ({ done }) => steps.push(done) });
    assert.equal(textOf(result), 'there');
    assert.deepEqual(steps, upTo(STEPS));
    await client.close();
  });

  test(`a client of ${revision} that gives up a call over HTTP ends the handler`, async () => {
    const client = await open({ revision });
    signal = undefined;
    const giveUp = new AbortController();
    const calling = client.call('hang', {}, { signal: giveUp.signal });
    await until(() => signal !== undefined);
    giveUp.abort(new Error('enough'));
    await assert.rejects(calling, /enough/);
    await until(() => signal?.aborted === true);
    await client.close();
  });

  test(`a client of ${revision} waits no longer than it was told for a slow server`, async () => {
    const client = await open({ revision });
    signal = undefined;
    await assert.rejects(client.call('hang', {}, { timeoutMs: 100 }), { code: 'E_DEADLINE' });
    await until(() => (signal as AbortSignal | undefined)?.aborted === true);
    assert.equal(textOf(await client.call('greet')), 'Hello!');
    await client.close();
  });
}

for (const revision of WITH_FORMS) {
  test(`a client of ${revision} answers questions over HTTP, and leaves defaults in place`, async () => {
    const onQuestion: Answerers = { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) };
    const client = await open({ revision, onQuestion });
    assert.equal(textOf(await client.call('form')), 'Ada, 7');
    await client.close();
  });
}

for (const revision of HANDSHAKE) {
  test(`a client of ${revision} whose stream is cut hears every event once and in order`, async () => {
    const client = await open({ revision });
    const steps: number[] = [];
    const cutAt = new Set([5, 15, 30]);
    const onProgress = ({ done }: { done: number }): void => {
      steps.push(done);
      if (cutAt.has(done)) stage.cut();
    };
    assert.equal(textOf(await client.call('march', {}, { onProgress })), 'there');
    assert.deepEqual(steps, upTo(STEPS));
    await client.close();
  });

  test(`a client of ${revision} opens another session when the server forgot the first`, async () => {
    const client = await open({ revision });
    await client.call('greet');
    await stage.forget();
    const results = await Promise.all([client.call('greet'), client.call('greet'), client.listTools()]);
    assert.equal(textOf(results[0]), 'Hello!');
    assert.equal(stage.sessions(), 1);
    await client.close();
    assert.equal(stage.sessions(), 0);
  });

  test(`a client of ${revision} hears of changes on a stream of their own, also after it was cut`, async () => {
    const notices: Notice[] = [];
    const client = await open({ revision, onNotice: (notice) => notices.push(notice) });
    await until(() => stage.requests.at(-1) === 'GET');
    changeTools();
    await until(() => notices.length === 1);
    stage.cut();
    changeTools();
    await until(() => notices.length === 2);
    await client.close();
  });

  test(`a client of ${revision} speaks over the older event stream`, async () => {
    const client = await open({ revision }, '/sse');
    assert.equal(client.server.revision, revision);
    const steps: number[] = [];
    await client.call('march', {}, { onProgress: ({ done }) => steps.push(done) });
    assert.deepEqual(steps, upTo(STEPS));
    await assert.rejects(client.call('absent'), PeerError);
    await client.close();
  });
}

for (const revision of MODERN) {
  test(`a client of ${revision} whose stream is cut is told so, and the handler ends`, async () => {
    const client = await open({ revision });
    signal = undefined;
    const calling = client.call('hang');
    await until(() => signal !== undefined);
    stage.cut();
    await assert.rejects(calling, { name: 'Fault', verdict: 'broken' });
    await until(() => signal?.aborted === true);
    assert.equal(textOf(await client.call('greet')), 'Hello!');
    await client.close();
  });

  test(`a client of ${revision} repeats marked arguments, also of a tool it never listed`, async () => {
    const client = await open({ revision });
    assert.equal(textOf(await client.call('where', { region: ' Zürich' })), 'In  Zürich');
    assert.equal(textOf(await client.call('where', { region: 'here' })), 'In here');
    await client.close();
  });

  test(`a client of ${revision} ends a subscription by hanging up`, async () => {
    const notices: Notice[] = [];
    const client = await open({ revision, onNotice: (notice) => notices.push(notice) });
    const subscription = await client.listen({ tools: true });
    changeTools();
    await until(() => notices.length === 1);
    await subscription.close();
    changeTools();
    await client.listTools();
    assert.equal(notices.length, 1);
    await client.close();
  });
}

test('a client that was let go comes back for the answer', async () => {
  const revision = REVISIONS.find(({ primes }) => primes)?.id;
  const client = await open({ revision });
  assert.equal(textOf(await client.call('leave')), 'back');
  assert.equal(
    stage.requests.some((request) => /^GET [a-z0-9]{9,}\.\d+$/.test(request)),
    true,
  );
  await client.close();
});

test('a client that pins nothing speaks the newest revision over HTTP, and falls back where only older ones are spoken', async () => {
  const client = await open();
  assert.equal(client.server.revision, ALL[0]);
  await client.close();
  const older = await open({}, '/sse');
  assert.equal(older.server.revision, HANDSHAKE[0]);
  await older.close();
});

test('parley list and call take a URL, over both transports', async () => {
  const parley = fileURLToPath(new URL('../../src/cli/parley.js', import.meta.url));
  const run = (args: readonly string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [parley, ...args], { timeout: 30_000 }, (_, out, err) =>
        resolve({ code: child.exitCode ?? -1, out, err }),
      );
      child.stdin?.end();
    });
  const listed = await run(['list', `${stage.origin}/mcp`, 'tools']);
  assert.match(listed.out, /^shop 1\.2\.3 \(MCP .*\)\n\ntools:\n {2}greet/);
  assert.equal(listed.code, 0);
  const called = await run(['call', `${stage.origin}/sse`, 'greet']);
  assert.deepEqual([called.out, called.code], ['Hello!\n', 0]);
  const read = await run(['read', `${stage.origin}/mcp`, 'note://ä']);
  assert.deepEqual([read.out, read.code], ['Buy milk\n', 0]);
  const absent = await run(['prompt', `${stage.origin}/mcp`, 'absent']);
  assert.equal(absent.code, 4);
  const nowhere = await run(['list', 'http://127.0.0.1:1/mcp']);
  assert.match(nowhere.err, /^Cannot reach "http:\/\/127\.0\.0\.1:1\/mcp": /);
  assert.equal(nowhere.code, 3);
});

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
