import { StdioClient } from '../stdio-client.mjs';

async function open(subject, options) {
  const client = new StdioClient(subject, options);
  await client.open();
  return client;
}

const onPipe = { over: 'stdio', open, close: (client) => client.close() };

export const works = [
  {
    ...onPipe,
    id: 'stdio-64',
    title: 'stdio: tools/call, 64 in flight',
    measure: (client, { ms }) => client.calls({ inFlight: 64, ms }),
  },
  {
    ...onPipe,
    id: 'stdio-1',
    title: 'stdio: tools/call, one at a time',
    measure: (client, { ms }) => client.calls({ ms }),
  },
];
