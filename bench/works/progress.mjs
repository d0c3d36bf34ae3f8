import { HttpClient } from '../http-client.mjs';
import { STEPS } from '../programs/tools.mjs';

const MANY = 16;

export const works = [
  {
    id: 'sse-progress',
    title: `HTTP: a call with ${STEPS} progress messages on its stream, ${MANY} connections`,
    over: 'http',
    async open(subject, options) {
      const client = await HttpClient.start(subject, { ...options, env: { BENCH_STREAM: '1' } });
      const many = await client.sessions(MANY);
      return { client, connections: many.connections, templates: client.calls('steps', many, { progress: true }) };
    },
    measure: ({ client, ...stage }, { ms }) => client.flood({ ...stage, notices: STEPS, ms }),
    close: ({ client }) => client.close(),
  },
];
