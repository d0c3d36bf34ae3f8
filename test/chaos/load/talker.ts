import type { Json, JsonObject } from '../../../src/model/json.ts';
import { isModern, KEY } from '../../scenarios/revisions.ts';
import { type Check, type Due, type Id, Ledger } from './ledger.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';
const PATIENCE_MS = 60_000;

export interface TalkerOptions {
  readonly name: string;
  readonly secret: string;
  readonly revision: string;
  /** Longest time to wait for an answer before it counts as lost. */
  readonly patienceMs?: number;
  /** The server may go away: what that cuts off is excused. */
  readonly lossy?: boolean;
  /** Refusals with these codes are as good as any answer. */
  readonly forgives?: readonly string[];
}

export interface Asked {
  readonly check?: Check | undefined;
  readonly meta?: JsonObject;
  readonly capabilities?: JsonObject;
  /** Wants to hear of progress. */
  readonly progress?: boolean;
  /** Calls the request off after that long. */
  readonly cancelAfterMs?: number;
  /** Cuts the connection the answer comes on after that long; who can comes back for it. */
  readonly dropAfterMs?: number;
  /** Speaks this revision and not the client's own; only where both may share a connection. */
  readonly revision?: string;
}

/** One request on its way: how its transport may be told to fail. */
export interface Errand extends Asked {
  readonly message: JsonObject;
  readonly due: Due;
}

export const CAPABILITIES: JsonObject = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** A client for load: it says things, answers questions, and keeps its ledger. How bytes travel is up to its kind. */
export abstract class Talker {
  readonly name: string;
  readonly secret: string;
  readonly revision: string;
  readonly ledger: Ledger;
  readonly lossy: boolean;
  /** What the server told outside of answers, by method. */
  readonly heard = new Map<string, number>();
  readonly #listeners = new Set<(message: JsonObject) => void>();
  readonly #patienceMs: number;
  #count = 0;

  constructor(options: TalkerOptions, alsoSpeaks: readonly string[] = []) {
    this.name = options.name;
    this.secret = options.secret;
    this.revision = options.revision;
    this.lossy = options.lossy ?? false;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.ledger = new Ledger({ ...options, speaks: [options.revision, ...alsoSpeaks] });
  }

  abstract open(): Promise<void>;
  abstract close(): Promise<void>;
  /** Sends a request; everything that comes of it goes to `take`. */
  protected abstract deliver(errand: Errand): void;
  /** Sends a message nothing comes back for. */
  abstract post(message: JsonObject): void;

  get modern(): boolean {
    return isModern(this.revision);
  }

  /** A text of this client's own, different each time. */
  nonce(): string {
    return `${this.secret}${++this.#count}n`;
  }

  /** Asks, and waits for the answer; `undefined` where none came. */
  async request(method: string, params: JsonObject = {}, asked: Asked = {}): Promise<JsonObject | undefined> {
    const id = this.nonce();
    const token = asked.progress === true ? `${this.secret}${id}p` : undefined;
    const message = this.message(method, params, { ...asked, id, ...(token === undefined ? {} : { token }) });
    const revision = asked.revision ?? this.revision;
    const due = this.ledger.expect(id, { method, revision, check: asked.check });
    if (token !== undefined) this.ledger.expectProgress(token);
    const timers = [
      setTimeout(() => this.ledger.giveUp(due), this.#patienceMs),
      ...(asked.cancelAfterMs === undefined ? [] : [setTimeout(() => this.cancel(due), asked.cancelAfterMs)]),
    ];
    this.deliver({ ...asked, message, due });
    try {
      return await due.answer;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      if (token !== undefined) this.ledger.endProgress(token, due);
    }
  }

  /** Calls a tool. */
  call(name: string, input: JsonObject = {}, asked: Asked = {}): Promise<JsonObject | undefined> {
    return this.request('tools/call', { name, arguments: input }, asked);
  }

  /** Calls back with every notification, until what it returns is called. */
  onTold(listener: (message: JsonObject) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(method: string, params: JsonObject): void {
    this.post({ jsonrpc: '2.0', method, params });
  }

  /** Calls a request off: from here on no answer need come, and one more moment is enough for one under way. */
  cancel(due: Due): void {
    if (due.answered) return;
    this.ledger.excuse(due.id);
    this.notify('notifications/cancelled', { requestId: due.id, reason: this.secret });
    setTimeout(() => this.ledger.giveUp(due), 500).unref();
  }

  message(
    method: string,
    params: JsonObject,
    { id, token, meta, capabilities, revision = this.revision }: Asked & { id: Id; token?: string },
  ): JsonObject {
    const claim: JsonObject = isModern(revision)
      ? {
          [KEY.revision]: revision,
          [KEY.capabilities]: capabilities ?? CAPABILITIES,
          [KEY.client]: { name: this.secret, version: '1' },
          [KEY.level]: 'debug',
        }
      : {};
    const all: JsonObject = { ...claim, ...meta, ...(token === undefined ? {} : { progressToken: token }) };
    const said = Object.keys(all).length === 0 ? params : { ...params, _meta: all };
    return { jsonrpc: '2.0', id, method, params: said };
  }

  /** Opens a conversation of a handshake revision. */
  protected async handshake(): Promise<JsonObject | undefined> {
    const clientInfo = { name: this.secret, version: '1' };
    return this.request('initialize', { protocolVersion: this.revision, capabilities: CAPABILITIES, clientInfo });
  }

  /** Takes the text of one message. */
  protected take(text: string): void {
    for (const message of this.ledger.hear(text)) if (typeof message['method'] === 'string') this.#told(message);
  }

  #told(message: JsonObject): void {
    const { method, id, params } = message as { method: string; id?: Json; params?: JsonObject };
    this.heard.set(method, (this.heard.get(method) ?? 0) + 1);
    if (id === undefined) for (const listener of this.#listeners) listener(message);
    else this.post({ jsonrpc: '2.0', id, result: this.#reply(method, params ?? {}) });
  }

  #reply(method: string, _params: JsonObject): JsonObject {
    switch (method) {
      case 'elicitation/create':
        return this.elicited();
      case 'sampling/createMessage':
        return { role: 'assistant', model: 'none', content: { type: 'text', text: this.secret } };
      case 'roots/list':
        return { roots: [] };
      default:
        return {};
    }
  }

  /** What the user behind this client says to every question. */
  elicited(): JsonObject {
    return { action: 'accept', content: { name: this.secret } };
  }
}
