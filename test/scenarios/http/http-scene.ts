import { createEndpoint, type Endpoint } from '../../../src/host/endpoint.ts';
import { createHost, type Host, type HostOptions } from '../../../src/host/host.ts';
import { type ServeHttpOptions, serveHttp } from '../../../src/host/http.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Handler } from '../../../src/transports/http/exchange.ts';
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

/** Serves over HTTP at `/mcp`, `/sse` and `/messages`; the principal is whoever a header says. */
export async function stageHttp(options: HttpSceneOptions = {}): Promise<HttpScene> {
  const { allowedOrigins, allowedHosts, access, limits, ...rest } = options;
  const fixture = createFixture();
  addHttpTools(fixture);
  const logged: string[] = [];
  const host = await createHost({
    server: fixture.server.info,
    instructions: fixture.server.instructions,
    ...rest,
    limits: { drainMs: 1000, ...limits },
    mounts: [{ provider: fixture.server }],
    log: (severity, message, fields) => logged.push(JSON.stringify({ severity, message, ...fields })),
  });
  const store = await openStore('memory:', { log: host.log });
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
  const port = Number(new URL(server.url).port);
  return {
    port,
    host,
    endpoint,
    fixture,
    logged,
    peer: (revision, peerOptions) => new HttpPeer(revision, port, peerOptions),
    shutdown: () => server.close(),
    async close() {
      fixture.releaseAll();
      await server.close();
      await store.close();
      host.close();
    },
  };
}
