import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { isObject, type Json, type JsonObject } from '../../../src/model/json.ts';
import { isModern, KEY, type RevisionId, since } from '../revisions.ts';
import { problemsIn } from '../shapes.ts';
import { type Heard, type Listener, type Sent, send } from './heard.ts';

type Id = string | number;
type Headers = Readonly<Record<string, string>>;

export interface HttpPeerOptions {
  readonly capabilities?: JsonObject;
  /** Who access control would say it is. */
  readonly principal?: string;
  /** Sent with every request. */
  readonly token?: string;
}

export interface Asked {
  readonly id?: Id;
  readonly meta?: JsonObject;
  readonly headers?: Headers;
  readonly capabilities?: JsonObject;
}

const RECORD = process.env['PARLEY_RECORD'];
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Says who a request is for, where the stage stands in for access control. */
export const PRINCIPAL_HEADER = 'x-test-principal';
export const BOTH = 'application/json, text/event-stream';
export const JSON_TYPE = { 'content-type': 'application/json' };

/** A strict client of one revision over HTTP: it holds every message it hears against that revision. */
export class HttpPeer {
  readonly revision: RevisionId;
  readonly port: number;
  readonly problems: string[] = [];
  session: string | undefined;
  readonly #options: HttpPeerOptions;
  readonly #methods = new Map<Id, string>();
  readonly #questions = new Set<Id>();
  #id = 0;

  constructor(revision: RevisionId, port: number, options: HttpPeerOptions = {}) {
    this.revision = revision;
    this.port = port;
    this.#options = options;
  }

  get modern(): boolean {
    return isModern(this.revision);
  }

