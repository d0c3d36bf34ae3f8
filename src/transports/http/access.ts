import type { Authenticator, Verdict } from '../../auth/auth.ts';
import type { Log } from '../../model/log.ts';
import { jsonDocument, serveDocument } from './document.ts';
import type { Handler, HttpExchange } from './exchange.ts';
import { endpointUrl, publicEndpoint, type Whereabouts } from './own-url.ts';
import { type Refusal, refuse } from './refuse.ts';
import type { Route } from './router.ts';

export interface AccessOptions extends Whereabouts {
  readonly authenticator: Authenticator;
  /** What every request needs. */
  readonly scopes?: readonly string[];
  /** The authorization servers whose tokens are taken; without one there is no metadata to find them by. */
  readonly issuers?: readonly string[];
  readonly log: Log;
}

export interface Access {
  /** Lets in only who has a token with every scope. */
  demanding(handler: Handler): Handler;
  /** Lets in who has no token too, but nobody with a bad one. */
  lenient(handler: Handler): Handler;
  /** Where clients learn whom to ask for a token; open to all. */
  readonly metadata: readonly Route[];
}

const METADATA = '/.well-known/oauth-protected-resource';
// spec RFC 6750 section 2.1
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;
const SCHEME = /^bearer(?:\s|,|$)/i;

/** Checks who asks, before anything of a request is read but its head. A token is neither echoed, logged nor passed on. */
export function createAccess(options: AccessOptions): Access {
  const { issuers = [] } = options;
  const gate = new Gate(options);
  return {
    demanding: (handler) => (exchange) => gate.check(exchange, handler, true),
    lenient: (handler) => (exchange) => gate.check(exchange, handler, false),
    metadata: issuers.length === 0 ? [] : metadataRoutes(options),
  };
}

/** What a request says about who makes it. */
type Credentials = { readonly token: string | undefined } | 'malformed' | 'query';

