import { isObject, type JsonObject } from '../../../src/model/json.ts';
import type { HeardEvent } from '../load/event-reader.ts';
import { pause, Roamer, type RoamingErrand } from './roamer.ts';

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
};
const COMES_BACK_MS = 50;

/** A client of the stateless revision: every request speaks for itself, to whichever replica. */
export class ModernRoamer extends Roamer {
  readonly #subscriptions = new Map<string, (() => void) | undefined>();
  /** How often a subscription had to be opened again: what was told meanwhile it cannot know. */
  interruptions = 0;

  async open(): Promise<void> {
    await this.request('server/discover');
  }

  async ready(): Promise<void> {}

  post(message: JsonObject): void {
    void this.wire.send({ method: 'POST', body: JSON.stringify(message), headers: this.#headers(message) }).outcome;
  }

  /** Listens for updates of a resource, again on another replica whenever that ends; resolves once acknowledged. */
  async subscribe(uri: string): Promise<() => void> {
    this.#subscriptions.set(uri, undefined);
    await new Promise<void>((resolve) => void this.#listen(uri, resolve));
    return () => {
      this.#subscriptions.get(uri)?.();
      this.#subscriptions.delete(uri);
    };
  }

  protected async carry(errand: RoamingErrand): Promise<void> {
    const { message, due, idempotent = false } = errand;
    const onEvent = ({ data }: HeardEvent): void => {
      if (data !== '') this.take(data);
    };
    const sending = { method: 'POST', body: JSON.stringify(message), headers: this.#headers(message), onEvent };
    const exchange = this.impatiently(sending, () => idempotent);
    const outcome = await exchange.outcome;
    if (due.answered) return;
    if (exchange.left()) return this.end(errand, 'left');
    if (outcome.streamed) return this.end(errand, 'cut');
    this.settle(errand, outcome);
  }

  async #listen(uri: string, acknowledged: () => void): Promise<void> {
    while (this.#subscriptions.has(uri) && !this.closed) {
      const id = this.nonce();
      const message = this.message('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }, { id });
      const due = this.ledger.expect(id, { method: 'subscriptions/listen' });
      this.ledger.excuse(id);
      const onEvent = ({ data }: HeardEvent): void => {
        if (data !== '') this.take(data);
        acknowledged();
      };
      const exchange = this.wire.send({
        method: 'POST',
        body: JSON.stringify(message),
        headers: this.#headers(message),
        onEvent,
      });
      this.#subscriptions.set(uri, exchange.cut);
      await exchange.outcome;
      this.ledger.giveUp(due);
      this.interruptions += 1;
      await pause(COMES_BACK_MS);
    }
    acknowledged();
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
    this.closed = true;
    this.wire.close();
  }
}
