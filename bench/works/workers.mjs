import { HttpClient } from '../http-client.mjs';
import { Skipped } from '../serving.mjs';

const MANY = 64;

const variant = (workers) => ({
  id: String(workers),
  name: workers === 1 ? 'Parley, one worker' : `Parley, ${workers} workers`,
  workers,
  http: {
    command: ['serve', '--port', '0', '--module', 'parley-tools.mjs', '--workers', String(workers)],
    stateless: '2026-07-28',
  },
});

async function open(subject, options) {
  try {
    const client = await HttpClient.start(subject, { ...options, pin: 'all' });
    const many = client.alone(MANY);
    const templates = client.calls('echo', many, { modern: true });
    return { client, connections: many.connections, templates };
  } catch (error) {
    if (/[Uu]nknown option|--workers/.test(error.message)) {
      throw new Skipped('this build of Parley has no --workers');
    }
    throw error;
  }
}

export const works = [
  {
    id: 'workers',
    title: 'HTTP: tools/call in 2026-07-28 with one and two workers, 64 connections',
    note: 'The load runs on the same processors, and takes from both: CPU per call says whether workers are free of cost.',
    over: 'http',
    baseline: '1',
    variants: [variant(1), variant(2)],
    open,
    measure: ({ client, ...stage }, { ms }) => client.flood({ ...stage, ms }),
    close: ({ client }) => client.close(),
  },
];
