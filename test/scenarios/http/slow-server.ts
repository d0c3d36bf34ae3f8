import { createServer } from '../../../src/index.ts';

const server = createServer({ name: 'slow', version: '1' });
const time = { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] } as const;
server.tool('sleep', { input: time }, async ({ ms }, call) => {
  call.progress(1);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return 'rested';
});

/** A server whose only tool takes as long as it is told to. */
export default server;
