import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { limitsWith } from '../../model/limits.ts';
import { silent } from '../../model/log.ts';
import type { EventStream, Handler } from './exchange.ts';
import { listen } from './server.ts';

const COUNT = 15;

/** Sends many requests at once and goes away when all of them are being answered. */
async function leaveBehind(handler: Handler): Promise<void> {
  let begun = 0;
  let all = (): void => {};
  const started = new Promise<void>((resolve) => {
    all = resolve;
  });
  const counting: Handler = (exchange) => {
    begun += 1;
    if (begun === COUNT) all();
    return handler(exchange);
  };
  const limits = limitsWith({ drainMs: 100 });
  const server = await listen({ handler: counting, host: '127.0.0.1', port: 0, limits, log: silent });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(COUNT));
  await started;
  socket.destroy();
  await once(socket, 'close');
  await server.close();
  // The server is closed a moment before its last connection says so.
  for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('every request of a connection that is closed learns of it, also those whose turn had not come', async () => {
  let gone = 0;
  await leaveBehind((exchange) => {
    exchange.onGone(() => {
      gone += 1;
    });
  });
  assert.equal(gone, COUNT);
});

test('no stream stays open on a connection that is closed, and none is counted', async () => {
  const streams: EventStream[] = [];
  let size = (): number | undefined => undefined;
  await leaveBehind((exchange) => {
    streams.push(exchange.stream());
    size = () => {
      exchange.streams?.sweep();
      return exchange.streams?.size;
    };
  });
  assert.deepEqual(
    streams.filter(({ open }) => open),
    [],
  );
  assert.equal(size(), 0);
});

test('many requests at once on one connection bring no warning', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', warn);
  await leaveBehind((exchange) => void exchange.stream());
  process.off('warning', warn);
  assert.deepEqual(warnings, []);
});
