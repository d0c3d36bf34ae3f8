import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Peer, PeerOptions } from './peer.ts';
import { type EventReader, headerOf, send } from './sending.ts';
import { Session } from './session.ts';
import { bodyOf, isBody, isSpelled, type Turn } from './transcript.ts';

/** A server on a port of its own. */
export async function openHttp(options: PeerOptions): Promise<Peer> {
  const [program = '', ...args] = options.command('serve');
  const child = spawn(program, [...args, '--port', '0'], { env: options.env, stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await urlOf(child);
  const streams: EventReader[] = [];
  const session = options.session === true ? new Session(url) : undefined;
  const takeMessage = (turn: Turn) => session?.take(turn) ?? takePlain(url, turn);
  return {
    take: (turn) => (isSpelled(turn) ? takeSpelled(url, turn, streams) : takeMessage(turn)),
    async close() {
      session?.close();
      for (const stream of streams) stream.close();
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
      session?.assertQuiet();
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

function asLine(body: string): string {
  return isBody(body) ? body : `|${body}`;
}
