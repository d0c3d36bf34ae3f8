// Parley on a plain Node server.
import { createServer } from 'node:http';
import { createHttpHandler } from 'parley-mcp';
import { server } from './server.ts';

const mcp = await createHttpHandler(server, { loopback: true });
const http = createServer(mcp.listener).listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');

process.once('SIGTERM', async () => {
  http.close();
  await mcp.close();
  http.closeAllConnections();
});
