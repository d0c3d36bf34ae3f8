import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { JsonObject } from '../../../src/model/json.ts';

const PATIENCE_MS = 5000;

/** One event as it stood on the wire. */
export interface HeardEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Told of every message in a response, and of the status it came under. */
export type Listener = (message: string, status: number) => void;

/** Sends one request over a connection of its own; resolves when the head of the response is there. */
export function send(port: number, { method, path, headers = {}, body }: Sent, listener?: Listener): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false });
    const length: Record<string, string> = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
    const asking = request({ host: '127.0.0.1', port, method, path, headers: { ...length, ...headers }, agent });
    asking.on('error', reject);
    asking.on('response', (response) => resolve(new Heard(response, listener)));
    asking.end(body);
  });
}

/** Sends one request and cuts the connection before any response. */
export async function sendAndLeave(port: number, sent: Sent, leave: Promise<unknown>): Promise<void> {
  const agent = new Agent({ keepAlive: false });
  const { method, path, headers, body = '' } = sent;
  const asking = request({ host: '127.0.0.1', port, method, path, agent, headers: { ...headers } });
  asking.on('error', () => {});
  asking.end(body);
  await leave;
  asking.destroy();
}

/** A response as its client hears it: read as strictly as the wire allows, and cut whenever the test says so. */
export class Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly comments: string[] = [];
  /** Every event so far. */
  readonly events: HeardEvent[] = [];
  readonly #response: IncomingMessage;
  readonly #listener: Listener | undefined;
  #text = '';
  #rest = '';
  #taken = 0;
  #over: 'ended' | 'cut' | undefined;
  #wake: (() => void)[] = [];

  constructor(response: IncomingMessage, listener?: Listener) {
    this.#response = response;
    this.#listener = listener;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#hear(chunk));
    response.on('error', () => {});
    response.on('close', () => this.#finish());
  }

  get streams(): boolean {
    return this.headers['content-type'] === 'text/event-stream';
  }

  /** How the response is over, if it is. */
  get over(): 'ended' | 'cut' | undefined {
    return this.#over;
  }

  /** Every message so far, in order. */
  get messages(): JsonObject[] {
    return this.events.flatMap(({ data }) => (data === undefined || data === '' ? [] : [JSON.parse(data)]));
  }

  /** The whole body. */
  async text(): Promise<string> {
    await this.ended();
    return this.#text;
  }

  async json(): Promise<JsonObject> {
    assert.equal(this.headers['content-type'], 'application/json');
    return JSON.parse(await this.text()) as JsonObject;
  }

  /** The next event nobody took yet. */
  async event(): Promise<HeardEvent> {
    await this.until(() => this.events.length > this.#taken, 'an event');
    return this.events[this.#taken++] as HeardEvent;
  }

  /** The next message nobody took yet; events without one are passed over. */
  async message(method?: string): Promise<JsonObject> {
    for (;;) {
      const { data = '' } = await this.event();
      if (data === '') continue;
      const message = JSON.parse(data) as JsonObject;
      if (method !== undefined) assert.equal(message['method'], method, data);
      return message;
    }
  }

  /** Waits until the server has ended the response. */
  async ended(): Promise<void> {
    await this.until(() => this.#over !== undefined, 'the end');
    assert.equal(this.#over, 'ended', 'the response was cut off');
  }

  /** Hangs up. */
  cut(): void {
    this.#response.destroy();
  }

  async until(done: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!done()) {
      const left = deadline - performance.now();
      const over = this.#over !== undefined && what !== 'the end';
      assert(left > 0 && !over, `waited in vain for ${what}; heard ${this.status}: ${this.#text.slice(-500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #hear(chunk: string): void {
    this.#text += chunk;
    if (this.streams) this.#split(chunk);
    this.#stir();
  }

  #split(chunk: string): void {
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop() as string;
    for (const block of blocks) this.#read(block);
  }

  #read(block: string): void {
    const event: Record<string, string> = {};
    for (const line of block.split('\n')) {
      const [, field, value] = /^([a-z]*): ?(.*)$/.exec(line) ?? assert.fail(`no line of an event: ${line}`);
      if (field === '') this.comments.push(value as string);
      else event[field as string] = value as string;
    }
    if (Object.keys(event).length === 0) return;
    this.events.push(event);
    const { data = '', event: kind = 'message' } = event;
    if (kind === 'message' && data !== '') this.#listener?.(data, this.status);
  }

  #finish(): void {
    this.#over = this.#response.complete ? 'ended' : 'cut';
    // An accepted message is not answered here, whatever the body says.
    const answered = this.headers['content-type'] === 'application/json' && this.status !== 202;
    if (answered && this.#over === 'ended') this.#listener?.(this.#text, this.status);
    this.#stir();
  }

  #stir(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
