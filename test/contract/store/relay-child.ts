// Keeps a store in a process of its own and serves it to the one that started it.

import { silent } from '../../../src/model/log.ts';
import { createMemoryStore } from '../../../src/store/memory.ts';
import { serveStore } from '../../../src/store/relay/serve.ts';

const store = createMemoryStore();
const end = serveStore(
  store,
  {
    send: (message) => process.send?.(message),
    onMessage: (listener) => process.on('message', listener),
  },
  silent,
);
process.on('disconnect', () => {
  end();
  store.close();
});
