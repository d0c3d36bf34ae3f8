import assert from 'node:assert/strict';
import { connect, createServer as createNetServer, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Limits, limitsWith } from '../../model/limits.ts';
import type { EventStream, Handler } from './exchange.ts';
import { type HttpServer, type ListenOptions, listen } from './server.ts';

let server: HttpServer | undefined;
let logged: string[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
  server = undefined;
  logged = [];
});

const echo: Handler = async (exchange) => {
  const body = await exchange.body(1000);
  exchange.reply(200, body);
};

async function start(handler: Handler, limits: Partial<Limits> = {}, options: Partial<ListenOptions> = {}) {
  server = await listen({
    handler,
    host: '127.0.0.1',
    port: 0,
    limits: limitsWith({ drainMs: 300, ...limits }),
    log: (severity, message, fields) => logged.push(`${severity} ${message} ${JSON.stringify(fields)}`),
    ...options,
  });
  return Number(new URL(server.url).port);
}

/** A connection that keeps what it hears. */
class Wire {
  readonly socket: Socket;
  heard = '';
  closed = false;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(this.socket);
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text) => {
      this.heard += text;
    });
    this.socket.on('error', () => {});
    for (const event of ['end', 'close']) {
      this.socket.on(event, () => {
        this.closed = true;
      });
    }
  }

  say(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Waits until this was heard, or the connection ended. */
  async until(found: RegExp | 'closed', ms = 3000): Promise<string> {
    const deadline = Date.now() + ms;
    const done = () => (found === 'closed' ? this.closed : found.test(this.heard));
    while (!done()) {
      assert.ok(
        Date.now() < deadline,
        `Waited in vain for ${found}; heard ${JSON.stringify(this.heard.slice(0, 500))}`,
      );
      assert.ok(
        !this.closed || found === 'closed' || found.test(this.heard),
        `Closed; heard ${JSON.stringify(this.heard)}`,
      );
      await pause(5);
    }
    return this.heard;
  }
}

const post = (body: string, more = '') =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;

