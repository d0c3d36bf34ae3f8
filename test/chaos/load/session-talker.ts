import type { JsonObject } from '../../../src/model/json.ts';
import { since } from '../../scenarios/revisions.ts';
import type { HeardEvent } from './event-reader.ts';
import { type Exchange, HttpWire, type Outcome } from './http-wire.ts';
import { type Errand, Talker, type TalkerOptions } from './talker.ts';

export interface HttpOptions extends TalkerOptions {
  readonly url: string;
  readonly token?: string | undefined;
}

const BOTH = 'application/json, text/event-stream';
const COMES_BACK_MS = 20;

/** A client of Streamable HTTP with a session: it comes back for what a cut connection kept from it. */
export class SessionTalker extends Talker {
  readonly wire: HttpWire;
  readonly token: string | undefined;
  session: string | undefined;
  /** Whether the main stream is read. */
  listens = false;
  /** The last position heard of each stream. */
  readonly #positions = new Map<string, number>();
  #main: Exchange | undefined;
  #mainLast: string | undefined;
  #closed = false;

  constructor(options: HttpOptions) {
    super(options);
    this.token = options.token;
    this.wire = new HttpWire({ ...options, ledger: this.ledger });
  }

  async open(): Promise<void> {
    this.#positions.clear();
    this.session = undefined;
    this.#mainLast = undefined;
    await this.handshake();
    await this.notified('notifications/initialized');
  }

  /** Sends a notification and waits until it was taken. */
  async notified(method: string, params?: JsonObject): Promise<number> {
    const body = JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
    return (await this.#post(body).outcome).status;
  }

  post(message: JsonObject): void {
    void this.#post(JSON.stringify(message)).outcome;
  }

  /** Reads what belongs to no request, and comes back whenever that stream ends. */
  listen(): void {
    this.listens = true;
    void this.#listen();
  }

  /** Cuts the stream of what belongs to no request, once there is an event to come back to; the client does. */
  dropMain(): void {
    if (this.#mainLast !== undefined) this.#main?.cut();
  }

  /** Stops reading the main stream, without closing it. */
  pauseMain(): void {
    this.#main?.pause();
  }

  protected deliver(errand: Errand): void {
    void this.#carry(errand);
  }

  async #carry({ message, due, dropAfterMs }: Errand): Promise<void> {
    let last: string | undefined;
    const onEvent = (event: HeardEvent): void => {
      last = event.id ?? last;
      this.#event(event);
    };
    const first = this.#post(JSON.stringify(message), onEvent);
    const drop = dropAfterMs === undefined ? undefined : setTimeout(() => first.cut(), dropAfterMs);
    let outcome = await first.outcome;
    clearTimeout(drop);
    if (message['method'] === 'initialize') this.session = outcome.headers['mcp-session-id'] as string | undefined;
    if (outcome.status === 404) this.ledger.scan(outcome.text);
    else if (outcome.text !== '') this.take(outcome.text);
    while (!due.answered && last !== undefined && !this.#closed) {
      await pause(COMES_BACK_MS);
      outcome = await this.#resume(last, onEvent).outcome;
      if (outcome.status !== 200) break;
    }
    if (due.answered) return;
    // Nothing came by which the client could come back: the one who cut knew that.
    if (dropAfterMs !== undefined && last === undefined) this.ledger.excuse(due.id);
    this.#unanswered(due, outcome);
  }

  #unanswered(due: Errand['due'], { status, text }: Outcome): void {
    if (this.lossy) this.ledger.excuse(due.id);
    this.ledger.giveUp(due, `status ${status} ${text.slice(0, 120)}`);
  }

  #post(body: string, onEvent: (event: HeardEvent) => void = (event) => this.#event(event)): Exchange {
    return this.wire.send({ method: 'POST', body, headers: this.headers(), onEvent });
  }

  #resume(last: string, onEvent: (event: HeardEvent) => void): Exchange {
    return this.wire.send({ method: 'GET', headers: { ...this.headers(), 'last-event-id': last }, onEvent });
  }

  headers(): Record<string, string> {
    return {
      accept: BOTH,
      'content-type': 'application/json',
      ...(this.session === undefined ? {} : { 'mcp-session-id': this.session }),
      ...(this.session !== undefined && since(this.revision, '2025-06-18')
        ? { 'mcp-protocol-version': this.revision }
        : {}),
    };
  }

  #event({ id, data }: HeardEvent): void {
    if (data === '') return;
    const [, stream, position] = /^(.+)\.(\d+)$/.exec(id ?? '') ?? [];
    if (stream !== undefined) this.#order(stream, Number(position));
    this.take(data);
  }

  /** Within a stream nothing is left out, repeated or moved. */
  #order(stream: string, position: number): void {
    const before = this.#positions.get(stream);
    if (before !== undefined && position !== before + 1)
      this.ledger.blame('disordered', `event ${stream}.${position} after ${stream}.${before}`);
    this.#positions.set(stream, position);
  }

  async #listen(): Promise<void> {
    while (!this.#closed) {
      const session = this.session;
      const exchange = this.wire.send({
        method: 'GET',
        headers: {
          ...this.headers(),
          accept: 'text/event-stream',
          ...(this.#mainLast === undefined ? {} : { 'last-event-id': this.#mainLast }),
        },
        onEvent: (event) => {
          this.#mainLast = event.id ?? this.#mainLast;
          this.#event(event);
        },
      });
      this.#main = exchange;
      const { status } = await exchange.outcome;
      if (this.#closed || (status !== 200 && status !== 0)) return;
      await pause(COMES_BACK_MS);
      if (session !== this.session) return;
    }
  }

  /** Leaves without a word, as a client does that crashes. */
  abandon(): void {
    this.#closed = true;
    this.wire.close();
    this.#main?.cut();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#main?.cut();
    if (this.session !== undefined) await this.wire.send({ method: 'DELETE', headers: this.headers() }).outcome;
    if (this.lossy) this.ledger.forget();
    this.ledger.close();
    this.wire.close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
