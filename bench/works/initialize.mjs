import { HttpClient } from '../http-client.mjs';

const MANY = 64;

// Every subject keeps every session it opened, so a limit on sessions would end the run: Parley's is raised.
const RAISED = ['--limit', 'sessions=1000000'];

export const works = [
  {
    id: 'initialize',
    title: 'HTTP: initialize and initialized, 64 connections',
    note: 'Sessions are never ended.',
    over: 'http',
    async open(subject, options) {
      const { command } = subject.http;
      const raised = command === undefined ? {} : { command: [...command, ...RAISED] };
      const client = await HttpClient.start({ ...subject, http: { ...subject.http, ...raised } }, options);
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
