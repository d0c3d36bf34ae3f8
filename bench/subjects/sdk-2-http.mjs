import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { announce, DESCRIPTION, NAMES, workOf } from './http-tools.mjs';

const sessions = new Map();
const inputSchema = z.object({ text: z.string() });

function fresh() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const name of NAMES) {
    const work = workOf(name);
    server.registerTool(name, { description: DESCRIPTION, inputSchema }, ({ text }) => ({
      content: [{ type: 'text', text: work(text) }],
    }));
  }
  return server;
}

async function open() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await fresh().connect(transport);
  return transport;
}

const modern = toNodeHandler(createMcpHandler(fresh));

announce(
  createServer(async (request, response) => {
    if (request.headers['mcp-protocol-version'] === '2026-07-28') return modern(request, response);
    const transport = sessions.get(request.headers['mcp-session-id']) ?? (await open());
    await transport.handleRequest(request, response);
  }),
);
