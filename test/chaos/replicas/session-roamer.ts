import type { JsonObject } from '../../../src/model/json.ts';
import { since } from '../../scenarios/revisions.ts';
import type { HeardEvent } from '../load/event-reader.ts';
import type { Outcome } from '../load/http-wire.ts';
import { pause, Roamer, type RoamingErrand } from './roamer.ts';
import type { RoamingExchange } from './roaming-wire.ts';

const BOTH = 'application/json, text/event-stream';
const COMES_BACK_MS = 50;
const AWAY_MS = 250;
const TRIES = 40;

/** A client of Streamable HTTP whose session and streams are taken up on whichever replica comes next. */
export class SessionRoamer extends Roamer {
  session: string | undefined;
  #main: RoamingExchange | undefined;
  #mainLast: string | undefined;
  #forgotten: string | undefined;

  async open(): Promise<void> {
    await this.#reopen();
    void this.#listen();
  }

  async ready(): Promise<void> {
    if (this.session === undefined || this.session === this.#forgotten) await this.#reopen();
  }

  async #reopen(): Promise<void> {
    this.session = undefined;
    this.#mainLast = undefined;
    for (let round = 0; round < TRIES && this.session === undefined && !this.closed; round += 1) {
      if (round > 0) await pause(AWAY_MS);
      await this.handshake();
    }
    await this.#insist({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  post(message: JsonObject): void {
    void this.#insist(message);
  }

  /** Whether the server said that it does not know the session any more. */
  get forgotten(): boolean {
    return this.session === this.#forgotten;
  }

  /** Whether another client's session is shown to this one: its status. */
  async pry(session: string): Promise<number> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    return (await this.wire.send({ method: 'POST', body, headers: this.#headers(session) }).outcome).status;
  }

  protected async carry(errand: RoamingErrand): Promise<void> {
    const { message, due, dropAfterMs, idempotent = false } = errand;
    const session = this.session;
    let last: string | undefined;
    const onEvent = (event: HeardEvent): void => {
      last = event.id ?? last;
      this.#event(event, session);
    };
    const body = JSON.stringify(message);
    const mayLeave = (): boolean => last !== undefined || idempotent;
    const first = this.impatiently({ method: 'POST', body, headers: this.#headers(session), onEvent }, mayLeave);
    const drop =
      dropAfterMs === undefined ? undefined : setTimeout(() => last !== undefined && first.cut(), dropAfterMs);
    const outcome = await first.outcome;
    clearTimeout(drop);
    if (message['method'] === 'initialize') this.session = outcome.headers['mcp-session-id'] as string | undefined;
    if (due.answered) return;
    if (last !== undefined) return this.#comeBack(errand, { session, last: () => last as string, onEvent });
    if (first.left()) return this.end(errand, 'left');
    if (outcome.streamed) return this.end(errand, 'cut');
    this.settle(errand, outcome);
    if (errand.report.end === 'forgotten') this.#forget(session);
  }

  /** Takes the stream of an answer up again, wherever, until the answer is there. */
  async #comeBack(
    errand: RoamingErrand,
    { session, last, onEvent }: { session: string | undefined; last(): string; onEvent(event: HeardEvent): void },
  ): Promise<void> {
    let waitMs = COMES_BACK_MS;
    while (!errand.due.answered && !this.closed) {
      this.history.add(this.name, { kind: 'resumed', id: String(errand.due.id) });
      await pause(waitMs);
      const headers = { ...this.#headers(session), accept: 'text/event-stream', 'last-event-id': last() };
      const outcome = await this.impatiently({ method: 'GET', headers, onEvent }, () => true).outcome;
      waitMs = outcome.status === 503 ? AWAY_MS : COMES_BACK_MS;
      if (outcome.status === 200 || outcome.status === 0 || outcome.status === 503) continue;
      this.#refused(errand, outcome, session);
    }
  }

  #refused(errand: RoamingErrand, outcome: Outcome, session: string | undefined): void {
    // What was begun may be done: it is not for the client to begin it again.
    if (outcome.status === 400 || outcome.status === 404) this.end(errand, 'gap');
    else this.settle(errand, outcome);
    if (outcome.status === 404) this.#forget(session);
  }

  /** The server does not know the session any more: told once. */
  #forget(session: string | undefined): void {
    if (session === undefined || session === this.#forgotten) return;
    this.#forgotten = session;
    this.#main?.cut();
    this.history.add(this.name, { kind: 'forgotten' });
  }

  /** Reads what belongs to no request, on whichever replica, and comes back whenever that stream ends. */
  async #listen(): Promise<void> {
    while (!this.closed) {
      const session = this.session;
      if (session === undefined || session === this.#forgotten) await pause(AWAY_MS);
      else await this.#hearOut(session);
      await pause(COMES_BACK_MS);
    }
  }

  async #hearOut(session: string): Promise<void> {
    const last: Record<string, string> = this.#mainLast === undefined ? {} : { 'last-event-id': this.#mainLast };
    const onEvent = (event: HeardEvent): void => {
      if (session === this.session) this.#mainLast = event.id ?? this.#mainLast;
      this.#event(event, session);
    };
    const headers = { ...this.#headers(session), accept: 'text/event-stream', ...last };
    this.#main = this.wire.send({ method: 'GET', headers, onEvent });
    const { status } = await this.#main.outcome;
    if (status === 404 && !this.closed) this.#forget(session);
    if (status === 400) {
      this.history.add(this.name, { kind: 'gap', id: 'main' });
      this.#mainLast = undefined;
    }
    if (status !== 200 && status !== 0) await pause(AWAY_MS);
  }

  /** Sends a message nothing comes back for, until it was taken. */
  async #insist(message: JsonObject): Promise<void> {
    const session = this.session;
    const body = JSON.stringify(message);
    for (let round = 0; round < TRIES && !this.closed; round += 1) {
      const { status } = await this.wire.send({ method: 'POST', body, headers: this.#headers(session) }).outcome;
      if (status === 404) this.#forget(session);
      if (status !== 0 && status !== 503) return;
      await pause(AWAY_MS);
    }
  }

  #headers(session: string | undefined): Record<string, string> {
    const named = session !== undefined && since(this.revision, '2025-06-18');
    return {
      accept: BOTH,
      'content-type': 'application/json',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(named ? { 'mcp-protocol-version': this.revision } : {}),
    };
  }

  #event({ id, data }: HeardEvent, session = ''): void {
    const [, stream, number] = /^(.+)\.(\d+)$/.exec(id ?? '') ?? [];
    if (stream !== undefined)
      this.history.add(this.name, { kind: 'event', session, stream, number: Number(number), bare: data === '' });
    if (data !== '') this.take(data);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.session !== undefined)
      await this.wire.send({ method: 'DELETE', headers: this.#headers(this.session) }).outcome;
    this.wire.close();
  }
}
