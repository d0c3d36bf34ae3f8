import type { Authenticator, Verdict } from '../../auth/auth.ts';
import type { Eventually } from '../../model/json.ts';
import { type Limits, limitsWith } from '../../model/limits.ts';
import type { Log } from '../../model/log.ts';
import type { Principal } from '../../model/peer.ts';
import {
  type Challenge,
  challengeText,
  IN_ADDRESS,
  lacking,
  MALFORMED,
  TURNED_AWAY,
  tooManyTries,
} from './access-challenge.ts';
import { KnownHeaders } from './access-known.ts';
import { type MetadataOptions, metadataRoutes, metadataUrl, resourceUrl } from './access-metadata.ts';
import { bearerIn } from './access-token.ts';
import { BadTokens } from './access-tries.ts';
import { createErrorId } from './error-id.ts';
import type { Handler, Headers, HttpExchange } from './exchange.ts';
import { networkOf } from './rate.ts';
import { refuse } from './refuse.ts';
import type { Route } from './router.ts';

export interface AccessOptions extends MetadataOptions {
  readonly authenticator: Authenticator;
  /** What every request needs. */
  readonly scopes?: readonly string[];
  /** The authorization servers whose tokens are taken; without one there is no metadata to find them by. */
  readonly issuers?: readonly string[];
  readonly limits?: Pick<Limits, 'badTokens' | 'badTokensPerMinute' | 'badAddressesKept'>;
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

class Gate {
  readonly #options: AccessOptions;
  readonly #scopes: readonly string[];
  readonly #tries: BadTokens;
  readonly #known: KnownHeaders;
  /** Tokens whose check is under way. */
  readonly #checking = new Map<string, Promise<Verdict>>();
  readonly #withEnd = new WeakMap<Principal, Principal>();
  /** One function for all exchanges, so that none is made for each. */
  readonly #complete = (exchange: HttpExchange, headers: Headers): Headers => this.#completed(exchange, headers);

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#scopes = options.scopes ?? [];
    this.#tries = new BadTokens(options.limits ?? limitsWith());
    this.#known = new KnownHeaders(options.authenticator.keptMs ?? 0);
  }

  check(exchange: HttpExchange, handler: Handler, demanded: boolean): void | Promise<void> {
    if (isInAddress(exchange.query)) return this.#refuse(exchange, IN_ADDRESS);
    const header = exchange.header('authorization');
    const { connection } = exchange;
    const known = header === undefined || connection === undefined ? undefined : this.#known.recall(connection, header);
    if (known !== undefined) return this.#admit(exchange, handler, known);
    const token = bearerIn(header);
    if (token === 'malformed') return this.#refuse(exchange, MALFORMED);
    if (token === undefined && !demanded) return handler(exchange);
    const verdict = this.#judge(exchange, token?.token);
    if (verdict instanceof Promise) return verdict.then((found) => this.#settle(exchange, handler, found));
    return this.#settle(exchange, handler, verdict);
  }

  #settle(exchange: HttpExchange, handler: Handler, verdict: Verdict | number): void | Promise<void> {
    const { connection } = exchange;
    const header = exchange.header('authorization');
    if (connection !== undefined && header !== undefined && typeof verdict === 'object' && verdict.kind === 'principal')
      this.#known.keep(connection, header, verdict);
    return this.#admit(exchange, handler, verdict);
  }

