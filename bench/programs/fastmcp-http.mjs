// Answers in JSON, its fastest way, unless BENCH_STREAM asks for streams.

import { createServer } from 'node:net';
import { server } from './fastmcp.mjs';

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = probe.address();
    probe.close(() => resolve(free));
  });
});
await server.start({
  transportType: 'httpStream',
  httpStream: {
    port,
    host: '127.0.0.1',
    stateless: process.env.BENCH_STATELESS !== undefined,
    enableJsonResponse: process.env.BENCH_STREAM === undefined,
  },
});
console.log(`Serving at http://127.0.0.1:${port}/mcp`);
