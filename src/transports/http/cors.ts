import type { Principal } from '../../model/peer.ts';
import type { EventStream, Headers, HttpExchange, ReplyBody, StreamTable } from './exchange.ts';

const REQUESTED = [
  'Content-Type',
  'Accept',
  'Authorization',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
];
const EXPOSED = [
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
  'WWW-Authenticate',
  'Retry-After',
].join(', ');
const METHODS = 'GET, POST, DELETE, OPTIONS';
const DAY_SECONDS = '86400';
const PARAMETER = /^mcp-param-[\w!#$%&'*+.^`|~-]{1,128}$/i;

/** Tells a browser what a page of this origin may send. */
export function preflight(exchange: HttpExchange, origin: string): void {
  // A list cannot say "everything that starts with", so the parameter headers asked for are named one by one.
  const asked = (exchange.header('access-control-request-headers') ?? '').split(',').map((name) => name.trim());
  const parameters = asked.filter((name) => PARAMETER.test(name));
  exchange.reply(204, undefined, {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': [...REQUESTED, ...parameters].join(', '),
    'access-control-max-age': DAY_SECONDS,
    vary: 'origin, access-control-request-headers',
  });
}

/** The exchange with a page of an allowed origin: every response lets the page read it. */
export function corsExchange(exchange: HttpExchange, origin: string): HttpExchange {
  return new CorsExchange(exchange, {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    vary: 'origin',
  });
}

class CorsExchange implements HttpExchange {
  readonly #inner: HttpExchange;
  readonly #headers: Headers;

  constructor(inner: HttpExchange, headers: Headers) {
    this.#inner = inner;
    this.#headers = headers;
  }

  get method(): string {
    return this.#inner.method;
  }

  get path(): string {
    return this.#inner.path;
  }

  get query(): string {
    return this.#inner.query;
  }

  get remote(): string {
    return this.#inner.remote;
  }

  get connection(): object | undefined {
    return this.#inner.connection;
  }

  get principal(): Principal | undefined {
    return this.#inner.principal;
  }

  set principal(principal: Principal | undefined) {
    this.#inner.principal = principal;
  }

  get complete(): HttpExchange['complete'] {
    return this.#inner.complete;
  }

  set complete(complete: HttpExchange['complete']) {
    this.#inner.complete = complete;
  }

  get good(): HttpExchange['good'] {
    return this.#inner.good;
  }

  set good(good: HttpExchange['good']) {
    this.#inner.good = good;
  }

  get streams(): StreamTable | undefined {
    return this.#inner.streams;
  }

  header(name: string): string | undefined {
    return this.#inner.header(name);
  }

  body(limit: number): Promise<Buffer> {
    return this.#inner.body(limit);
  }

  reply(status: number, body?: ReplyBody, headers?: Headers): void {
    this.#inner.reply(status, body, this.#with(headers));
  }

  stream(headers?: Headers): EventStream {
    return this.#inner.stream(this.#with(headers));
  }

  onGone(listener: () => void): void {
    this.#inner.onGone(listener);
  }

  #with(headers: Headers | undefined): Headers {
    if (headers === undefined) return this.#headers;
    const { vary } = headers;
    return { ...headers, ...this.#headers, ...(vary === undefined ? {} : { vary: `${vary}, origin` }) };
  }
}
