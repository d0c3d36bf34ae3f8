import { HttpClient } from '../http-client.mjs';
import { MEGABYTE } from '../programs/tools.mjs';

const MANY = 4;

const large = ({ id, title, tool, text, expected }) => ({
  id,
  title,
  over: 'http',
  async open(subject, options) {
    const client = await HttpClient.start(subject, options);
    const many = await client.sessions(MANY);
    return { client, connections: many.connections, templates: client.calls(tool, many, { text }) };
  },
  async measure({ client, ...stage }, { ms }) {
    const sample = await client.flood({ ...stage, expected, ms, least: 2 * MANY });
    return { ...sample, peak: client.serving.peak() };
  },
  close: ({ client }) => client.close(),
});

export const works = [
  large({
    id: 'argument-1mb',
    title: 'HTTP: 1 MB argument, 4 connections',
    tool: 'measure',
    text: MEGABYTE,
    expected: () => String(MEGABYTE.length),
  }),
  large({
    id: 'result-1mb',
    title: 'HTTP: 1 MB result, 4 connections',
    tool: 'produce',
    expected: () => MEGABYTE,
  }),
];
