import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Child, type Message } from './child.ts';

// Lets a suite that speaks only Streamable HTTP talk to a server on a pipe. It checks no header: that is for the tests
// of the HTTP transport. A handshake session has a child of its own; everything else shares one.

const REVISION = 'io.modelcontextprotocol/protocolVersion';
const BAD_REQUEST = new Set([-32_020, -32_021, -32_022]);
const UNKNOWN_METHOD = -32_601;

export interface Bridge {
  readonly url: string;
  close(): void;
}

/** Opens the bridge; `argv` starts a server. */
export async function openBridge(argv: readonly string[]): Promise<Bridge> {
  const house = new Sessions(argv);
  const server = createServer((request, response) => {
    handle(house, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      house.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Session {
  readonly child: Child;
  stream: ServerResponse | undefined;
}

/** The children: one a session, those that serve requests without one, and one that is warm. */
class Sessions {
  readonly #argv: readonly string[];
  readonly #sessions = new Map<string, Session>();
  readonly #stateless: Child[] = [];
  #spare: Child;

  constructor(argv: readonly string[]) {
    this.#argv = argv;
    this.#spare = new Child(argv);
  }

  open(): string {
    const id = randomUUID();
    const session: Session = { child: this.#next(), stream: undefined };
    session.child.onStray = (message) => session.stream?.write(event(message));
    this.#sessions.set(id, session);
    return id;
  }

  find(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  end(id: string): void {
    this.#sessions.get(id)?.child.close();
    this.#sessions.delete(id);
  }

  /** A child that may be asked under this id. */
  stateless(id: string | number | undefined): Child {
    const free = this.#stateless.find((child) => id === undefined || !child.isBusy(id));
    if (free !== undefined) return free;
    const fresh = this.#next();
    this.#stateless.push(fresh);
    return fresh;
  }

  close(): void {
    for (const child of [...this.#stateless, this.#spare]) child.close();
    for (const id of [...this.#sessions.keys()]) this.end(id);
  }

  #next(): Child {
    const child = this.#spare;
    this.#spare = new Child(this.#argv);
    return child;
  }
}

async function handle(sessions: Sessions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id'];
  if (request.method === 'POST') return post(sessions, request, response);
  const session = typeof id === 'string' ? sessions.find(id) : undefined;
  if (session === undefined) return void response.writeHead(typeof id === 'string' ? 404 : 405).end();
  if (request.method === 'DELETE') {
    sessions.end(id as string);
    return void response.writeHead(200).end();
  }
  session.stream = response;
  response.writeHead(200, EVENTS).flushHeaders();
}

async function post(sessions: Sessions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const message = JSON.parse(await bodyOf(request)) as Message;
  const modern = message.params?._meta?.[REVISION] !== undefined || request.headers['mcp-protocol-version'] === NEWEST;
  if (modern) return exchange(sessions.stateless(message.id), message, response);
  const opens = message.method === 'initialize';
  const id = opens ? sessions.open() : String(request.headers['mcp-session-id']);
  const session = sessions.find(id);
  if (session === undefined) return void response.writeHead(404).end();
  if (opens) response.setHeader('mcp-session-id', id);
  exchange(session.child, message, response);
}

const NEWEST = '2026-07-28';
const EVENTS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** One message to a child; the response is JSON unless something comes before it. */
function exchange(child: Child, request: Message, response: ServerResponse): void {
  const { id, method } = request;
  if (id === undefined || method === undefined) {
    child.say(request);
    response.writeHead(202).end();
    return;
  }
  response.on('close', () => {
    if (!response.writableFinished) child.cancel(id);
  });
  child.ask(id, {
    request,
    take(message) {
      const last = message.method === undefined;
      if (last && !response.headersSent) {
        response.writeHead(statusOf(message), { 'content-type': 'application/json' }).end(JSON.stringify(message));
        return;
      }
      if (!response.headersSent) response.writeHead(200, EVENTS);
      response.write(event(message));
      if (last) response.end();
    },
  });
}

function event(message: Message): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

function statusOf({ error }: Message): number {
  if (error === undefined) return 200;
  if (error.code === UNKNOWN_METHOD) return 404;
  return BAD_REQUEST.has(error.code) || error.data?.code === 'E_BAD_CLAIM' ? 400 : 200;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
