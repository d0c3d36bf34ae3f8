import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { HttpTransport } from '@tmcp/transport-http';
import { server } from './tmcp.mjs';
import { announce } from './tools.mjs';

const transport = new HttpTransport(server, { path: '/mcp' });

announce(
  createServer(
    getRequestListener(async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })),
  ),
);
