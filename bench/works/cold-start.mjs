import { HttpClient } from '../http-client.mjs';
import { StdioClient } from '../stdio-client.mjs';

const start = {
  kind: 'start',
  warm: false,
  rounds: { quick: 3, full: 9 },
};

async function overStdio(_, { subject, bench }) {
  const client = new StdioClient(subject, { bench, env: { BENCH_TOOLS: '1' } });
  await client.open(subject.first);
  const ms = performance.now() - client.serving.started;
  const cpuMs = client.serving.cpu() / 1000;
  await client.close();
  return { ms, cpuMs };
}

async function overHttp(_, { subject, bench }) {
  const began = performance.now();
  const client = await HttpClient.start(subject, { bench, env: { BENCH_TOOLS: '1' } });
  const many = await client.sessions(1);
  const [template] = client.calls('echo', many);
  const { status } = await many.connections[0].ask(template.bytes);
  if (status !== 200) throw new Error(`${subject.name} answered with status ${status}`);
  const ms = performance.now() - began;
  const cpuMs = client.serving.cpu() / 1000;
  await client.close();
  return { ms, cpuMs };
}

const starter = {
  id: 'parley-starter',
  name: 'Parley, preset starter',
  stdio: { command: ['stdio', '--preset', 'starter'] },
  first: { tool: 'hello', input: { name: 'Ada' } },
};

export const works = [
  {
    ...start,
    id: 'cold-stdio',
    title: 'Cold start on stdio: from nothing to the answer of the first call',
    over: 'stdio',
    more: [starter],
    measure: overStdio,
  },
  {
    ...start,
    id: 'cold-http',
    title: 'Cold start over HTTP: from nothing to the answer of the first call',
    over: 'http',
    measure: overHttp,
  },
];
