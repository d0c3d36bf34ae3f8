import { createServer } from 'parley-mcp';

/** What all the examples serve: one tool. */
export const server = createServer({ name: 'example', version: '1.0.0' });

server.tool('hello', { description: 'Greets the world' }, () => 'Hello, world');
