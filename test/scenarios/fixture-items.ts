import { type Fixture, SECRET } from './fixture-behind.ts';

const many = Array.from({ length: 150 }, (_, at) => `item-${at}`);

/** Resources, templates and prompts of every kind. */
export function addItems(fixture: Fixture): void {
  addResources(fixture);
  addPrompts(fixture);
}

function addResources({ server }: Fixture): void {
  server.resource(
    'text',
    'test://text',
    {
      title: 'Text',
      description: 'Plain text',
      mimeType: 'text/plain',
      size: 5,
      annotations: { audience: ['assistant'], priority: 0.5, lastModified: '2025-01-01T00:00:00Z' },
      icons: [{ src: 'data:image/png;base64,AAAA' }],
      meta: { 'example.org/shelf': 'low' },
      cache: { ttlMs: 5000, scope: 'public' },
    },
    () => 'hello',
  );
  server.resource('bytes', 'test://bytes', { mimeType: 'application/octet-stream' }, () => Buffer.from([0, 255, 1]));
  server.resource('broken', 'test://broken', {}, () => {
    throw new Error(`Cannot open ${SECRET}`);
  });
  server.resource('empty', 'test://empty', {}, () => []);
  server.template(
    'item',
    'test://items/{id}',
    {
      title: 'Item',
      description: 'One item',
      mimeType: 'text/plain',
      complete: {
        id: (value, known) => many.filter((id) => id.startsWith(value)).map((id) => `${id}${known['suffix'] ?? ''}`),
      },
    },
    (_, { id }) => `item ${id}`,
  );
}

function addPrompts({ server }: Fixture): void {
  server.prompt(
    'welcome',
    {
      title: 'Welcome',
      description: 'Greets someone',
      arguments: {
        who: { title: 'Who', description: 'Whom to greet', required: true, complete: (value) => [`${value}!`] },
        how: {
          description: 'How to greet',
          complete: (value) => (value === '' ? ([1, null] as never) : (value as never)),
        },
      },
    },
    ({ who, how }) => [`Greet ${who} ${how ?? 'kindly'}`, { role: 'assistant', content: 'Good day' }],
  );
  server.prompt('gallery', {}, () => ({
    description: 'Media',
    messages: [
      { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      { role: 'user', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } },
      { role: 'user', content: { type: 'resource', resource: { uri: 'test://bytes', mimeType: 'x/y', blob: 'AAAA' } } },
      { role: 'user', content: { type: 'resource_link', uri: 'test://text', name: 'text' } },
    ],
  }));
  server.prompt('failing', {}, () => {
    throw new Error(`Cannot open ${SECRET}`);
  });
}
