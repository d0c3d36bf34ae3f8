import type { Handler } from '../transports/http/exchange.ts';
import { type GuardOptions, guarded } from '../transports/http/guard.ts';
import { isLoopback } from '../transports/http/loopback.ts';
import { createRouter } from '../transports/http/router.ts';
import { type HttpServer, type ListenOptions, listen } from '../transports/http/server.ts';
import type { Host } from './host.ts';

/** One path and what answers there. */
export interface HttpRoute {
  readonly path: string;
  readonly handler: Handler;
  /** `all`: serve it under any name and to any page, for probes, which know neither. */
  readonly exempt?: 'all' | 'access';
}

type Doors = Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins' | 'publicUrl'>;

export interface ServeHttpOptions
  extends Doors,
    Pick<ListenOptions, 'host' | 'port' | 'authenticated' | 'allowUnauthenticated' | 'onDrain'> {
  readonly routes: readonly HttpRoute[];
}

/** Listens and serves the routes, all but the probes behind the guard. */
export async function serveHttp(host: Pick<Host, 'limits' | 'log'>, options: ServeHttpOptions): Promise<HttpServer> {
  const { routes, allowedHosts, allowedOrigins, publicUrl, ...address } = options;
  const { limits, log } = host;
  const doors = { allowedHosts, allowedOrigins, publicUrl, loopback: isLoopback(options.host) };
  const probes = routes.filter(({ exempt }) => exempt === 'all');
  const others = routes.filter(({ exempt }) => exempt !== 'all');
  const inner = guarded(createRouter(others), { ...doors, urlBytes: limits.urlBytes });
  return listen({ ...address, handler: createRouter(probes, inner), limits, log });
}