class Gate {
  readonly #options: AccessOptions;
  readonly #scopes: readonly string[];

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#scopes = options.scopes ?? [];
  }

  check(exchange: HttpExchange, handler: Handler, demanded: boolean): void | Promise<void> {
    const credentials = credentialsOf(exchange);
    if (credentials === 'query') return this.#refuse(exchange, QUERY);
    if (credentials === 'malformed') return this.#refuse(exchange, MALFORMED);
    if (credentials.token === undefined && !demanded) return handler(exchange);
    const verdict = this.#options.authenticator.authenticate(credentials.token);
    if (verdict instanceof Promise) return verdict.then((found) => this.#admit(exchange, handler, found));
    return this.#admit(exchange, handler, verdict);
  }

  #admit(exchange: HttpExchange, handler: Handler, verdict: Verdict): void | Promise<void> {
    if (verdict.kind !== 'principal') return this.#turnAway(exchange, verdict);
    const { principal } = verdict;
    if (!this.#scopes.every((scope) => principal.scopes.includes(scope))) {
      return this.#refuse(exchange, lacking(this.#scopes));
    }
    exchange.principal = principal;
    return handler(exchange);
  }

  #turnAway(exchange: HttpExchange, verdict: Exclude<Verdict, { kind: 'principal' }>): void {
    const { method, path, remote } = exchange;
    if (verdict.kind === 'unavailable' || verdict.kind === 'invalid') {
      const level = verdict.kind === 'invalid' ? 'info' : 'error';
      this.#options.log(level, SAID[verdict.kind], { reason: verdict.reason, method, path, remote });
    }
    this.#refuse(exchange, TURNED_AWAY[verdict.kind]);
  }

  #refuse(exchange: HttpExchange, { error, ...refusal }: Challenge): void {
    const challenged = refusal.status === 503 ? {} : { 'www-authenticate': this.#challenge(exchange, error) };
    refuse(exchange, { ...refusal, headers: { ...refusal.headers, ...challenged, 'cache-control': 'no-store' } });
  }

  /** The header that tells a client what it needs and where to get it. */
  // spec 2026-07-28 basic/authorization#protected-resource-metadata-discovery-requirements
  #challenge(exchange: HttpExchange, error: Challenge['error']): string {
    const { issuers = [] } = this.#options;
    const metadata = issuers.length === 0 ? undefined : metadataUrl(endpointUrl(this.#options, exchange));
    const parts = {
      ...(error === undefined ? {} : { error: error.code, error_description: error.says }),
      ...(metadata === undefined ? { realm: 'mcp' } : { resource_metadata: metadata }),
      ...(this.#scopes.length === 0 ? {} : { scope: this.#scopes.join(' ') }),
    };
    return `Bearer ${Object.entries(parts)
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ')}`;
  }
}

function credentialsOf(exchange: HttpExchange): Credentials {
  // A token in an address ends up in histories, logs and referrers, so that one found there is not taken.
  if (exchange.query.includes('access_token') || exchange.query.includes('%')) {
    if (new URLSearchParams(exchange.query).has('access_token')) return 'query';
  }
  const header = exchange.header('authorization');
  if (header === undefined || !SCHEME.test(header)) return { token: undefined };
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? 'malformed' : { token };
}

interface Challenge extends Refusal {
  readonly error?: { readonly code: string; readonly says: string };
}

const GET_ONE = 'send "Authorization: Bearer …" with a token for this server';

const MALFORMED: Challenge = {
  status: 400,
  reason: 'authorization',
  message: 'Cannot read the Authorization header: send "Bearer", a space, and one token',
  error: { code: 'invalid_request', says: 'The Authorization header is malformed' },
};

const QUERY: Challenge = {
  status: 401,
  reason: 'token',
  message: `Cannot take a token from the address, where others may see it: ${GET_ONE}`,
  error: { code: 'invalid_request', says: 'Tokens are not taken from the address' },
};

const TURNED_AWAY: Readonly<Record<Exclude<Verdict['kind'], 'principal'>, Challenge>> = {
  missing: { status: 401, reason: 'token', message: `Cannot tell who asks: ${GET_ONE}` },
  invalid: {
    status: 401,
    reason: 'token',
    message: `Cannot take the token: ${GET_ONE}`,
    error: { code: 'invalid_token', says: 'The token is not good here' },
  },
  expired: {
    status: 401,
    reason: 'expired',
    message: 'Cannot take the token: it has expired. Get a new one',
    error: { code: 'invalid_token', says: 'The token has expired' },
  },
  unavailable: {
    status: 503,
    reason: 'authorization',
    limited: true,
    message: 'Cannot check the token for the moment: try again later',
    data: { retryAfterMs: 5000 },
    headers: { 'retry-after': '5' },
  },
};

const SAID = {
  invalid: 'A request was refused for its token',
  unavailable: 'A request was refused since its token cannot be checked',
} as const;

function lacking(scopes: readonly string[]): Challenge {
  return {
    status: 403,
    reason: 'scope',
    message: `Cannot serve this token: it needs the scopes ${scopes.map((scope) => `"${scope}"`).join(', ')}`,
    data: { scopes: [...scopes] },
    error: { code: 'insufficient_scope', says: 'The token lacks a scope' },
  };
}

/** Where the metadata of a resource is: its path follows the well-known one. */
// spec RFC 9728 section 3.1
function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${METADATA}${pathname === '/' ? '' : pathname}`;
}

function metadataRoutes(options: AccessOptions): readonly Route[] {
  const { issuers = [], scopes = [], endpoint, publicUrl } = options;
  const handler = serveDocument((exchange) =>
    jsonDocument(
      200,
      {
        resource: endpointUrl(options, exchange),
        authorization_servers: issuers,
        ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
        bearer_methods_supported: ['header'],
      },
      { 'cache-control': publicUrl === undefined ? 'no-store' : 'public, max-age=300' },
    ),
  );
  const outside = publicUrl === undefined ? [] : [new URL(metadataUrl(publicEndpoint(publicUrl, endpoint))).pathname];
  const paths = new Set([METADATA, endpoint === '/' ? METADATA : `${METADATA}${endpoint}`, ...outside]);
  return [...paths].map((path) => ({ path, handler }));
}
