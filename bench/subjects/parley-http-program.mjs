// Parley mounted in a program, with limits of its own.

import { createServer as createListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { announce } from './http-tools.mjs';
import fill from './parley-http-tools.mjs';

const entry = pathToFileURL(join(process.env.BENCH_DIST, 'src', 'index.js')).href;
const { createServer, createHttpHandler } = await import(entry);

const server = createServer({ name: 'bench', version: '1.0.0' });
fill(server);
const limits = JSON.parse(process.env.BENCH_LIMITS ?? '{}');
const { listener } = await createHttpHandler(server, { loopback: true, limits });
announce(createListener(listener));
