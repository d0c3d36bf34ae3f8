import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSharedStore } from '../../test/replicas/shared-store.ts';
import { silent } from '../model/log.ts';
import { createMemoryStore } from '../store/memory.ts';
import { giverOf, ownerOf, Replica, type Word } from './replica.ts';

const LEASE_MS = 80;
const options = { limits: { replicaLeaseMs: LEASE_MS }, log: silent };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(check: () => boolean): Promise<void> {
  for (let tries = 0; !check(); tries += 1) {
    if (tries > 500) assert.fail('it never happened');
    await pause(10);
  }
}

describe('Replica', () => {
  it('alone takes every other for lost, tells nobody and needs no lease', async () => {
    const store = createMemoryStore();
    const replica = new Replica(store, options);
    let lost = 0;
    replica.onLost('somebody', () => {
      lost += 1;
    });
    replica.onLost(replica.id, () => assert.fail());
    assert.equal(lost, 1);
    assert.deepEqual([replica.gone('somebody'), replica.gone(replica.id)], [true, false]);
    assert.equal(replica.tell({ kind: 'missed' }), undefined);
    assert.equal(store.usage().records, 0);
    await replica.close();
  });

  it('tells the others and not itself, and sends to one', async () => {
    const shared = createSharedStore();
    const [one, other] = [new Replica(shared.view(), options), new Replica(shared.view(), options)];
    const heard: [string, Word][] = [];
    const letters: unknown[] = [];
    one.hear((word) => heard.push(['one', word]));
    other.hear((word) => heard.push(['other', word]));
    other.receive((letter) => letters.push(letter));
    await pause(30);
    await one.tell({ kind: 'ended', session: 's' });
    const letter = { kind: 'answer', session: 's', answer: { id: 1 } } as const;
    assert.equal(await one.send(other.id, letter), true);
    assert.equal(await one.send('nobody00', letter), false);
    await until(() => heard.length > 0 && letters.length > 0);
    assert.deepEqual(heard, [['other', { kind: 'ended', session: 's' }]]);
    assert.deepEqual(letters, [letter]);
    await Promise.all([one.close(), other.close()]);
    shared.close();
  });

  it('can be reached when it is ready, and is ready when it cannot be for now', async () => {
    const shared = createSharedStore();
    const [one, other] = [new Replica(shared.view(), options), new Replica(shared.view(), options)];
    await other.ready();
    assert.equal(await one.send(other.id, { kind: 'answer', session: 's', answer: 1 }), true);
    const broken = shared.view();
    const late = new Replica(
      Object.assign(broken, {
        topics: { publish: async () => {}, subscribe: () => Promise.reject(new Error('away')) },
      }),
      options,
    );
    await late.ready();
    await Promise.all([one.close(), other.close(), late.close()]);
    shared.close();
  });

  it('misses one that is gone, and one that says goodbye at once', async () => {
    const shared = createSharedStore();
    const views = [shared.view(), shared.view(), shared.view()] as const;
    const [here, killed, polite] = views.map((view) => new Replica(view, options)) as [Replica, Replica, Replica];
    const lost: string[] = [];
    await pause(LEASE_MS * 1.5);
    for (const { id } of [killed, polite]) here.onLost(id, () => lost.push(id));
    const forget = here.onLost(killed.id, () => assert.fail('nobody wants to know any more'));
    forget();
    await pause(LEASE_MS);
    assert.deepEqual(lost, []);
    await polite.close();
    assert.equal(await here.gone(polite.id), true);
    views[1].kill();
    await until(() => lost.length === 2);
    assert.deepEqual([...lost].sort(), [killed.id, polite.id].sort());
    await here.close();
    await killed.close();
    shared.close();
  });

  it('tells late that all may have changed, when a change could not be told', async () => {
    const shared = createSharedStore();
    const view = shared.view();
    const [one, other] = [new Replica(view, options), new Replica(shared.view(), options)];
    const heard: Word[] = [];
    other.hear((word) => heard.push(word));
    await pause(30);
    view.failAt(1);
    await one.tellChange({ kind: 'changed', list: 'tools' });
    await until(() => heard.length > 0);
    assert.deepEqual(heard, [{ kind: 'missed' }]);
    await Promise.all([one.close(), other.close()]);
    shared.close();
  });
});

describe('The names a replica gives', () => {
  it('say who gave them', () => {
    assert.equal(ownerOf('abcd12341z'), 'abcd1234');
    for (const name of ['0', 'abcd1234', 'ABCD12341', 'abcd1234-', 'a'.repeat(17)])
      assert.equal(ownerOf(name), undefined);
    assert.equal(giverOf('abcd1234-7', '-'), 'abcd1234');
    for (const id of ['abcd1234.7', 'abcd123-7', '7', '', 'ABCD1234-7']) assert.equal(giverOf(id, '-'), undefined);
  });
});
