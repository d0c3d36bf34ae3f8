import type { Principal } from '../../src/model/peer.ts';
import { Framed } from '../../src/rpc/framed.ts';
import type {
  EventStream,
  Handler,
  Headers,
  HttpExchange,
  ReplyBody,
  ServerEvent,
} from '../../src/transports/http/exchange.ts';

export interface FakeRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly remote?: string;
  /** Names in any case. */
  readonly headers?: Headers;
  readonly body?: string | Buffer;
  readonly principal?: Principal | undefined;
}

/** An exchange without a socket: keeps what a handler answered, and refuses a second answer. */
export class FakeExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remote: string;
  principal: Principal | undefined;
  status: number | undefined;
  text: string | undefined;
  sent: Headers = {};
  readonly events: ServerEvent[] = [];
  readonly comments: string[] = [];
  readonly #headers: ReadonlyMap<string, string>;
  readonly #body: Buffer;
  readonly #goneListeners: (() => void)[] = [];
  #open = false;

  constructor({ method = 'GET', path = '/', query = '', remote = '127.0.0.1', ...rest }: FakeRequest = {}) {
    this.method = method;
    this.path = path;
    this.query = query;
    this.remote = remote;
    this.principal = rest.principal;
    this.#headers = new Map(Object.entries(rest.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
    this.#body = Buffer.from(rest.body ?? '');
  }

  /** Whether a stream was begun and is not over. */
  get open(): boolean {
    return this.#open;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  body(limit: number): Promise<Buffer> {
    if (this.#body.length > limit) return Promise.reject(new RangeError('The body is longer than the limit'));
    return Promise.resolve(this.#body);
  }

  reply(status: number, body?: ReplyBody, headers: Headers = {}): void {
    this.#answer(status, headers);
    this.text = body instanceof Framed ? body.text : body?.toString();
  }

  stream(headers: Headers = {}): EventStream {
    this.#answer(200, headers);
    this.#open = true;
    const isOpen = () => this.#open;
    return {
      get open() {
        return isOpen();
      },
      send: (event) => void (this.#open && this.events.push(event)),
      comment: (text) => void (this.#open && this.comments.push(text)),
      end: () => {
        this.#open = false;
      },
    };
  }

  onGone(listener: () => void): void {
    this.#goneListeners.push(listener);
  }

  /** The peer hangs up. */
  go(): void {
    this.#open = false;
    for (const listener of this.#goneListeners) listener();
  }

  /** The reply read as JSON. */
  json<T>(): T {
    return JSON.parse(this.text ?? '') as T;
  }

  #answer(status: number, headers: Headers): void {
    if (this.status !== undefined) throw new Error('The exchange was answered twice');
    for (const [name, value] of Object.entries(headers)) {
      if (name !== name.toLowerCase()) throw new Error(`Header "${name}" is not in lower case`);
      if (/[\r\n\0]/.test(value)) throw new Error(`Header "${name}" holds a line break`);
    }
    this.status = status;
    this.sent = headers;
  }
}

/** Lets a handler answer a request and returns what it said. */
export async function exchanged(handler: Handler, request: FakeRequest = {}): Promise<FakeExchange> {
  const exchange = new FakeExchange(request);
  await handler(exchange);
  return exchange;
}
