import { createPack, type Server } from '../../catalog/server.ts';

/** The one tool of the stdio protocol's own example, exactly as it is written there. */
export function createGreeting(): Server {
  const server = createPack({ name: 'greeting', version: '1.0.0' });
  server.tool(
    'hello',
    {
      description: 'Return greeting',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      output: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      annotations: { readOnlyHint: true },
    },
    ({ name }) => ({ message: `Hello, ${name}!` }),
  );
  return server;
}
