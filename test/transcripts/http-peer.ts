import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Peer, PeerOptions } from './peer.ts';
import { bodyOf, isBody, isSpelled, type Turn } from './transcript.ts';

/** A server on a port of its own. */
export async function openHttp(options: PeerOptions): Promise<Peer> {
  const [program = '', ...args] = options.command('serve');
  const child = spawn(program, [...args, '--port', '0'], { env: options.env, stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await urlOf(child);
  const streams: EventReader[] = [];
  return {
    take: (turn) => (isSpelled(turn) ? takeSpelled(url, turn, streams) : takePlain(url, turn)),
    async close() {
      for (const stream of streams) stream.close();
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function urlOf(child: ChildProcess): Promise<URL> {
  return new Promise((resolve, reject) => {
    let noise = '';
    child.stderr?.setEncoding('utf8').on('data', (said: string) => {
      noise += said;
      const found = /Serving at (\S+)/.exec(noise)?.[1];
      if (found !== undefined) resolve(new URL(found));
    });
    child.once('close', () => reject(new Error(`The server ended: ${noise}`)));
  });
}

/** Posts a message as HyperServe's clients do: without a session, and taking JSON. */
async function takePlain(endpoint: URL, { says }: Turn): Promise<string[]> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const { body } = await send(endpoint, { method: 'POST', headers, body: bodyOf(says.join('\n')) });
  return body === '' ? [] : [body];
}

async function takeSpelled(endpoint: URL, { says, hears }: Turn, streams: EventReader[]): Promise<string[]> {
  const [first = '', ...rest] = says;
  const [method = '', path = ''] = first.split(' ');
  const body = rest.find(isBody);
  const headers = Object.fromEntries(rest.filter((line) => !isBody(line) && line !== '').map(headerOf));
  const target = new URL(path, endpoint);
  const answer = await send(target, { method, headers, body: body === undefined ? undefined : bodyOf(body) });
  if (answer.stream !== undefined) streams.push(answer.stream);
  const named = hears.filter((line) => /^[\w-]+: /.test(line)).map((line) => line.slice(0, line.indexOf(':')));
  const shown = named.map((name) => `${name}: ${String(answer.headers[name.toLowerCase()] ?? '')}`);
  const events = [];
  for (const line of hears) if (line.startsWith('event ')) events.push((await streams.at(-1)?.next()) ?? '');
  return [String(answer.status), ...shown, ...(answer.body === '' ? [] : [asLine(answer.body)]), ...events];
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function asLine(body: string): string {
  return isBody(body) ? body : `|${body}`;
}

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly stream?: EventReader;
}

function send(url: URL, { method, headers, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, async (response) => {
      const status = response.statusCode ?? 0;
      const streams = response.headers['content-type']?.startsWith('text/event-stream') === true;
      if (streams) return resolve({ status, headers: response.headers, body: '', stream: new EventReader(response) });
      resolve({ status, headers: response.headers, body: await text(response) });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Reads events one at a time, as `event NAME DATA`; comments are passed over. */
class EventReader {
  readonly #response: IncomingMessage;
  readonly #chunks: AsyncIterator<string>;
  #rest = '';

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.#chunks = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  }

  async next(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf('\n\n');
      if (end === -1) {
        const { value, done } = await this.#chunks.next();
        if (done === true) throw new Error('The event stream ended');
        this.#rest += value;
        continue;
      }
      const fields = this.#rest.slice(0, end).split('\n').map(headerOf);
      this.#rest = this.#rest.slice(end + 2);
      const of = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value);
      if (of('data').length > 0) return `event ${of('event')[0] ?? 'message'} ${of('data').join('\n')}`;
    }
  }

  close(): void {
    this.#response.destroy();
  }
}
