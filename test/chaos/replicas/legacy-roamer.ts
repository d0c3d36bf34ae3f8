import type { JsonObject } from '../../../src/model/json.ts';
import type { HeardEvent } from '../load/event-reader.ts';
import { pause, Roamer, type RoamingErrand } from './roamer.ts';
import type { RoamingExchange } from './roaming-wire.ts';

const COMES_BACK_MS = 50;
const AWAY_MS = 250;
const TRIES = 100;
const UNSURE_MS = 5000;
/** What a post hears whose stream is not there any more. */
export const GONE = 'channel gone';

/** A client of the transport of 2024-11-05: its stream is on one replica, and its posts go to any. */
export class LegacyRoamer extends Roamer {
  #stream: RoamingExchange | undefined;
  #posts: string | undefined;
  readonly #pending = new Set<RoamingErrand>();

  open(): Promise<void> {
    return this.#reopen();
  }

  async ready(): Promise<void> {
    if (this.#posts !== undefined || this.closed) return;
    await pause(COMES_BACK_MS);
    await this.#reopen();
  }

  async #reopen(): Promise<void> {
    this.#stream?.cut();
    for (let round = 0; round < TRIES && !this.closed; round += 1) {
      if (round > 0) await pause(AWAY_MS);
      if ((await this.#connect()) && (await this.handshake())?.['result'] !== undefined) break;
    }
    this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  post(message: JsonObject): void {
    void this.#send(message);
  }

  protected async carry(errand: RoamingErrand): Promise<void> {
    const { message, due } = errand;
    const stream = this.#stream;
    const outcome = await this.#send(message).outcome;
    if (due.answered) return;
    if (outcome.status === 202) return this.#expect(errand, stream);
    if (outcome.status === 504) return this.#wait(errand);
    if (outcome.status !== 404) return this.settle(errand, outcome);
    errand.report.code = GONE;
    this.end(errand, 'refused');
    this.#stream?.cut();
  }

  /** The message was accepted: its answer comes on the stream it was posted for, as long as that is there. */
  #expect(errand: RoamingErrand, stream: RoamingExchange | undefined): void {
    if (stream === undefined || stream !== this.#stream) {
      this.end(errand, 'cut');
      return;
    }
    this.#pending.add(errand);
    void errand.due.answer.then(() => this.#pending.delete(errand));
  }

  /** The server cannot say whether the message arrived: if it did, its answer comes. */
  async #wait(errand: RoamingErrand): Promise<void> {
    await Promise.race([errand.due.answer, pause(UNSURE_MS)]);
    this.end(errand, 'unsure');
  }

  /** Opens the stream; false where that ended before the server said where to post. */
  #connect(): Promise<boolean> {
    return new Promise((resolve) => {
      const onEvent = ({ event, data }: HeardEvent): void => {
        if (event !== 'endpoint') {
          if (data !== '') this.take(data);
          return;
        }
        this.#posts = data;
        resolve(true);
      };
      const stream = this.wire.send({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' }, onEvent });
      this.#stream = stream;
      void stream.outcome.then(() => {
        this.#broken(stream);
        resolve(false);
      });
    });
  }

  /** With the stream goes everything that was to come on it. */
  #broken(stream: RoamingExchange): void {
    if (stream !== this.#stream) return;
    this.#stream = undefined;
    this.#posts = undefined;
    if (!this.closed) this.history.add(this.name, { kind: 'reopened' });
    for (const errand of this.#pending) this.end(errand, 'cut');
  }

  #send(message: JsonObject): RoamingExchange {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(message);
    return this.wire.send({ method: 'POST', path: this.#posts ?? '/messages', body, headers });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#stream?.cut();
    this.wire.close();
  }
}
