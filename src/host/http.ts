import type { Server } from '../catalog/server.ts';
import type { Limits } from '../model/limits.ts';
import { type Log, silent } from '../model/log.ts';
import { openStore } from '../store/open.ts';
import type { Handler } from '../transports/http/exchange.ts';
import { createFetch } from '../transports/http/fetch-exchange.ts';
import { type GuardOptions, guarded } from '../transports/http/guard.ts';
import { isLoopback } from '../transports/http/loopback.ts';
import { createListener } from '../transports/http/node-exchange.ts';
import { createRouter } from '../transports/http/router.ts';
import { type HttpServer, type ListenOptions, listen } from '../transports/http/server.ts';
import { createEndpoint } from './endpoint.ts';
import { createHost, type Host, type HostOptions } from './host.ts';

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

/** A server to be mounted in a program that listens itself. */
export interface HttpHandler {
  /** For `node:http`, Express, Fastify and everything that takes a Node request listener. */
  readonly listener: ReturnType<typeof createListener>;
  /** For everything that speaks web-standard `Request` and `Response`. */
  readonly fetch: ReturnType<typeof createFetch>;
  /** Ends streams, lets calls in flight finish within the grace period, and lets go of everything. */
  close(): Promise<void>;
}

export interface HttpHandlerOptions extends Doors, Pick<HostOptions, 'secrets' | 'bare'> {
  /** The program listens on this machine alone, so that its own names are the only ones expected. */
  readonly loopback?: boolean;
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
}

/** Makes a server, or a host, ready to be mounted at one path of another program. */
export async function createHttpHandler(source: Server | Host, options: HttpHandlerOptions = {}): Promise<HttpHandler> {
  const { loopback = false, allowedHosts, allowedOrigins, publicUrl } = options;
  const given = 'converse' in source;
  const host = given ? source : await hostOf(source, options);
  const { limits, log } = host;
  const store = await openStore('memory:', { log });
  const endpoint = createEndpoint(host, { store });
  const doors = { allowedHosts, allowedOrigins, publicUrl, loopback, urlBytes: limits.urlBytes };
  const handler = guarded(endpoint.mcp, doors);
  return {
    listener: createListener(handler, { limits, log }),
    fetch: createFetch(handler, { limits, log }),
    async close() {
      await endpoint.drain(limits.drainMs);
      await store.close();
      if (!given) host.close();
    },
  };
}

function hostOf(server: Server, options: HttpHandlerOptions): Promise<Host> {
  const { limits = {}, log = silent, bare = false, secrets } = options;
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
    ...sealed,
  });
}
