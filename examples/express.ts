// Parley at one path of an Express app. It works with and without a JSON body parser before it.
import express from 'express';
import { createHttpHandler } from 'parley-mcp';
import { server } from './server.ts';

const mcp = await createHttpHandler(server, { loopback: true });
const app = express();
app.use(express.json({ limit: '4mb' }));
app.all('/mcp', mcp.listener);
app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
