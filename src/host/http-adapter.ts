import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccessRule } from '../catalog/needs.ts';
import type { Server } from '../catalog/server.ts';
import type { AuditOptions } from '../core/policies/audit.ts';
import type { Limits } from '../model/limits.ts';
import { type Log, silent } from '../model/log.ts';
import type { RateLimit } from '../model/rate.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { surviveLateErrors } from '../transports/guard.ts';
import { type AccessOptions, createAccess } from '../transports/http/access.ts';
import type { Handler } from '../transports/http/exchange.ts';
import { createFetch } from '../transports/http/fetch-exchange.ts';
import { guarded } from '../transports/http/guard.ts';
import { trustOf } from '../transports/http/headers-forwarded.ts';
import { createListener } from '../transports/http/node-exchange.ts';
import { createRouter } from '../transports/http/router.ts';
import { createEndpoint } from './endpoint.ts';
import { createHost, type Host } from './host.ts';
import { accounted } from './http.ts';

/** A server to be mounted in a program that listens itself. */
export interface HttpHandler {
  /** For `node:http`, Express, Fastify and everything that takes a Node request listener. */
  listener(request: IncomingMessage, response: ServerResponse): void;
  /** For everything that speaks web-standard `Request` and `Response`. */
  fetch(request: Request): Promise<Response>;
  /** Ends streams, lets calls in flight finish within the grace period, and lets go of everything. */
  close(): Promise<void>;
}

export interface HttpHandlerOptions {
  /** Secrets that seal request state, newest first; without one, what was sealed ends with the process. */
  readonly secrets?: readonly string[];
  /** Serve JSON-RPC without a handshake, in the bare shape. */
  readonly bare?: boolean;
  /** The program listens on this machine alone, so that its own names are the only ones expected. */
  readonly loopback?: boolean;
  /** Names the program is reached by, with or without a port; without any, every name is taken. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may use the server, such as `https://app.example`. */
  readonly allowedOrigins?: readonly string[];
  /** Where clients find the program; its host is expected. */
  readonly publicUrl?: string;
  /** Addresses and networks of proxies whose word about their clients is taken; nobody's unless given. */
  readonly trustProxy?: readonly string[];
  /** Who may use the server; everybody who reaches it, where it is not said. */
  readonly access?: HttpHandlerAccess;
  /** Which scopes items need, besides what they say themselves. */
  readonly rules?: readonly AccessRule[];
  readonly limits?: Partial<Limits>;
  /** How often one peer may use the server; peers whose address the program does not tell share one limit. */
  readonly rateLimit?: RateLimit;
  readonly log?: Log;
  /**
   * Log errors that nobody caught, wherever in this process they come from, and go on. Off unless said: the process is
   * yours, and by itself it ends at such an error, whichever tool threw it too late.
   */
  readonly survive?: boolean;
  /**
   * Where sessions, tasks and counters are kept: the URL of an engine such as `redis://127.0.0.1`, or a store that the
   * program opened and closes itself. Without one they end with the handler.
   */
  readonly store?: string | Store;
  /** Told who asked for what and what became of it. */
  readonly audit?: Pick<AuditOptions, 'sink' | 'arguments'>;
}

/**
 * How a program has who asks checked. With `issuers`, `publicUrl` must be the address of the endpoint, and requests for
 * its metadata, below `/.well-known/oauth-protected-resource`, must come to the handler too.
 */
export type HttpHandlerAccess = Pick<AccessOptions, 'authenticator' | 'scopes' | 'issuers'>;

/** The endpoint of a server in both forms of handler. */
export async function openHttpHandler(server: Server, options: HttpHandlerOptions): Promise<HttpHandler> {
  const { loopback = false, allowedHosts, allowedOrigins, publicUrl, trustProxy = [] } = options;
  const { store: given = 'memory:' } = options;
  const store = typeof given === 'string' ? await openStore(given, { log: options.log ?? silent }) : given;
  const host = await hostOf(server, { ...options, store });
  const { limits, log } = host;
  const release = options.survive === true ? surviveLateErrors(log) : undefined;
  const endpoint = createEndpoint(host, { store });
  await endpoint.ready();
  const doors = { allowedHosts, allowedOrigins, publicUrl, loopback, urlBytes: limits.urlBytes };
  const handler = accounted(guarded(checked(endpoint.mcp, options, host), doors), host.house.audit);
  const trust = trustProxy.length === 0 ? undefined : trustOf(trustProxy);
  return {
    listener: createListener(handler, { limits, log, trust }),
    fetch: createFetch(handler, { limits, log }),
    async close() {
      await endpoint.drain(limits.drainMs);
      host.close();
      if (store !== given) await store.close();
      release?.();
    },
  };
}

function checked(handler: Handler, { access, publicUrl }: HttpHandlerOptions, { limits, log }: Host): Handler {
  if (access === undefined) return handler;
  if ((access.issuers ?? []).length > 0 && publicUrl === undefined) {
    throw new TypeError('Cannot point clients to the issuers: give publicUrl, the address of the endpoint');
  }
  const { demanding, metadata } = createAccess({ ...access, endpoint: '', publicUrl, limits, log });
  return createRouter(metadata, demanding(handler));
}

function hostOf(server: Server, options: HttpHandlerOptions & { store: Store }): Promise<Host> {
  const { limits = {}, log = silent, bare = false, secrets, rateLimit, rules, audit, store } = options;
  const { info, instructions, cache } = server;
  const sealed = secrets === undefined ? {} : { secrets };
  return createHost({
    server: info,
    instructions,
    cache,
    mounts: [{ provider: server }],
    limits,
    log,
    bare,
    rateLimit,
    audit,
    rules,
    store,
    ...sealed,
  });
}
