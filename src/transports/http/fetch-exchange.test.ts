import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { limitsWith } from '../../model/limits.ts';
import type { EventStream, Handler, HttpExchange } from './exchange.ts';
import { createFetch } from './fetch-exchange.ts';

const logged: string[] = [];
const log = (severity: string, message: string, fields: unknown): void => {
  logged.push(`${severity} ${message} ${JSON.stringify(fields)}`);
};

function fetchWith(handler: Handler, changes = { unreadBytes: 100, readerMs: 60_000 }) {
  const limits = limitsWith(changes);
  return createFetch(handler, { limits, log });
}

const post = (body: string | ReadableStream | null, init: RequestInit = {}): Request =>
  new Request('http://localhost:80/mcp?a=b', { method: 'POST', body, duplex: 'half', ...init } as RequestInit);

/** Opens a stream and keeps both ends of it. */
async function open(limits?: { unreadBytes: number; readerMs: number }, init?: RequestInit) {
  let stream: EventStream | undefined;
  const gone = { count: 0 };
  const handler: Handler = (exchange) => {
    exchange.onGone(() => {
      gone.count += 1;
    });
    stream = exchange.stream();
  };
  const response = await fetchWith(handler, limits)(post('{}', init));
  return { stream: stream as unknown as EventStream, gone, response };
}

describe('an exchange over fetch', () => {
  it('shows what the request says', async () => {
    const fetch = fetchWith(async (exchange) => {
      const { method, path, query, remote, principal } = exchange;
      const body = String(await exchange.body(10));
      const headers = [exchange.header('x-a'), exchange.header('host'), exchange.header('none') ?? 'none'];
      exchange.reply(200, JSON.stringify([method, path, query, remote, principal ?? 'nobody', ...headers, body]));
    });
    const response = await fetch(post('hello', { headers: { 'x-a': '1' } }));
    assert.deepEqual(await response.json(), ['POST', '/mcp', 'a=b', '', 'nobody', '1', 'localhost', 'none', 'hello']);
    assert.equal(response.headers.get('content-type'), 'application/json');
    const named = await fetch(post('', { headers: { host: 'named.example' } }));
    assert.match(await named.text(), /named\.example/);
  });

  it('answers without a body where there is none', async () => {
    for (const status of [202, 204]) {
      const response = await fetchWith((exchange) => exchange.reply(status))(post(null));
      assert.equal(response.status, status);
      assert.equal(await response.text(), '');
      assert.equal(response.headers.get('content-type'), null);
    }
  });

  it('reads a body of exactly the limit, in any number of chunks, and none at all', async () => {
    const lengths: number[] = [];
    const fetch = fetchWith(async (exchange) => {
      lengths.push((await exchange.body(5)).length);
      exchange.reply(202);
    });
    const chunks = ReadableStream.from(['12', '34', '5'].map((text) => Buffer.from(text)));
    for (const body of ['12345', chunks as unknown as ReadableStream, null]) await fetch(post(body));
    assert.deepEqual(lengths, [5, 5, 0]);
  });

  it('refuses a body over the limit, said or found', async () => {
    const fetch = fetchWith(async (exchange) => {
      await exchange.body(5);
      exchange.reply(202);
    });
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.from('xxx')) });
    for (const request of [post('', { headers: { 'content-length': '6' } }), post('123456'), post(endless)]) {
      const response = await fetch(request);
      assert.equal(response.status, 413);
      assert.match(await response.text(), /E_TOO_LARGE/);
    }
  });

  it('answers when the body breaks off', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('secret')) });
    const response = await fetchWith(async (exchange) => {
      await exchange.body(5);
    })(post(broken));
    assert.equal(response.status, 400);
    assert.equal(await response.text(), '');
  });

  for (const [how, handler] of Object.entries<Handler>({
    throws: () => {
      throw new Error('secret');
    },
    rejects: () => Promise.reject(new Error('secret')),
    'ends without an answer': async () => {},
  })) {
    it(`answers for a handler that ${how}`, async () => {
      const response = await fetchWith(handler)(post('{}'));
      assert.equal(response.status, 500);
      assert.doesNotMatch(await response.text(), /secret/);
    });
  }

  it('refuses a second answer', async () => {
    let exchange: HttpExchange | undefined;
    await fetchWith((given) => {
      exchange = given;
      given.reply(200, '{}');
    })(post('{}'));
    assert.throws(() => exchange?.reply(200, '{}'), /answer twice/);
    assert.throws(() => exchange?.stream(), /answer twice/);
  });
});