  /** The request as it would be sent. */
  message(method: string, params?: JsonObject, { id = ++this.#id, meta, capabilities }: Asked = {}): JsonObject {
    const declared = capabilities ?? this.#options.capabilities ?? {};
    const claim = this.modern ? { [KEY.revision]: this.revision, [KEY.capabilities]: declared } : {};
    const all = { ...(params?.['_meta'] as JsonObject), ...claim, ...meta };
    const said = Object.keys(all).length === 0 ? params : { ...params, _meta: all };
    return { jsonrpc: '2.0', id, method, ...(said === undefined ? {} : { params: said }) };
  }

  /** What stands beside a message. */
  headersFor(message: Json): Record<string, string> {
    const headers: Record<string, string> = { accept: BOTH, ...JSON_TYPE, ...this.#who() };
    if (this.session !== undefined) headers['mcp-session-id'] = this.session;
    if (since(this.revision, '2025-06-18') && (this.modern || this.session !== undefined))
      headers['mcp-protocol-version'] = this.revision;
    if (!this.modern || !isObject(message)) return headers;
    const { method, params } = message;
    const name = isObject(params) ? params[NAMED[String(method)] ?? ''] : undefined;
    return { ...headers, 'mcp-method': String(method), ...(typeof name === 'string' ? { 'mcp-name': name } : {}) };
  }

  /** Posts a message as it is; a header given as the empty string is left out. */
  post(message: Json, headers: Headers = {}, path = '/mcp'): Promise<Heard> {
    const all = Object.entries({ ...this.headersFor(message), ...headers }).filter(([, value]) => value !== '');
    return this.send({ method: 'POST', path, headers: Object.fromEntries(all), body: JSON.stringify(message) });
  }

  /** Posts a request and gives the response as soon as it begins. */
  request(method: string, params?: JsonObject, asked: Asked = {}): Promise<Heard> {
    return this.post(this.message(method, params, asked), asked.headers);
  }

  call(name: string, input?: JsonObject, asked: Asked = {}): Promise<Heard> {
    return this.request('tools/call', { name, ...(input === undefined ? {} : { arguments: input }) }, asked);
  }

  /** The answer a response holds, whichever form it has. */
  async answer(response: Heard | Promise<Heard>): Promise<JsonObject> {
    const heard = await response;
    if (!heard.streams) return heard.json();
    await heard.ended();
    const answers = heard.messages.filter((message) => message['method'] === undefined);
    assert.equal(answers.length, 1, JSON.stringify(heard.events));
    return answers[0] as JsonObject;
  }

  async result(method: string, params?: JsonObject, asked?: Asked): Promise<JsonObject> {
    const { result, error } = await this.answer(this.request(method, params, asked));
    assert.equal(error, undefined, `${method} was refused: ${JSON.stringify(error)}`);
    return result as JsonObject;
  }

  /** The text a tool answers with. */
  async said(name: string, input?: JsonObject, asked?: Asked): Promise<string> {
    return textIn(await this.answer(this.call(name, input, asked)));
  }

  notify(method: string, params?: JsonObject, headers?: Headers): Promise<Heard> {
    return this.post({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }, headers);
  }

  /** Answers a question of the server. */
  reply(question: JsonObject, result: JsonObject): Promise<Heard> {
    return this.post({ jsonrpc: '2.0', id: question['id'] as Id, result });
  }

  /** Opens a session, where the revision has them. */
  async open(ready = true): Promise<this> {
    if (this.modern) return this;
    const heard = await this.initialize();
    assert.equal(heard.status, 200);
    await heard.json();
    this.session = heard.headers['mcp-session-id'] as string;
    if (ready) assert.equal((await this.notify('notifications/initialized')).status, 202);
    return this;
  }

  initialize(headers?: Headers): Promise<Heard> {
    const clientInfo = { name: 'peer', version: '1' };
    const { capabilities = {} } = this.#options;
    const params = { protocolVersion: this.revision, capabilities, clientInfo };
    return this.request('initialize', params, headers === undefined ? {} : { headers });
  }

  /** Opens the standing stream, or comes back to one. */
  listen(lastEventId?: string, headers: Headers = {}): Promise<Heard> {
    const { [`content-type`]: _, ...own } = this.headersFor(null);
    const last: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return this.send({
      method: 'GET',
      path: '/mcp',
      headers: { ...own, accept: 'text/event-stream', ...last, ...headers },
    });
  }

  delete(): Promise<Heard> {
    return this.send({ method: 'DELETE', path: '/mcp', headers: this.headersFor(null) });
  }

  send(sent: Sent): Promise<Heard> {
    for (const part of [readable(sent.body)].flat()) {
      if (isObject(part) && typeof part['method'] === 'string' && part['id'] !== undefined)
        this.#methods.set(part['id'] as Id, part['method']);
    }
    return send(this.port, sent, this.inspect);
  }

  /** Everything ever heard was of this revision. */
  assertSound(): void {
    assert.deepEqual(this.problems, []);
  }

  readonly inspect: Listener = (text, status) => {
    const heard = JSON.parse(text) as Json;
    for (const message of [heard].flat()) this.#check(message as Json, status);
  };

  #check(message: Json, status: number): void {
    if (!isObject(message)) {
      this.problems.push(`not a message: ${JSON.stringify(message)}`);
      return;
    }
    const { id, method, ...rest } = message;
    const named = id !== undefined && id !== null;
    const asked = method === undefined && named ? this.#methods.get(id as Id) : undefined;
    // A refusal of HTTP itself belongs to no request, so it is of no revision either.
    const [revision, said] = status >= 400 && !named ? (['2025-11-25', rest] as const) : [this.revision, message];
    if (RECORD !== undefined) appendFileSync(RECORD, `${JSON.stringify({ revision, method: asked, message: said })}\n`);
    for (const problem of problemsIn(revision, said, asked))
      this.problems.push(`${problem} in ${JSON.stringify(message)}`);
    if (method !== undefined && named) this.#countQuestion(id as Id);
  }

  #countQuestion(id: Id): void {
    if (this.#questions.has(id)) this.problems.push(`a question asked twice: ${id}`);
    this.#questions.add(id);
  }

  #who(): Record<string, string> {
    const { principal, token } = this.#options;
    return {
      ...(principal === undefined ? {} : { [PRINCIPAL_HEADER]: principal }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }
}

function readable(body: Sent['body']): Json {
  try {
    return JSON.parse(String(body)) as Json;
  } catch {
    return null;
  }
}

/** The text of a tool's result. */
export function textIn({ result, error }: JsonObject): string {
  assert.equal(error, undefined, JSON.stringify(error));
  return ((result as JsonObject)['content'] as JsonObject[]).map(({ text }) => text).join('\n');
}
