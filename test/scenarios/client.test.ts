import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REVISIONS } from '../../src/dialects/mcp/revisions.ts';
import { createHost } from '../../src/host/host.ts';
import { createServer, type JsonObject, type Server } from '../../src/index.ts';
import type { Notice } from '../../src/model/peer.ts';
import { connect as connectLink } from '../../src/providers/upstream/client.ts';
import { openPair } from '../../src/providers/upstream/pair.ts';
import { connect, PeerError } from '../../src/testing.ts';

const ALL = REVISIONS.map(({ id }) => id);
const WITH_FORMS = REVISIONS.filter(({ questions }) => questions.elicit !== undefined).map(({ id }) => id);
const WITH_URLS = REVISIONS.filter(({ questions }) => questions.elicitUrl !== undefined).map(({ id }) => id);
const SESSIONS = REVISIONS.filter(({ pushes }) => pushes === 'session').map(({ id }) => id);

const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const FORM: JsonObject = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

function shop(): Server {
  const server = createServer({ name: 'shop', version: '1.2.3', instructions: 'Be kind.' });
  server.tool('greet', { description: 'Greets', input: NAME }, ({ name }) => `Hello, ${name}!`);
  server.tool('fail', { description: 'Fails' }, () => {
    throw new TypeError('secret');
  });
  server.tool('count', { description: 'Counts' }, async (_, call) => {
    for (let step = 1; step <= 3; step += 1) call.progress(step, 3, `step ${step}`);
    return 'counted';
  });
  server.tool('log', { description: 'Logs' }, (_, call) => {
    call.log('debug', 'a detail');
    call.log('error', { what: 'broken' }, 'shop');
    return 'logged';
  });
  server.tool('form', { description: 'Asks for a name' }, async (_, call) => {
    const { action, content } = await call.ask.elicit({ message: 'Who?', schema: FORM });
    return action === 'accept' ? `You are ${content['name']}` : `You said ${action}`;
  });
  server.tool('page', { description: 'Sends somewhere' }, async (_, call) => {
    return (await call.ask.elicitUrl({ message: 'Log in', url: 'https://example.com/login' })).action;
  });
  server.tool('think', { description: 'Asks the model' }, async (_, call) => {
    const { content } = await call.ask.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Think' } }],
      maxTokens: 10,
    });
    return 'text' in content ? content.text : 'nothing';
  });
  server.tool('roots', { description: 'Asks for roots' }, async (_, call) => {
    return (await call.ask.roots()).map(({ uri }) => uri).join(' ');
  });
  server.tool('twice', { description: 'Asks twice' }, async (_, call) => {
    const first = await call.ask.elicit({ message: 'First?', schema: FORM });
    const second = await call.ask.elicit({ message: 'Second?', schema: FORM });
    return `${first.content?.['name']} and ${second.content?.['name']}`;
  });
  server.resource('note', 'note://one', { description: 'A note', mimeType: 'text/plain' }, () => 'Buy milk');
  server.template('notes', 'note://{id}', { description: 'Any note' }, (_uri, { id }) => `Note ${id}`);
  server.prompt(
    'review',
    { description: 'Asks for a review', arguments: { what: { required: true, complete: () => ['code', 'cake'] } } },
    ({ what }) => `Review the ${what}`,
  );
  return server;
}

function textOf({ content }: { content: readonly { type: string }[] }): string {
  return content.map((block) => (block as { text?: string }).text ?? `[${block.type}]`).join('\n');
}

/** A shop with a tool that never answers, and the signal that tool was given. */
function hangingShop(): { server: Server; started: Promise<AbortSignal> } {
  const server = shop();
  const started = new Promise<AbortSignal>((resolve) => {
    server.tool('hang', { description: 'Hangs' }, (_, call) => {
      resolve(call.signal);
      return new Promise<string>(() => {});
    });
  });
  return { server, started };
}

