import type { Audit } from '../core/policies/audit.ts';
import { type AccessOptions, createAccess } from '../transports/http/access.ts';
import type { Handler } from '../transports/http/exchange.ts';
import { type GuardOptions, guarded } from '../transports/http/guard.ts';
import { isLoopback } from '../transports/http/loopback.ts';
import { noticing } from '../transports/http/noticed.ts';
import { createRouter } from '../transports/http/router.ts';
import { type HttpServer, type ListenOptions, listen } from '../transports/http/server.ts';
import type { Host } from './host.ts';

/** One path and what answers there. */
export interface HttpRoute {
  readonly path: string;
  readonly handler: Handler;
  /**
   * `all`: serve it under any name and to any page, for probes, which know neither. `access`: check who asks only where
   * the request says so.
   */
  readonly exempt?: 'all' | 'access';
}

type Doors = Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins' | 'publicUrl'>;

export interface ServeHttpOptions
  extends Doors,
    Pick<
      ListenOptions,
      'host' | 'port' | 'allowUnauthenticated' | 'onClosing' | 'onDrain' | 'farewellMs' | 'trustProxy'
    > {
  readonly routes: readonly HttpRoute[];
  /** Who may use the server; everybody who reaches it, where it is not said. */
  readonly access?: Omit<AccessOptions, 'log'> | undefined;
}

/** What is served, and who keeps account of it. */
type Serving = Pick<Host, 'limits' | 'log'> & { readonly house?: Pick<Host['house'], 'audit'> };

/** Listens and serves the routes, all but the probes behind the guard and access control. */
export async function serveHttp(host: Serving, options: ServeHttpOptions): Promise<HttpServer> {
  const { routes, access, allowedHosts, allowedOrigins, publicUrl, ...address } = options;
  const { limits, log } = host;
  const doors = { allowedHosts, allowedOrigins, publicUrl, loopback: isLoopback(options.host) };
  const probes = routes.filter(({ exempt }) => exempt === 'all');
  const others = routes.filter(({ exempt }) => exempt !== 'all');
  const checked = access === undefined ? createRouter(others) : checkedRouter(others, { limits, ...access, log });
  const inner = accounted(guarded(checked, { ...doors, urlBytes: limits.urlBytes }), host.house?.audit);
  const authenticated = access !== undefined;
  return listen({ ...address, authenticated, handler: createRouter(probes, inner), limits, log });
}

/** Keeps account of who was turned away, where that is wanted. */
export function accounted(handler: Handler, audit: Audit | undefined): Handler {
  return audit === undefined ? handler : noticing(handler, (refusal) => audit.refused(refusal));
}

/** Nothing is said without a token, not even which paths there are, but on the routes that are exempt. */
function checkedRouter(routes: readonly HttpRoute[], options: AccessOptions): Handler {
  const { demanding, lenient, metadata } = createAccess(options);
  const open = routes.filter(({ exempt }) => exempt === 'access');
  const closed = routes.filter(({ exempt }) => exempt !== 'access');
  const eased = open.map(({ path, handler }) => ({ path, handler: lenient(handler) }));
  return createRouter([...metadata, ...eased], demanding(createRouter(closed)));
}
