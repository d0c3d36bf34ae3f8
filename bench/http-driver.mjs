import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuOf, familyOf } from './cpu.mjs';
import { Connection, headerOf, messageOf } from './http-connection.mjs';
import { quantiles } from './report.mjs';

const OLD = '2025-11-25';
const NEW = '2026-07-28';
const CLIENT = { name: 'bench', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': NEW,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: OLD, capabilities: {}, clientInfo: CLIENT },
});
const READY = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
const PROBE = fileURLToPath(new URL('subjects/probe.mjs', import.meta.url));

/** A subject that runs and listens, and its clients. Every answer is checked; a wrong one ends the run. */
export class HttpDriver {
  #child;
  #name;
  #agrees;
  #port;
  #family = [];
  #id = 0;
  #connections = [];

  constructor({ name, argv, agrees = OLD }, { env = {}, probed = false } = {}) {
    this.#name = name;
    this.#agrees = agrees;
    this.started = performance.now();
    const probe = probed ? ['--expose-gc', '--import', PROBE] : [];
    this.#child = spawn(process.execPath, [...probe, ...argv], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, PARLEY_LOG_LEVEL: 'warn', ...env },
    });
  }

  /** From the start of the process to the answer of its first call, in milliseconds. */
  async open() {
    this.#port = await this.#listening();
    const first = this.#connection();
    const session = await this.#session(first);
    await this.calls({ connections: [first], sessions: [session], count: 1 });
    const ms = performance.now() - this.started;
    this.#family = familyOf(this.#child.pid);
    first.close();
    return ms;
  }

  /** So many connections, each with a session of its own; none when the revision needs none. */
  async connect(many, { modern = false } = {}) {
    const connections = Array.from({ length: many }, () => this.#connection());
    const sessions = modern ? [] : await Promise.all(connections.map((connection) => this.#session(connection)));
    return { connections, sessions };
  }

  /** Calls a tool on every connection at once, one request after the other on each. */
  calls({ connections, sessions, count, ms, tool = 'echo', text = (id) => `text ${id}`, expected = text }) {
    const modern = sessions.length === 0;
    const headers = (index) => (modern ? modernHeaders('tools/call', tool) : sessions[index]);
    const meta = modern ? { _meta: META } : {};
    const body = (id) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: tool, arguments: { text: text(id) }, ...meta },
      });
    const check = ({ result }, id) =>
      result?.isError !== true && result?.content?.length === 1 && result.content[0].text === expected(id);
    return this.#flood({ connections, headers, body, check, count, ms });
  }

  /** Lists the tools on every connection at once. */
  lists({ connections, sessions, count, ms, tools }) {
    const headers = (index) => sessions[index];
    const body = (id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
    const check = ({ result }) => result?.tools?.length === tools && result.tools[0].name === 'echo';
    return this.#flood({ connections, headers, body, check, count, ms });
  }

  /** Opens sessions on every connection, one after the other on each: two requests make one. */
  async opens({ connections, count, ms = Number.POSITIVE_INFINITY }) {
    const taken = [];
    const deadline = performance.now() + ms;
    let left = count;
    const work = async (connection) => {
      while (left > 0 && performance.now() < deadline) {
        left -= 1;
        const at = performance.now();
        await this.#session(connection);
        taken.push(performance.now() - at);
      }
    };
    const { wall, cpu } = await this.#timed(() => Promise.all(connections.map(work)));
    return { ...quantiles(taken), perSecond: (taken.length / wall) * 1000, cpu: cpu / taken.length };
  }

  /** Opens sessions with a stream each, and keeps the streams. */
  async streams(count) {
    const opener = this.#connection();
    for (let left = count; left > 0; left -= 1) {
      const session = await this.#session(opener);
      const connection = this.#connection();
      await connection.listen(session);
    }
    opener.close();
  }

  /** Bytes the subject uses after a collection: those of the heap and beside it, and those of the process. */
  async memory() {
    const answered = new Promise((resolve) => this.#child.once('message', resolve));
    this.#child.send('memory');
    const { heapUsed, external, rss } = await answered;
    return { heap: heapUsed + external, rss };
  }

  async close() {
    for (const connection of this.#connections) connection.close();
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    this.#child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }

  #listening() {
    return new Promise((resolve, reject) => {
      let said = '';
      const listen = (chunk) => {
        said += chunk;
        const [, port] = /^Serving at http:\/\/[^/\s]*:(\d+)\//m.exec(said) ?? [];
        if (port !== undefined) resolve(Number(port));
      };
      for (const stream of [this.#child.stdout, this.#child.stderr]) stream.setEncoding('utf8').on('data', listen);
      this.#child.on('exit', (code) => reject(new Error(`${this.#name} ended with code ${code}:\n${said}`)));
    });
  }

  #connection() {
    const connection = new Connection(this.#port);
    this.#connections.push(connection);
    return connection;
  }

  /** Shakes hands; the session is what its requests say in their headers. */
  async #session(connection) {
    const answer = await connection.ask(HELLO);
    const { result } = messageOf(answer);
    const id = headerOf(answer, 'mcp-session-id');
    if (result?.protocolVersion !== this.#agrees || id === undefined) throw this.#wrong(answer.body);
    const headers = `mcp-session-id: ${id}\r\nmcp-protocol-version: ${this.#agrees}\r\n`;
    const { status, body } = await connection.ask(READY, headers);
    if (status !== 202) throw this.#wrong(body);
    return headers;
  }

  async #timed(work) {
    const before = cpuOf(this.#family);
    const started = performance.now();
    await work();
    return { wall: performance.now() - started, cpu: cpuOf(this.#family) - before };
  }

  async #flood({ connections, headers, body, check, count, ms = Number.POSITIVE_INFINITY }) {
    const taken = [];
    const deadline = performance.now() + ms;
    let left = count;
    const work = async (connection, index) => {
      const said = headers(index);
      for (let at = performance.now(); left > 0 && at < deadline; at = performance.now()) {
        left -= 1;
        const id = ++this.#id;
        const answer = await connection.ask(body(id), said);
        const message = answer.status === 200 ? messageOf(answer) : undefined;
        if (message?.id !== id || !check(message, id)) throw this.#wrong(answer.body);
        taken.push(performance.now() - at);
      }
    };
    const { wall, cpu } = await this.#timed(() => Promise.all(connections.map(work)));
    return { ...quantiles(taken), perSecond: (taken.length / wall) * 1000, cpu: cpu / taken.length };
  }

  #wrong(body) {
    return new Error(`${this.#name} gave a wrong answer: ${body.slice(0, 300)}`);
  }
}

function modernHeaders(method, name) {
  return `mcp-protocol-version: ${NEW}\r\nmcp-method: ${method}\r\nmcp-name: ${name}\r\n`;
}
