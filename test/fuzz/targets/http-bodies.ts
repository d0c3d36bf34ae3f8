import { Agent, request } from 'node:http';
import { ALL } from '../../scenarios/revisions.ts';
import { LIMITS } from '../fixture.ts';
import { openWire, type Wire } from '../http-wire.ts';
import { messagesOf } from '../messages.ts';
import { LineMaker } from '../mutate/lines.ts';
import { type Heard, hear } from '../oracle/answers.ts';
import { type Due, dueTo } from '../oracle/due.ts';
import { parseJson } from '../oracle/json.ts';
import type { Random } from '../random.ts';
import { oddWords } from '../simple.ts';
import { expect, type OpenTarget, shown, type Tally, type Target } from '../target.ts';

// Good HTTP with bad bodies and headers, on every route: one answer each, in words of the protocol.

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In Base64. */
  readonly body: string;
}

interface Got {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const AT_ONCE = 48;
const STOCK = ALL.flatMap((tongue) => messagesOf(tongue));
const REVISION_WORDS = [...ALL, '2099-01-01', '', 'x', '2025-06-18, 2025-06-18'];

function makeHeaders(random: Random): Record<string, string> {
  const odd = (words: readonly string[]): string => oddWords(random, words, 3).replaceAll(/[^\x20-\x7e]/g, '');
  const maybe = (name: string, value: () => string, times: number): Record<string, string> =>
    random.once(times) ? { [name]: value() } : {};
  return {
    'content-type': random.once(8) ? odd(['application/json', 'text/plain', ';charset=utf-8']) : 'application/json',
    accept: random.once(8)
      ? odd(['application/json', 'text/event-stream', '*/*', ', '])
      : 'application/json, text/event-stream',
    ...maybe('mcp-protocol-version', () => random.pick(REVISION_WORDS), 2),
    ...maybe('mcp-session-id', () => odd(['a', 'none']), 6),
    ...maybe('mcp-method', () => odd(['tools/call', 'tools/list']), 3),
    ...maybe('mcp-name', () => odd(['echo', '=?base64?ZWNobw==?=']), 3),
    ...maybe('last-event-id', () => odd(['s.1', '0.0', '..']), 12),
    ...maybe(
      'origin',
      () => random.pick(['http://localhost', 'null', 'http://evil.example', 'https://app.example']),
      12,
    ),
    ...maybe('authorization', () => odd(['Bearer ', 'x', 'Basic ']), 12),
    ...maybe('x-sse-client-id', () => odd(['a']), 20),
  };
}

function makeSent(random: Random): Sent {
  const maker = new LineMaker(STOCK, LIMITS.messageBytes);
  const post = !random.once(8);
  return {
    method: post ? 'POST' : random.pick(['GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD']),
    path: random.once(5)
      ? random.pick(['/messages', '/messages?sessionId=a', '/sse', '/health', '/none', '/mcp?access_token=x'])
      : '/mcp',
    headers: makeHeaders(random),
    body: post ? maker.line(random).toString('base64') : '',
  };
}

const ALLOWED = new Set([200, 202, 204, 400, 401, 403, 404, 405, 406, 409, 413, 414, 415, 429, 431, 503]);

class BodyTarget implements OpenTarget {
  readonly tally: Tally = { lines: 0, malformed: 0, answers: 0, good: 0 };
  readonly #wire: Wire;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  generate(random: Random): Buffer {
    const lines = Array.from({ length: AT_ONCE }, () => JSON.stringify(makeSent(random)));
    return Buffer.from(lines.join('\n'));
  }

  async check(input: Buffer): Promise<void> {
    const all = input.toString('utf8').split('\n').flatMap(readSent);
    await Promise.all(all.map((sent) => this.#one(sent)));
    const good = JSON.stringify({ jsonrpc: '2.0', id: 'good', method: 'ping' });
    const headers = { 'content-type': 'application/json', accept: '*/*' };
    const got = await this.#send({ method: 'POST', path: '/mcp', headers, body: Buffer.from(good).toString('base64') });
    expect(got.status === 200 && got.text.includes('"good"'), () => `a good request afterwards: ${shown(got)}`);
    this.tally.good += 1;
  }

  async #one(sent: Sent): Promise<void> {
    const got = await this.#send(sent);
    const says = (): string =>
      `${shown({ ...sent, body: Buffer.from(sent.body, 'base64').toString('latin1') })} → ${shown(got)}`;
    expect(ALLOWED.has(got.status), () => `status ${got.status}: ${says()}`);
    const heard = messagesIn(got);
    this.tally.lines += 1;
    this.tally.answers += 1;
    if (got.status >= 400 || heard.some((one) => one.kind === 'nameless')) this.tally.malformed += 1;
    if (sent.path === '/mcp' && sent.method === 'POST' && got.status === 200) checkAnswer(sent, heard, says);
  }

  #send({ method, path, headers, body }: Sent): Promise<Got> {
    return new Promise((resolve, reject) => {
      const options = { port: this.#wire.port, host: '127.0.0.1', method, path, headers, agent: this.#agent };
      const sent = request(options, (response) => {
        let text = '';
        const type = response.headers['content-type'] ?? '';
        const done = (): void => resolve({ status: response.statusCode ?? 0, type, text });
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', done).on('error', done);
        // A stream that listens goes on until it is let go.
        setTimeout(() => response.destroy(), STREAM_MS).unref();
        response.on('close', done);
      });
      sent.on('error', reject);
      sent.end(body === '' ? undefined : Buffer.from(body, 'base64'));
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#wire.close();
  }
}

const STREAM_MS = 300;

function readSent(line: string): Sent[] {
  try {
    const sent = JSON.parse(line) as Sent;
    return typeof sent.method === 'string' && typeof sent.path === 'string' && typeof sent.body === 'string'
      ? [sent]
      : [];
  } catch {
    return [];
  }
}

/** Every message in an answer; throws when one of them is not well-formed. */
function messagesIn({ type, text }: Got): Heard[] {
  if (text === '') return [];
  if (type.startsWith('text/event-stream')) {
    const data = text.split('\n').filter((line) => line.startsWith('data: {') && line.includes('"jsonrpc"'));
    return data.map((line) => hear(line.slice('data: '.length)));
  }
  return type.startsWith('application/json') && text.includes('"jsonrpc"') ? [hear(text)] : [];
}

/** A request that was taken has the one answer under its id; what is no request has none. */
function checkAnswer(sent: Sent, heard: readonly Heard[], says: () => string): void {
  const body = Buffer.from(sent.body, 'base64');
  const node = parseJson(body.toString('utf8'), LIMITS.jsonDepth);
  if (typeof node === 'string' || node.kind === 'array') return;
  const due: Due = dueTo(body, { speaks: '2024-11-05', ...LIMITS, messageBytes: Number.MAX_SAFE_INTEGER });
  const answers = heard.filter(({ kind }) => kind !== 'aside');
  if (due.kind === 'none') expect(answers.length === 0, () => `an answer nobody asked for: ${says()}`);
  if (due.kind !== 'named' || due.optional === true) return;
  expect(answers.length === 1, () => `${answers.length} answers: ${says()}`);
  const [only] = answers;
  expect(only?.kind !== 'named' || only.id === due.id, () => `the answer has another id: ${says()}`);
}

export const httpBodies: Target = {
  name: 'http-bodies',
  says: 'good HTTP with bad bodies and headers on every route: one well-formed answer each',
  weight: 4,
  open: async () => new BodyTarget(await openWire()),
};
