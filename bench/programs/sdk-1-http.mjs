// A transport a session, or with BENCH_STATELESS a server a request, as the SDK's own examples have it.
// Answers in JSON, its fastest way, unless BENCH_STREAM asks for streams.

import { randomUUID } from 'node:crypto';
import { createServer as createListener } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createServer } from './sdk-1.mjs';
import { announce } from './tools.mjs';

const sessions = new Map();
const enableJsonResponse = process.env.BENCH_STREAM === undefined;

async function open() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse,
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await createServer().connect(transport);
  return transport;
}

async function inSession(request, response) {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await open());
  await transport.handleRequest(request, response);
}

async function alone(request, response) {
  const server = createServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse });
  response.on('close', () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

announce(createListener(process.env.BENCH_STATELESS === undefined ? inSession : alone));
