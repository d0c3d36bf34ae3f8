import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { guardExit, surviveLateErrors } from '../transports/guard.ts';
import { type InfoOptions, infoRoutes } from '../transports/http/info.ts';
import { type AccessSettings, openAccess } from './access.ts';
import type { Member } from './crew/member.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import type { Host } from './host.ts';
import { type HttpRoute, type ServeHttpOptions, serveHttp } from './http.ts';
import { createMetrics } from './metrics.ts';
import { offeredBy } from './offered.ts';
import { VERSION } from './version.ts';

export interface PortOptions
  extends Omit<ServeHttpOptions, 'routes' | 'onClosing' | 'onDrain' | 'farewellMs' | 'access'> {
  /** How who asks is checked; nobody is, where it is not said. */
  readonly access?: AccessSettings | undefined;
  open(store: Store): Promise<Host>;
  /** The engine that keeps sessions and tasks. */
  readonly storeUrl: string;
  /** The path of the MCP endpoint. */
  readonly endpoint: string;
  /** Called when clients can connect. */
  onReady(url: string): void;
  /** This process as one of several workers, where it is. */
  readonly member?: Member | undefined;
}

type Readiness = ReturnType<InfoOptions['readiness']>;

/** Serves many clients over HTTP until the process is told to end; what is in flight then finishes first. */
export async function servePort(options: PortOptions): Promise<void> {
  const late: { log: Host['log'] } = { log: (_, message) => process.stderr.write(`${message}\n`) };
  const release = surviveLateErrors((...entry) => late.log(...entry));
  const told = toldToEnd();
  try {
    const log: Host['log'] = (...entry) => late.log(...entry);
    const store = options.member?.store(log) ?? (await openStore(options.storeUrl, { log }));
    const host = await options.open(store);
    late.log = host.log;
    const releaseExit = guardExit();
    await serveUntil(told.end, host, { ...options, store }).finally(releaseExit);
    host.close();
    await store.close();
  } finally {
    options.member?.leave();
    told.release();
    release();
  }
}

async function serveUntil(
  end: Promise<void>,
  host: Host,
  { store, ...options }: PortOptions & { store: Store },
): Promise<void> {
  const { endpoint: path, open: _open, storeUrl: _url, onReady, access: settings, member, ...address } = options;
  const access =
    settings === undefined
      ? undefined
      : openAccess(settings, { ...host, endpoint: path, others: ['/sse'], publicUrl: options.publicUrl });
  const endpoint = createEndpoint(host, { store });
  if (access === undefined && host.catalog().scopes.length > 0) {
    host.log('warn', 'Some items need scopes, and nobody checks who asks: they are hidden from everybody');
  }
  const metrics = createMetrics({ version: VERSION, listedTool: (name) => host.catalog().findTool(name)?.tool.name });
  member?.counts(metrics.collect);
  const counted = { collect: member?.gather ?? metrics.collect };
  let draining = false;
  const readiness = (): Readiness => {
    if (draining) return 'draining';
    return store.awake() ? 'ready' : 'storeless';
  };
  await endpoint.ready();
  const server = await serveHttp(host, {
    ...address,
    access,
    routes: [...routesOf(endpoint, path), ...infoRoutes(infoOf(host, { options, metrics: counted, readiness }))],
    farewellMs: host.limits.farewellMs,
    onClosing: () => {
      draining = true;
      endpoint.leave();
    },
    onDrain: () => endpoint.drain(host.limits.drainMs),
  });
  member?.ready(server.url);
  onReady(server.url);
  await end;
  await server.close();
  metrics.close();
}

function routesOf({ mcp, sse, messages }: Endpoint, path: string): HttpRoute[] {
  return [
    { path, handler: mcp },
    { path: '/sse', handler: sse },
    { path: '/messages', handler: messages },
  ];
}

interface Facts {
  readonly options: Pick<PortOptions, 'endpoint' | 'publicUrl' | 'access'>;
  readonly metrics: InfoOptions['metrics'];
  readiness(): Readiness;
}

function infoOf(host: Host, { options, metrics, readiness }: Facts): InfoOptions {
  const { server, instructions, revisions } = host;
  return {
    server,
    instructions,
    revisions,
    version: VERSION,
    // The document has always been labelled with the oldest revision (seed 001).
    label: revisions.at(-1)?.id ?? '',
    endpoint: options.endpoint,
    publicUrl: options.publicUrl,
    secured: options.access !== undefined,
    sse: true,
    transports: ['Streamable HTTP', 'HTTP with server-sent events (the older transport, at /sse)'],
    offered: offeredBy(host.sight),
    metrics,
    readiness,
  };
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
