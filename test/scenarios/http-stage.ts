import { once } from 'node:events';
import { connect as dial, createServer as listenRaw, type Socket } from 'node:net';
import { createEndpoint } from '../../src/host/endpoint.ts';
import { createHost } from '../../src/host/host.ts';
import { serveHttp } from '../../src/host/http.ts';
import type { Limits, Server } from '../../src/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { Handler } from '../../src/transports/http/exchange.ts';

export interface Stage {
  /** Where the endpoint is, without a path. */
  readonly origin: string;
  /** Cuts every connection that is open now; new ones are let through. */
  cut(): void;
  /** How many sessions the server keeps. */
  sessions(): number;
  /** Every request so far: its method and, where it has one, the event it comes back to. */
  readonly requests: readonly string[];
  /** Ends the session that was used last, behind the back of its client. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Serves over real HTTP, at `/mcp`, `/sse` and `/messages`, behind a wire that can be cut. */
export async function serveOnWire(server: Server, limits: Partial<Limits> = {}): Promise<Stage> {
  const { info, instructions } = server;
  const host = await createHost({ server: info, instructions, mounts: [{ provider: server }], limits });
  const store = await openStore('memory:', { log: host.log });
  const endpoint = createEndpoint(host, { store });
  const requests: string[] = [];
  let session = '';
  const noting: Handler = (exchange) => {
    session = exchange.header('mcp-session-id') ?? session;
    requests.push(`${exchange.method} ${exchange.header('last-event-id') ?? ''}`.trim());
    return endpoint.mcp(exchange);
  };
  const http = await serveHttp(host, {
    host: '127.0.0.1',
    port: 0,
    routes: [
      { path: '/mcp', handler: noting },
      { path: '/sse', handler: endpoint.sse },
      { path: '/messages', handler: endpoint.messages },
    ],
    onDrain: () => endpoint.drain(0),
  });
  const wire = await openWire(Number(new URL(http.url).port));
  return {
    origin: wire.origin,
    cut: () => wire.cut(),
    sessions: () => endpoint.sessions.size,
    requests,
    async forget() {
      await fetch(`${http.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': session } });
    },
    async close() {
      await wire.close();
      await http.close();
      await store.close();
      host.close();
    },
  };
}

/** Passes bytes both ways to a port of this machine. */
async function openWire(port: number): Promise<{ origin: string; cut(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    return socket;
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const front = listenRaw((socket) => {
    const back = keep(dial(port, '127.0.0.1'));
    keep(socket).pipe(back).pipe(socket);
    socket.on('close', () => back.destroy());
    back.on('close', () => socket.destroy());
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const { port: own } = front.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${own}`,
    cut,
    async close() {
      cut();
      front.close();
      await once(front, 'close');
    },
  };
}
