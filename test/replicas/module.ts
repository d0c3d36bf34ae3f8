import { existsSync } from 'node:fs';
import { createServer } from '../../src/index.ts';

/** What the processes of a test serve: it says which process it is, waits for files, and asks. */
const server = createServer({ name: 'replica', version: '1.0.0' });
const FORM = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
const WAIT = { type: 'object', properties: { file: { type: 'string' } } } as const;

async function fileAt(path: string | undefined, signal: AbortSignal): Promise<void> {
  while (path !== undefined && !existsSync(path)) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

server.tool('who', {}, () => String(process.pid));
server.tool('march', { input: WAIT }, async ({ file }, call) => {
  call.progress(1, 2);
  await fileAt(file, call.signal);
  return String(process.pid);
});
server.tool('ask', {}, async (_, call) => {
  const { action, content } = await call.ask.elicit<{ n: number }>({ message: 'How many?', schema: FORM });
  return `${action} ${content?.n ?? ''}`.trim();
});
server.tool('job', { input: WAIT, task: 'optional' }, async ({ file }, call) => {
  await fileAt(file, call.signal);
  const { content } = await call.ask.elicit<{ n: number }>({ message: 'How many?', schema: FORM });
  return `done ${content?.n ?? 'without'}`;
});
server.tool('touch', {}, () => {
  server.updated('test://one');
  return 'touched';
});
server.resource('one', 'test://one', {}, () => 'one');

export default server;
