import { createMemoryStore } from '../../src/store/memory.ts';
import { storeContract } from './store.ts';

let time = 0;

storeContract('memory', async () => createMemoryStore({ now: () => time }), {
  pass: async (ms) => {
    time += ms;
  },
});

storeContract('memory by the real clock', async () => createMemoryStore());
