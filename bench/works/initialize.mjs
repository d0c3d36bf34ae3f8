import { HttpClient } from '../http-client.mjs';

const MANY = 64;

// Every subject keeps every session it opened, so a limit on sessions would end the run: Parley's is raised.
const LIMITS = JSON.stringify({ sessions: 1_000_000 });

export const works = [
  {
    id: 'initialize',
    title: 'HTTP: initialize and initialized, 64 connections',
    note: 'Sessions are never ended. Parley runs in a program here, which may raise its limit of sessions.',
    over: 'http',
    async open(subject, options) {
      const raised = { ...subject, http: { ...subject.http, command: undefined, program: 'parley-http.mjs' } };
      const client = await HttpClient.start(subject.id === 'parley' ? raised : subject, {
        ...options,
        env: { BENCH_LIMITS: LIMITS },
      });
      return { client, connections: client.connect(MANY) };
    },
    measure: ({ client, connections }, { ms }) =>
      client.repeat({
        connections,
        ms,
        unit: async (connection) => void (await client.session(connection)),
      }),
    close: ({ client }) => client.close(),
  },
];
