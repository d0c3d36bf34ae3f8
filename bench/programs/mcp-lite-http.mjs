// With the adapters its guide gives for one server in production, or with BENCH_STATELESS without any.

import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';
import { announce, DESCRIPTION, NAMES, resultOf, walk, zodInputOf } from './tools.mjs';

const server = new McpServer({
  name: 'bench',
  version: '1.0.0',
  schemaAdapter: (schema) => z.toJSONSchema(schema),
});

async function step({ text }, context) {
  if (context.progress !== undefined) await walk((progress, total) => context.progress({ progress, total }));
  return resultOf('steps', text);
}

for (const name of NAMES) {
  const handler = name === 'steps' ? step : ({ text }) => resultOf(name, text);
  server.tool(name, { description: DESCRIPTION, inputSchema: zodInputOf(z, name), handler });
}
const adapters = {
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter({ defaultTimeoutMs: 30_000 }),
};
const handle = new StreamableHttpTransport(process.env.BENCH_STATELESS === undefined ? adapters : {}).bind(server);

announce(createServer(getRequestListener(handle)));
