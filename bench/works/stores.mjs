import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpClient } from '../http-client.mjs';
import { startRedis } from '../redis.mjs';
import { Skipped } from '../serving.mjs';

// Three replicas share one processor here, so that calls a second say what a replica costs and not how far they scale.
// Where the store is shared, every session was opened at another replica than the one that is called.

const MANY = 48;
const BASE = ['serve', '--port', '0', '--module', 'parley-tools.mjs', '--store'];

const ENGINES = {
  memory: { replicas: [1, 3], roam: false, open: async () => ({ url: 'memory:', end: () => {} }) },
  // One process at a time may hold the folder.
  file: {
    replicas: [1],
    roam: false,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'parley-bench-store-'));
      return { url: `file:${folder}`, end: () => rmSync(folder, { recursive: true, force: true }) };
    },
  },
  redis: { replicas: [1, 3], roam: true, open: startRedis },
};

const variant = (engine, replicas) => ({
  id: `${engine}-${replicas}`,
  name: `${engine}, ${replicas === 1 ? 'one replica' : 'three replicas'}`,
  engine,
  replicas,
});

/** Why an engine cannot be measured, or `undefined` when something else is wrong. */
function missing(message) {
  if (/no engine has the scheme/.test(message)) return 'this build of Parley has no such engine';
  if (/Cannot find package|install/.test(message)) return 'the client library of the engine is not installed';
  return undefined;
}

async function start(subject, { bench, url }) {
  try {
    return await HttpClient.start(
      { ...subject, http: { command: [...BASE, url] } },
      { bench, replicas: subject.replicas, env: { PARLEY_SECRET: 'bench-bench-bench-bench-bench-bench-12' } },
    );
  } catch (error) {
    const why = missing(error.message);
    throw why === undefined ? error : new Skipped(why);
  }
}

async function open(subject, { bench }) {
  const { roam, open: openEngine } = ENGINES[subject.engine];
  const { url, end } = await openEngine();
  try {
    const client = await start(subject, { bench, url });
    const many = await client.sessions(MANY, { roam: roam && subject.replicas > 1 });
    return { client, end, connections: many.connections, templates: client.calls('echo', many) };
  } catch (error) {
    end();
    throw error;
  }
}

export const works = [
  {
    id: 'stores',
    title: 'HTTP: tools/call in a session, by store, 48 connections',
    note: 'CPU is that of the replicas, without the Redis server. All replicas run on one processor.',
    over: 'http',
    baseline: 'memory-1',
    variants: Object.entries(ENGINES).flatMap(([engine, { replicas }]) =>
      replicas.map((count) => variant(engine, count)),
    ),
    open,
    measure: ({ client, connections, templates }, { ms }) => client.flood({ connections, templates, ms }),
    async close({ client, end }) {
      await client.close();
      end();
    },
  },
];