describe('requests that are not HTTP', () => {
  const cases: readonly [string, string, string][] = [
    ['a line of noise', 'hello there\r\n\r\n', '400'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', '400'],
    ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', '400'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', '400'],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n', '400'],
    ['a bare line feed in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\nb: c\r\n\r\n', '400'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', '400'],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', '400'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', '400'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400',
    ],
    [
      'chunks that are not last',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n',
      '400',
    ],
    ['a chunk without a size', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', '400'],
    ['a head over the limit', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ['an address over the limit of the head', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, '431'],
  ];
  for (const [what, bytes, status] of cases) {
    it(`answers ${what} with ${status} and closes`, async () => {
      const wire = new Wire(await start(echo)).say(bytes);
      const heard = await wire.until('closed');
      assert.match(heard, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(heard.match(/HTTP\/1\.1/g)?.length, 1);
      assert.deepEqual(
        logged.filter((line) => line.startsWith('error')),
        [],
      );
    });
  }

  it('goes on serving others', async () => {
    const port = await start(echo);
    await new Wire(port).say('nonsense\r\n\r\n').until('closed');
    assert.match(await new Wire(port).say(post('{"a":1}')).until(/"a"/), /^HTTP\/1\.1 200 OK/);
  });

  it('puts no refusal into the middle of an answer under way', async () => {
    let stream: EventStream | undefined;
    const port = await start((exchange) => {
      stream = exchange.stream();
    });
    const wire = new Wire(port).say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await wire.until(/text\/event-stream/);
    wire.say('garbage\r\n\r\n');
    const heard = await wire.until('closed');
    assert.doesNotMatch(heard, / 400 /);
    assert.equal(stream?.open, false);
  });
});

describe('requests that come slowly', () => {
  it('cuts a head that takes too long', async () => {
    const port = await start(echo, { headerMs: 150, requestMs: 300 });
    const wire = new Wire(port).say('GET / HTTP/1.1\r\nHost: lo');
    const started = Date.now();
    assert.match(await wire.until('closed'), /^HTTP\/1\.1 408 /);
    assert.ok(Date.now() - started < 6000);
  });

  it('cuts a head that drips', async () => {
    const port = await start(echo, { headerMs: 150, requestMs: 300 });
    const wire = new Wire(port).say('GET / HTTP/1.1\r\nHost: a\r\n');
    const drip = setInterval(() => wire.socket.writable && wire.say('X: y\r\n'), 20);
    try {
      await wire.until('closed', 2000);
    } finally {
      clearInterval(drip);
    }
  });

  it('cuts a connection that says nothing', async () => {
    const port = await start(echo, { headerMs: 150, requestMs: 300 });
    await new Wire(port).until('closed', 2000);
  });

  it('cuts a body that takes too long, and tells the handler', async () => {
    let told: unknown;
    const port = await start(
      async (exchange) => {
        await exchange.body(1000).catch((error: unknown) => {
          told = error;
          throw error;
        });
      },
      { headerMs: 100, requestMs: 200 },
    );
    const wire = new Wire(port).say('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
    assert.match(await wire.until('closed'), /^HTTP\/1\.1 408 /);
    await pause(10);
    assert.equal((told as { code?: string }).code, 'E_CLOSED');
    assert.deepEqual(
      logged.filter((line) => line.startsWith('error')),
      [],
    );
  });

  it('does not cut a handler or a stream that takes longer than a request may', async () => {
    const port = await start(
      async (exchange) => {
        const events = exchange.stream();
        await pause(500);
        events.send({ data: 'late' });
        events.end();
      },
      { headerMs: 100, requestMs: 200 },
    );
    assert.match(await new Wire(port).say(post('{}')).until(/data: late/), / 200 /);
  });

  it('closes a connection that is idle between requests', async () => {
    const port = await start(echo, { idleSocketMs: 50 });
    const wire = new Wire(port).say(post('{}'));
    await wire.until(/\{\}/);
    // Node adds up to a second of its own.
    await wire.until('closed', 3000);
  });
});

describe('bodies', () => {
  it('refuses a body that says it is too long before it comes', async () => {
    const port = await start(echo);
    const wire = new Wire(port).say('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n');
    const heard = await wire.until(/E_TOO_LARGE/);
    assert.match(heard, /^HTTP\/1\.1 413 /);
    assert.match(heard, /"limit":1000/);
  });

  it('refuses a body that turns out too long, and serves one of exactly the limit', async () => {
    const port = await start(echo);
    const chunked = (size: number) =>
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`;
    assert.match(await new Wire(port).say(chunked(1001)).until(/E_TOO_LARGE/), /^HTTP\/1\.1 413 /);
    assert.match(await new Wire(port).say(chunked(1000)).until(/x{1000}/), /^HTTP\/1\.1 200 /);
  });

  it('lets a client that sends far too much see the answer, and then cuts it', async () => {
    const port = await start(echo);
    const wire = new Wire(port).say('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n');
    const flood = setInterval(() => wire.socket.writable && wire.say('x'.repeat(10_000)), 5);
    try {
      assert.match(await wire.until(/E_TOO_LARGE/), /^HTTP\/1\.1 413 /);
      await wire.until('closed', 3000);
    } finally {
      clearInterval(flood);
    }
  });

  it('keeps the connection when a small body was not read', async () => {
    let count = 0;
    const port = await start((exchange) => exchange.reply(403, `{"n":${++count}}`));
    const wire = new Wire(port).say(post('{"a":1}'));
    await wire.until(/"n":1/);
    wire.say(post('{"a":2}'));
    await wire.until(/"n":2/);
  });

  it('answers a client that asks before it sends', async () => {
    const port = await start(echo, { messageBytes: 1000 });
    const ask = (length: number) =>
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
    const wire = new Wire(port).say(ask(5));
    await wire.until(/100 Continue/);
    wire.say('hello');
    await wire.until(/hello/);
    const refused = await new Wire(port).say(ask(1001)).until('closed');
    assert.match(refused, /^HTTP\/1\.1 413 /);
    assert.doesNotMatch(refused, /100 Continue/);
  });

  it('gives a body in one chunk as it came and joins one in several', async () => {
    const port = await start(echo);
    const wire = new Wire(port).say(post('').replace('Content-Length: 0', 'Content-Length: 6'));
    for (const piece of ['ab', 'cd', 'ef']) {
      await pause(10);
      wire.say(piece);
    }
    await wire.until(/abcdef$/);
  });
});

describe('connections', () => {
  it('answers requests sent together in their order, the slow one first', async () => {
    const port = await start(async (exchange) => {
      const body = String(await exchange.body(100));
      await pause(body === '{"n":1}' ? 60 : 0);
      exchange.reply(200, body);
    });
    const wire = new Wire(port).say(post('{"n":1}') + post('{"n":2}') + post('{"n":3}'));
    const heard = await wire.until(/"n":3/);
    assert.deepEqual(heard.match(/"n":\d/g), ['"n":1', '"n":2', '"n":3']);
  });

  it('takes a client that closes its half as gone', async () => {
    let gone = 0;
    const port = await start((exchange) => {
      exchange.onGone(() => {
        gone += 1;
      });
      exchange.onGone(() => {
        throw new Error('a listener with a bug');
      });
    });
    const wire = new Wire(port).say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await pause(30);
    assert.equal(gone, 0);
    wire.socket.end();
    await wire.until('closed');
    await pause(10);
    assert.equal(gone, 1);
    assert.match(logged.join('\n'), /a peer that went away/);
  });

  it('does not take a client as gone that has its answer', async () => {
    let gone = 0;
    const port = await start((exchange) => {
      exchange.onGone(() => {
        gone += 1;
      });
      const stream = exchange.query === 'stream' ? exchange.stream() : undefined;
      stream?.send({ data: 'x' });
      if (stream === undefined) exchange.reply(200, '{}');
      else stream.end();
    });
    for (const query of ['stream', 'reply']) {
      const wire = new Wire(port).say(`GET /?${query} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      await wire.until('closed');
    }
    await pause(10);
    assert.equal(gone, 0);
  });

  it('joins a header sent twice, so that neither can hide behind the other', async () => {
    const port = await start((exchange) =>
      exchange.reply(200, `${exchange.header('host')}|${exchange.header('origin')}`),
    );
    const wire = new Wire(port).say('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nOrigin: c\r\nOrigin: d\r\n\r\n');
    await wire.until(/a, b\|c, d/);
  });

  it('closes connections over its limit at once and serves the others', async () => {
    const port = await start(echo, { connections: 2 });
    const kept = [new Wire(port), new Wire(port)];
    await pause(30);
    await new Wire(port).until('closed');
    assert.match(logged.join('\n'), /too many are open/);
    await (kept[0] as Wire).say(post('{"ok":1}')).until(/"ok"/);
  });
});

describe('readers that do not read', () => {
  const big = 'x'.repeat(256 * 1024);

  it('stops buffering for one that is too far behind, tells the handler, and cuts it in time', async () => {
    let sent = 0;
    let stream: EventStream | undefined;
    let gone = 0;
    const port = await start(
      (exchange) => {
        stream = exchange.stream();
        exchange.onGone(() => {
          gone += 1;
        });
      },
      { unreadBytes: 512 * 1024, readerMs: 300 },
    );
    const wire = new Wire(port);
    wire.socket.pause();
    wire.say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    while (stream === undefined) await pause(5);
    while (stream.open && sent < 200) {
      stream.send({ data: big });
      sent += 1;
      await pause(1);
    }
    assert.ok(sent < 100, `${sent} events were taken`);
    assert.equal(gone, 1);
    const events = stream;
    assert.doesNotThrow(() => {
      events.send({ data: 'after' });
      events.comment('after');
      events.end();
    });
    await pause(600);
    wire.socket.resume();
    await wire.until('closed');
    assert.doesNotMatch(wire.heard, /after/);
    assert.doesNotMatch(wire.heard, /\r\n0\r\n\r\n$/);
  });

  it('gives one that comes back in time everything it was promised, and then the end', async () => {
    let sent = 0;
    const port = await start(
      async (exchange) => {
        const stream = exchange.stream();
        while (stream.open && sent < 200) {
          stream.send({ data: big, id: String(++sent) });
          await pause(1);
        }
      },
      { unreadBytes: 512 * 1024, readerMs: 5000 },
    );
    const wire = new Wire(port);
    wire.socket.pause();
    wire.say('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let before = -1;
    while (before !== sent || sent === 0) {
      before = sent;
      await pause(50);
    }
    wire.socket.resume();
    const heard = await wire.until('closed');
    // The last was refused: it is the client's to ask for again.
    const ids = [...heard.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    assert.deepEqual(
      ids,
      Array.from({ length: sent - 1 }, (_, index) => index + 1),
    );
    assert.match(heard, /\r\n0\r\n\r\n$/);
  });

  it('cuts one that does not take a long reply', async () => {
    const long = Buffer.alloc(32 * 1024 * 1024, 'x');
    const port = await start((exchange) => exchange.reply(200, long), { readerMs: 200 });
    const wire = new Wire(port);
    wire.socket.pause();
    wire.say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await pause(1000);
    wire.socket.resume();
    await wire.until('closed');
    assert.ok(wire.heard.length < long.length);
  });

  it('does not cut one that reads slowly but steadily, and leaves the connection usable', async () => {
    const long = Buffer.alloc(8 * 1024 * 1024, 'x');
    let count = 0;
    const port = await start((exchange) => exchange.reply(200, ++count === 1 ? long : 'again'), { readerMs: 150 });
    const wire = new Wire(port);
    wire.say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const started = Date.now();
    while (wire.heard.length < long.length) {
      assert.ok(!wire.closed, `Cut after ${wire.heard.length} bytes`);
      wire.socket.pause();
      await pause(10);
      wire.socket.resume();
      await pause(1);
      assert.ok(Date.now() - started < 20_000);
    }
    wire.say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await wire.until(/again$/);
  });
});

describe('handlers that fail', () => {
  const secret = 'secret at /var/lib/hidden';
  const failing: Record<string, Handler> = {
    throws: () => {
      throw new Error(secret);
    },
    rejects: () => Promise.reject(new Error(secret)),
    'throws nothing at all': () => {
      throw undefined;
    },
    'ends without an answer': () => Promise.resolve(),
  };
  for (const [how, handler] of Object.entries(failing)) {
    it(`answers for one that ${how}, without details, under an id the log has too`, async () => {
      const port = await start(handler);
      const heard = await new Wire(port).say(post('{}')).until(/errorId/);
      assert.match(heard, /^HTTP\/1\.1 500 /);
      assert.doesNotMatch(heard, /secret/);
      const [, errorId] = /"errorId":"(\w+)"/.exec(heard) ?? [];
      assert.ok(logged.some((line) => line.startsWith('error') && line.includes(String(errorId))));
    });
  }

  it('cuts a stream whose handler fails', async () => {
    const port = await start(async (exchange) => {
      exchange.stream().send({ data: 'first' });
      await pause(20);
      throw new Error(secret);
    });
    const heard = await new Wire(port).say('GET / HTTP/1.1\r\nHost: a\r\n\r\n').until('closed');
    assert.match(heard, /data: first/);
    assert.doesNotMatch(heard, /secret|\r\n0\r\n\r\n$/);
  });

  it('sends one answer when a handler gives two, and logs the second', async () => {
    const port = await start((exchange) => {
      exchange.reply(200, '{"n":1}', { connection: 'close' });
      exchange.reply(200, '{"n":2}');
    });
    const heard = await new Wire(port).say('GET / HTTP/1.1\r\nHost: a\r\n\r\n').until('closed');
    assert.doesNotMatch(heard, /"n":2/);
    assert.match(logged.join('\n'), /A handler failed/);
  });
});

describe('responses', () => {
  it('say how long they are and what they are', async () => {
    const port = await start((exchange) => {
      if (exchange.path === '/text') exchange.reply(200, 'zwölf', { 'content-type': 'text/plain' });
      else if (exchange.path === '/none') exchange.reply(202);
      else if (exchange.path === '/gone') exchange.reply(204);
      else exchange.reply(200, '{}');
    });
    const get = async (path: string, method = 'GET') =>
      (
        await new Wire(port).say(`${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`).until('closed')
      ).toLowerCase();
    assert.match(await get('/json'), /content-type: application\/json\r\ncontent-length: 2\r\n/);
    assert.match(await get('/text'), /content-type: text\/plain\r\ncontent-length: 6\r\n/);
    assert.match(await get('/none'), /^http\/1\.1 202 accepted\r\ncontent-length: 0\r\n/);
    assert.doesNotMatch(await get('/none'), /content-type/);
    assert.doesNotMatch(await get('/gone'), /content-(?:type|length)/);
    assert.match(await get('/json', 'HEAD'), /content-length: 2\r\n[\s\S]*\r\n\r\n$/);
  });

  it('stream events at once, unbuffered by proxies', async () => {
    let stream: EventStream | undefined;
    const port = await start((exchange) => {
      stream = exchange.stream({ 'mcp-session-id': 's1' });
    });
    const wire = new Wire(port).say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const head = await wire.until(/\r\n\r\n/);
    for (const line of [
      'content-type: text/event-stream',
      'cache-control: no-cache, no-transform',
      'x-accel-buffering: no',
      'mcp-session-id: s1',
    ]) {
      assert.ok(head.includes(line), line);
    }
    stream?.comment('still here');
    stream?.send({ id: '1', data: '{}', retryMs: 10 });
    await wire.until(/: still here\n\n[\s\S]*id: 1\nretry: 10\ndata: \{\}\n\n/);
    stream?.end();
    await wire.until(/\r\n0\r\n\r\n$/);
    assert.equal(stream?.open, false);
  });
});

describe('listen', () => {
  it('says what to do when the port is taken', async () => {
    const port = await start(echo);
    const limits = limitsWith();
    await assert.rejects(
      listen({ handler: echo, host: '127.0.0.1', port, limits, log: () => {} }),
      (error: Error) => error.message.includes(`127.0.0.1:${port}`) && /--port/.test(error.message),
    );
  });

  it('says what is wrong with an address this machine does not have', async () => {
    const limits = limitsWith();
    await assert.rejects(
      listen({ handler: echo, host: '192.0.2.1', port: 0, limits, log: () => {}, allowUnauthenticated: true }),
      /Cannot listen on 192\.0\.2\.1:0: this machine does not have the address.*--host/,
    );
  });

  for (const host of ['0.0.0.0', '::', '', '10.0.0.1', 'example.com', '127.0.0.1.example.com', '::ffff:10.0.0.1']) {
    it(`refuses to listen on ${JSON.stringify(host)} when nobody checks who asks`, async () => {
      await assert.rejects(
        listen({ handler: echo, host, port: 0, limits: limitsWith(), log: () => {} }),
        (error: Error) => error instanceof TypeError && /--allow-unauthenticated/.test(error.message),
      );
    });
  }

  it('listens beyond this machine when that was said, or when somebody checks', async () => {
    for (const open of [{ allowUnauthenticated: true }, { authenticated: true }]) {
      await start(echo, {}, { host: '0.0.0.0', ...open });
      await server?.close();
    }
  });

  it('listens on this machine alone without more ado', async () => {
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.2']) {
      await start(echo, {}, { host });
      assert.match(server?.url ?? '', new RegExp(`^http://${host.replaceAll('.', '\\.')}:\\d+$`));
      await server?.close();
    }
  });
});

describe('close', () => {
  it('turns readiness red before it refuses connections, closes idle ones and lets requests finish', async () => {
    const steps: string[] = [];
    let port = 0;
    port = await start(
      async (exchange) => {
        if (exchange.query === 'slow') await pause(120);
        exchange.reply(200, '{"done":1}');
        steps.push('answered');
      },
      { drainMs: 2000 },
      { onClosing: () => void steps.push('closing'), onDrain: () => void steps.push('draining') },
    );
    const idle = new Wire(port).say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.until(/done/);
    const busy = new Wire(port).say('GET /?slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await pause(30);
    steps.length = 0;
    const started = Date.now();
    const closing = server?.close();
    assert.deepEqual(steps, ['closing']);
    assert.equal(server?.close(), closing, 'closing twice is closing once');
    await idle.until('closed');
    await closing;
    assert.match(await busy.until('closed'), /done/);
    assert.deepEqual(steps, ['closing', 'draining', 'answered']);
    assert.ok(Date.now() - started < 8000, 'a connection kept alive does not hold it up');
    await new Wire(port).until('closed');
  });

  it('serves what still comes on open connections, each as the last, before it drains', async () => {
    const steps: string[] = [];
    const port = await start(
      (exchange) => exchange.reply(200, '{"done":1}'),
      {},
      { farewellMs: 5000, onDrain: () => void steps.push('draining') },
    );
    const kept = new Wire(port).say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await kept.until(/done/);
    const closing = server?.close();
    await pause(30);
    assert.deepEqual(steps, []);
    kept.say('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.match(await kept.until('closed'), /connection: close[\s\S]*done/i);
    await closing;
    assert.deepEqual(steps, ['draining'], 'nobody was left to wait for');
  });

  it('cuts what does not finish within the grace period', async () => {
    let gone = 0;
    const port = await start(
      (exchange) => {
        exchange.onGone(() => {
          gone += 1;
        });
      },
      { drainMs: 100 },
    );
    const wires = [new Wire(port).say(post('{}')), new Wire(port).say('POST / HTTP/1.1\r\nHost: a\r\nContent-Le')];
    await pause(30);
    const started = Date.now();
    await server?.close();
    assert.ok(Date.now() - started < 8000);
    for (const wire of wires) await wire.until('closed');
    assert.equal(gone, 1);
  });

  it('waits for what draining means elsewhere, and survives when it fails', async () => {
    const steps: string[] = [];
    await start(echo, {}, { onDrain: () => pause(50).then(() => void steps.push('drained')) });
    await server?.close();
    assert.deepEqual(steps, ['drained']);
    await start(
      echo,
      {},
      {
        onDrain: () => {
          throw new Error('cannot drain');
        },
      },
    );
    await server?.close();
    assert.match(logged.join('\n'), /Cannot drain the server/);
  });

  it('leaves the port free', async () => {
    const port = await start(echo);
    await server?.close();
    const other = createNetServer();
    await new Promise<void>((resolve, reject) => other.once('error', reject).listen(port, '127.0.0.1', resolve));
    await new Promise((resolve) => other.close(resolve));
  });
});
