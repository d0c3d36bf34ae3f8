import { Connection, headerOf, messagesOf, post } from './http-connection.mjs';
import { flood, measured, repeat } from './load.mjs';
import { answered, callText, hello, NEW, OLD, READY, requestText, Template, textOf } from './messages.mjs';
import { Serving } from './serving.mjs';

/** Sessions that are opened at once: some subjects take a second for each. */
const AT_ONCE = 64;

const NAME = { 'tools/call': 'mcp-name: echo\r\n' };

/** The headers a revision without sessions wants with every request. */
function aloneHeaders(revision, method) {
  const line = `mcp-protocol-version: ${revision}\r\n`;
  return revision === NEW ? `${line}mcp-method: ${method}\r\n${NAME[method] ?? ''}` : line;
}

/** A subject may have closed what rested while the others had their turn. */
const freshen = (connections) => Promise.all(connections.map((connection) => connection.freshen()));

/** The clients of one subject, or of several that stand for one. Every kept answer is checked; a wrong one ends the run. */
export class HttpClient {
  #subject;
  #servings = [];
  #ports = [];
  #connections = [];
  #extra;
  #hello;

  /** `extra(index)` gives header lines that every request of a connection carries, such as its token. */
  constructor(subject, { extra = () => '' } = {}) {
    this.#subject = subject;
    this.#extra = extra;
    this.#hello = hello(this.agrees);
  }

  /** Starts the subject and waits until it listens. */
  static async start(subject, { replicas = 1, extra, ...options }) {
    const client = new HttpClient(subject, { extra });
    try {
      for (let left = replicas; left > 0; left -= 1) {
        const serving = new Serving(subject.name, subject.http, options);
        client.#servings.push(serving);
        client.#ports.push(await serving.port());
        serving.settle();
      }
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  }

  get serving() {
    return this.#servings[0];
  }

  get agrees() {
    return this.#subject.agrees ?? OLD;
  }

  /** So many connections without a session. */
  connect(many) {
    const made = Array.from({ length: many }, (_, index) => new Connection(this.#ports[index % this.#ports.length]));
    this.#connections.push(...made);
    return made;
  }

  /** So many connections, each with the headers of a session of its own; `roam` opens it at another replica. */
  async sessions(many, { roam = false } = {}) {
    const connections = this.connect(many);
    const openers = roam ? this.connect(many + 1).slice(1) : connections;
    const headers = [];
    for (let at = 0; at < many; at += AT_ONCE) {
      const some = openers.slice(at, at + AT_ONCE);
      headers.push(...(await Promise.all(some.map((connection, index) => this.session(connection, at + index)))));
    }
    if (roam) for (const connection of openers) connection.close();
    return { connections, headers };
  }

  /** Shakes hands; resolves to the header lines of the session. */
  async session(connection, index = 0) {
    const answer = await connection.ask(post(connection.port, this.#hello, this.#extra(index)));
    const [{ result }] = messagesOf(answer);
    const id = headerOf(answer, 'mcp-session-id');
    if (result?.protocolVersion !== this.agrees || id === undefined) throw this.#wrong(answer);
    const headers = `mcp-session-id: ${id}\r\nmcp-protocol-version: ${this.agrees}\r\n${this.#extra(index)}`;
    const ready = await connection.ask(post(connection.port, READY, headers));
    if (ready.status !== 202) throw this.#wrong(ready);
    return headers;
  }

  /** Connections with the headers each request needs when there is no session. */
  alone(many, method = 'tools/call') {
    const connections = this.connect(many);
    const { stateless } = this.#subject.http;
    return {
      connections,
      headers: connections.map((_, index) => aloneHeaders(stateless, method) + this.#extra(index)),
    };
  }

  /** One template a connection for calls of a tool. */
  calls(tool, { connections, headers }, { text, progress = false, modern = false } = {}) {
    const body = callText(tool, { text, progress, modern });
    const said = headers.map((lines) => lines.replace('mcp-name: echo', `mcp-name: ${tool}`));
    return connections.map(({ port }, index) => new Template(post(port, body, said[index])));
  }

  /** Asks the same thing on all connections, and measures. `expected` is the text of the answer, by id. */
  async flood({ connections, templates, expected = textOf, notices = 0, ...span }) {
    await freshen(connections);
    const check = (answer, id) => {
      const messages = messagesOf(answer);
      const last = messages.at(-1);
      const fits = messages.length > notices && last.id === id && answered(last, expected);
      if (!fits) throw this.#wrong(answer);
    };
    return measured(this.#servings, () => flood({ connections, templates, check, ...span }));
  }

  async repeat({ connections, unit, ...span }) {
    await freshen(connections);
    return measured(this.#servings, () => repeat({ connections, unit, ...span }));
  }

  /** Reads the whole list once, and makes of it the requests for all its pages: one template a page. */
  async pages(connection, headers, tools) {
    const templates = [];
    let seen = 0;
    for (let cursor; ; ) {
      const template = new Template(
        post(connection.port, requestText('tools/list', cursor === undefined ? {} : { cursor }), headers),
      );
      const answer = await connection.ask(template.bytes);
      const [{ result }] = messagesOf(answer);
      if (result?.tools === undefined) throw this.#wrong(answer);
      templates.push(template);
      seen += result.tools.length;
      cursor = result.nextCursor;
      if (cursor === undefined) break;
    }
    if (seen !== tools) throw new Error(`${this.#subject.name} listed ${seen} tools and not ${tools}`);
    return templates;
  }

  /** Asks for all pages once more, counting their bytes. */
  async leaf(connection, pages) {
    let bytes = 0;
    for (const template of pages) {
      template.turn();
      const { status, size } = await connection.count(template.bytes);
      if (status !== 200) throw new Error(`${this.#subject.name} answered with status ${status}`);
      bytes += size;
    }
    return bytes;
  }

  async close() {
    for (const connection of this.#connections) connection.close();
    await Promise.all(this.#servings.map((serving) => serving.close()));
  }

  #wrong({ status, body }) {
    return new Error(`${this.#subject.name} gave a wrong answer (${status}): ${body.slice(0, 300)}`);
  }
}
