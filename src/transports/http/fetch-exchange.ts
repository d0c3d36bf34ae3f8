import type { Principal } from '../../model/peer.ts';
import { Framed } from '../../rpc/framed.ts';
import { OpenStreams } from './access-streams.ts';
import type { EventStream, Handler, Headers, HttpExchange, ReplyBody, StreamTable } from './exchange.ts';
import { FetchStream } from './fetch-stream.ts';
import { FORWARDING } from './headers-forwarded.ts';
import { type AdapterOptions, bodyLost, bodyTooLarge, type OpenExchange, runHandler } from './run-handler.ts';

/** A handler in the web-standard form. The promise never rejects. */
export function createFetch(handler: Handler, options: AdapterOptions): (request: Request) => Promise<Response> {
  const shared: Shared = { ...options, streams: new OpenStreams({ graceMs: options.limits.callDeadlineMs }) };
  return (request) =>
    new Promise((resolve) => {
      runHandler(handler, new FetchExchange(request, resolve, shared), options.log);
    });
}

interface Shared extends AdapterOptions {
  readonly streams: OpenStreams;
}

class FetchExchange implements OpenExchange {
  principal: Principal | undefined;
  complete: HttpExchange['complete'];
  good: HttpExchange['good'];
  /** Unknown: a web-standard request does not say where it came from. */
  readonly remote = '';
  readonly #request: Request;
  readonly #respond: (response: Response) => void;
  readonly #options: Shared;
  #url: URL | undefined;
  #answered = false;
  #over = false;
  #stream: FetchStream | undefined;
  #gone: (() => void)[] | undefined;

  constructor(request: Request, respond: (response: Response) => void, options: Shared) {
    this.#request = request;
    this.#respond = respond;
    this.#options = options;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#address.pathname;
  }

  get query(): string {
    return this.#address.search.slice(1);
  }

  get answered(): boolean {
    return this.#answered;
  }

  get streams(): StreamTable {
    return this.#options.streams;
  }

  header(name: string): string | undefined {
    // Nobody knows who sent it, so nobody is a proxy to be believed.
    if (FORWARDING.has(name)) return undefined;
    const value = this.#request.headers.get(name);
    if (value !== null) return value;
    // The standard lets a server put the host into the address alone.
    return name === 'host' ? this.#address.host : undefined;
  }

  async body(limit: number): Promise<Buffer> {
    const { body, headers } = this.#request;
    if (Number(headers.get('content-length')) > limit) throw bodyTooLarge(limit);
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
        size += chunk.byteLength;
        if (size > limit) break;
        chunks.push(chunk);
      }
    } catch (error) {
      throw bodyLost(error);
    }
    if (size > limit) throw bodyTooLarge(limit);
    return Buffer.concat(chunks, size);
  }

  reply(status: number, body?: ReplyBody, headers?: Headers): void {
    this.#begin();
    this.#over = true;
    const content = body === undefined || status === 204 || status === 304 ? null : wholeOf(body);
    const type = content === null ? undefined : { 'content-type': 'application/json' };
    const said = status === 403 && headers !== undefined ? (this.complete?.(this, headers) ?? headers) : headers;
    this.#respond(new Response(content as string | null, { status, headers: { ...type, ...said } }));
  }

  stream(headers?: Headers): EventStream {
    this.#begin();
    const stream = new FetchStream(this.#options.limits, () => this.#leave());
    this.#stream = stream;
    this.#options.streams.add(stream, this);
    this.#request.signal.addEventListener('abort', () => stream.abort(), { once: true });
    this.#respond(stream.response(headers));
    return stream;
  }

  onGone(listener: () => void): void {
    const { signal } = this.#request;
    if (signal.aborted) queueMicrotask(listener);
    else if (this.#gone !== undefined) this.#gone.push(listener);
    else {
      this.#gone = [listener];
      signal.addEventListener('abort', () => this.#leave(), { once: true });
    }
  }

  abort(): void {
    if (this.#stream !== undefined) this.#stream.abort();
    else if (!this.#answered) this.reply(400);
  }

  get #address(): URL {
    this.#url ??= new URL(this.#request.url);
    return this.#url;
  }

  #begin(): void {
    if (this.#answered) throw new Error('Cannot answer twice: the exchange has its answer');
    this.#answered = true;
  }

  #leave(): void {
    if (this.#over || this.#stream?.ended === true) return;
    this.#over = true;
    for (const listener of this.#gone ?? []) {
      try {
        listener();
      } catch (error) {
        this.#options.log('error', 'A handler failed on a peer that went away', { error });
      }
    }
  }
}

/** A response of the web takes its body whole. */
function wholeOf(body: ReplyBody): string | Buffer {
  return body instanceof Framed ? body.bytes : body;
}
