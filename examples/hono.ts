// Parley at one path of a Hono app, on Node or wherever Hono runs.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createHttpHandler } from 'parley-mcp';
import { server } from './server.ts';

const mcp = await createHttpHandler(server, { loopback: true });
const app = new Hono();
app.all('/mcp', (context) => mcp.fetch(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' });
