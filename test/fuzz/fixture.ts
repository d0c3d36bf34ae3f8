import { createServer, type Server } from '../../src/catalog/server.ts';
import { createHost, type Host, type HostOptions } from '../../src/host/host.ts';
import type { Limits } from '../../src/model/limits.ts';
import { SECRET } from './oracle/answers.ts';

/** Small limits, so that what goes beyond them is cheap to send. */
export const LIMITS = {
  messageBytes: 16_384,
  jsonDepth: 64,
  batchLength: 20,
  inFlight: 512,
  watchedUris: 20,
  listens: 4,
  tasks: 20,
  taskDefaultTtlMs: 1000,
  taskTtlMs: 2000,
  taskPollMs: 10,
  drainMs: 2000,
  pageSize: 3,
} as const satisfies Partial<Limits>;

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

/** A server whose tools never wait for long, and fail in every way. */
export function createFixture(): Server {
  const server = createServer({ name: 'fuzzed', version: '1.0.0', instructions: 'Stay calm' });
  server.tool('echo', { input: TEXT }, ({ text }) => text);
  server.tool(
    'add',
    {
      input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool('later', {}, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return 'now';
  });
  server.tool('throws', {}, () => {
    throw new Error(`Cannot open ${SECRET}`);
  });
  server.tool('rejects', {}, async () => {
    await null;
    throw Object.assign(new Error(SECRET), { code: SECRET, path: SECRET });
  });
  server.tool('steps', {}, (_, call) => {
    for (let done = 1; done <= 3; done += 1) call.progress(done, 3);
    call.log('error', { done: true });
    return 'walked';
  });
  server.tool('asks', {}, async (_, { ask }) => {
    const { action } = await ask.elicit({ message: 'Who?', schema: FORM, key: 'who' });
    return action;
  });
  addItems(server);
  return server;
}

function addItems(server: Server): void {
  server.resource('text', 'test://text', { mimeType: 'text/plain' }, () => 'hello');
  server.resource('broken', 'test://broken', {}, () => {
    throw new Error(SECRET);
  });
  const known = ['one', 'two', 'three'];
  server.template(
    'item',
    'test://items/{id}{?page}',
    { complete: { id: (value) => known.filter((id) => id.startsWith(value)) } },
    (_, { id }) => `item ${id}`,
  );
  server.prompt(
    'welcome',
    { arguments: { who: { required: true, complete: (value) => [`${value}!`] } } },
    ({ who }) => `Greet ${who}`,
  );
  server.prompt('failing', {}, () => {
    throw new Error(SECRET);
  });
}

/** The server behind a host; everything it logs is looked at for secrets that clients could not have sent. */
export function openHost(options: Partial<Omit<HostOptions, 'mounts'>> = {}): Promise<Host> {
  const server = createFixture();
  return createHost({
    server: server.info,
    instructions: server.instructions,
    secrets: ['a secret that is the same in every run'],
    ...options,
    limits: { ...LIMITS, ...options.limits },
    mounts: [{ provider: server }],
  });
}
