import { type ChildProcess, fork } from 'node:child_process';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { silent } from '../../src/model/log.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import { serveStore } from '../../src/store/relay/serve.ts';
import { createRelayStore } from '../../src/store/relay.ts';
import { createChannel } from './store/channel.ts';
import { storeContract } from './store.ts';

storeContract('a relay within one process', async () => {
  const { near, far } = createChannel();
  const store = createMemoryStore();
  serveStore(store, far, silent);
  return createRelayStore(near, silent);
});

describe('A relay to another process', () => {
  let child: ChildProcess;
  before(() => {
    child = fork(fileURLToPath(new URL('./store/relay-child.js', import.meta.url)));
  });
  after(() => child.disconnect());
  storeContract('a relay to another process', async () =>
    createRelayStore(
      {
        send: (message) => child.connected && child.send(message as object),
        onMessage: (listener) => child.on('message', listener),
      },
      silent,
    ),
  );
});
