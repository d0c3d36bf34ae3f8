import type { Server } from '../catalog/server.ts';
import { silent } from '../model/log.ts';
import { openStore } from '../store/open.ts';
import { createFetch } from '../transports/http/fetch-exchange.ts';
import { guarded } from '../transports/http/guard.ts';
import { createListener } from '../transports/http/node-exchange.ts';
import { createEndpoint } from './endpoint.ts';
import { createHost, type Host } from './host.ts';
import type { HttpHandler, HttpHandlerOptions } from './http-handler.ts';

/** The endpoint of a server, or of a host, in both forms of handler. */
export async function openHttpHandler(source: Server | Host, options: HttpHandlerOptions): Promise<HttpHandler> {
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
