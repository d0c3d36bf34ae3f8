import { Fault } from '../../model/fault.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { LogLevel, Notice, WireId } from '../../model/peer.ts';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import { type Envelope, readEnvelope } from '../../rpc/envelope.ts';
import { type Answerers, Answering } from './answering.ts';
import type { Ears, Link, Mirrors } from './link.ts';
import { PeerError } from './peer-error.ts';
import { type Progress, Requests } from './requests.ts';
import type { Retry, Speaker, Spoken } from './speaker.ts';

const ROUNDS = 10;

/** What may be said about one request. */
export interface RequestOptions {
  /** Gives the request up: the server is told, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Longest time to wait, not counting the time questions of the server take to answer. */
  readonly timeoutMs?: number | undefined;
  /** Rides in the request's `_meta`, trace keys for instance. */
  readonly meta?: JsonObject | undefined;
}

interface InnerRequest extends RequestOptions {
  /** Speaks for this request alone. */
  readonly speaker?: Speaker;
  /** Arguments repeated beside the request, by links that do so. */
  readonly mirrored?: Mirrors | undefined;
}

export interface ConnectionOptions {
  readonly speaker: Speaker;
  readonly timeoutMs: number;
  readonly answerers: Answerers;
  /** Everything the server tells that belongs to no request. */
  onNotice(notice: Notice, subscription: WireId | undefined): void;
}

/** One link in use: requests out and their replies in, questions in and their answers out. */
export class Connection implements Ears {
  readonly #options: ConnectionOptions;
  readonly #requests = new Requests();
  readonly #answering: Answering;
  #link: Link;
  #closed: Fault | undefined;
  #over = new AbortController();
  /** Replaced while it is found out what the server speaks. */
  speaker: Speaker;
  /** The log messages wanted, in revisions where every request says so. */
  level: LogLevel | undefined;

  constructor(link: Link, options: ConnectionOptions) {
    this.#link = link;
    this.#options = options;
    this.#answering = new Answering(options.answerers);
    this.speaker = options.speaker;
    link.open(this);
  }

  /** Why nothing can be sent any more, once it cannot. */
  get closedBy(): Fault | undefined {
    return this.#closed;
  }

  /** Whether arguments are repeated beside a call. */
  get mirrors(): boolean {
    return this.#link.mirrors === true && this.speaker.beside.alone;
  }

  /** Whether silence means a slow server and not an older one. */
  get acknowledged(): boolean {
    return this.#link.acknowledges === true;
  }

  /** Goes on with another link, in place of one that closed or led nowhere. */
  reopen(link: Link): void {
    void this.#link.close();
    this.#closed = undefined;
    this.#over = new AbortController();
    this.#link = link;
    link.open(this);
  }

