import assert from 'node:assert/strict';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { Ledger } from './ledger.ts';
import { isModern, KEY, type RevisionId } from './revisions.ts';

export interface Wire {
  /** Takes what the peer says. */
  readonly input: Writable;
  /** Gives what the server says. */
  readonly output: Readable;
  /** Resolves when the server is done. */
  readonly closed: Promise<unknown>;
}

export interface RequestOptions {
  id?: string | number;
  /** Joins the metadata of the request. */
  meta?: JsonObject;
  /** Speaks another revision than the peer's own, by claim or, for a handshake revision, by leaving the claim out. */
  revision?: string;
  /** What a modern request declares; the peer's own otherwise. */
  capabilities?: JsonObject;
  /** Leaves out what every modern request says of itself. */
  unclaimed?: boolean;
}

export interface PeerOptions {
  readonly capabilities?: JsonObject;
}

/** A strict client made of lines: it counts every answer, and holds every message against the revision it is in. */
export class Peer {
  readonly revision: RevisionId;
  readonly ledger: Ledger;
  readonly #wire: Wire;
  #capabilities: JsonObject;
  #id = 0;
  #rest = '';
  #over = false;

  constructor(revision: RevisionId, wire: Wire, { capabilities = {} }: PeerOptions = {}) {
    this.revision = revision;
    this.#wire = wire;
    this.#capabilities = capabilities;
    this.ledger = new Ledger(revision);
    wire.output.setEncoding('utf8');
    wire.output.on('data', (chunk: string) => this.#hear(chunk));
  }

  /** Bytes as they are. */
  raw(bytes: string | Buffer): void {
    this.#wire.input.write(bytes);
  }

  /** One line as it is, of which the ledger expects nothing. */
  line(text: string | Buffer): void {
    this.raw(Buffer.concat([Buffer.from(text), Buffer.from('\n')]));
  }

  /** One message as it is; a request in it is expected to be answered. */
  send(message: Json, revision: string = this.revision): void {
    for (const part of [message].flat()) {
      if (isObject(part) && part['method'] !== undefined && part['id'] !== undefined)
        this.ledger.expect(part['id'] as string | number, String(part['method']), revision);
    }
    this.line(JSON.stringify(message));
  }

  /** Sends a request and gives its whole answer. */
  async request(method: string, params?: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    return this.ledger.answer(this.start(method, params, options));
  }

  /** Sends a request whose answer nobody waits for yet, and gives its id. */
  start(method: string, params?: JsonObject, options: RequestOptions = {}): string | number {
    const { id = ++this.#id, revision = this.revision } = options;
    this.send(this.message(method, params, { ...options, id }), revision);
    return id;
  }

  /** The request as it would be sent. */
  message(method: string, params: JsonObject | undefined, options: RequestOptions): JsonObject {
    const { id = ++this.#id, meta, revision = this.revision, unclaimed = false } = options;
    const claim =
      isModern(revision) && !unclaimed
        ? { [KEY.revision]: revision, [KEY.capabilities]: options.capabilities ?? this.#capabilities }
        : undefined;
    const all = claim === undefined && meta === undefined ? undefined : { ...claim, ...meta };
    const said = all === undefined ? params : { ...params, _meta: { ...(params?.['_meta'] as JsonObject), ...all } };
    return { jsonrpc: '2.0', id, method, ...(said === undefined ? {} : { params: said }) };
  }

  /** Sends a request that must succeed, and gives its result. */
  async result(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    const { result, error } = await this.request(method, params, options);
    assert.equal(error, undefined, `${method} was refused: ${JSON.stringify(error)}`);
    return result as JsonObject;
  }

  /** Sends a request that must be refused with this code, and gives the error. */
  async refused(
    code: number,
    [method, params, options]: [string, (JsonObject | undefined)?, (RequestOptions | undefined)?],
  ): Promise<JsonObject> {
    const { result, error } = await this.request(method, params, options);
    assert.equal(result, undefined, `${method} was answered: ${JSON.stringify(result)}`);
    assert.equal((error as JsonObject)['code'], code, JSON.stringify(error));
    return error as JsonObject;
  }

  /** Calls a tool. */
  call(name: string, input?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.result('tools/call', { name, ...(input === undefined ? {} : { arguments: input }) }, options);
  }

  /** The text of a tool's result. */
  async said(name: string, input?: JsonObject, options?: RequestOptions): Promise<string> {
    return textOf(await this.call(name, input, options));
  }

  notify(method: string, params?: JsonObject): void {
    this.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  }

  /** Answers a question of the server. */
  reply(question: JsonObject, result: JsonObject): void {
    this.line(JSON.stringify({ jsonrpc: '2.0', id: question['id'], result }));
  }

  cancel(requestId: string | number, reason?: string): void {
    this.ledger.excuse(requestId);
    this.notify('notifications/cancelled', { requestId, ...(reason === undefined ? {} : { reason }) });
  }

  /** The next message nobody asked for: a notification or a question. */
  next(method?: string): Promise<JsonObject> {
    return this.ledger.next(method);
  }

  /** The next error that names no request. */
  refusal(code: number): Promise<JsonObject> {
    return this.ledger.refusal(code);
  }

  /** Opens a handshake revision. */
  async handshake(capabilities: JsonObject = this.#capabilities, ready = true): Promise<JsonObject> {
    this.#capabilities = capabilities;
    const clientInfo = { name: 'peer', version: '1' };
    const welcome = await this.result('initialize', { protocolVersion: this.revision, capabilities, clientInfo });
    if (ready) this.notify('notifications/initialized');
    return welcome;
  }

  /** Everything sent so far has been dealt with: a request that is answered at once was answered. */
  async settle(): Promise<void> {
    const id = `settle ${++this.#id}`;
    const modern = isModern(this.revision);
    this.send(this.message(modern ? 'server/discover' : 'ping', undefined, { id }));
    await this.ledger.answer(id);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Nothing came but what was already taken. */
  async quiet(): Promise<void> {
    await this.settle();
    this.ledger.assertEmpty();
  }

  /** Closes the input and waits until the server is done; then nothing may be left over. */
  async end(): Promise<void> {
    if (!this.#over) {
      this.#over = true;
      this.#wire.input.end();
    }
    await this.#wire.closed;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(this.#rest, '', 'the server left half a line behind');
    this.ledger.assertEmpty();
  }

  #hear(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) this.ledger.enter(line);
  }
}

export function textOf(result: JsonObject): string {
  return (result['content'] as JsonObject[]).map(({ text }) => text).join('\n');
}

/** Two streams that stand for the pipes of a process. */
export function pipes(): { input: PassThrough; output: PassThrough } {
  return { input: new PassThrough(), output: new PassThrough() };
}
