import { HttpClient } from '../http-client.mjs';
import { NEW } from '../messages.mjs';

const MANY = 64;

async function inSession(subject, options) {
  const client = await HttpClient.start(subject, options);
  const many = await client.sessions(MANY);
  return { client, connections: many.connections, templates: client.calls('echo', many) };
}

async function alone(subject, options) {
  const env = subject.http.stateless === NEW ? {} : { BENCH_STATELESS: '1' };
  const client = await HttpClient.start(subject, { ...options, env });
  const many = client.alone(MANY);
  const templates = client.calls('echo', many, { modern: subject.http.stateless === NEW });
  return { client, connections: many.connections, templates };
}

const measure = ({ client, ...stage }, { ms }) => client.flood({ ...stage, ms });
const close = ({ client }) => client.close();

export const works = [
  {
    id: 'http-session',
    title: 'HTTP: tools/call in a session, 64 connections',
    over: 'http',
    open: inSession,
    measure,
    close,
  },
  {
    id: 'http-stateless',
    title: 'HTTP: tools/call without a session, 64 connections',
    note: 'In 2026-07-28 where the subject speaks it, in the stateless mode of an older revision elsewhere (SDK 1.32, fastmcp, mcp-lite).',
    over: 'http',
    open: alone,
    measure,
    close,
  },
];
