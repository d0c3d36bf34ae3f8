import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Limits } from '../../model/limits.ts';
import type { Log } from '../../model/log.ts';
import { refusalText } from '../../rpc/refusal.ts';
import { isAnswered } from './early.ts';
import { createErrorId } from './error-id.ts';
import type { Handler } from './exchange.ts';
import { trustOf } from './headers-forwarded.ts';
import { isLoopback } from './loopback.ts';
import { createListener } from './node-exchange.ts';
import { NodeRequest } from './node-request.ts';
import { bodyTooLarge } from './run-handler.ts';

/** How often connections are looked at; a limit of time holds within this. */
const CHECK_MS = 1000;
/** How often a server that closes lets go of connections whose last response is out. */
/** A server closes after so many turns in which nobody came, or after so many in all where clients never stop coming. */
const QUIET_TURNS = 2;
const MOST_TURNS = 500;
const SWEEP_MS = 50;

export interface ListenOptions {
  readonly handler: Handler;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly limits: Limits;
  readonly log: Log;
  /** Addresses and networks of proxies whose word about their clients is taken. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Every request is checked for who makes it. */
  readonly authenticated?: boolean;
  /** Listen beyond this machine although nobody checks who asks. */
  readonly allowUnauthenticated?: boolean;
  /** Longest time requests are still served, once closing began, on connections that are open; none unless told. */
  readonly farewellMs?: number;
  /** Called when closing begins: turns readiness red. */
  readonly onClosing?: () => void;
  /** Called when no more requests are served: ends streams and lets work in flight finish. */
  readonly onDrain?: () => void | Promise<void>;
}

export interface HttpServer {
  /** Where the server is, without a path. */
  readonly url: string;
  /** Takes no more connections, lets requests in flight finish within the grace period, and cuts what is left. */
  close(): Promise<void>;
}

