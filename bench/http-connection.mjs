import { connect } from 'node:net';

const SILENCE_MS = 20_000;
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

/** One kept-alive connection that asks one thing at a time; the cheapest client that still reads every answer. */
export class Connection {
  #socket;
  #host;
  #chunks = [];
  #size = 0;
  #rest;
  #head;
  #settle;
  #fail = () => {};

  constructor(port) {
    this.#host = `127.0.0.1:${port}`;
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.setTimeout(SILENCE_MS, () => this.#fail(new Error('The server fell silent')));
    this.#socket.on('close', () => this.#fail(new Error('The server closed the connection')));
  }

  /** Sends a body and resolves to `{ status, head, body }`. */
  ask(body, headers = '') {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error('The server closed the connection'));
      this.#settle = resolve;
      this.#fail = reject;
      const text =
        `POST /mcp HTTP/1.1\r\nhost: ${this.#host}\r\ncontent-type: application/json\r\n` +
        `accept: application/json, text/event-stream\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
      this.#socket.write(text + body);
    });
  }

  /** Opens an event stream that stays open; resolves when its head is there. */
  listen(headers) {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#socket.removeAllListeners('data');
      this.#socket.once('data', (chunk) => {
        const [line] = chunk.toString('latin1').split('\r\n', 1);
        this.#fail = () => {};
        if (line.includes(' 200 ')) resolve();
        else reject(new Error(`Cannot open a stream: ${line}`));
      });
      this.#socket.on('data', () => {});
      this.#socket.write(`GET /mcp HTTP/1.1\r\nhost: ${this.#host}\r\naccept: text/event-stream\r\n${headers}\r\n`);
    });
  }

  close() {
    this.#fail = () => {};
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#head !== undefined && this.#size < this.#head.length) return;
    this.#rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#head ??= this.#readHead();
    const body = this.#head === undefined ? undefined : this.#body();
    if (body === undefined) return this.#keep();
    const { status, text } = this.#head;
    const settle = this.#settle;
    this.#head = undefined;
    this.#rest = Buffer.alloc(0);
    this.#keep();
    this.#fail = () => {};
    settle({ status, head: text, body });
  }

  #keep() {
    this.#chunks = this.#rest.length === 0 ? [] : [this.#rest];
    this.#size = this.#rest.length;
  }

  #body() {
    return this.#head.chunked ? this.#unchunked() : this.#plain();
  }

  #readHead() {
    const end = this.#rest.indexOf(HEAD_END);
    if (end === -1) return undefined;
    const text = this.#rest.latin1Slice(0, end);
    const lower = text.toLowerCase();
    this.#rest = this.#rest.subarray(end + 4);
    const at = lower.indexOf('content-length: ');
    return {
      text,
      status: Number(text.slice(9, 12)),
      length: at === -1 ? 0 : Number.parseInt(lower.slice(at + 16), 10),
      chunked: lower.includes('transfer-encoding: chunked'),
    };
  }

  #plain() {
    const { length } = this.#head;
    return this.#rest.length < length ? undefined : this.#rest.utf8Slice(0, length);
  }

  /** The body of a chunked answer, once its last chunk is there. */
  #unchunked() {
    const parts = [];
    let at = 0;
    for (;;) {
      const end = this.#rest.indexOf(LINE_END, at);
      if (end === -1) return undefined;
      const size = Number.parseInt(this.#rest.latin1Slice(at, end), 16);
      if (this.#rest.length < end + 4 + size) return undefined;
      if (size === 0) return Buffer.concat(parts).toString('utf8');
      parts.push(this.#rest.subarray(end + 2, end + 2 + size));
      at = end + 4 + size;
    }
  }
}

/** The value of a header of an answer. */
export function headerOf({ head }, name) {
  const [, value] = new RegExp(`\r\n${name}: ([^\r]*)`, 'i').exec(head) ?? [];
  return value;
}

/** The message in an answer, whether it is the body or the last event of a stream. */
export function messageOf({ body }) {
  if (body.startsWith('{')) return JSON.parse(body);
  const at = body.lastIndexOf('data: {');
  if (at === -1) throw new Error(`Not a message: ${body.slice(0, 200)}`);
  return JSON.parse(body.slice(at + 6, body.indexOf('\n', at)));
}
