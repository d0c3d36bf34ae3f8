import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { announce, DESCRIPTION, NAMES, workOf } from './http-tools.mjs';

const sessions = new Map();
const inputSchema = { text: z.string() };

async function open() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const name of NAMES) {
    const work = workOf(name);
    server.registerTool(name, { description: DESCRIPTION, inputSchema }, ({ text }) => ({
      content: [{ type: 'text', text: work(text) }],
    }));
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await server.connect(transport);
  return transport;
}

announce(
  createServer(async (request, response) => {
    const transport = sessions.get(request.headers['mcp-session-id']) ?? (await open());
    await transport.handleRequest(request, response);
  }),
);
