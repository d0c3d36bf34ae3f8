import { excerpt } from '../../model/excerpt.ts';
import { corsExchange, preflight } from './cors.ts';
import type { Handler, HttpExchange } from './exchange.ts';
import { refuse } from './refuse.ts';

export interface GuardOptions {
  /** Only this machine can reach the server, so only its own names for itself are expected. */
  readonly loopback: boolean;
  /** Names the server is reached by, with or without a port. Without any, a server on the network takes every name. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins whose pages may use the server, such as `https://app.example`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Where clients find the server; its host is expected. */
  readonly publicUrl?: string | undefined;
  /** Longest path and query, in bytes. */
  readonly urlBytes: number;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const HOST = /^(\[[\da-f:.]+\]|[^\s:/?#@[\],\\*]+)(?::\d{1,5})?$/;
const HTTP_ORIGIN = /^https?:\/\/([^/?#]+)$/;

/** Lets in only what comes by an expected name and from an expected page; answers preflights of configured origins. */
export function guarded(handler: Handler, options: GuardOptions): Handler {
  const list = new GuestList(options);
  const { urlBytes } = options;
  return (exchange) => {
    if (exchange.path.length + exchange.query.length > urlBytes) return refuseUrl(exchange, urlBytes);
    const host = exchange.header('host');
    if (!list.takesHost(host)) return refuseHost(exchange, host);
    const origin = exchange.header('origin');
    if (origin === undefined) return handler(exchange);
    return list.takesOrigin(origin, host) ? fromPage(exchange, list.shares(origin)) : refuseOrigin(exchange, origin);
  };

  /** Only a configured origin gets to send what browsers ask about first, and to read what comes back. */
  function fromPage(exchange: HttpExchange, shared: boolean): void | Promise<void> {
    const origin = exchange.header('origin') ?? '';
    if (!isPreflight(exchange)) return handler(shared ? corsExchange(exchange, origin) : exchange);
    return shared ? preflight(exchange, origin) : refuseOrigin(exchange, origin);
  }
}

/** Who is expected. */
class GuestList {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #loopback: boolean;
  readonly #checksHost: boolean;
  /** The name that was known last: most clients use the same. */
  #last: string | undefined;

  constructor(options: GuardOptions) {
    const { loopback, allowedHosts = [], allowedOrigins = [] } = options;
    this.#hosts = new Set(hostsOf(options));
    this.#origins = new Set(allowedOrigins.map(originOf));
    this.#loopback = loopback;
    this.#checksHost = loopback || allowedHosts.length > 0;
  }

  takesHost(host: string | undefined): boolean {
    return !this.#checksHost || this.#knows(host);
  }

  /** A page served under a name nobody vouched for is of no known origin: the name may lead here by a trick. */
  takesOrigin(origin: string, host: string | undefined): boolean {
    if (this.shares(origin)) return true;
    const from = HTTP_ORIGIN.exec(origin.toLowerCase())?.[1];
    if (from === undefined) return false;
    return (from === host?.toLowerCase() && this.#knows(host)) || (this.#loopback && isLoopbackName(from));
  }

  /** Whether pages of this origin may read the answers. */
  shares(origin: string): boolean {
    return this.#origins.has(origin.toLowerCase());
  }

  #knows(host: string | undefined): boolean {
    if (host === undefined) return false;
    if (host === this.#last) return true;
    const text = host.toLowerCase();
    const known = this.#hosts.has(text) || this.#hosts.has(HOST.exec(text)?.[1] ?? '');
    if (known) this.#last = host;
    return known;
  }
}

function isPreflight(exchange: HttpExchange): boolean {
  return exchange.method === 'OPTIONS' && exchange.header('access-control-request-method') !== undefined;
}

function isLoopbackName(host: string): boolean {
  return LOOPBACK.includes(HOST.exec(host)?.[1] ?? '');
}

function hostsOf({ loopback, allowedHosts = [], publicUrl }: GuardOptions): string[] {
  const given = allowedHosts.map((host) => {
    const text = host.trim().toLowerCase();
    const bare = /^[\da-f]*:[\da-f:.]*:[\da-f:.]*$/.test(text) ? `[${text}]` : text;
    if (HOST.test(bare)) return bare;
    throw new TypeError(`Cannot allow the host "${host}": give a name, with a port or without, and nothing else`);
  });
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).host];
  return [...(loopback ? LOOPBACK : []), ...given, ...own];
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.host === '' || !['', '/'].includes(url.pathname) || url.search + url.hash !== '') {
    throw new TypeError(`Cannot allow the origin "${text}": give a scheme and a host, such as "https://app.example"`);
  }
  return `${url.protocol}//${url.host}`;
}

function refuseUrl(exchange: HttpExchange, limit: number): void {
  refuse(exchange, { status: 414, reason: 'url', message: `Cannot read the address: longer than ${limit} bytes` });
}

function refuseHost(exchange: HttpExchange, host: string | undefined): void {
  const name = host === undefined ? 'a request without a host' : `the host ${JSON.stringify(excerpt(host))}`;
  refuse(exchange, {
    status: 403,
    reason: 'host',
    message: `Cannot serve ${name}: the operator can allow it with --allowed-hosts (option "allowedHosts")`,
  });
}

function refuseOrigin(exchange: HttpExchange, origin: string): void {
  const page = JSON.stringify(excerpt(origin));
  refuse(exchange, {
    status: 403,
    reason: 'origin',
    message: `Cannot serve pages of ${page}: the operator can allow them with --allowed-origins (option "allowedOrigins")`,
  });
}
