// Parley in a program of its own: no launcher, stdout guarded from inside.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fill from './parley-tools.mjs';

const { createServer, serveStdio } = await import(
  pathToFileURL(join(process.env.BENCH_DIST, 'joined', 'index.js')).href
);

const server = createServer({ name: 'bench', version: '1.0.0' });
fill(server);
await serveStdio(server);