  /** What comes of a token, or how long its address must wait before it is looked at. */
  #judge(exchange: HttpExchange, token: string | undefined): Eventually<Verdict | number> {
    const { authenticator } = this.#options;
    if (token === undefined) return authenticator.authenticate(token);
    const pending = this.#checking.size === 0 ? undefined : this.#checking.get(token);
    if (pending !== undefined) return pending;
    const waitMs = this.#tries.none ? 0 : this.#tries.waitMs(addressOf(exchange));
    if (waitMs > 0) {
      // Who was known to be good before others behind the same address were not is let in all the same.
      const known = authenticator.recall?.(token);
      return known?.kind === 'principal' ? known : waitMs;
    }
    const verdict = authenticator.authenticate(token);
    if (verdict instanceof Promise) return this.#await(exchange, token, verdict);
    if (verdict.kind === 'invalid') this.#blame(exchange);
    return verdict;
  }

  /** A check that takes its time counts as one try, however many requests come with the same token meanwhile. */
  #await(exchange: HttpExchange, token: string, verdict: Promise<Verdict>): Promise<Verdict> {
    this.#blame(exchange);
    const checked = verdict
      .then((found) => {
        if (found.kind !== 'invalid') this.#tries.restore(addressOf(exchange));
        return found;
      })
      .finally(() => this.#checking.delete(token));
    this.#checking.set(token, checked);
    return checked;
  }

  #blame(exchange: HttpExchange): void {
    // Where addresses are not known, one bad client must not lock out all the others.
    if (exchange.remote !== '') this.#tries.blame(addressOf(exchange));
  }

  #admit(exchange: HttpExchange, handler: Handler, verdict: Verdict | number): void | Promise<void> {
    if (typeof verdict === 'number') return this.#refuse(exchange, tooManyTries(verdict));
    if (verdict.kind !== 'principal') return this.#turnAway(exchange, verdict);
    const { principal, until, good } = verdict;
    for (const scope of this.#scopes)
      if (!principal.scopes.includes(scope)) return this.#refuse(exchange, lacking(this.#scopes));
    exchange.principal = until === undefined || principal.expires !== undefined ? principal : this.#dated(verdict);
    exchange.complete = this.#complete;
    if (good !== undefined) exchange.good = good;
    return handler(exchange);
  }

  /** A principal that knows when its token ends: the same object every time, since others know it by that. */
  #dated({ principal, until }: Extract<Verdict, { kind: 'principal' }>): Principal {
    const known = this.#withEnd.get(principal);
    if (known !== undefined && known.expires === until) return known;
    const dated = Object.freeze({ ...principal, ...(until === undefined ? {} : { expires: until }) });
    this.#withEnd.set(principal, dated);
    return dated;
  }

  #turnAway(exchange: HttpExchange, verdict: Exclude<Verdict, { kind: 'principal' }>): void {
    const { method, path, remote } = exchange;
    const refusal = TURNED_AWAY[verdict.kind];
    if (verdict.kind !== 'unavailable' && verdict.kind !== 'invalid') {
      this.#refuse(exchange, refusal);
      return;
    }
    const errorId = createErrorId();
    const level = verdict.kind === 'invalid' ? 'info' : 'error';
    this.#options.log(level, SAID[verdict.kind], { errorId, reason: verdict.reason, method, path, remote });
    this.#refuse(exchange, { ...refusal, data: { ...refusal.data, errorId } });
  }

  #refuse(exchange: HttpExchange, { error, bare = false, ...refusal }: Challenge): void {
    const challenged = bare ? {} : { 'www-authenticate': this.#challenge(exchange, error, this.#scopes) };
    refuse(exchange, { ...refusal, headers: { ...refusal.headers, ...challenged, 'cache-control': 'no-store' } });
  }

  /** The header that tells a client what it needs and where to get it. */
  // spec 2026-07-28 basic/authorization#protected-resource-metadata-discovery-requirements
  #challenge(exchange: HttpExchange, error: Challenge['error'], scopes: readonly string[]): string {
    const { issuers = [] } = this.#options;
    const known = issuers.length > 0;
    return challengeText({
      error: error?.code,
      error_description: error?.says,
      realm: known ? undefined : 'mcp',
      resource_metadata: known ? metadataUrl(resourceUrl(this.#options, exchange)) : undefined,
      scope: scopes.length === 0 ? undefined : scopes.join(' '),
    });
  }

  /** The challenge of an item that needs more: with the scopes every request needs, and where to get them all. */
  // spec 2026-07-28 basic/authorization#scope-challenge-handling
  #completed(exchange: HttpExchange, headers: Headers): Headers {
    const [, wanted] = SCOPE.exec(headers['www-authenticate'] ?? '') ?? [];
    if (wanted === undefined) return headers;
    const { error } = lacking([]);
    const scopes = [...new Set([...this.#scopes, ...wanted.split(' ')])];
    const challenge = this.#challenge(exchange, error, scopes);
    return { ...headers, 'www-authenticate': challenge, 'cache-control': 'no-store' };
  }
}

const SCOPE = / scope="([^"]+)"/;

const SAID = {
  invalid: 'A request was refused for its token',
  unavailable: 'A request was refused since its token cannot be checked',
} as const;

function addressOf({ remote }: HttpExchange): string {
  return networkOf(remote);
}

/** A token in an address ends up in histories, logs and referrers, so that one found there is not taken. */
function isInAddress(query: string): boolean {
  if (query === '' || !(query.includes('access_token') || query.includes('%'))) return false;
  return new URLSearchParams(query).has('access_token');
}
