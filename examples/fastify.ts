// Parley at one path of a Fastify app. It reads the body itself, so Fastify is told to leave it alone.
import { fastify } from 'fastify';
import { createHttpHandler } from 'parley-mcp';
import { server } from './server.ts';

const mcp = await createHttpHandler(server, { loopback: true });
const app = fastify();
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.all('/mcp', (request, reply) => {
    reply.hijack();
    mcp.listener(request.raw, reply.raw);
  });
});
await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' });
