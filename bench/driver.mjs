import { spawn } from 'node:child_process';
import { cpuOf, familyOf } from './cpu.mjs';
import { quantiles } from './report.mjs';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};
const SILENCE_MS = 20_000;

/** A subject that runs, and the one client it has. Every answer is checked; a wrong one ends the run. */
export class Driver {
  #child;
  #name;
  #modern;
  #rest = '';
  #id = 0;
  #take = () => {};
  #fail = () => {};
  #family = [];

  constructor({ name, argv }, { modern = false, env = {} } = {}) {
    this.#name = name;
    this.#modern = modern;
    this.started = performance.now();
    this.#child = spawn(process.execPath, argv, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, PARLEY_LOG_LEVEL: 'warn', ...env },
    });
    this.#child.stdout.setEncoding('utf8').on('data', (chunk) => this.#read(chunk));
    this.#child.on('exit', (code) => this.#fail(new Error(`${name} ended with code ${code}`)));
    this.#child.stdin.on('error', () => {});
  }

  /** From the start of the process to the answer of its first call, in milliseconds. */
  async open() {
    if (!this.#modern) {
      const { protocolVersion } = await this.#ask('initialize', HELLO);
      if (protocolVersion !== HELLO.protocolVersion) throw new Error(`${this.#name} agreed to ${protocolVersion}`);
      this.#child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    }
    await this.calls(1);
    this.#family = familyOf(this.#child.pid);
    return performance.now() - this.started;
  }

  /** Makes calls with so many in flight, at most for so long. */
  async calls(count, { inFlight = 1, ms = Number.POSITIVE_INFINITY } = {}) {
    const texts = (id) => `text ${id}`;
    const request = (id) => this.#line(id, 'tools/call', { name: 'echo', arguments: { text: texts(id) } });
    const check = ({ id, result }) =>
      result?.isError !== true && result?.content?.length === 1 && result.content[0].text === texts(id);
    return this.#measure({ count, inFlight, ms, request, check });
  }

  /** Lists the tools one request after the other. */
  async lists(count, { tools, ms = Number.POSITIVE_INFINITY }) {
    const request = (id) => this.#line(id, 'tools/list', {});
    const check = ({ result }) => result?.tools?.length === tools && result.tools[0].name === 'echo';
    return this.#measure({ count, inFlight: 1, ms, request, check });
  }

  async close() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#fail = () => {};
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(timer);
  }

  #line(id, method, params) {
    const said = this.#modern ? { ...params, _meta: META } : params;
    return `${JSON.stringify({ jsonrpc: '2.0', id, method, params: said })}\n`;
  }

  async #ask(method, params) {
    const answered = this.#listen((message, settle) => settle(message));
    this.#child.stdin.write(this.#line(++this.#id, method, params));
    const { result, error } = await answered;
    if (result === undefined) throw new Error(`${this.#name} refused "${method}": ${JSON.stringify(error)}`);
    return result;
  }

  async #measure({ count, inFlight, ms, request, check }) {
    const first = this.#id + 1;
    const sent = new Float64Array(count);
    const taken = [];
    const deadline = performance.now() + ms;
    const before = cpuOf(this.#family);
    const started = performance.now();
    let last = first - 1;
    let due = 0;
    const send = (many) => {
      let text = '';
      const now = performance.now();
      for (let left = Math.min(many, first + count - 1 - last); left > 0 && now < deadline; left -= 1) {
        sent[++last - first] = now;
        text += request(last);
        due += 1;
      }
      if (text !== '') this.#child.stdin.write(text);
    };
    const finished = this.#listen(
      (message, settle) => {
        const at = sent[message.id - first];
        if (!(at > 0) || !check(message))
          throw new Error(`${this.#name} gave a wrong answer: ${JSON.stringify(message)}`);
        sent[message.id - first] = 0;
        taken.push(performance.now() - at);
        due -= 1;
        if (due === 0 && (last === first + count - 1 || performance.now() >= deadline)) settle();
      },
      (answers) => send(answers),
    );
    send(inFlight);
    await finished;
    const wall = performance.now() - started;
    const cpu = cpuOf(this.#family) - before;
    this.#id = last;
    return { ...quantiles(taken), perSecond: (taken.length / wall) * 1000, cpu: cpu / taken.length };
  }

  #listen(onMessage, onChunk = () => {}) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${this.#name} fell silent`)), SILENCE_MS);
      const settle = (value) => {
        clearTimeout(timer);
        this.#take = () => {};
        resolve(value);
      };
      this.#fail = (error) => {
        clearTimeout(timer);
        reject(error);
      };
      this.#take = (lines) => {
        try {
          for (const line of lines) onMessage(JSON.parse(line), settle);
          onChunk(lines.length);
        } catch (error) {
          this.#fail(error);
        }
      };
    });
  }

  #read(chunk) {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop();
    if (lines.length > 0) this.#take(lines);
  }
}
