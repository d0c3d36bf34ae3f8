// A transport a session for the handshake revisions, the SDK's own handler for 2026-07-28.
// Sessions answer in JSON, their fastest way, unless BENCH_STREAM asks for streams.

import { randomUUID } from 'node:crypto';
import { createServer as createListener } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createServer } from './sdk-2.mjs';
import { announce } from './tools.mjs';

const sessions = new Map();
const enableJsonResponse = process.env.BENCH_STREAM === undefined;

async function open() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse,
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await createServer().connect(transport);
  return transport;
}

const modern = toNodeHandler(createMcpHandler(createServer));

announce(
  createListener(async (request, response) => {
    if (request.headers['mcp-protocol-version'] === '2026-07-28') return modern(request, response);
    const transport = sessions.get(request.headers['mcp-session-id']) ?? (await open());
    await transport.handleRequest(request, response);
  }),
);
