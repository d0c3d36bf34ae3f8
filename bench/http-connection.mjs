import { connect } from 'node:net';

const SILENCE_MS = 60_000;
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
/** Node closes a connection that rested for five seconds. */
const REST_MS = 2000;
const BUFFER_BYTES = 65_536;

/** A POST as bytes; `headers` are lines, each with its end. */
export function post(port, body, headers = '') {
  return (
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
    `accept: application/json, text/event-stream\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

function readHead(bytes) {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const text = bytes.latin1Slice(0, end);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(text) ?? [];
  const chunked = /\r\ntransfer-encoding: *chunked/i.test(text);
  return { text, status: Number(text.slice(9, 12)), start: end + 4, chunked, length: Number(length ?? 0) };
}

function unchunk(bytes) {
  const parts = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf(LINE_END, at);
    const size = Number.parseInt(bytes.latin1Slice(at, end), 16);
    if (!(size > 0)) return Buffer.concat(parts).toString('utf8');
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
  }
}

/**
 * One kept-alive connection that asks one thing at a time. It counts the bytes of an answer and keeps them only when it
 * is told to, so that the load is far cheaper than whoever bears it.
 */
export class Connection {
  #socket;
  #chunks = [];
  #got = 0;
  #tail = Buffer.alloc(0);
  #head;
  #usual = 0;
  #keep = true;
  #done = () => {};
  #fail = () => {};
  #used = 0;

  constructor(port) {
    this.port = port;
    void this.#connect();
  }

  /** Connects anew when it rested for so long that the other side may be about to close. */
  freshen() {
    if (performance.now() - this.#used < REST_MS && !this.#socket.destroyed) return;
    this.close();
    return this.#connect();
  }

  #connect() {
    const onread = { buffer: Buffer.allocUnsafe(BUFFER_BYTES), callback: (size, bytes) => this.#take(size, bytes) };
    this.#socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true, onread });
    const socket = this.#socket;
    const fail = (error) => (socket === this.#socket ? this.#fail(error) : undefined);
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('The server closed the connection')));
    socket.setTimeout(SILENCE_MS, () => fail(new Error('The server fell silent')));
    this.#used = performance.now();
    return new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
  }

  /** Sends bytes; `done(status, answer, size)` has an answer only when it is to be kept. */
  send(bytes, { keep, done, fail }) {
    this.#keep = keep;
    this.#done = done;
    this.#fail = fail;
    if (this.#socket.destroyed) return fail(new Error('The server closed the connection'));
    this.#socket.write(bytes);
  }

  /** Sends bytes and resolves to `{ status, head, body }`. */
  ask(bytes) {
    return new Promise((resolve, reject) => {
      this.send(bytes, { keep: true, done: (_, answer) => resolve(answer), fail: reject });
    });
  }

  /** Sends bytes and resolves to `{ status, size }` when the answer is there; nobody reads it. */
  count(bytes) {
    return new Promise((resolve, reject) => {
      this.send(bytes, { keep: false, done: (status, _, size) => resolve({ status, size }), fail: reject });
    });
  }

  /** Opens an event stream that stays open; resolves when its head is there. */
  listen(headers) {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#take = (_, bytes) => {
        const line = bytes.latin1Slice(0, 15);
        this.#take = () => {};
        this.#fail = () => {};
        if (line.includes(' 200')) resolve();
        else reject(new Error(`Cannot open a stream: ${line}`));
        return true;
      };
      this.#socket.setTimeout(0);
      this.#socket.write(
        `GET /mcp HTTP/1.1\r\nhost: 127.0.0.1:${this.port}\r\naccept: text/event-stream\r\n${headers}\r\n`,
      );
    });
  }

  close() {
    this.#fail = () => {};
    this.#usual = 0;
    this.#socket.destroy();
  }

  #take = (size, bytes) => {
    // An answer with a declared length that is as long as the one before is a whole one.
    if (size === this.#usual && this.#got === 0 && !this.#keep && bytes[9] === 0x32) {
      this.#used = performance.now();
      this.#done(200, undefined, size);
      return true;
    }
    this.#got += size;
    if (this.#keep || this.#head === undefined) this.#chunks.push(Buffer.from(bytes.subarray(0, size)));
    this.#head ??= readHead(this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks));
    if (this.#head !== undefined && this.#isWhole(size, bytes)) this.#finish(this.#got === size);
    return true;
  };

  #isWhole(size, bytes) {
    const { chunked, start, length } = this.#head;
    if (!chunked) return this.#got >= start + length;
    const last = Buffer.from(bytes.subarray(Math.max(0, size - LAST_CHUNK.length), size));
    this.#tail =
      last.length === LAST_CHUNK.length ? last : Buffer.concat([this.#tail, last]).subarray(-LAST_CHUNK.length);
    return this.#tail.equals(LAST_CHUNK);
  }

  #finish(atOnce) {
    this.#fail = () => {};
    const head = this.#head;
    const size = this.#got;
    const answer = this.#keep ? this.#answer(head) : undefined;
    this.#used = performance.now();
    this.#usual = atOnce && !head.chunked ? size : 0;
    this.#chunks = [];
    this.#got = 0;
    this.#tail = Buffer.alloc(0);
    this.#head = undefined;
    this.#done(head.status, answer, size);
  }

  #answer({ text, status, start, chunked }) {
    const body = Buffer.concat(this.#chunks).subarray(start);
    return { status, head: text, body: chunked ? unchunk(body) : body.toString('utf8') };
  }
}

/** The value of a header of an answer. */
export function headerOf({ head }, name) {
  const [, value] = new RegExp(`\r\n${name}: ([^\r]*)`, 'i').exec(head) ?? [];
  return value;
}

/** The messages in an answer, whether it is one body or the events of a stream. */
export function messagesOf({ body }) {
  if (body.startsWith('{')) return [JSON.parse(body)];
  const events = body.split('\n').filter((line) => line.startsWith('data: {'));
  if (events.length === 0) throw new Error(`Not a message: ${body.slice(0, 200)}`);
  return events.map((line) => JSON.parse(line.slice(6)));
}
