import type { Server } from 'parley-mcp';
import { PIXEL } from './content.ts';

/** The suite wants to be told how long it may keep what it reads; it may not keep it at all. */
const NOT_KEPT = { ttlMs: 0, scope: 'private' } as const;

/** Resources, a template and prompts. */
export function addItems(server: Server): void {
  server.resource(
    'static-text',
    'test://static-text',
    { title: 'Static text', description: 'A text that stays', mimeType: 'text/plain', cache: NOT_KEPT },
    () => 'This is the content of the static text resource.',
  );
  server.resource(
    'static-binary',
    'test://static-binary',
    { title: 'Static picture', description: 'A picture that stays', mimeType: PIXEL.mimeType, cache: NOT_KEPT },
    () => ({ blob: PIXEL.data }),
  );
  server.resource(
    'watched-resource',
    'test://watched-resource',
    { title: 'Watched text', description: 'A text to subscribe to', mimeType: 'text/plain', cache: NOT_KEPT },
    () => 'Watched resource content',
  );
  server.template(
    'template',
    'test://template/{id}/data',
    { title: 'Template', description: 'Data by id', mimeType: 'application/json', cache: NOT_KEPT },
    (_, { id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );
  addPrompts(server);
}

function addPrompts(server: Server): void {
  server.prompt(
    'test_simple_prompt',
    { title: 'Simple', description: 'Takes nothing' },
    () => 'This is a simple prompt for testing.',
  );
  server.prompt(
    'test_prompt_with_arguments',
    {
      title: 'With arguments',
      description: 'Takes two arguments',
      arguments: {
        arg1: { description: 'First', required: true, complete: () => ['test1', 'test2'] },
        arg2: { description: 'Second', required: true },
      },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  );
  server.prompt(
    'test_prompt_with_embedded_resource',
    {
      title: 'With a resource',
      description: 'Embeds a resource',
      arguments: { resourceUri: { description: 'Which', required: true } },
    },
    ({ resourceUri: uri }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
      },
      'Please process the embedded resource above.',
    ],
  );
  server.prompt('test_prompt_with_image', { title: 'With a picture', description: 'Embeds a picture' }, () => [
    { role: 'user', content: PIXEL },
    'Please analyze the image above.',
  ]);
}
