import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Json } from '../../../src/model/json.ts';
import { createMemoryStore } from '../../../src/store/memory.ts';
import type { Store, Taken } from '../../../src/store/store.ts';
import { LONG_MS } from './world.ts';

const key = fc.constantFrom('a', 'b', '{a}', 'ä\n*');
const value = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
const bounds = fc.record({
  entries: fc.integer({ min: 1, max: 5 }),
  bytes: fc.integer({ min: 1, max: 40 }),
  ttlMs: fc.constant(LONG_MS),
});
const text = fc.string({ unit: 'grapheme', maxLength: 12 });

/** Which version a put expects: none, that there is no record, the one last seen, or one that was never given. */
const expects = fc.constantFrom('any', 'absent', 'seen', 'wrong');

const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), key, value, expects }),
  fc.record({ do: fc.constant('get' as const), key, prolong: fc.boolean() }),
  fc.record({
    do: fc.constantFrom('touch' as const, 'remove' as const, 'touchLog' as const, 'removeLog' as const),
    key,
  }),
  fc.record({ do: fc.constant('list' as const) }),
  fc.record({ do: fc.constantFrom('append' as const, 'append' as const, 'end' as const), key, text, bounds }),
  fc.record({ do: fc.constant('read' as const), key, after: fc.nat(12), limit: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constant('take' as const), key, cost: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ do: fc.constant('send' as const), key }),
);

type Step = typeof step extends fc.Arbitrary<infer Kind> ? Kind : never;

/** A store under a name of its own, with the versions it has given. */
interface Side {
  readonly store: Store;
  readonly name: string;
  readonly seen: Map<string, number>;
}

const WRONG = 7;

async function put({ store, name, seen }: Side, given: Step & { do: 'put' }): Promise<boolean> {
  const wanted = { any: undefined, absent: 0, seen: seen.get(given.key) ?? WRONG, wrong: WRONG }[given.expects];
  const options = wanted === undefined ? { ttlMs: LONG_MS } : { ttlMs: LONG_MS, ifVersion: wanted };
  const version = await store.records.put(name + given.key, given.value, options);
  if (version !== undefined) {
    assert.notEqual(version, seen.get(given.key));
    seen.set(given.key, version);
  }
  return version !== undefined;
}

async function list({ store, name }: Side): Promise<string[]> {
  const found = new Set<string>();
  let next: string | undefined;
  do {
    const page = await store.records.list(name, next === undefined ? { limit: 2 } : { limit: 2, after: next });
    assert.ok(page.keys.length <= 2);
    for (const listed of page.keys) found.add(listed.slice(name.length));
    next = page.next;
  } while (next !== undefined);
  return [...found].sort();
}

async function get({ store, name, seen }: Side, given: Step & { do: 'get' }): Promise<Json | undefined> {
  const held = await store.records.get(name + given.key, given.prolong ? LONG_MS : undefined);
  if (held !== undefined) assert.equal(held.version, seen.get(given.key));
  return held?.value;
}

async function take({ store, name }: Side, { key, cost }: Step & { do: 'take' }): Promise<Taken | false> {
  const taken = await store.counters.take(name + key, { capacity: 4, refillPerSecond: 0.0001, cost });
  return taken.ok && taken;
}

/** What a step answers, without what differs between engines. */
async function answerOf(side: Side, given: Step): Promise<unknown> {
  const { records, logs, inboxes } = side.store;
  const name = given.do === 'list' ? side.name : side.name + given.key;
  switch (given.do) {
    case 'list':
      return list(side);
    case 'put':
      return put(side, given);
    case 'get':
      return get(side, given);
    case 'append':
    case 'end':
      return logs[given.do](name, given.text, given.bounds);
    case 'read':
      return logs.read(name, given.after, given.limit);
    case 'take':
      return take(side, given);
    case 'send':
      return inboxes.send(name, 1);
    case 'touch':
      return records.touch(name, LONG_MS);
    case 'remove':
      return records.remove(name);
    case 'touchLog':
      return logs.touch(name, LONG_MS);
    default:
      return logs.remove(name);
  }
}

/** Plays random steps on an engine and on the memory engine: both must give the same answers. */
export async function assertAgrees(open: () => Promise<Store>): Promise<void> {
  const store = await open();
  const model = createMemoryStore();
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const name = `model:${randomUUID()}:`;
        const side: Side = { store, name, seen: new Map() };
        const memory: Side = { store: model, name, seen: new Map() };
        for (const given of steps) {
          const expected = await answerOf(memory, given);
          assert.deepEqual(await answerOf(side, given), expected, JSON.stringify(given));
        }
      }),
      { numRuns: 60 },
    );
  } finally {
    await store.close();
    model.close();
  }
}
