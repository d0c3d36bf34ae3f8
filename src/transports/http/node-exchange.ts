import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../../model/fault.ts';
import type { Principal } from '../../model/peer.ts';
import { Framed } from '../../rpc/framed.ts';
import { OpenStreams } from './access-streams.ts';
import { answeredEarly } from './early.ts';
import type { EventStream, Handler, Headers, HttpExchange, Receiver, ReplyBody, StreamTable } from './exchange.ts';
import { clientAddress, FORWARDING, type Trust } from './headers-forwarded.ts';
import { awaitBody, readBody, type ToldBody } from './node-body.ts';
import { NodeRequest } from './node-request.ts';
import { NodeStream, watchReader } from './node-stream.ts';
import { followConnection } from './queued.ts';
import { refuse } from './refuse.ts';
import { type AdapterOptions, type OpenExchange, runHandler } from './run-handler.ts';
import { STREAM_HEADERS } from './stream-headers.ts';

/** How long a client may go on sending a body nobody reads, so that it gets to see the answer first. */
const LINGER_MS = 1000;

/** A listener for `node:http` and everything that speaks like it. It never throws. */
export function createListener(
  handler: Handler,
  options: ListenerOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const shared: Shared = { ...options, streams: new OpenStreams({ graceMs: options.limits.callDeadlineMs }) };
  const { headerCount } = options.limits;
  return (request, response) => {
    followConnection(request, response);
    const exchange = new NodeExchange(request, response, shared);
    if (request.rawHeaders.length > 2 * headerCount) refuseHeaders(exchange, headerCount);
    else runHandler(handler, exchange, options.log);
  };
}

export interface ListenerOptions extends AdapterOptions {
  /** Proxies whose word about their clients is taken; nobody's unless said otherwise. */
  readonly trust?: Trust | undefined;
}

interface Shared extends ListenerOptions {
  readonly streams: OpenStreams;
}

function refuseHeaders(exchange: HttpExchange, limit: number): void {
  refuse(exchange, { status: 431, reason: 'headers', message: `Cannot read the request: more than ${limit} headers` });
}

