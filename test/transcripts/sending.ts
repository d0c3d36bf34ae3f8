import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly stream?: EventReader;
}

/** Sends a request; resolves when its response is whole, or begins to stream. */
export function send(url: URL, { method, headers, body }: Sent): Promise<Received> {
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

/** Splits a header or the field of an event. */
export function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** Reads events one at a time, as `event NAME DATA`; comments are passed over. */
export class EventReader {
  readonly #response: IncomingMessage;
  readonly #chunks: AsyncIterator<string>;
  #rest = '';
  /** The id of the event heard last, to come back to. */
  lastId = '';

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
      this.lastId = of('id')[0] ?? this.lastId;
      if (of('data').length > 0) return `event ${of('event')[0] ?? 'message'} ${of('data').join('\n')}`;
    }
  }

  close(): void {
    this.#response.destroy();
  }
}
