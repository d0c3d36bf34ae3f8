import { once } from 'node:events';
import { connect } from 'node:net';
import { createEndpoint } from '../../src/host/endpoint.ts';
import { serveHttp } from '../../src/host/http.ts';
import { openStore } from '../../src/store/open.ts';
import type { Handler } from '../../src/transports/http/exchange.ts';
import { infoRoutes } from '../../src/transports/http/info.ts';
import { openHost } from './fixture.ts';
import { Failure } from './target.ts';

/** Limits of time that a test can wait for, and of size that a test can go beyond. */
const LIMITS = {
  headerBytes: 4096,
  urlBytes: 1000,
  readerMs: 1000,
  sessions: 500,
  sessionIdleMs: 3000,
  streamAfterMs: 50,
  outboxTtlMs: 1000,
  drainMs: 500,
} as const;

/** For those who want to see what becomes of requests that never end. */
export const HASTY = { headerMs: 300, requestMs: 500, idleSocketMs: 400 } as const;

/** A server that listens, with everything it has on its routes. */
export interface Wire {
  readonly port: number;
  /** Asks how many event streams the server believes to be open. */
  streams(): Promise<number>;
  close(): Promise<void>;
}

const PROBE = '/streams';

const countStreams: Handler = (exchange) => {
  exchange.streams?.sweep();
  exchange.reply(200, String(exchange.streams?.size ?? 0), { connection: 'close' });
};

export async function openWire(limits: Partial<typeof HASTY> = {}): Promise<Wire> {
  const host = await openHost({ limits: { ...LIMITS, ...limits } });
  const store = await openStore('memory:', { log: host.log });
  const endpoint = createEndpoint(host, { store });
  const info = infoRoutes({
    endpoint: '/mcp',
    server: host.server,
    revisions: host.revisions,
    readiness: () => 'ready',
    offered: () => ({ tools: [], resources: [], prompts: [] }),
  } as unknown as Parameters<typeof infoRoutes>[0]);
  const server = await serveHttp(host, {
    host: '127.0.0.1',
    port: 0,
    allowedOrigins: ['https://app.example'],
    routes: [
      { path: '/mcp', handler: endpoint.mcp },
      { path: '/sse', handler: endpoint.sse },
      { path: '/messages', handler: endpoint.messages },
      { path: PROBE, handler: countStreams },
      ...info.filter(({ path }) => path.endsWith('z') || path === '/health'),
    ],
    onDrain: () => endpoint.drain(0),
  });
  return {
    port: Number(new URL(server.url).port),
    streams: async () => Number(await (await fetch(server.url + PROBE)).text()),
    async close() {
      await server.close();
      await store.close();
      host.close();
    },
  };
}

/** What came back on one connection. */
export interface Heard {
  readonly text: string;
  /** The server closed it before we did. */
  readonly closed: boolean;
}

/** Quiet for so long, a connection has said what it had to say. */
const QUIET_MS = 700;
/** A stream may go on for ever; this is how long it is listened to. */
const ENOUGH_MS = 3000;
const LONGEST_MS = 20_000;

/** Sends bytes on a connection of their own and gives all that came until it was closed, or quiet for long. */
export async function sendRaw(port: number, chunks: Iterable<Buffer>, done: (text: string) => boolean): Promise<Heard> {
  const socket = connect(port, '127.0.0.1');
  const heard: Buffer[] = [];
  let closed = false;
  let quiet: NodeJS.Timeout | undefined;
  const leave = (): void => void socket.end();
  const wait = (): void => {
    clearTimeout(quiet);
    quiet = setTimeout(leave, QUIET_MS);
  };
  socket.on('error', () => {});
  socket.on('end', () => {
    closed = !socket.writableEnded;
  });
  socket.on('data', (chunk: Buffer) => {
    heard.push(chunk);
    if (done(Buffer.concat(heard).toString('latin1'))) leave();
    else wait();
  });
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  for (const chunk of chunks) socket.write(chunk);
  wait();
  const enough = setTimeout(leave, ENOUGH_MS);
  const late = setTimeout(() => socket.destroy(new Error('late')), LONGEST_MS);
  const begun = performance.now();
  if (!socket.closed) await once(socket, 'close').catch(() => {});
  clearTimeout(quiet);
  clearTimeout(enough);
  clearTimeout(late);
  if (performance.now() - begun >= LONGEST_MS) throw new Failure(`a connection hung for ${LONGEST_MS} ms`);
  return { text: Buffer.concat(heard).toString('latin1'), closed };
}
