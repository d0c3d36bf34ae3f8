import { HttpClient } from '../http-client.mjs';

const KB = 1024;
/** Opened before the first look, so that what is made once is not counted. */
const BEFORE = 100;
const COUNT = { quick: 400, full: 1000 };
/** Some subjects take a second for each session. */
const OPENERS = 50;

/** The weight of one more, of so many that `add` makes. */
async function weigh(subject, { bench, plan, add }) {
  const count = COUNT[plan.name];
  const client = await HttpClient.start(subject, { bench, probed: true });
  try {
    await add(client, BEFORE);
    const before = await client.serving.memory();
    await add(client, count);
    const after = await client.serving.memory();
    return { heap: (after.heap - before.heap) / count / KB, rss: (after.rss - before.rss) / count / KB };
  } finally {
    await client.close();
  }
}

async function addSessions(client, count) {
  let left = count;
  const openers = client.connect(OPENERS);
  const work = async (opener) => {
    for (; left > 0; ) {
      left -= 1;
      await client.session(opener);
    }
    opener.close();
  };
  await Promise.all(openers.map(work));
}

async function addStreams(client, count) {
  const { connections, headers } = await client.sessions(count);
  for (const [index, connection] of connections.entries()) {
    await connection.freshen();
    await connection.listen(headers[index]);
  }
}

const weighing = (add) => ({
  over: 'http',
  kind: 'memory',
  warm: false,
  rounds: { quick: 1, full: 1 },
  measure: (_, { subject, bench, plan }) => weigh(subject, { bench, plan, add }),
});

export const works = [
  {
    ...weighing(addSessions),
    id: 'idle-session',
    guards: 'heap',
    title: 'Memory of an idle session without a stream',
    note: 'Heap after a collection, with what it holds outside. The floor keeps an id and a name.',
  },
  {
    ...weighing(addStreams),
    id: 'idle-stream',
    guards: 'rss',
    title: 'Memory of an idle session with an open stream',
    note: 'Resident memory of the process, socket included; the session is part of it.',
  },
];
