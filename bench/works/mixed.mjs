import { HttpClient } from '../http-client.mjs';
import { messagesOf, post } from '../http-connection.mjs';
import { callText, requestText, Template } from '../messages.mjs';

// A visit, as assistants make them: a handshake, one look at the tools, twenty calls, two of them with ten kilobytes
// and one with progress, and a goodbye.

const MANY = 16;
const TOOLS = 50;
const TEN_KB = 'k'.repeat(10_000);
const CALLS = [
  ...Array.from({ length: 17 }, () => callText('echo')),
  callText('echo', { text: TEN_KB }),
  callText('echo', { text: TEN_KB }),
  callText('steps', { progress: true }),
];

async function visit(client, connection) {
  const { port } = connection;
  const headers = await client.session(connection);
  const bodies = [requestText('tools/list', {}), ...CALLS];
  for (const [index, body] of bodies.entries()) {
    const template = new Template(post(port, body, headers));
    const id = template.turn();
    const answer = await connection.ask(template.bytes);
    const fits = answer.status === 200 && messagesOf(answer).at(-1).id === id;
    if (!fits) throw new Error(`Request ${index} of a visit was answered wrongly: ${answer.body.slice(0, 200)}`);
  }
  const { status } = await connection.ask(
    `DELETE /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}content-length: 0\r\n\r\n`,
  );
  if (status >= 300 && status !== 405) throw new Error(`The goodbye was answered with status ${status}`);
}

export const works = [
  {
    id: 'mixed',
    title: `HTTP: whole visits, ${MANY} at a time`,
    note: 'A visit is a handshake, one list of 50 tools, 20 calls (two with 10 KB each way, one with progress) and a goodbye.',
    over: 'http',
    async open(subject, options) {
      const env = { BENCH_TOOLS: String(TOOLS), BENCH_STREAM: '1' };
      const client = await HttpClient.start(subject, { ...options, env });
      return { client, connections: client.connect(MANY) };
    },
    measure: ({ client, connections }, { ms }) =>
      client.repeat({ connections, ms, unit: (connection) => visit(client, connection) }),
    close: ({ client }) => client.close(),
  },
];
