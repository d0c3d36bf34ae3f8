import { createServer, type Server } from '../../src/catalog/server.ts';
import { createEndpoint } from '../../src/host/endpoint.ts';
import { createHost, type Host } from '../../src/host/host.ts';
import { serveHttp } from '../../src/host/http.ts';
import type { Limits } from '../../src/model/limits.ts';
import type { Store } from '../../src/store/store.ts';
import type { Handler } from '../../src/transports/http/exchange.ts';
import type { HttpServer } from '../../src/transports/http/server.ts';
import { HttpPeer, type HttpPeerOptions, PRINCIPAL_HEADER } from '../scenarios/http/http-peer.ts';
import type { RevisionId } from '../scenarios/revisions.ts';
import { createSharedStore, type View } from './shared-store.ts';

/** A place where a tool waits until the test lets it go on; whoever comes later does not wait. */
export interface Gate {
  readonly entered: Promise<void>;
  open(): void;
}

export interface Replica<S extends Store = View> {
  readonly server: Server;
  readonly host: Host;
  readonly store: S;
  readonly port: number;
  /** Ends as a signal would. */
  drain(): Promise<void>;
}

/** A client that goes to whichever replica it is told to. */
export interface Roamer extends HttpPeer {
  /** Sends what comes next to this replica. */
  at(replica: number): this;
}

export interface Stage<S extends Store = View> {
  readonly replicas: readonly Replica<S>[];
  gate(name: string): Gate;
  roam(revision: RevisionId, options?: HttpPeerOptions): Roamer;
  close(): Promise<void>;
}

export const LEASE_MS = 200;
const LIMITS: Partial<Limits> = { replicaLeaseMs: LEASE_MS, drainMs: 400, retryMs: 50, streamAfterMs: 50 };
const FORM = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;

interface Gates {
  gate(name: string): Gate;
  wait(name: string, signal?: AbortSignal): Promise<void>;
  openAll(): void;
}

function createGates(): Gates {
  const gates = new Map<string, Gate & { enter(): void; readonly opened: Promise<void> }>();
  const gate = (name: string) => {
    let enter = (): void => {};
    let open = (): void => {};
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const made = gates.get(name) ?? { entered, opened, enter, open };
    gates.set(name, made);
    return made;
  };
  return {
    gate,
    async wait(name, signal) {
      gate(name).enter();
      const aborted = new Promise<void>((resolve) =>
        signal?.addEventListener('abort', () => resolve(), { once: true }),
      );
      await Promise.race([gate(name).opened, aborted]);
      signal?.throwIfAborted();
    },
    openAll() {
      for (const { open } of gates.values()) open();
    },
  };
}

const WAIT = { type: 'object', properties: { gate: { type: 'string' }, steps: { type: 'integer' } } } as const;

/** A server whose tools wait, ask, tell and change what is on offer. */
function createTools(name: string, { wait }: Gates): Server {
  const server = createServer({ name, version: '1' });
  let grown = 0;
  server.tool('who', {}, () => name);
  server.tool('march', { input: WAIT }, async ({ gate, steps = 1 }, call) => {
    for (let step = 1; step <= steps; step += 1) call.progress(step, steps);
    if (gate !== undefined) await wait(gate, call.signal);
    return `there, by ${name}`;
  });
  server.tool('ask', {}, async (_, call) => {
    const answer = await call.ask.elicit<{ n: number }>({ message: 'How many?', schema: FORM });
    return `${answer.action} ${answer.content?.n ?? ''}`.trim();
  });
  server.tool('note', {}, (_, call) => {
    call.log('debug', 'small');
    call.log('error', 'big');
    return 'noted';
  });
  server.tool('grow', {}, () => {
    grown += 1;
    server.tool(`more-${grown}`, {}, () => 'more');
    return 'grown';
  });
  server.tool('touch', {}, () => {
    server.updated('test://one');
    return 'touched';
  });
  server.tool('job', { input: WAIT, task: 'optional' }, async ({ gate }, call) => {
    if (gate !== undefined) await wait(gate, call.signal);
    const answer = await call.ask.elicit<{ n: number }>({ message: 'How many?', schema: FORM });
    return `done ${answer.content?.n ?? answer.action}`;
  });
  server.resource('one', 'test://one', {}, () => 'one');
  return server;
}

/** Servers that share one store, each behind a port of its own; the principal is whoever a header says. */
export async function stageReplicas(count = 3, limits: Partial<Limits> = {}): Promise<Stage> {
  const shared = createSharedStore();
  const views = Array.from({ length: count }, () => shared.view());
  return stageOn(views, { limits, end: () => shared.close() });
}

export async function stageOn<S extends Store>(
  stores: readonly S[],
  { limits = {}, end }: { readonly limits?: Partial<Limits>; end(): void | Promise<void> },
): Promise<Stage<S>> {
  const gates = createGates();
  const replicas: Replica<S>[] = [];
  for (const [index, store] of stores.entries()) {
    const server = createTools('ABCDEF'[index] ?? '?', gates);
    replicas.push(await serve(server, store, { ...LIMITS, ...limits }));
  }
  return {
    replicas,
    gate: (name) => gates.gate(name),
    roam: (revision, options) => roam(revision, replicas, options),
    async close() {
      gates.openAll();
      await Promise.all(replicas.map((replica) => replica.drain()));
      for (const { host, store } of replicas) {
        host.close();
        await store.close();
      }
      await end();
    },
  };
}

/** A client of servers at these ports. */
export function roam(
  revision: RevisionId,
  replicas: readonly { readonly port: number }[],
  options?: HttpPeerOptions,
): Roamer {
  let here = 0;
  const peer = new HttpPeer(revision, 0, options) as Roamer;
  Object.defineProperty(peer, 'port', { get: () => replicas[here]?.port });
  peer.at = (replica) => {
    here = replica;
    return peer;
  };
  return peer;
}

async function serve<S extends Store>(server: Server, store: S, limits: Partial<Limits>): Promise<Replica<S>> {
  const host = await createHost({
    server: server.info,
    mounts: [{ provider: server }],
    limits,
    store,
    secrets: ['known to every replica of this test'],
  });
  const endpoint = createEndpoint(host, { store });
  const known =
    (handler: Handler): Handler =>
    (exchange) => {
      const id = exchange.header(PRINCIPAL_HEADER);
      if (id !== undefined) exchange.principal = { id, scopes: [] };
      return handler(exchange);
    };
  const http: HttpServer = await serveHttp(host, {
    host: '127.0.0.1',
    port: 0,
    routes: [
      { path: '/mcp', handler: known(endpoint.mcp) },
      { path: '/sse', handler: known(endpoint.sse) },
      { path: '/messages', handler: known(endpoint.messages) },
    ],
    onDrain: () => endpoint.drain(host.limits.drainMs),
  });
  return { server, host, store, port: Number(new URL(http.url).port), drain: () => http.close() };
}

export async function until(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 5000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`It never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
