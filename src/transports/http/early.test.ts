import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { limitsWith } from '../../model/limits.ts';
import { silent } from '../../model/log.ts';
import { listen } from './server.ts';

/** Serves refusals that do not wait for the body, and gives everything a connection hears until it is closed. */
async function hear(parts: readonly string[]): Promise<string> {
  const server = await listen({
    handler: async (exchange) => {
      if (exchange.path === '/slow') await exchange.body(1000);
      exchange.reply(415);
    },
    host: '127.0.0.1',
    port: 0,
    limits: limitsWith({ headerMs: 200, requestMs: 200, idleSocketMs: 200, drainMs: 100 }),
    log: silent,
  });
  try {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    for (const part of parts) {
      const answered = text.length;
      socket.write(part);
      while (part === parts[0] && text.length === answered) await once(socket, 'data');
    }
    if (!socket.closed) await once(socket, 'close');
    return text;
  } finally {
    await server.close();
  }
}

const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n';

test('a request that was refused early gets no second answer when the rest of it is broken', async () => {
  const text = await hear([HEAD, 'no chunk\r\n']);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 415']);
});

test('a request that was refused early gets no second answer when the rest of it never comes', async () => {
  const text = await hear([HEAD]);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 415']);
});

test('of two requests that are refused early each gets one answer', async () => {
  const text = await hear([`${HEAD}0\r\n\r\n${HEAD}`, 'no chunk\r\n']);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 415', 'HTTP/1.1 415']);
});

test('a request that expects what nobody does gets one answer, although its body never comes', async () => {
  const text = await hear([HEAD.replace('\r\n\r\n', '\r\nExpect: something\r\n\r\n')]);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 417']);
});

test('what is broken after a whole request gets the one answer that says so', async () => {
  const text = await hear([`${HEAD}0\r\n\r\n`, 'no request\r\n\r\n']);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 415', 'HTTP/1.1 400']);
});

test('what comes behind the last request of a connection gets no answer, and takes none away', async () => {
  for (const path of ['/', '/slow']) {
    const last = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi`;
    const text = await hear([`${last}GET / HTTP/1.1\r\nHost: localhost\r\n\r\n`]);
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 415'], path);
  }
});