/** Serves HTTP at an address; resolves when it listens. */
export async function listen(options: ListenOptions): Promise<HttpServer> {
  const { host, port, log } = options;
  refuseOpenDoor(options);
  const server = createNodeServer(options);
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(explain(error, `${bracketed(host)}:${port}`));
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      resolve();
    });
  });
  server.on('error', (error) => log('error', 'The server cannot take a connection', { error }));
  const bound = (server.address() as AddressInfo).port;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${bracketed(host)}:${bound}`,
    close() {
      closing ??= closeServer(server, options);
      return closing;
    },
  };
}

function refuseOpenDoor({ host, authenticated = false, allowUnauthenticated = false }: ListenOptions): void {
  if (authenticated || allowUnauthenticated || isLoopback(host)) return;
  throw new TypeError(
    `Cannot listen on "${host}": everyone who can reach it could use the server, since nobody checks who asks. ` +
      'Use --host 127.0.0.1, or say --allow-unauthenticated (option "allowUnauthenticated")',
  );
}

function createNodeServer({ handler, limits, log, trustProxy = [] }: ListenOptions): Server {
  const trust = trustProxy.length === 0 ? undefined : trustOf(trustProxy);
  const listener = createListener(handler, { limits, log, trust });
  const server = createServer(
    {
      IncomingMessage: NodeRequest,
      headersTimeout: limits.headerMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.max(1, Math.min(CHECK_MS, limits.headerMs, limits.requestMs)),
      keepAliveTimeout: limits.idleSocketMs,
      maxHeaderSize: limits.headerBytes,
      insecureHTTPParser: false,
      // A second Host or Origin makes the joined value match nothing, where dropping it would hide it.
      joinDuplicateHeaders: true,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    },
    listener,
  );
  server.maxConnections = limits.connections;
  // One more than is taken, since what is beyond this number is dropped without a word.
  server.maxHeadersCount = limits.headerCount + 1;
  server.on('drop', () => log('warn', 'A connection was closed at once: too many are open', { limit: 'connections' }));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (Number(request.headers['content-length']) > limits.messageBytes) refuseBody(response, limits);
    else {
      response.writeContinue();
      listener(request, response);
    }
  });
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => refuseExpectation(response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => answerBroken(error, socket, log));
  return server;
}

function refuseBody(response: ServerResponse, { messageBytes }: Limits): void {
  const { code, message, data } = bodyTooLarge(messageBytes);
  const body = refusalText(message, { reason: 'size', code, ...data });
  response.writeHead(413, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

/** The connection ends with it: a body may be on its way that nobody will read. */
function refuseExpectation(response: ServerResponse): void {
  const body = refusalText('Cannot do what the header "Expect" asks for: send the request without it', {
    reason: 'http',
  });
  response.writeHead(417, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

const BROKEN: Readonly<Record<string, { readonly line: string; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: { line: '431 Request Header Fields Too Large', message: 'The head of the request is too long' },
  ERR_HTTP_REQUEST_TIMEOUT: { line: '408 Request Timeout', message: 'The request took too long to arrive' },
};
/** Something came behind the last request of a connection. */
const AFTER_LAST = 'HPE_CLOSED_CONNECTION';
const MALFORMED = { line: '400 Bad Request', message: 'The request is not HTTP' };

/** Node keeps the response that is under way on its socket; there is no public way to ask for it. */
interface HttpSocket extends Duplex {
  readonly _httpMessage?: ServerResponse | null;
}

/** Answers what never became a request, unless that would go into the middle of another answer. */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex, log: Log): void {
  const errorId = createErrorId();
  log('debug', 'A connection was closed: the request is broken', { errorId, code: error.code });
  const pending = (socket as HttpSocket)._httpMessage;
  if (error.code === AFTER_LAST) {
    // Nobody waits for an answer to it, but perhaps for one to the request before it, which ends the connection itself.
    if (pending === undefined || pending === null) socket.destroy();
    return;
  }
  const free = pending === undefined || pending === null || !(pending.headersSent || pending.req.complete);
  if (error.code !== 'ECONNRESET' && socket.writable && free && !isAnswered(socket)) {
    const { line, message } = BROKEN[error.code ?? ''] ?? MALFORMED;
    const body = refusalText(message, { reason: 'http', errorId });
    socket.write(
      `HTTP/1.1 ${line}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
        `connection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy();
}

function explain(error: NodeJS.ErrnoException, address: string): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program is using the port. Stop it, or choose another port with --port (0 for any free one)',
    EACCES: 'this user may not use the port. Choose one above 1023 with --port',
    EADDRNOTAVAIL: 'this machine does not have the address. Choose another with --host',
    ENOTFOUND: 'the name leads to no address. Choose another with --host',
  };
  const reason = reasons[error.code ?? ''] ?? error.message;
  return new Error(`Cannot listen on ${address}: ${reason}`, { cause: error });
}

async function closeServer(server: Server, { limits, farewellMs = 0, ...options }: ListenOptions): Promise<void> {
  options.onClosing?.();
  await whenAccepted(server);
  const closed = new Promise<void>((resolve) => {
    // The server's own way to close would begin with the idle connections.
    NetServer.prototype.close.call(server, () => resolve());
  });
  if (farewellMs > 0) await sayFarewell(server, closed, farewellMs);
  const drained = announce(options);
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const grace = setTimeout(() => server.closeAllConnections(), limits.drainMs);
  server.closeIdleConnections();
  await Promise.all([closed, drained]);
  clearInterval(sweep);
  clearTimeout(grace);
  // Listens no more; this ends what watches the connections.
  server.close(() => {});
}

/**
 * Resolves when every connection that waited has been taken, right after a turn of the event loop in which nobody came:
 * the system resets those that wait when listening ends.
 */
async function whenAccepted(server: Server): Promise<void> {
  let quiet = 0;
  const came = (): void => {
    quiet = 0;
  };
  server.on('connection', came);
  for (let turns = 0; quiet < QUIET_TURNS && turns < MOST_TURNS; turns += 1) {
    quiet += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  server.off('connection', came);
}

/**
 * Serves what still comes on connections that are open, each request with the word that it is the last. Closing them at
 * once would cut off whoever, a proxy above all, is just sending a request.
 */
async function sayFarewell(server: Server, closed: Promise<void>, mostMs: number): Promise<void> {
  server.prependListener('request', (_, response: ServerResponse) => response.setHeader('connection', 'close'));
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, mostMs);
  });
  await Promise.race([closed, over]);
  clearTimeout(timer);
}

async function announce({ onDrain, log }: Pick<ListenOptions, 'onDrain' | 'log'>): Promise<void> {
  try {
    await onDrain?.();
  } catch (error) {
    log('error', 'Cannot drain the server', { error });
  }
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