describe('an event stream over fetch', () => {
  it('carries events as they are sent', async () => {
    const { stream, response, gone } = await open();
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(response.headers.get('x-accel-buffering'), 'no');
    stream.comment('here');
    stream.send({ id: '1', data: 'zwölf' });
    stream.end();
    assert.equal(stream.open, false);
    assert.equal(await response.text(), ': here\n\nid: 1\ndata: zwölf\n\n');
    assert.equal(gone.count, 0);
  });

  it('takes a reader that cancels as gone', async () => {
    const { stream, response, gone } = await open();
    await response.body?.cancel();
    assert.equal(gone.count, 1);
    assert.equal(stream.open, false);
    stream.send({ data: 'x' });
    stream.comment('x');
    stream.end();
    assert.equal(gone.count, 1);
  });

  it('takes a request that is aborted as gone, before and after the answer began', async () => {
    const controller = new AbortController();
    const { stream, response, gone } = await open(undefined, { signal: controller.signal });
    controller.abort();
    assert.equal(gone.count, 1);
    assert.equal(stream.open, false);
    await assert.rejects(response.text());

    const early = new AbortController();
    let told = 0;
    let answer = (): void => {};
    const pending = fetchWith((exchange) => {
      exchange.onGone(() => {
        told += 1;
      });
      exchange.onGone(() => {
        throw new Error('a listener with a bug');
      });
      answer = () => exchange.reply(200, '{}');
    })(post('{}', { signal: early.signal }));
    early.abort();
    assert.equal(told, 1);
    answer();
    assert.equal((await pending).status, 200);
    assert.match(logged.join('\n'), /a peer that went away/);
  });

  it('tells at once of a request that was aborted before', async () => {
    let told = 0;
    const response = await fetchWith(async (exchange) => {
      exchange.onGone(() => {
        told += 1;
      });
      await pause(1);
      exchange.reply(200, '{}');
    })(post(null, { signal: AbortSignal.abort() }));
    assert.equal(response.status, 200);
    assert.equal(told, 1);
  });

  it('stops buffering for a reader too far behind, and ends after what it took', async () => {
    const { stream, response, gone } = await open();
    for (let count = 1; count <= 50; count += 1) stream.send({ data: `event ${count}` });
    assert.equal(stream.open, false);
    assert.equal(gone.count, 1);
    const text = await response.text();
    const events = text.match(/event \d+/g) ?? [];
    assert.ok(events.length < 20);
    assert.equal(events.at(-1), `event ${events.length}`);
  });

  it('takes one event however long it is when nothing waits', async () => {
    const { stream, response } = await open();
    const data = 'x'.repeat(10_000);
    stream.send({ data });
    stream.end();
    assert.equal(await response.text(), `data: ${data}\n\n`);
  });

  it('cuts a reader that takes nothing in time', async () => {
    const { stream, response, gone } = await open({ unreadBytes: 10, readerMs: 30 });
    stream.send({ data: 'x'.repeat(100) });
    assert.equal(stream.open, true);
    stream.comment('not sent to one who does not read');
    // The timer does not keep a process alive, so something else has to.
    await pause(80);
    assert.equal(stream.open, false);
    assert.equal(gone.count, 1);
    await assert.rejects(response.text());
  });

  it('does not cut a reader that reads in time', async () => {
    const { stream, response, gone } = await open({ unreadBytes: 10, readerMs: 40 });
    const reader = response.body?.getReader();
    stream.send({ data: 'x'.repeat(100) });
    await reader?.read();
    await pause(80);
    assert.equal(stream.open, true);
    assert.equal(gone.count, 0);
    stream.end();
    assert.equal((await reader?.read())?.done, true);
  });

  it('is cut when its handler fails', async () => {
    const response = await fetchWith(async (exchange) => {
      exchange.stream().send({ data: 'first' });
      await pause(5);
      throw new Error('secret');
    })(post('{}'));
    await assert.rejects(response.text(), (error: Error) => !error.message.includes('secret'));
  });
});
