import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../model/fault.ts';
import { type Eventually, isObject, type Json } from '../model/json.ts';
import { type Limits, limitsWith } from '../model/limits.ts';
import { type Conversation, type EndReason, type Outlet, type Reply, type StdioOptions, serveStdio } from './stdio.ts';

/** Answers `{"echo":…}`; `{"later":ms}` is answered after a while, `{"big":n}` with n characters, `{"quiet":…}` not at all. */
class Echo implements Conversation {
  readonly outlet: Outlet;
  readonly seen: string[] = [];
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(outlet: Outlet) {
    this.outlet = outlet;
  }

  receive(message: Json, size: number): Eventually<Reply | undefined> {
    this.seen.push(`message ${size}`);
    if (!isObject(message)) return { text: JSON.stringify({ echo: message }) };
    if (message['quiet'] !== undefined) return undefined;
    if (message['soon'] !== undefined) return Promise.resolve({ text: JSON.stringify(message) });
    if (message['throw'] !== undefined) throw new Error('A bug');
    if (message['reject'] !== undefined) return Promise.reject(new Error('A late bug'));
    if (typeof message['big'] === 'number') return { text: JSON.stringify('x'.repeat(message['big'])) };
    if (typeof message['later'] !== 'number') return { text: JSON.stringify({ echo: message }) };
    const reply = wait(message['later']).then(() => ({ text: JSON.stringify({ echo: message }) }));
    this.#inFlight.add(reply);
    void reply.finally(() => this.#inFlight.delete(reply));
    return reply;
  }

  refuse(fault: Fault, size: number): Reply | undefined {
    this.seen.push(`refuse ${size}`);
    return { text: JSON.stringify({ fault: fault.code }) };
  }

  blank(): Reply | undefined {
    this.seen.push('blank');
    return undefined;
  }

  async drain(graceMs: number): Promise<void> {
    this.seen.push('drain');
    const patience = new AbortController();
    await Promise.race([
      Promise.all(this.#inFlight),
      wait(graceMs, undefined, { signal: patience.signal }).catch(() => {}),
    ]);
    patience.abort();
  }

  close(reason: string): void {
    this.seen.push(`close ${reason}`);
  }
}

/** Keeps what is written, one entry a chunk, and takes it only while `reading`. */
class Sink extends Writable {
  readonly chunks: string[] = [];
  #reading = true;
  #waiting: (() => void) | undefined;

  constructor() {
    super({ decodeStrings: false, highWaterMark: 16 * 1024 });
  }

  get text(): string {
    return this.chunks.join('');
  }

  set reading(value: boolean) {
    this.#reading = value;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (value) waiting?.();
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    if (chunk.length > 0) this.chunks.push(chunk.toString());
    if (this.#reading) done();
    else this.#waiting = done;
  }
}

function open(limits: Partial<Limits> = {}, more: Partial<StdioOptions> = {}) {
  const input = new PassThrough();
  const output = new Sink();
  const logged: string[] = [];
  const ends: EndReason[] = [];
  let echo: Echo | undefined;
  const server = serveStdio({
    input,
    output,
    limits: limitsWith({ drainMs: 200, ...limits }),
    log: (severity, message) => logged.push(`${severity} ${message}`),
    onEnd: (reason) => ends.push(reason),
    converse: (outlet) => {
      echo = new Echo(outlet);
      return echo;
    },
    ...more,
  });
  assert.ok(echo !== undefined);
  return { input, output, server, echo, logged, ends };
}

describe('serveStdio', () => {
  it('answers each message with one line, in one write for one chunk of input', async () => {
    const { input, output, server } = open();
    input.write('1\n2\n{"quiet":1}\n3\n');
    await turn();
    assert.deepEqual(output.chunks, ['{"echo":1}\n{"echo":2}\n{"echo":3}\n']);
    input.end();
    await server.closed;
  });

  it('answers a last line without a newline', async () => {
    const { input, output, server } = open();
    input.end('1\n2');
    await server.closed;
    assert.equal(output.text, '{"echo":1}\n{"echo":2}\n');
  });

  it('answers within the turn when the conversation does', () => {
    const { input, output } = open();
    input.emit('data', Buffer.from('1\n'));
    assert.equal(output.text, '{"echo":1}\n');
  });

  it('writes replies that come in the same turn together', async () => {
    const { input, output, server } = open();
    input.write('{"soon":1}\n{"soon":2}\n{"soon":3}\n');
    while (output.chunks.length === 0) await wait(1);
    assert.deepEqual(output.chunks, ['{"soon":1}\n{"soon":2}\n{"soon":3}\n']);
    input.end();
    await server.closed;
  });

  it('takes CRLF for a line end and white space for a blank line', async () => {
    const { input, echo, server } = open();
    input.end('1\r\n\r\n \t \n\n{}\r\n');
    await server.closed;
    assert.deepEqual(echo.seen.slice(0, 5), ['message 1', 'blank', 'blank', 'blank', 'message 2']);
  });

  it('drops a byte order mark at the start of the stream and nowhere else', async () => {
    const { input, output, server } = open();
    input.end('\ufeff1\n\ufeff2\n');
    await server.closed;
    assert.equal(output.text, '{"echo":1}\n{"fault":"E_PARSE"}\n');
  });

  it('refuses what is not UTF-8, not JSON, too deep or too long, once each, and goes on', async () => {
    const { input, output, echo, server } = open({ jsonDepth: 2, messageBytes: 20 });
    input.write(Buffer.from([0xff, 0x0a]));
    input.write('{oops\n[[[1]]]\n');
    for (let n = 0; n < 10; n += 1) input.write('xxxxxxxxxx');
    input.end('\n"12345678901234567890"\n"fits"\n');
    await server.closed;
    const refused = ['E_PARSE', 'E_PARSE', 'E_TOO_DEEP', 'E_TOO_LARGE', 'E_TOO_LARGE'];
    assert.deepEqual(output.text.trimEnd().split('\n'), [
      ...refused.map((code) => JSON.stringify({ fault: code })),
      '{"echo":"fits"}',
    ]);
    assert.deepEqual(echo.seen.slice(0, 4), ['refuse 1', 'refuse 5', 'refuse 7', 'refuse 30']);
  });

  it('sends unsolicited messages as lines of their own', async () => {
    const { input, output, echo, server } = open();
    input.write('1\n');
    echo.outlet('"note"');
    input.write('2\n');
    input.end();
    await server.closed;
    assert.deepEqual(output.text.trimEnd().split('\n').sort(), ['"note"', '{"echo":1}', '{"echo":2}']);
  });

  it('lets work in flight finish at the end of the input', async () => {
    const { input, output, echo, ends, server } = open();
    input.end('{"later":30}\n1\n');
    await server.closed;
    assert.equal(output.text, '{"echo":1}\n{"echo":{"later":30}}\n');
    assert.deepEqual(echo.seen.slice(-2), ['drain', 'close end of input']);
    assert.deepEqual(ends, ['end of input']);
  });

  it('closes when the grace period is over, whatever is still in flight', async () => {
    const { input, output, server } = open({ drainMs: 20 });
    input.end('{"later":150}\n');
    await server.closed;
    await wait(200);
    assert.equal(output.text, '');
  });

  it('takes no more input after shutdown, and answers what it has taken', async () => {
    const { input, output, echo, ends, server } = open();
    input.write('{"later":20}\n');
    await turn();
    const done = server.shutdown();
    input.write('"too late"\n');
    await done;
    await server.shutdown();
    assert.equal(output.text, '{"echo":{"later":20}}\n');
    assert.deepEqual(ends, ['shutdown']);
    assert.deepEqual(echo.seen, ['message 12', 'drain', 'close shutdown']);
  });

  it('survives a conversation that throws or rejects, and answers nothing in its place', async () => {
    const { input, output, logged, server } = open();
    input.end('{"throw":1}\n{"reject":1}\n1\n');
    await server.closed;
    assert.equal(output.text, '{"echo":1}\n');
    assert.deepEqual(logged, Array(2).fill('error A conversation failed on a message'));
  });

  it('reads nothing more while the peer does not read, and loses nothing when it does again', async () => {
    const { input, output, echo, server } = open({}, { highWater: 100_000 });
    output.reading = false;
    const many = 200;
    input.write('{"big":20000}\n'.repeat(many));
    await wait(10);
    assert.ok(echo.seen.length <= 10, `took ${echo.seen.length} messages`);
    assert.equal(echo.outlet('"behind"'), false);
    assert.ok(input.isPaused());
    output.reading = true;
    input.end();
    await server.closed;
    const lines = output.text.trimEnd().split('\n');
    assert.equal(lines.length, many + 1);
    assert.equal(lines.filter((line) => line.length === 20_002).length, many);
  });

  it('closes without waiting for ever for a peer that never reads again', async () => {
    const { input, output, server } = open({ drainMs: 30 });
    output.reading = false;
    input.end('{"big":20000}\n');
    await server.closed;
  });

  it('closes the conversation when the output breaks', async () => {
    const { input, output, echo, ends, server } = open();
    input.write('{"later":20}\n');
    await turn();
    output.destroy(new Error('write EPIPE'));
    await server.closed;
    assert.deepEqual(ends, ['output closed']);
    assert.deepEqual(echo.seen, ['message 12', 'close output closed']);
    assert.equal(echo.outlet('"nobody"'), false);
    input.write('1\n');
    await wait(40);
    assert.equal(output.text, '');
  });

  it('takes an input that breaks for one that ends', async () => {
    const { input, output, ends, server } = open();
    input.write('1\n');
    await turn();
    input.destroy(new Error('read EIO'));
    await server.closed;
    assert.equal(output.text, '{"echo":1}\n');
    assert.deepEqual(ends, ['end of input']);
  });
});
