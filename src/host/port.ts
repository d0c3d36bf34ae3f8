import { openStore } from '../store/open.ts';
import { surviveLateErrors } from '../transports/guard.ts';
import { createHealth } from '../transports/http/health.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import type { Host } from './host.ts';
import { type HttpRoute, type ServeHttpOptions, serveHttp } from './http.ts';
import { VERSION } from './version.ts';

export interface PortOptions extends Omit<ServeHttpOptions, 'routes' | 'onDrain'> {
  open(): Promise<Host>;
  /** The path of the MCP endpoint. */
  readonly endpoint: string;
  /** Called when clients can connect. */
  onReady(url: string): void;
}

type Readiness = 'ready' | 'draining';

/** Serves many clients over HTTP until the process is told to end; what is in flight then finishes first. */
export async function servePort(options: PortOptions): Promise<void> {
  const late: { log: Host['log'] } = { log: (_, message) => process.stderr.write(`${message}\n`) };
  const release = surviveLateErrors((...entry) => late.log(...entry));
  const told = toldToEnd();
  try {
    const host = await options.open();
    late.log = host.log;
    await serveUntil(told.end, host, options);
    host.close();
  } finally {
    told.release();
    release();
  }
}

async function serveUntil(end: Promise<void>, host: Host, options: PortOptions): Promise<void> {
  const { endpoint: path, open: _, onReady, ...address } = options;
  const { log, limits } = host;
  const store = await openStore('memory:', { log });
  const endpoint = createEndpoint(host, { store });
  let readiness: Readiness = 'ready';
  const server = await serveHttp(host, {
    ...address,
    routes: routesOf(endpoint, path, () => readiness),
    onDrain: () => {
      readiness = 'draining';
      return endpoint.drain(limits.drainMs);
    },
  });
  onReady(server.url);
  await end;
  await server.close();
  await store.close();
}

function routesOf({ mcp, sse, messages }: Endpoint, path: string, readiness: () => Readiness): HttpRoute[] {
  const { health, live, ready } = createHealth({ version: VERSION, readiness });
  return [
    { path, handler: mcp },
    { path: '/sse', handler: sse },
    { path: '/messages', handler: messages },
    { path: '/health', handler: health, exempt: 'all' },
    { path: '/healthz', handler: health, exempt: 'all' },
    { path: '/livez', handler: live, exempt: 'all' },
    { path: '/readyz', handler: ready, exempt: 'all' },
  ];
}

function toldToEnd(): { readonly end: Promise<void>; release(): void } {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let stop = (): void => {};
  const end = new Promise<void>((resolve) => {
    stop = resolve;
  });
  for (const name of signals) process.once(name, stop);
  return {
    end,
    release() {
      for (const name of signals) process.off(name, stop);
    },
  };
}
