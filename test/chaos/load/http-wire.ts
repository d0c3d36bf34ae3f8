import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { EventReader, type HeardEvent } from './event-reader.ts';
import type { Ledger } from './ledger.ts';

export interface WireOptions {
  readonly url: string;
  readonly ledger: Ledger;
  readonly token?: string | undefined;
  readonly sockets?: number;
}

export interface Sending {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Told of each event where the response is a stream. */
  onEvent?(event: HeardEvent): void;
  /** The head of the response is there. */
  onHead?(response: IncomingMessage): void;
  readonly path?: string;
}

/** What came of one HTTP request. */
export interface Outcome {
  /** 0 when no head came. */
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly streamed: boolean;
  /** The body, where it was no stream. */
  readonly text: string;
  /** The response came to its end, and was not cut. */
  readonly whole: boolean;
}

/** An exchange that can be cut off from the client's side. */
export interface Exchange {
  readonly outcome: Promise<Outcome>;
  cut(): void;
  /** Stops reading, and goes on with `resume`. */
  pause(): void;
  resume(): void;
}

const IDLE_MS = 30_000;
const NONE: Outcome = { status: 0, headers: {}, streamed: false, text: '', whole: false };

/** The connections of one client; every byte that comes over them is searched for what is not the client's. */
export class HttpWire {
  readonly #options: WireOptions;
  readonly #agent: Agent;
  #closed = false;

  constructor(options: WireOptions) {
    this.#options = options;
    // A connection is not used again shortly before the server would close it.
    this.#agent = new Agent({
      keepAlive: true,
      timeout: IDLE_MS,
      maxSockets: options.sockets ?? 64,
      scheduling: 'lifo',
    });
  }

  send(sending: Sending): Exchange {
    // An agent that was destroyed would open connections again.
    if (this.#closed) return { outcome: Promise.resolve(NONE), cut() {}, pause() {}, resume() {} };
    const { url, token } = this.#options;
    const { method, headers = {}, body, path } = sending;
    const asking = request(path === undefined ? url : new URL(path, url), {
      method,
      agent: this.#agent,
      headers: {
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    let response: IncomingMessage | undefined;
    let paused = false;
    const outcome = this.#outcome(asking, sending, (head) => {
      response = head;
      if (paused) head.pause();
    });
    asking.end(body);
    return {
      outcome,
      cut: () => asking.destroy(),
      pause() {
        paused = true;
        response?.pause();
      },
      resume() {
        paused = false;
        response?.resume();
      },
    };
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }

  #outcome(asking: ClientRequest, sending: Sending, onHead: (head: IncomingMessage) => void): Promise<Outcome> {
    return new Promise((resolve) => {
      let begun = false;
      const over = (): void => {
        if (!begun) resolve(NONE);
      };
      asking.on('error', over).on('close', over);
      asking.on('response', (response) => {
        begun = true;
        this.#options.ledger.scan(response.rawHeaders.join('\n'));
        sending.onHead?.(response);
        read(response, sending, resolve);
        onHead(response);
      });
    });
  }
}

function read(response: IncomingMessage, { onEvent }: Sending, resolve: (outcome: Outcome) => void): void {
  const streamed = response.headers['content-type'] === 'text/event-stream';
  const reader = new EventReader();
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    if (!streamed) text += chunk;
    else for (const event of reader.push(chunk)) onEvent?.(event);
  });
  response.on('error', () => {});
  response.on('close', () => {
    const { statusCode: status = 0, headers, complete: whole } = response;
    resolve({ status, headers, streamed, text, whole });
  });
}
