import { HttpClient } from '../http-client.mjs';
import { StdioClient } from '../stdio-client.mjs';

// Where a subject gives the list in pages, a list is all of them.

const SIZES = [1, 100, 1000, 10_000];
const MANY = 4;

/** Some subjects take a second for a list of ten thousand. */
const roundsOf = (tools) => (tools > 1000 ? { quick: 1, full: 3 } : undefined);

async function openHttp(subject, options, tools) {
  const client = await HttpClient.start(subject, { ...options, env: { BENCH_TOOLS: String(tools) } });
  const { connections, headers } = await client.sessions(MANY);
  const pages = [];
  for (const [index, connection] of connections.entries()) {
    pages.push(await client.pages(connection, headers[index], tools));
  }
  return { client, connections, pages };
}

async function openStdio(subject, options, tools) {
  const client = new StdioClient(subject, { ...options, env: { BENCH_TOOLS: String(tools) } });
  await client.open();
  return { client, pages: await client.pages(tools) };
}

const title = (tools) => `tools/list, ${tools.toLocaleString('en')} tool${tools === 1 ? '' : 's'}`;

const overHttp = (tools) => ({
  id: `http-list-${tools}`,
  title: `HTTP: ${title(tools)}, ${MANY} connections`,
  over: 'http',
  rounds: roundsOf(tools),
  open: (subject, options) => openHttp(subject, options, tools),
  measure: ({ client, connections, pages }, { ms }) =>
    client.repeat({ connections, ms, unit: (connection, index) => client.leaf(connection, pages[index]) }),
  close: ({ client }) => client.close(),
});

const overStdio = (tools) => ({
  id: `stdio-list-${tools}`,
  title: `stdio: ${title(tools)}`,
  over: 'stdio',
  rounds: roundsOf(tools),
  open: (subject, options) => openStdio(subject, options, tools),
  measure: ({ client, pages }, { ms }) => client.lists({ pages, ms }),
  close: ({ client }) => client.close(),
});

export const works = [...SIZES.map(overHttp), ...SIZES.map(overStdio)];
