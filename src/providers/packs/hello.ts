import { createPack, type Server } from '../../catalog/server.ts';

/** One tool, one resource and one prompt that greet: enough to see a client and a server understand each other. */
export function createHello(): Server {
  const server = createPack({ name: 'hello', version: '1.0.0' });
  const input = {
    type: 'object',
    properties: { name: { type: 'string', minLength: 1, maxLength: 200, description: 'Who to greet' } },
    required: ['name'],
    additionalProperties: false,
  } as const;
  const output = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } as const;
  const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
  server.tool(
    'hello',
    { title: 'Hello', description: 'Greets somebody by name', input, output, annotations },
    ({ name }) => ({
      message: `Hello, ${name}!`,
    }),
  );
  server.resource(
    'greeting',
    'hello://greeting',
    { description: 'A greeting to everybody', mimeType: 'text/plain' },
    () => 'Hello, world!',
  );
  server.prompt(
    'introduce',
    {
      description: 'Asks the model to introduce itself to somebody',
      arguments: { name: { description: 'Who to greet', required: true } },
    },
    ({ name }) => `Introduce yourself to ${name} in one sentence.`,
  );
  return server;
}
