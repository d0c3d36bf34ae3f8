import { measured } from './load.mjs';
import { answered, callText, hello, OLD, READY, requestText, Template, textOf } from './messages.mjs';
import { Serving } from './serving.mjs';

const SILENCE_MS = 60_000;
const LINE_END = 10;
const CHECKED_EVERY = 101;

/** The one client of a subject on a pipe. Every kept answer is checked; a wrong one ends the run. */
export class StdioClient {
  #subject;
  #rest = [];
  #take = () => {};

  constructor(subject, options) {
    this.#subject = subject;
    this.serving = new Serving(subject.name, subject.stdio, { ...options, piped: true });
    this.serving.output.on('data', (chunk) => this.#read(chunk));
    this.serving.input.on('error', () => {});
  }

  /** Shakes hands and makes a first call. */
  async open({ tool = 'echo', input = { text: 'first' } } = {}) {
    const agrees = this.#subject.agrees ?? OLD;
    const { result } = await this.ask(hello(agrees));
    if (result?.protocolVersion !== agrees)
      throw new Error(`${this.#subject.name} agreed to ${JSON.stringify(result)}`);
    this.serving.input.write(`${READY}\n`);
    const answer = await this.ask(requestText('tools/call', { name: tool, arguments: input }));
    if (answer.result?.content?.length === undefined) throw this.#wrong(answer);
    this.serving.settle();
  }

  /** Sends one message and resolves to the answer. */
  ask(text) {
    return this.#until((resolve) => {
      this.#take = (lines) => resolve(JSON.parse(lines[0].toString('utf8')));
      this.serving.input.write(`${text}\n`);
    });
  }

  /** Calls a tool with so many in flight, and measures. */
  calls({ inFlight = 1, ms }) {
    return measured([this.serving], () =>
      this.#until((resolve, reject) => {
        const sent = new Map();
        const taken = [];
        const send = this.#sender(sent, performance.now() + ms);
        this.#take = (lines) => {
          try {
            for (const line of lines) this.#settle(line, { sent, taken });
          } catch (error) {
            return reject(error);
          }
          send(lines.length);
          if (sent.size === 0) resolve({ taken });
        };
        send(inFlight);
      }),
    );
  }

  /** Sends so many calls in one write, until it is late; `sent` learns when. */
  #sender(sent, deadline) {
    const template = new Template(`${callText('echo')}\n`);
    let begun = false;
    return (many) => {
      const now = performance.now();
      // The first ones go out however late it is: somebody must be answered for this to end.
      if (now >= deadline && begun) return;
      begun = true;
      const lines = [];
      for (let left = many; left > 0; left -= 1) {
        sent.set(template.turn(), now);
        lines.push(Buffer.from(template.bytes));
      }
      this.serving.input.write(lines.length === 1 ? lines[0] : Buffer.concat(lines));
    };
  }

  /** Reads the whole list once, and makes of it the requests for all its pages. */
  async pages(tools) {
    const templates = [];
    let seen = 0;
    for (let cursor; ; ) {
      const text = requestText('tools/list', cursor === undefined ? {} : { cursor });
      const { result } = await this.ask(text);
      templates.push(new Template(`${text}\n`));
      seen += result.tools.length;
      cursor = result.nextCursor;
      if (cursor === undefined) break;
    }
    if (seen !== tools) throw new Error(`${this.#subject.name} listed ${seen} tools and not ${tools}`);
    return templates;
  }

  /** Asks for all pages, over and over, and measures. */
  async lists({ pages, ms, least = 1 }) {
    return measured([this.serving], async () => {
      const taken = [];
      let bytes = 0;
      const deadline = performance.now() + ms;
      for (let at = performance.now(); at < deadline || taken.length < least; at = performance.now()) {
        for (const template of pages) bytes += await this.#size(template);
        taken.push(performance.now() - at);
      }
      return { taken, bytes };
    });
  }

  close() {
    return this.serving.close();
  }

  #size(template) {
    return this.#until((resolve) => {
      this.#take = ([line]) => resolve(line.length);
      template.turn();
      this.serving.input.write(Buffer.from(template.bytes));
    });
  }

  /** The id stands somewhere in the line; all of it is read only now and then. */
  #settle(line, { sent, taken }) {
    const at = line.indexOf('"id":');
    const id = at === -1 ? undefined : Number.parseInt(line.latin1Slice(at + 5, at + 14), 10);
    const began = sent.get(id);
    if (began === undefined) throw this.#wrong(line.toString('utf8'));
    sent.delete(id);
    if (taken.length % CHECKED_EVERY === 0) {
      const message = JSON.parse(line.toString('utf8'));
      if (!answered(message, textOf)) throw this.#wrong(message);
    }
    taken.push(performance.now() - began);
  }

  #until(work) {
    let timer;
    const settled = new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`${this.#subject.name} fell silent`)), SILENCE_MS);
      work(resolve, reject);
    });
    return Promise.race([settled, this.serving.fallen()]).finally(() => {
      clearTimeout(timer);
      this.#take = () => {};
    });
  }

  #read(chunk) {
    const lines = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      const piece = chunk.subarray(start, end);
      lines.push(this.#rest.length === 0 ? piece : Buffer.concat([...this.#rest, piece]));
      this.#rest = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
    if (lines.length > 0) this.#take(lines);
  }

  #wrong(message) {
    return new Error(`${this.#subject.name} gave a wrong answer: ${JSON.stringify(message).slice(0, 300)}`);
  }
}
