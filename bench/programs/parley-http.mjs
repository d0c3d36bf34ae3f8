// Parley mounted in a program, with limits of its own and as many mounted servers as BENCH_MOUNTS says.

import { createServer as createListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fill from './parley-tools.mjs';
import { announce, DESCRIPTION, INPUT } from './tools.mjs';

const entry = pathToFileURL(join(process.env.BENCH_DIST, 'joined', 'index.js')).href;
const { createServer, createHttpHandler } = await import(entry);

const server = createServer({ name: 'bench', version: '1.0.0' });
fill(server);
for (let index = Number(process.env.BENCH_MOUNTS ?? 0); index > 0; index -= 1) {
  const pack = createServer({ name: `pack-${index}`, version: '1.0.0' });
  pack.tool('echo', { description: DESCRIPTION, input: INPUT }, ({ text }) => text);
  server.mount(`pack-${index}`, pack);
}
const limits = JSON.parse(process.env.BENCH_LIMITS ?? '{}');
const { listener } = await createHttpHandler(server, { loopback: true, limits });
announce(createListener(listener));
