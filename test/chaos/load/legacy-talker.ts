import type { JsonObject } from '../../../src/model/json.ts';
import type { HeardEvent } from './event-reader.ts';
import { type Exchange, HttpWire } from './http-wire.ts';
import type { HttpOptions } from './session-talker.ts';
import { type Errand, Talker } from './talker.ts';

/** A client of the transport of 2024-11-05: it hears everything on one stream and posts beside it. */
export class LegacyTalker extends Talker {
  readonly wire: HttpWire;
  #stream: Exchange | undefined;
  #posts: string | undefined;

  constructor(options: HttpOptions) {
    super(options);
    this.wire = new HttpWire({ ...options, ledger: this.ledger });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => {
      const onEvent = ({ event, data }: HeardEvent): void => {
        if (event === 'endpoint') this.#posts = data;
        else if (data !== '') this.take(data);
        if (event === 'endpoint') resolve();
      };
      this.#stream = this.wire.send({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' }, onEvent });
      void this.#stream.outcome.then(() => {
        if (this.lossy) this.ledger.forget();
        this.ledger.close();
        resolve();
      });
    });
    await this.handshake();
    this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  post(message: JsonObject): void {
    void this.#send(message).outcome;
  }

  /** Stops reading, without closing. */
  pauseMain(): void {
    this.#stream?.pause();
  }

  resumeMain(): void {
    this.#stream?.resume();
  }

  /** Cuts the stream: the transport has no way to come back. */
  drop(): void {
    this.#stream?.cut();
  }

  protected deliver({ message, due }: Errand): void {
    const exchange = this.#send(message);
    void exchange.outcome.then(({ status, text }) => {
      if (status === 202) return;
      if (status === 404) this.ledger.scan(text);
      else if (text.startsWith('{')) this.take(text);
      if (due.answered) return;
      if (this.lossy) this.ledger.excuse(due.id);
      this.ledger.giveUp(due, `status ${status}`);
    });
  }

  #send(message: JsonObject): Exchange {
    const headers = { 'content-type': 'application/json' };
    const path = this.#posts ?? '/messages';
    return this.wire.send({ method: 'POST', path, body: JSON.stringify(message), headers });
  }

  async close(): Promise<void> {
    this.#stream?.cut();
    if (this.lossy) this.ledger.forget();
    this.ledger.close();
    this.wire.close();
  }
}
