import { isObject, type JsonObject } from '../../../src/model/json.ts';
import type { HeardEvent } from './event-reader.ts';
import { type Exchange, HttpWire } from './http-wire.ts';
import type { Due } from './ledger.ts';
import type { HttpOptions } from './session-talker.ts';
import { type Errand, Talker } from './talker.ts';

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** A client of the stateless revision over HTTP: every request speaks for itself, and hanging up calls it off. */
export class ModernTalker extends Talker {
  readonly wire: HttpWire;
  readonly #exchanges = new Map<Due, Exchange>();

  constructor(options: HttpOptions) {
    super(options);
    this.wire = new HttpWire({ ...options, ledger: this.ledger });
  }

  async open(): Promise<void> {
    await this.request('server/discover');
  }

  post(message: JsonObject): void {
    void this.wire.send({ method: 'POST', body: JSON.stringify(message), headers: this.#headers(message) }).outcome;
  }

  override cancel(due: Due): void {
    if (due.answered) return;
    this.ledger.excuse(due.id);
    this.#exchanges.get(due)?.cut();
  }

  /** Opens a subscription; resolves when the server acknowledged it, with the way to end it. */
  async listen(notifications: JsonObject): Promise<() => Promise<void>> {
    const message = this.message('subscriptions/listen', { notifications }, { id: this.nonce() });
    const due = this.ledger.expect(message['id'] as string, { method: 'subscriptions/listen' });
    this.ledger.excuse(due.id);
    let acknowledged: (() => void) | undefined;
    const ready = new Promise<void>((resolve) => {
      acknowledged = resolve;
    });
    const exchange = this.wire.send({
      method: 'POST',
      body: JSON.stringify(message),
      headers: this.#headers(message),
      onEvent: ({ data }) => {
        if (data !== '') this.take(data);
        acknowledged?.();
      },
    });
    const over = exchange.outcome.then(({ text }) => {
      if (text !== '') this.take(text);
      this.ledger.giveUp(due);
    });
    await Promise.race([ready, over]);
    return () => {
      exchange.cut();
      return over;
    };
  }

  protected deliver(errand: Errand): void {
    void this.#carry(errand);
  }

  async #carry({ message, due, dropAfterMs }: Errand): Promise<void> {
    const onEvent = ({ data }: HeardEvent): void => {
      if (data !== '') this.take(data);
    };
    const body = JSON.stringify(message);
    const exchange = this.wire.send({ method: 'POST', body, headers: this.#headers(message), onEvent });
    this.#exchanges.set(due, exchange);
    const drop = dropAfterMs === undefined ? undefined : setTimeout(() => this.cancel(due), dropAfterMs);
    const { status, text } = await exchange.outcome;
    clearTimeout(drop);
    this.#exchanges.delete(due);
    if (text !== '') this.take(text);
    if (due.answered) return;
    if (this.lossy) this.ledger.excuse(due.id);
    this.ledger.giveUp(due, `status ${status} without an answer`);
  }

  #headers(message: JsonObject): Record<string, string> {
    const { method, params } = message;
    const name = isObject(params) ? params[NAMED[String(method)] ?? ''] : undefined;
    return {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': this.revision,
      ...(typeof method === 'string' ? { 'mcp-method': method } : {}),
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    };
  }

  async close(): Promise<void> {
    for (const exchange of this.#exchanges.values()) exchange.cut();
    if (this.lossy) this.ledger.forget();
    this.ledger.close();
    this.wire.close();
  }
}
