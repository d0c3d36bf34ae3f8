import { createEndpoint, type Endpoint } from '../../../src/host/endpoint.ts';
import { createHost, type Host, type HostOptions } from '../../../src/host/host.ts';
import { type ServeHttpOptions, serveHttp } from '../../../src/host/http.ts';
import { silent } from '../../../src/model/log.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Handler } from '../../../src/transports/http/exchange.ts';
import type { HttpServer } from '../../../src/transports/http/server.ts';
import { openFront } from '../../replicas/front.ts';
import { createSharedStore } from '../../replicas/shared-store.ts';
import { createFixture } from '../fixture.ts';
import type { Fixture } from '../fixture-behind.ts';
import type { RevisionId } from '../revisions.ts';
import { HttpPeer, type HttpPeerOptions, PRINCIPAL_HEADER } from './http-peer.ts';

export interface HttpSceneOptions
  extends Partial<Omit<HostOptions, 'mounts' | 'log'>>,
    Pick<ServeHttpOptions, 'allowedOrigins' | 'allowedHosts' | 'access'> {}

/** The fixture behind a real socket of this machine. */
export interface HttpScene {
  readonly port: number;
  readonly host: Host;
  readonly endpoint: Endpoint;
  readonly fixture: Fixture;
  readonly logged: string[];
  peer(revision: RevisionId, options?: HttpPeerOptions): HttpPeer;
  /** Stops serving as a signal would. */
  shutdown(): Promise<void>;
  close(): Promise<void>;
}

const region = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    floor: { type: 'integer', 'x-mcp-header': 'Floor' },
    open: { type: 'boolean', 'x-mcp-header': 'Open' },
  },
} as const;
const steps = { type: 'object', properties: { steps: { type: 'integer' }, gate: { type: 'string' } } } as const;

/** Tools that only HTTP gives something to do. */
function addHttpTools({ server, waitAt, signals }: Fixture): void {
  server.tool('here', { input: region }, ({ region: where, floor }) => `${where ?? 'nowhere'} ${floor ?? 0}`);
  server.tool('march', { input: steps }, async (input, call) => {
    const { steps: last = 3, gate } = input;
    signals.set(gate ?? 'march', call.signal);
    for (let step = 1; step <= last; step += 1) {
      call.progress(step, last);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (gate !== undefined) await waitAt(gate);
    return 'there';
  });
  server.tool('leave', { input: steps }, async ({ gate = 'leave' }, call) => {
    signals.set(gate, call.signal);
    call.release();
    await waitAt(gate);
    call.progress(1);
    return 'back';
  });
}

/** How many servers share one store and take connections in turn. */
export const REPLICAS = Number(process.env['PARLEY_TEST_REPLICAS'] ?? 1);

/** Serves over HTTP at `/mcp`, `/sse` and `/messages`; the principal is whoever a header says. */
export async function stageHttp(options: HttpSceneOptions = {}): Promise<HttpScene> {
  const fixture = createFixture();
  addHttpTools(fixture);
  const logged: string[] = [];
  const shared = REPLICAS > 1 ? createSharedStore() : undefined;
  const replicas: Served[] = [];
  for (let count = 0; count < REPLICAS; count += 1) {
    const store = shared?.view() ?? (await openStore('memory:', { log: silent }));
    replicas.push(await serve(options, { fixture, logged, store, first: count === 0 }));
  }
  const ports = replicas.map(({ server }) => Number(new URL(server.url).port));
  const front = REPLICAS > 1 ? await openFront(ports) : undefined;
  const [{ host, endpoint }] = replicas as [Served];
  const port = front?.port ?? (ports[0] as number);
  const shutdown = async (): Promise<void> => {
    await Promise.all(replicas.map(({ server }) => server.close()));
  };
  return {
    port,
    host,
    endpoint,
    fixture,
    logged,
    peer: (revision, peerOptions) => new HttpPeer(revision, port, peerOptions),
    shutdown,
    async close() {
      fixture.releaseAll();
      await shutdown();
      await front?.close();
      for (const replica of replicas) {
        await replica.store.close();
        replica.host.close();
      }
      shared?.close();
    },
  };
}

interface Served {
  readonly host: Host;
  readonly endpoint: Endpoint;
  readonly server: HttpServer;
  readonly store: Store;
}

interface Stock {
  readonly fixture: Fixture;
  readonly logged: string[];
  readonly store: Store;
  /** The one that hears of changes to the items; the others hear it from that one. */
  readonly first: boolean;
}

async function serve(options: HttpSceneOptions, { fixture, logged, store, first }: Stock): Promise<Served> {
  const { allowedOrigins, allowedHosts, access, limits, ...rest } = options;
  const { server: whole } = fixture;
  const provider = first ? whole : { name: whole.name, load: () => whole.load() };
  const host = await createHost({
    server: fixture.server.info,
    instructions: fixture.server.instructions,
    ...(REPLICAS > 1 ? { store, secrets: ['shared by all replicas of this test'] } : {}),
    ...rest,
    limits: { drainMs: 1000, ...limits },
    mounts: [{ provider }],
    log: (severity, message, fields) => logged.push(JSON.stringify({ severity, message, ...fields })),
  });
  const endpoint = createEndpoint(host, { store });
  const known =
    (handler: Handler): Handler =>
    (exchange) => {
      const id = exchange.header(PRINCIPAL_HEADER);
      if (id !== undefined) exchange.principal = { id, scopes: [] };
      return handler(exchange);
    };
  const server = await serveHttp(host, {
    host: '127.0.0.1',
    port: 0,
    allowedOrigins,
    allowedHosts,
    access,
    routes: [
      { path: '/mcp', handler: known(endpoint.mcp) },
      { path: '/sse', handler: known(endpoint.sse) },
      { path: '/messages', handler: known(endpoint.messages) },
    ],
    onDrain: () => endpoint.drain(host.limits.drainMs),
  });
  return { host, endpoint, server, store };
}
