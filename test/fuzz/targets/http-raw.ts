import { readAnswers, wantedBy } from '../http-oracle.ts';
import { HASTY, openWire, sendRaw, type Wire } from '../http-wire.ts';
import { claim } from '../messages.ts';
import { changeBytes } from '../mutate/bytes.ts';
import { hear } from '../oracle/answers.ts';
import type { Random } from '../random.ts';
import { expect, type OpenTarget, shown, type Tally, type Target } from '../target.ts';
import { cutterFor } from './talks.ts';

// Raw sockets against a server that listens: never two answers to one request, never silence without an end, never a 5xx.

const BETWEEN = '\n---- another connection ----\n';
const CONNECTIONS = 96;
const PATHS = [
  '/mcp',
  '/mcp',
  '/mcp',
  '/sse',
  '/messages?sessionId=x',
  '/health',
  '/readyz',
  '/none',
  '/',
  '//mcp',
  '/mcp/',
  '/mcp/../health',
  '/%6dcp',
  '*',
  'http://127.0.0.1/mcp',
  'http://evil.example/mcp',
  'mcp',
  '/mcp#x',
  `/mcp?${'x'.repeat(1200)}`,
  '/mcp\\x',
];
const METHODS = [
  'POST',
  'POST',
  'POST',
  'GET',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PUT',
  'PATCH',
  'TRACE',
  'CONNECT',
  'get',
  'post',
  'M-SEARCH',
  'PRI',
  'POST\t',
  'P\0ST',
  '',
];
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.2',
  'http/1.1',
  'HTTP/1.1 ',
  '',
  'HTTP/11',
];
const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'later', _meta: claim() } });
const LEGACY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const OPENING = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'f', version: '1' } },
});
const ODD_HEADERS = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: x',
  'Transfer-Encoding:\x0bchunked',
  ' Transfer-Encoding: chunked',
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: 05',
  'Content-Length: +5',
  'Content-Length: -1',
  'Content-Length: 5, 5',
  'Content-Length: 0x5',
  'Content-Length: 1e1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 20000',
  'Content-Length :5',
  'Content-Length:',
  'Host: evil.example',
  'Host:',
  'host: localhost',
  'Origin: null',
  'Origin: http://evil.example',
  'Origin: https://app.example',
  'Expect: 100-continue',
  'Expect: something',
  'Connection: close',
  'Connection: keep-alive, Upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'Connection: Upgrade, HTTP2-Settings',
  'X: a\r\n folded',
  'X: a\n\tfolded',
  'X:\0',
  'X: \x7f',
  'X: \xff\xfe',
  'X\xe9: 1',
  'X',
  ': x',
  'X: a\rb',
  'Accept: text/html',
  'Accept: text/event-stream',
  'Content-Encoding: gzip',
  'Content-Type: text/plain',
  'Mcp-Session-Id: none',
  'Mcp-Session-Id: \xff',
  'MCP-Protocol-Version: 2025-06-18',
  'MCP-Protocol-Version: 2099-01-01',
  'MCP-Protocol-Version: 2026-07-28',
  'Mcp-Method: tools/call',
  'Mcp-Name: =?base64?AA',
  'Last-Event-ID: x.1',
  'X-SSE-Client-ID: none',
  'X-Forwarded-For: 1.2.3.4',
  'Range: bytes=0-1',
  'TE: trailers',
  'Trailer: Host',
  `X-Long: ${'y'.repeat(5000)}`,
  ...Array.from({ length: 3 }, () => Array.from({ length: 90 }, (_, at) => `X-${at}: ${at}`).join('\r\n')),
];
const CHUNKS = [
  '5\r\nhello\r\n0\r\n\r\n',
  '0\r\n\r\n',
  '5\r\nhel',
  'z\r\n',
  '5;x=y\r\nhello\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '-1\r\n',
  'FFFFFFFFFFFFFFFF1\r\nx',
  '0\r\nHost: evil\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\n',
  '05\r\nhello\r\n0\r\n\r\n',
];
const SMUGGLED = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';

