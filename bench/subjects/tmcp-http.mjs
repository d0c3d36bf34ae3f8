import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { McpServer } from 'tmcp';
import { z } from 'zod';
import { announce, DESCRIPTION, NAMES, workOf } from './http-tools.mjs';

const server = new McpServer(
  { name: 'bench', version: '1.0.0', description: 'bench' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
const schema = z.object({ text: z.string() });
for (const name of NAMES) {
  const work = workOf(name);
  server.tool({ name, description: DESCRIPTION, schema }, ({ text }) => ({
    content: [{ type: 'text', text: work(text) }],
  }));
}
const transport = new HttpTransport(server);

announce(
  createServer(
    getRequestListener(async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })),
  ),
);