class NodeExchange implements OpenExchange {
  principal: Principal | undefined;
  complete: HttpExchange['complete'];
  good: HttpExchange['good'];
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: Shared;
  #answered = false;
  /** Nothing more is owed to the peer, so it cannot go too early. */
  #over = false;
  #stream: NodeStream | undefined;
  #gone: (() => void)[] | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, options: Shared) {
    this.#request = request;
    this.#response = response;
    this.#options = options;
  }

  get method(): string {
    return this.#request.method ?? 'GET';
  }

  get path(): string {
    const { url = '/' } = this.#request;
    const mark = url.indexOf('?');
    return mark === -1 ? url : url.slice(0, mark);
  }

  get query(): string {
    const { url = '/' } = this.#request;
    const mark = url.indexOf('?');
    return mark === -1 ? '' : url.slice(mark + 1);
  }

  get remote(): string {
    const peer = this.#request.socket.remoteAddress ?? '';
    const { trust } = this.#options;
    return trust === undefined ? peer : clientAddress({ peer, trust, header: (name) => this.header(name) });
  }

  get connection(): object {
    return this.#request.socket;
  }

  get streams(): StreamTable {
    return this.#options.streams;
  }

  get answered(): boolean {
    return this.#answered;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    if (value === undefined || (isForwarding(name) && !this.#forwards)) return undefined;
    return typeof value === 'object' ? value.join(', ') : value;
  }

  /** Whether the peer is a proxy whose word about its clients is taken. */
  get #forwards(): boolean {
    return this.#options.trust?.(this.#request.socket.remoteAddress ?? '') === true;
  }

  body(limit: number): Promise<Buffer> {
    return readBody(this.#request, limit, this.#options.limits.bodyBytesPerSecond);
  }

  receive(limit: number, take: Receiver): void {
    const request = this.#request;
    const { log, limits } = this.#options;
    const length = Number(request.headers['content-length']);
    const told: ToldBody = {
      length,
      bytesPerSecond: limits.bodyBytesPerSecond,
      done: (body) => runHandler(() => take(this, body), this, log),
    };
    const known = length > 0 && length <= limit;
    if (known && request instanceof NodeRequest && request.whenWhole(told)) return;
    if (known && !request.readableDidRead && !request.destroyed) awaitBody(request, told);
    else runHandler(() => this.#whole(limit, take), this, log);
  }

  #whole(limit: number, take: Receiver): Promise<void> {
    return this.body(limit).then(
      (body) => take(this, body),
      (error: unknown) => take(this, Fault.from(error)),
    );
  }

  reply(status: number, body?: ReplyBody, headers?: Headers): void {
    this.#begin();
    this.#over = true;
    const response = this.#response;
    if (response.destroyed) return;
    const said = status === 403 && headers !== undefined ? (this.complete?.(this, headers) ?? headers) : headers;
    const length = body === undefined ? undefined : lengthOf(body);
    response.writeHead(status, headFor(status, length, said));
    if (body instanceof Framed) endWith(response, body, length === body.length);
    else if (typeof body === 'string' && body.length === length) endAtOnce(response, body);
    else response.end(body);
    if (response.writableLength > 0) watchReader(response, this.#options.limits.readerMs);
    if (!this.#request.complete) this.#linger();
  }

  stream(headers?: Headers): EventStream {
    this.#begin();
    const response = this.#response;
    if (!response.destroyed) {
      response.writeHead(200, headers === undefined ? STREAM_HEADERS : { ...STREAM_HEADERS, ...headers });
    }
    const { limits, streams } = this.#options;
    this.#stream = new NodeStream(response, limits, () => this.#leave());
    streams.add(this.#stream, this);
    return this.#stream;
  }

  onGone(listener: () => void): void {
    if (this.#response.destroyed) queueMicrotask(listener);
    else if (this.#gone !== undefined) this.#gone.push(listener);
    else {
      this.#gone = [listener];
      this.#response.once('close', () => this.#leave());
    }
  }

  abort(): void {
    this.#response.destroy();
  }

  #begin(): void {
    if (this.#answered) throw new Error('Cannot answer twice: the exchange has its answer');
    this.#answered = true;
  }

  #leave(): void {
    if (this.#over || this.#stream?.ended === true) return;
    this.#over = true;
    for (const listener of this.#gone ?? []) {
      try {
        listener();
      } catch (error) {
        this.#options.log('error', 'A handler failed on a peer that went away', { error });
      }
    }
  }

  /** A body nobody read goes on arriving: what is small ends by itself, what is not is cut. */
  #linger(): void {
    const request = this.#request;
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if ((length === undefined || length === '0') && coding === undefined) return;
    answeredEarly(request);
    request.resume();
    const timer = setTimeout(() => {
      if (!request.complete) request.destroy();
    }, LINGER_MS);
    timer.unref();
    request.once('close', () => clearTimeout(timer));
  }
}

const [LETTER_F, LETTER_X] = [102, 120];

/** Whether a header is one that proxies tell of their clients with; most are not, as their first letter says. */
function isForwarding(name: string): boolean {
  const first = name.charCodeAt(0);
  return (first === LETTER_F || first === LETTER_X) && FORWARDING.has(name);
}

function lengthOf(body: ReplyBody): number {
  return body instanceof Framed ? body.size : Buffer.byteLength(body);
}

/**
 * Sends a body that is ASCII, which is as long in bytes as in characters and need not be encoded. Ending with it would
 * make two pieces, it and nothing, and two take longer to write than one.
 */
function endAtOnce(response: ServerResponse, body: string): void {
  response.write(body, 'latin1');
  response.socket?.uncork();
  response.end();
}

/** Sends the pieces of a body together, none of them copied into another. */
function endWith(response: ServerResponse, body: Framed, ascii: boolean): void {
  response.cork();
  for (const piece of body.pieces()) {
    if (ascii && typeof piece === 'string') response.write(piece, 'latin1');
    else response.write(piece);
  }
  response.end();
  response.uncork();
}

const NO_BODY: Headers = Object.freeze({ 'content-length': '0' });

function headFor(status: number, length: number | undefined, headers: Headers | undefined): Headers {
  if (status === 204 || status === 304) return headers ?? {};
  if (length === undefined) return headers === undefined ? NO_BODY : { ...NO_BODY, ...headers };
  const size = String(length);
  if (headers === undefined) return { 'content-type': 'application/json', 'content-length': size };
  return { 'content-type': 'application/json', 'content-length': size, ...headers };
}