  /** Asks and waits for the answer; what the server wants to know first is answered on the way. */
  async request<V extends Verb>(operation: Operation<V>, options: InnerRequest = {}): Promise<Answer<V>> {
    const { speaker = this.speaker } = options;
    let retry: Retry | undefined;
    for (let round = 0; round <= ROUNDS; round += 1) {
      const result = await this.#ask(speaker, operation as Operation, { ...options, retry });
      const required = speaker.required(result);
      if (required === undefined) return speaker.answer(operation.verb as V, result);
      const { questions, state } = required;
      const signal = AbortSignal.any([this.#over.signal, ...(options.signal === undefined ? [] : [options.signal])]);
      const answers = await unlessAborted(signal, this.#answering.answers(speaker, questions, signal));
      retry = {
        ...(Object.keys(answers).length === 0 ? {} : { answers }),
        ...(state === undefined ? {} : { state }),
      };
    }
    throw new Fault('E_BAD_MESSAGE', `The server asked for input more than ${ROUNDS} times in one call`);
  }

  /** Sends a request whose reply is the end of it, however late; the id names what comes before. */
  hold(operation: Operation): { id: WireId; ended: Promise<JsonObject> } {
    const id = this.#requests.next();
    return { id, ended: this.#send(id, this.speaker.ask(id, operation, {}), { what: operation.verb }) };
  }

  /** Gives up a held request and tells the server. */
  release(id: WireId): void {
    this.tell({ kind: 'cancelled', id });
    this.#requests.fail(id, new Fault('E_CLOSED', 'The client ended it'));
  }

  /** Says something that is not answered, if the revision has a word for it. */
  tell(notice: Notice): void {
    const spoken = this.speaker.tell(notice);
    if (spoken !== undefined && this.#closed === undefined) this.#link.send(spoken.text, spoken.label);
  }

  async close(): Promise<void> {
    this.closed(new Fault('E_CLOSED', 'The connection is closed'));
    await this.#link.close();
  }

  message(message: Json): void {
    const messages = Array.isArray(message) && this.speaker.revision.batches ? message : [message];
    for (const one of messages) this.#take(readEnvelope(one), one);
  }

  lost(error: Fault | PeerError, id: WireId | undefined = this.#requests.only): void {
    this.#requests.fail(id, error);
  }

  closed(fault: Fault): void {
    this.#closed ??= fault;
    this.#requests.failAll(this.#closed);
    this.#answering.close(this.#closed);
    this.#over.abort(this.#closed);
  }

  #ask(
    speaker: Speaker,
    operation: Operation,
    options: Omit<InnerRequest, 'speaker'> & { retry: Retry | undefined },
  ): Promise<JsonObject> {
    const { signal, onProgress, timeoutMs = this.#options.timeoutMs, meta, retry, mirrored } = options;
    const id = this.#requests.next();
    const progress = onProgress === undefined ? undefined : id;
    const spoken = speaker.ask(id, operation, { progress, level: this.level, meta, retry, mirrored });
    // spec 2025-11-25 basic/utilities/cancellation: `initialize` is never cancelled
    const onAbandoned = (reason: string): void => {
      if (operation.verb !== 'hello') this.tell({ kind: 'cancelled', id, reason });
    };
    return this.#send(id, spoken, { what: operation.verb, signal, onProgress, timeoutMs, onAbandoned });
  }

  #send(id: WireId, { text, label }: Spoken, waiting: Parameters<Requests['wait']>[1]): Promise<JsonObject> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const waited = this.#requests.wait(id, waiting);
    if (waiting.signal?.aborted !== true) this.#link.send(text, label);
    return waited;
  }

  #take(envelope: Envelope, message: Json): void {
    switch (envelope.kind) {
      case 'result':
        this.#requests.resolve(envelope.id, envelope.result);
        break;
      case 'error':
        // An error without an id is about a message the server could not read: the one it was sent, if there is one.
        this.#requests.fail(envelope.id ?? this.#requests.only, new PeerError(envelope.error));
        break;
      case 'notification':
        this.#hear(envelope.method, envelope.params);
        break;
      case 'request':
        this.#reply(envelope);
        break;
      case 'malformed':
        if (isObject(message) && message['method'] === undefined) this.#requests.fail(envelope.id, envelope.fault);
    }
  }

  #hear(method: string, params: JsonObject): void {
    const heard = this.speaker.hear(method, params);
    if (heard === undefined) return;
    const { notice, subscription } = heard;
    if (notice.kind === 'progress' && this.#requests.progress(notice)) return;
    if (notice.kind === 'cancelled' && this.#answering.withdraw(notice.id)) return;
    this.#options.onNotice(notice, subscription);
  }

  #reply(request: Extract<Envelope, { kind: 'request' }>): void {
    const { speaker } = this;
    const { id, method } = request;
    const echo = speaker.echo(id, method);
    if (echo !== undefined) this.#link.send(echo, speaker.beside);
    // spec 2026-07-28 basic/index: a server of this kind sends no requests, and a client no responses
    if (echo !== undefined || speaker.revision.asksBy !== 'request') return;
    void this.#requests.paused(async () => {
      const reply = await this.#answering.reply(speaker, request);
      if (reply !== undefined && this.#closed === undefined) this.#link.send(reply, speaker.beside);
    });
  }
}

/** Stops waiting when the signal fires; what was waited for may go on. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