/** Waits until the check holds. */
async function until(check: () => boolean): Promise<void> {
  const end = Date.now() + 2000;
  while (!check()) {
    if (Date.now() > end) throw new Error('It never happened');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

for (const revision of ALL) {
  test(`a client of ${revision} learns who the server is and what it can do`, async () => {
    const client = await connect(shop(), { revision });
    assert.equal(client.server.revision, revision);
    assert.equal(client.server.info.name, 'shop');
    assert.equal(client.server.info.version, '1.2.3');
    assert.equal(client.server.instructions, 'Be kind.');
    assert.notEqual(client.server.capabilities.tools, undefined);
    await client.close();
  });

  test(`a client of ${revision} lists, calls, reads, prompts and completes`, async () => {
    const client = await connect(shop(), { revision });
    assert.equal((await client.listTools())[0]?.name, 'greet');
    assert.deepEqual(
      (await client.listResources()).map(({ uri }) => uri),
      ['note://one'],
    );
    assert.deepEqual(
      (await client.listTemplates()).map(({ uriTemplate }) => uriTemplate),
      ['note://{id}'],
    );
    assert.deepEqual(
      (await client.listPrompts()).map(({ name }) => name),
      ['review'],
    );
    assert.equal(textOf(await client.call('greet', { name: 'Ada' })), 'Hello, Ada!');
    assert.equal((await client.read('note://one')).contents[0]?.text, 'Buy milk');
    assert.equal((await client.read('note://seven')).contents[0]?.text, 'Note seven');
    const { messages } = await client.prompt('review', { what: 'code' });
    assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Review the code' } }]);
    const { values } = await client.complete({
      ref: { type: 'prompt', name: 'review' },
      argument: { name: 'what', value: 'c' },
    });
    assert.deepEqual(values, ['code', 'cake']);
    await client.close();
  });

  test(`a client of ${revision} follows every page of a list`, async () => {
    const client = await connect(shop(), { revision, limits: { pageSize: 2 } });
    assert.equal((await client.listTools()).length, 9);
    await client.close();
  });

  test(`a client of ${revision} gets a tool's failure as a result and the server's refusal as an error`, async () => {
    const client = await connect(shop(), { revision });
    const failed = await client.call('fail');
    assert.equal(failed.failed, true);
    assert.doesNotMatch(textOf(failed), /secret/);
    await assert.rejects(client.call('absent'), (error) => error instanceof PeerError && error.code === -32602);
    await assert.rejects(client.read('note:'), PeerError);
    await client.close();
  });

  test(`a client of ${revision} hears the progress of its own call, and only of it`, async () => {
    const client = await connect(shop(), { revision });
    const seen: number[] = [];
    const other: number[] = [];
    const [result] = await Promise.all([
      client.call('count', {}, { onProgress: ({ done }) => seen.push(done) }),
      client.call('greet', { name: 'x' }, { onProgress: ({ done }) => other.push(done) }),
    ]);
    assert.equal(textOf(result), 'counted');
    assert.deepEqual(seen, [1, 2, 3]);
    assert.deepEqual(other, []);
    await client.close();
  });

  test(`a client of ${revision} hears log messages of the level it asked for`, async () => {
    const notices: Notice[] = [];
    const client = await connect(shop(), { revision, onNotice: (notice) => notices.push(notice) });
    await client.setLevel('error');
    await client.call('log');
    assert.deepEqual(notices, [{ kind: 'log', level: 'error', data: { what: 'broken' }, logger: 'shop' }]);
    await client.setLevel('debug');
    await client.call('log');
    assert.equal(notices.length, 3);
    await client.close();
  });

  test(`a client of ${revision} cancels a call, and the tool is told`, async () => {
    const { server, started } = hangingShop();
    const client = await connect(server, { revision });
    const controller = new AbortController();
    const hanging = client.call('hang', {}, { signal: controller.signal });
    const signal = await started;
    controller.abort(new Error('enough'));
    await assert.rejects(hanging, /enough/);
    await until(() => signal.aborted);
    assert.equal(textOf(await client.call('greet', { name: 'again' })), 'Hello, again!');
    await client.close();
  });

  test(`a client of ${revision} gives up when the time is over, and the tool is told`, async () => {
    const { server, started } = hangingShop();
    const client = await connect(server, { revision });
    await assert.rejects(client.call('hang', {}, { timeoutMs: 20 }), { name: 'Fault', code: 'E_DEADLINE' });
    const signal = await started;
    await until(() => signal.aborted);
    await client.close();
  });

  test(`a client of ${revision} is told of changed lists and updated resources it listens to, until it stops`, async () => {
    const server = shop();
    const notices: Notice[] = [];
    const client = await connect(server, { revision, onNotice: (notice) => notices.push(notice) });
    const subscription = await client.listen({ tools: true, uris: ['note://one'] });
    assert.deepEqual(subscription.filter, { tools: true, uris: ['note://one'] });
    server.tool('late', { description: 'Comes late' }, () => 'late');
    server.updated('note://one');
    server.updated('note://other');
    await until(() => notices.length >= 2);
    assert.deepEqual(
      notices.sort((a, b) => a.kind.localeCompare(b.kind)),
      [
        { kind: 'changed', list: 'tools' },
        { kind: 'updated', uri: 'note://one' },
      ],
    );
    assert.equal((await client.listTools()).at(-1)?.name, 'late');
    await subscription.close();
    await subscription.closed;
    server.updated('note://one');
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(notices.length, 2);
    await client.close();
  });

  test(`a client of ${revision} answers sampling and roots`, async () => {
    const client = await connect(shop(), {
      revision,
      onQuestion: {
        sample: ({ messages, maxTokens }) => {
          assert.equal(maxTokens, 10);
          assert.equal(messages.length, 1);
          return { role: 'assistant', content: { type: 'text', text: 'I think' }, model: 'm' };
        },
        roots: () => ({ roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] }),
      },
    });
    assert.equal(textOf(await client.call('think')), 'I think');
    assert.equal(textOf(await client.call('roots')), 'file:///a file:///b');
    await client.close();
  });

  test(`a client of ${revision} that cannot be asked makes the tool fail, not hang`, async () => {
    const client = await connect(shop(), { revision });
    const outcome = await client.call('think').then(
      ({ failed }) => failed === true,
      (error) => error instanceof PeerError,
    );
    assert.equal(outcome, true);
    await client.close();
  });

  test(`a closed client of ${revision} rejects what was under way and what comes after`, async () => {
    const server = shop();
    server.tool('hang', { description: 'Hangs' }, () => new Promise<string>(() => {}));
    const client = await connect(server, { revision });
    const hanging = assert.rejects(client.call('hang'), { code: 'E_CLOSED' });
    await client.close();
    await hanging;
    await assert.rejects(client.listTools(), { code: 'E_CLOSED' });
    await client.close();
  });
}

for (const revision of WITH_FORMS) {
  test(`a client of ${revision} answers a form, once for every question`, async () => {
    const asked: string[] = [];
    const client = await connect(shop(), {
      revision,
      onQuestion: {
        elicit: ({ message, schema }) => {
          asked.push(message);
          assert.deepEqual(schema, FORM);
          return { action: 'accept', content: { name: `n${asked.length}` } };
        },
      },
    });
    assert.equal(textOf(await client.call('form')), 'You are n1');
    assert.equal(textOf(await client.call('twice')), 'n2 and n3');
    assert.deepEqual(asked, ['Who?', 'First?', 'Second?']);
    await client.close();
  });

  test(`a question to a client of ${revision} is no error in the server's log`, async () => {
    const logged: string[] = [];
    const client = await connect(shop(), {
      revision,
      log: (severity, message) => logged.push(`${severity}: ${message}`),
      onQuestion: { elicit: () => ({ action: 'decline' }) },
    });
    await client.call('form');
    await client.close();
    assert.deepEqual(
      logged.filter((line) => !line.startsWith('debug')),
      [],
    );
  });

  test(`a client of ${revision} may decline`, async () => {
    const client = await connect(shop(), { revision, onQuestion: { elicit: () => ({ action: 'decline' }) } });
    assert.equal(textOf(await client.call('form')), 'You said decline');
    await client.close();
  });

  test(`time a person takes to answer a client of ${revision} is not the server's`, async () => {
    const slow = (): Promise<{ action: 'decline' }> =>
      new Promise((resolve) => setTimeout(() => resolve({ action: 'decline' }), 120));
    const client = await connect(shop(), { revision, onQuestion: { elicit: slow } });
    assert.equal(textOf(await client.call('form', {}, { timeoutMs: 50 })), 'You said decline');
    await client.close();
  });
}

for (const revision of WITH_URLS) {
  test(`a client of ${revision} is sent to a URL`, async () => {
    const client = await connect(shop(), {
      revision,
      onQuestion: {
        elicitUrl: ({ url }) => {
          assert.equal(url, 'https://example.com/login');
          return { action: 'accept' };
        },
      },
    });
    assert.equal(textOf(await client.call('page')), 'accept');
    await client.close();
  });
}

for (const revision of ALL) {
  test(`a client of ${revision} pings where the revision has a ping`, async () => {
    const client = await connect(shop(), { revision });
    if (SESSIONS.includes(revision)) await client.ping();
    else await assert.rejects(client.ping(), { code: 'E_UNKNOWN_METHOD' });
    await client.close();
  });
}

test('a client that pins nothing speaks the newest revision', async () => {
  const client = await connect(shop());
  assert.equal(client.server.revision, ALL[0]);
  await client.close();
});

test('a client falls back to the handshake when the server knows only that', async () => {
  const revisions = REVISIONS.filter(({ opens }) => opens === 'handshake').slice(1);
  const { info } = shop();
  const host = await createHost({ server: info, mounts: [{ provider: shop() }], revisions });
  const link = openPair({ converse: (outlet) => host.converse({ outlet }), onClose: () => host.close() });
  const client = await connectLink(link);
  assert.equal(client.server.revision, revisions[0]?.id);
  assert.equal(textOf(await client.call('greet', { name: 'old friend' })), 'Hello, old friend!');
  await client.close();
});

test('a client says which revisions it has when asked for one it has not', async () => {
  await assert.rejects(connect(shop(), { revision: '1999-01-01' }), /1999-01-01.*2025-06-18/);
});
