import { type Log, silent } from '../../model/log.ts';
import type { WireId } from '../../model/peer.ts';
import type { ReadEvent } from '../../rpc/sse.ts';
import { messageOf, readEvents, typeOf } from './http-body.ts';
import { discard, HttpCaller } from './http-caller.ts';
import type { HttpLinkOptions } from './http-link.ts';
import { EVENTS, inTime, refusedBy } from './http-words.ts';
import type { Ears, Label, Link } from './link.ts';
import { PeerError } from './peer-error.ts';
import { HttpFault } from './verdict.ts';

const MESSAGE_BYTES = 64 * 1024 * 1024;
const POST_MS = 30_000;

/** Speaks to a server over the older transport: one event stream for everything it says, and an address to post to. */
export function openLegacySse(options: HttpLinkOptions): Link {
  return new LegacySseLink(options);
}

// spec 2024-11-05 basic/transports#http-with-sse
class LegacySseLink implements Link {
  readonly acknowledges = true;
  readonly #caller: HttpCaller;
  readonly #limit: number;
  readonly #log: Log;
  readonly #over = new AbortController();
  readonly #endpoint: Promise<URL>;
  #found: (url: URL) => void = () => {};
  #ears: Ears | undefined;
  #known = false;

  constructor(options: HttpLinkOptions) {
    this.#caller = new HttpCaller(options);
    this.#limit = options.messageBytes ?? MESSAGE_BYTES;
    this.#log = options.log ?? silent;
    this.#endpoint = new Promise((resolve) => {
      this.#found = resolve;
    });
  }

  open(ears: Ears): void {
    this.#ears = ears;
    void this.#listen();
  }

  send(text: string, label: Label): void {
    if (!this.#over.signal.aborted) void this.#post(text, label);
  }

  close(): Promise<void> {
    this.#over.abort();
    return Promise.resolve();
  }

  async #listen(): Promise<void> {
    const { signal } = this.#over;
    try {
      const response = await this.#caller.call({ method: 'GET', headers: { accept: EVENTS }, signal });
      if (!response.ok) throw await refusedBy(response, { caller: this.#caller });
      if (typeOf(response) !== EVENTS) {
        await discard(response);
        throw new HttpFault('older', `The server at "${this.#caller.name}" speaks no MCP: it offers no event stream`);
      }
      const position = { lastId: undefined, retryMs: undefined, events: 0 };
      await readEvents(response, { position, limit: this.#limit }, (event) => this.#take(event));
      throw new HttpFault('broken', `The server at "${this.#caller.name}" ended its event stream`);
    } catch (error) {
      if (signal.aborted) return;
      this.#over.abort();
      this.#ears?.closed(this.#faultOf(error));
    }
  }

  #take(event: ReadEvent): boolean {
    if (event.event === 'endpoint' && !this.#known) this.#found(this.#addressOf(event.data));
    const message = messageOf(event);
    if (message !== undefined) this.#ears?.message(message);
    return false;
  }

  /** Messages carry the client's credentials, so they go nowhere but to the origin they were meant for. */
  #addressOf(data: string): URL {
    const { url, name } = this.#caller;
    const endpoint = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
    if (endpoint?.origin !== url.origin) {
      throw new HttpFault('broken', `The server at "${name}" wants messages sent to another origin: refused`);
    }
    this.#known = true;
    return endpoint;
  }

  async #post(text: string, { id, method = 'a reply' }: Label): Promise<void> {
    const signal = this.#over.signal;
    try {
      const url = await this.#endpoint;
      signal.throwIfAborted();
      const headers = { accept: '*/*', 'content-type': 'application/json' };
      const response = await inTime(signal, POST_MS, (until) =>
        this.#caller.call({ method: 'POST', url, headers, body: text, signal: until }),
      );
      if (!response.ok) throw await refusedBy(response, { caller: this.#caller });
      await discard(response);
    } catch (error) {
      if (!signal.aborted) this.#lose(error, id, method);
    }
  }

  #lose(error: unknown, id: WireId | undefined, method: string): void {
    if (id !== undefined) this.#ears?.lost(error instanceof PeerError ? error : this.#faultOf(error), id);
    else this.#log('warn', `The server did not take ${method}: ${(error as Error).message}`);
  }

  #faultOf(error: unknown): HttpFault {
    if (error instanceof HttpFault) return error;
    if (error instanceof PeerError) return new HttpFault(error.verdict ?? 'broken', error.message, { cause: error });
    return new HttpFault('broken', `The connection to "${this.#caller.name}" broke`, { cause: error });
  }
}
