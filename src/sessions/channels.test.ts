import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSharedStore } from '../../test/replicas/shared-store.ts';
import { Fault } from '../model/fault.ts';
import { limitsWith } from '../model/limits.ts';
import { silent } from '../model/log.ts';
import { StoreError } from '../store/store.ts';
import { Channels } from './channels.ts';
import { Replica } from './replica.ts';

const ID = `nobody00.${'x'.repeat(32)}`;
const POSTED = { principal: undefined, message: { jsonrpc: '2.0', id: 1, method: 'ping' }, size: 40 };

/** Channels of a replica whose letters fare like this. */
async function sending(outcome: () => Promise<boolean>): Promise<unknown> {
  const shared = createSharedStore();
  const store = Object.assign(shared.view(), { inboxes: { send: outcome, open: async () => () => {} } });
  const options = { limits: limitsWith(), log: silent };
  const replica = new Replica(store, options);
  try {
    return await new Channels(replica, options).send(ID, POSTED).catch((error: unknown) => error);
  } finally {
    await replica.close();
    shared.close();
  }
}

describe('Channels', () => {
  it('say whether the one who holds a channel is there', async () => {
    assert.equal(await sending(async () => true), true);
    assert.equal(await sending(async () => false), false);
  });

  it('ask nobody to send again what may have arrived', async () => {
    const lost = new StoreError('away', 'gone while it worked', { unsure: true });
    const fault = await sending(() => Promise.reject(lost));
    assert.ok(fault instanceof Fault);
    assert.equal(fault.code, 'E_UNSURE');
    assert.equal(fault.data?.['retryAfterMs'], undefined);
  });

  it('send again what may have arrived, and take it once', async () => {
    const shared = createSharedStore();
    const [store, there] = [shared.view(), shared.view()];
    const options = { limits: limitsWith({ replicaLeaseMs: 100 }), log: silent };
    const [from, to] = [new Replica(store, options), new Replica(there, options)];
    const { send, open } = store.inboxes;
    let tries = 0;
    const late = async (...letter: Parameters<typeof send>): Promise<boolean> => {
      const sent = await send(...letter);
      tries += 1;
      if (tries === 1) throw new StoreError('away', 'gone after it worked', { unsure: true });
      if (tries === 2) throw new StoreError('away', 'not back yet');
      return sent;
    };
    Object.assign(store, { inboxes: { send: late, open } });
    const taken: unknown[] = [];
    const channels = new Channels(to, options);
    channels.receive(({ message }) => taken.push(message));
    const id = (await channels.create(undefined)) as string;
    // Its inbox is open a moment later.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const sender = new Channels(from, options);
    assert.equal(await sender.send(id, POSTED), true);
    assert.equal(await sender.send(id, { ...POSTED, message: 'another' }), true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual([tries, taken], [4, [POSTED.message, 'another']]);
    await Promise.all([from.close(), to.close()]);
    shared.close();
  });

  it('pass on that nothing was sent', async () => {
    const away = new StoreError('away', 'not there');
    assert.equal(await sending(() => Promise.reject(away)), away);
  });
});