function makeRequest(random: Random): string {
  const method = random.once(3) ? random.pick(METHODS) : random.pick(['POST', 'GET']);
  const path = random.once(2) ? random.pick(PATHS) : '/mcp';
  const version = random.once(5) ? random.pick(VERSIONS) : 'HTTP/1.1';
  const body = random.pick([BODY, LEGACY, OPENING, '', '{', '[]', 'x'.repeat(17_000), ...CHUNKS]);
  const headers = [
    ...(random.once(12) ? [] : ['Host: localhost']),
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...(random.once(4) ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...random.many(ODD_HEADERS, random.small(3)),
  ];
  if (body === BODY && !random.once(4))
    headers.push('MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: later');
  const newline = random.once(12) ? '\n' : '\r\n';
  return `${method} ${path} ${version}${newline}${headers.join(newline)}${newline}${newline}${body}`;
}

function makeConnection(random: Random): Buffer {
  if (random.once(20))
    return Buffer.from(
      random.pick([
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'GET /\r\n',
        '\x16\x03\x01\x02\x00',
        '\r\n\r\n',
        'GET',
        '',
        '\0\0\0\0',
      ]),
      'latin1',
    );
  const requests = Array.from({ length: 1 + random.small(3) }, () => makeRequest(random));
  if (random.once(4)) requests.push(SMUGGLED);
  const bytes = Buffer.from(requests.join(''), 'latin1');
  if (random.once(6)) return bytes.subarray(0, random.below(bytes.length));
  return random.once(6) ? changeBytes(bytes, random) : bytes;
}

const ALLOWED = new Set([
  200, 202, 204, 400, 403, 404, 405, 406, 408, 409, 411, 413, 414, 415, 417, 426, 429, 431, 501, 503, 505,
]);

class RawTarget implements OpenTarget {
  readonly tally: Tally = { lines: 0, malformed: 0, answers: 0, good: 0 };
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  generate(random: Random): Buffer {
    const parts = Array.from({ length: CONNECTIONS }, () => makeConnection(random).toString('latin1'));
    return Buffer.from(parts.join(BETWEEN), 'latin1');
  }

  async check(input: Buffer): Promise<void> {
    const parts = input.toString('latin1').split(BETWEEN);
    await Promise.all(parts.map((part) => this.#connection(Buffer.from(part, 'latin1'))));
    const good = await sendRaw(this.#wire.port, [Buffer.from(SMUGGLED)], (text) => text.endsWith('}'));
    expect(good.text.startsWith('HTTP/1.1 200 '), () => `a good request afterwards: ${shown(good.text)}`);
    this.tally.good += 1;
    await this.#nobodyLeft();
  }

  /** No stream outlives its connection; the end of one may take a moment to be noticed. */
  async #nobodyLeft(): Promise<void> {
    let left = await this.#wire.streams();
    for (let tries = 0; left > 0 && tries < 50; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20 + 4 * tries));
      left = await this.#wire.streams();
    }
    expect(left === 0, () => `${left} streams are open although all connections are closed`);
  }

  async #connection(bytes: Buffer): Promise<void> {
    const { methods, broken, sure } = wantedBy(bytes);
    const count = (text: string): number => text.split(/HTTP\/1\.1 (?!1)/).length - 1;
    const complete = (text: string): boolean => !broken && count(text) >= methods.length && isOver(text);
    const { text } = await sendRaw(this.#wire.port, cutterFor(bytes)(bytes), complete);
    const answers = tryRead(text, methods, bytes);
    // A connection on which nothing more came is told so before it is closed.
    const most = methods.length + (broken || answers.at(-1)?.status === 408 ? 1 : 0);
    const said = (): string => `${shown(bytes.toString('latin1'))} → ${shown(answers.map(({ status }) => status))}`;
    expect(answers.length <= most, () => `${answers.length} answers, at most ${most} due: ${said()}`);
    // What comes behind a request and is wrong may close the connection before the answer is there.
    expect(
      !sure || broken || methods.length > 1 || answers.length > 0,
      () => `no answer to a good request: ${said()} ${shown(text)}`,
    );
    for (const { status, headers, body, cut } of answers) {
      expect(ALLOWED.has(status), () => `status ${status}: ${said()}`);
      const json = headers.get('content-type')?.startsWith('application/json') === true;
      if (json && body !== '' && !cut && body.includes('"jsonrpc"')) hear(Buffer.from(body, 'latin1').toString('utf8'));
      if (json && body !== '' && !cut) JSON.parse(body);
    }
    this.tally.lines += 1;
    this.tally.answers += answers.length;
    if (broken || answers.some(({ status }) => status >= 400)) this.tally.malformed += 1;
  }

  close(): Promise<void> {
    return this.#wire.close();
  }
}

function tryRead(text: string, methods: readonly string[], bytes: Buffer): ReturnType<typeof readAnswers> {
  try {
    return readAnswers(text, methods);
  } catch (error) {
    return expect(false, () => `${(error as Error).message}: to ${shown(bytes.toString('latin1'))}`) as never;
  }
}

/** Whether the last response is whole, as far as that can be told quickly. */
function isOver(text: string): boolean {
  return /(?:\}|\r\n\r\n|0\r\n\r\n)$/.test(text);
}

export const httpRaw: Target = {
  name: 'http-raw',
  says: 'raw sockets against a listening server: smuggling, chunks, folds, halves, versions, methods, pipelines',
  weight: 4,
  open: async () => new RawTarget(await openWire(HASTY)),
};
