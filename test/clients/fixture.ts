import { setTimeout as pause } from 'node:timers/promises';
import { createServer, ToolError } from 'parley-mcp';

// What the clients of other makers are shown: one of everything a server can offer, and a tool for everything it can do.

const server = createServer({
  name: 'clients-fixture',
  version: '1.2.3',
  title: 'Fixture',
  instructions: 'Call "echo" first',
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const CITIES = ['Lima', 'Lisbon', 'London', 'Paris'];
const nameForm = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

// Some clients forget the listener for progress when the answer comes in the same packet.
const APART_MS = 100;

let cancelled = 0;
let note = 'first';

server.tool(
  'echo',
  { title: 'Echo', description: 'Says it back', input: text, annotations: { readOnlyHint: true } },
  ({ text }) => text,
);

server.tool(
  'add',
  {
    description: 'Adds two numbers',
    input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  },
  ({ a, b }) => ({ sum: a + b }),
);

server.tool('everything', { description: 'Every kind of content' }, () => [
  { type: 'text', text: 'words' },
  { type: 'image', data: PIXEL, mimeType: 'image/png' },
  { type: 'audio', data: SILENCE, mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'fixture://inside', mimeType: 'text/plain', text: 'embedded' } },
  { type: 'resource_link', uri: 'fixture://note', name: 'note', title: 'A note' },
]);

server.tool('fail', { description: 'Fails in its own words' }, () => {
  throw new ToolError('The kettle is empty: fill it');
});

server.tool('crash', { description: 'Throws what no client may see' }, () => {
  throw new Error('secret: /etc/kettle');
});

server.tool('print', { description: 'Prints to stdout while it works' }, () => {
  console.log('not a message');
  process.stdout.write('{"jsonrpc":"2.0","not":"a message"}\n');
  return 'printed';
});

server.tool(
  'count',
  {
    description: 'Counts, and says how far it is',
    input: { type: 'object', properties: { to: { type: 'integer', minimum: 1 } }, required: ['to'] },
  },
  async ({ to }, call) => {
    for (let done = 1; done <= to; done += 1) {
      call.progress(done, to, `step ${done}`);
      await pause(APART_MS);
    }
    return `counted to ${to}`;
  },
);

server.tool('wait', { description: 'Waits until it is cancelled' }, async (_, call) => {
  await pause(20_000, undefined, { signal: call.signal }).catch(() => {
    cancelled += 1;
  });
  return 'waited';
});

server.tool('cancelled', { description: 'How many calls were cancelled' }, () => String(cancelled));

server.tool('log', { description: 'Sends a log message' }, (_, call) => {
  call.log('warning', { kettle: 'hot' }, 'kitchen');
  return 'logged';
});

server.tool('greet', { description: 'Asks the user for a name' }, async (_, call) => {
  const answer = await call.ask.elicit<{ name: string }>({ message: 'What is your name?', schema: nameForm });
  return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
});

server.tool('capital', { description: 'Asks the model' }, async (_, call) => {
  const { content } = await call.ask.sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
    maxTokens: 10,
  });
  const [block] = Array.isArray(content) ? content : [content];
  return block?.type === 'text' ? `It is ${block.text}` : 'no text';
});

server.tool('roots', { description: 'Asks where the client works' }, async (_, call) => {
  const roots = await call.ask.roots();
  return roots.map(({ uri }) => uri).join(' ');
});

server.tool('grow', { description: 'Adds a tool' }, () => {
  server.tool('grown', { description: 'Was not there before' }, () => 'here');
  return 'grew';
});

server.tool('touch', { description: 'Changes the note' }, () => {
  note = 'second';
  server.updated('fixture://note');
  return 'touched';
});

server.resource('note', 'fixture://note', { description: 'A note', mimeType: 'text/plain' }, () => note);
server.resource('pixel', 'fixture://pixel', { description: 'A picture', mimeType: 'image/png' }, () =>
  Buffer.from(PIXEL, 'base64'),
);
server.template(
  'city',
  'fixture://city/{name}',
  { description: 'A city', mimeType: 'application/json', complete: { name: (value) => startingWith(value) } },
  (_, { name }) => JSON.stringify({ name }),
);
server.prompt(
  'visit',
  {
    description: 'Plans a visit',
    arguments: { city: { description: 'Where', required: true, complete: (value) => startingWith(value) } },
  },
  ({ city }) => [
    `I want to see ${city}`,
    { role: 'assistant', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
  ],
);

function startingWith(value: string): string[] {
  return CITIES.filter((city) => city.startsWith(value));
}

export default server;
