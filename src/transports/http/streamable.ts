import { Fault } from '../../model/fault.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { WireId } from '../../model/peer.ts';
import { isWireId } from '../../rpc/envelope.ts';
import { decodeHeader } from '../../rpc/header-value.ts';
import { parseMessage } from '../../rpc/parse.ts';
import type { Conversation } from '../../sessions/conversation.ts';
import type { ConversationOptions } from '../../sessions/conversation-options.ts';
import type { Door, Said } from '../../sessions/door.ts';
import { faultOf, unknownSession } from '../../sessions/refusals.ts';
import type { Session } from '../../sessions/session.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Reply } from '../../sessions/trouble.ts';
import type { Handler, HttpExchange } from './exchange.ts';
import { accepted, isJson, isPacked, PACKED } from './headers.ts';
import type { KeepAlive } from './keep-alive.ts';
import { Post, type PostParts, sinkOf } from './post.ts';
import { refusalHeaders, statusOf } from './status.ts';

export interface StreamableOptions {
  readonly door: Door;
  readonly sessions: Sessions;
  readonly limits: Limits;
  readonly keepAlive: KeepAlive;
  /** Opens a conversation for one request. */
  converse(options: Omit<ConversationOptions, 'name'>): Conversation;
  /** Serves clients of the older event-stream transport on the same path. */
  readonly older?: OlderTransport;
}

/** A transport that shares the endpoint's path and is told apart by its requests. */
export interface OlderTransport {
  /** False when it does not take the exchange. */
  take(exchange: HttpExchange): boolean | Promise<void>;
}

export interface Streamable {
  readonly handler: Handler;
  /** Ends streams and lets requests in flight finish. */
  drain(graceMs: number): Promise<void>;
}

const SESSION = 'mcp-session-id';
const REVISION = 'mcp-protocol-version';
const EVENTS = 'text/event-stream';

/** The MCP endpoint: every revision that comes over HTTP, on one path. */
export function createStreamable(options: StreamableOptions): Streamable {
  const endpoint = new Endpoint(options);
  return { handler: (exchange) => endpoint.serve(exchange), drain: (graceMs) => endpoint.drain(graceMs) };
}

class Endpoint {
  readonly #options: StreamableOptions;
  readonly #alone = new Set<Conversation>();

  constructor(options: StreamableOptions) {
    this.#options = options;
  }

  serve(exchange: HttpExchange): void | Promise<void> {
    const taken = this.#options.older?.take(exchange) ?? false;
    if (taken !== false) return taken === true ? undefined : taken;
    switch (exchange.method) {
      case 'POST':
        return this.#post(exchange);
      case 'GET':
        return this.#get(exchange);
      case 'DELETE':
        return this.#delete(exchange);
      default:
        exchange.reply(405, undefined, { allow: 'GET, POST, DELETE' });
    }
  }

  async drain(graceMs: number): Promise<void> {
    await Promise.all([this.#options.sessions.drain(graceMs), ...[...this.#alone].map((one) => one.drain(graceMs))]);
  }

  async #post(exchange: HttpExchange): Promise<void> {
    const said = saidBeside(exchange);
    const refusal = this.#unreadable(exchange);
    if (refusal !== undefined)
      return exchange.reply(refusal.status, this.#options.door.refuse(refusal.fault, said).text);
    const { messageBytes, jsonDepth, jsonKeys } = this.#options.limits;
    let message: Json;
    let size: number;
    try {
      const bytes = await exchange.body(messageBytes);
      size = bytes.length;
      message = parseMessage(bytes, { depth: jsonDepth, keys: jsonKeys });
    } catch (error) {
      return this.#reply(exchange, this.#options.door.refuse(Fault.from(error), said));
    }
    return this.#sort(exchange, message, { said, size });
  }

  #sort(exchange: HttpExchange, message: Json, { said, size }: { said: Said; size: number }): void | Promise<void> {
    const verdict = this.#options.door.sort(message, said);
    switch (verdict.how) {
      case 'alone':
        return this.#answerAlone(exchange, message, size);
      case 'opening':
        return this.#openSession(exchange, message, said);
      case 'session':
        return this.#inSession(exchange, said, (session) =>
          this.#answerInSession(exchange, message, { session, size }),
        );
      case 'sessionless':
        return this.#answerSessionless(exchange, message, verdict.revision);
      case 'ignored':
        return exchange.reply(202);
      case 'refused':
        return this.#reply(exchange, verdict.reply);
    }
  }

  /** Answers a request that says everything about itself. When its client goes away, so does the work. */
  #answerAlone(exchange: HttpExchange, message: Json, size: number): void | Promise<void> {
    const post = this.#postOn(exchange, { streams: accepted(exchange.header('accept')).events });
    const conversation = this.#options.converse({
      outlet: (text) => post.send(text),
      principal: exchange.principal,
      beside: (header) => mirrored(exchange, header),
    });
    const reply = conversation.receive(message, size);
    if (!(reply instanceof Promise)) return post.finish(reply);
    this.#alone.add(conversation);
    exchange.onGone(() => conversation.close('the client went away'));
    return reply.then((said) => post.finish(said)).finally(() => this.#alone.delete(conversation));
  }

  async #openSession(exchange: HttpExchange, message: Json, said: Said): Promise<void> {
    const { sessions, door } = this.#options;
    try {
      const session = sessions.open(exchange.principal);
      const reply = await session.conversation.receive(message);
      const opened = session.conversation.dialect !== undefined;
      if (opened) await sessions.keep(session);
      exchange.reply(statusOf(reply), reply?.text, opened ? { [SESSION]: session.id } : {});
    } catch (error) {
      this.#reply(exchange, door.refuse(faultOf(error), said));
    }
  }

  /** Goes on in the session the exchange names; a header that contradicts it is refused. */
  #inSession(exchange: HttpExchange, said: Said, go: (session: Session) => void | Promise<void>): void | Promise<void> {
    const { sessions, door } = this.#options;
    const enter = (session: Session | undefined): void | Promise<void> => {
      if (session === undefined) return this.#reply(exchange, door.refuse(unknownSession(), said));
      if (said.revision === undefined || door.knows(said.revision)) return go(session);
      return this.#reply(exchange, door.refuseRevision(said.revision));
    };
    const fail = (error: unknown): void => {
      const fault = faultOf(error);
      if (fault.code === 'E_INTERNAL') throw error;
      this.#reply(exchange, door.refuse(fault, said));
    };
    try {
      const found = sessions.find(exchange.header(SESSION) ?? '', exchange.principal);
      const entered = found instanceof Promise ? found.then(enter) : enter(found);
      return entered instanceof Promise ? entered.catch(fail) : entered;
    } catch (error) {
      fail(error);
    }
  }

  #answerInSession(
    exchange: HttpExchange,
    message: Json,
    { session, size }: { session: Session; size: number },
  ): void | Promise<void> {
    const ids = requestsIn(message);
    const primes = session.conversation.dialect?.primes === true;
    const streams = accepted(exchange.header('accept')).events;
    const post = this.#postOn(exchange, { session, ids, primes, streams });
    session.route(ids, post);
    session.conversation.principal = exchange.principal;
    const reply = session.conversation.receive(message, size);
    if (!(reply instanceof Promise)) {
      session.unroute(ids, post);
      return post.finish(reply);
    }
    post.expectWait();
    return reply.then((said) => post.finish(said)).finally(() => session.unroute(ids, post));
  }

  async #answerSessionless(exchange: HttpExchange, message: Json, revision: string): Promise<void> {
    const post = this.#postOn(exchange, { streams: accepted(exchange.header('accept')).events });
    const conversation = this.#options.converse({
      outlet: (text) => post.send(text),
      principal: exchange.principal,
      resumed: { revision },
      mute: true,
    });
    await post.finish(await conversation.receive(message));
  }

  #get(exchange: HttpExchange): void | Promise<void> {
    const said = saidBeside(exchange);
    const { door } = this.#options;
    if (!said.session) return exchange.reply(405, undefined, { allow: 'POST' });
    if (!accepted(exchange.header('accept')).events) {
      return exchange.reply(
        406,
        door.refuse(new Fault('E_BAD_MESSAGE', `Not acceptable: accept ${EVENTS}`), said).text,
      );
    }
    return this.#inSession(exchange, said, (session) => this.#listen(exchange, session, said));
  }

  async #listen(exchange: HttpExchange, session: Session, said: Said): Promise<void> {
    const last = exchange.header('last-event-id');
    const fault = await session.admit(last);
    if (fault !== undefined) return exchange.reply(400, this.#options.door.refuse(fault, said).text);
    const events = exchange.stream({ [SESSION]: session.id });
    const sink = sinkOf(events);
    this.#options.keepAlive.add(events);
    exchange.onGone(() => session.left(sink));
    await session.listen(last, sink);
  }

  #delete(exchange: HttpExchange): void | Promise<void> {
    const said = saidBeside(exchange);
    if (!said.session) return exchange.reply(405, undefined, { allow: 'POST' });
    return this.#inSession(exchange, said, async (session) => {
      await this.#options.sessions.end(session, 'deleted');
      exchange.reply(204);
    });
  }

  #postOn(
    exchange: HttpExchange,
    { streams, primes = false, session, ids = [] }: Pick<PostParts, 'streams'> & Partial<PostParts>,
  ): Post {
    const { limits, keepAlive } = this.#options;
    return new Post({ exchange, limits, streams, primes, session, ids, keepAlive });
  }

  #reply(exchange: HttpExchange, reply: Reply): void {
    exchange.reply(statusOf(reply), reply.text, refusalHeaders(reply));
  }

  #unreadable(exchange: HttpExchange): { status: number; fault: Fault } | undefined {
    if (!isJson(exchange.header('content-type'))) {
      return { status: 415, fault: new Fault('E_BAD_MESSAGE', 'Unsupported media type: send application/json') };
    }
    if (isPacked(exchange)) return { status: 415, fault: new Fault('E_BAD_MESSAGE', PACKED) };
    const { json, events } = accepted(exchange.header('accept'));
    if (json || events) return undefined;
    return { status: 406, fault: new Fault('E_BAD_MESSAGE', `Not acceptable: accept application/json and ${EVENTS}`) };
  }
}

function saidBeside(exchange: HttpExchange): Said {
  return {
    revision: exchange.header(REVISION),
    method: exchange.header('mcp-method'),
    name: mirrored(exchange, 'mcp-name'),
    session: exchange.header(SESSION) !== undefined,
  };
}

/** What a header says of the message; `null` when it says nothing that can be read. */
function mirrored(exchange: HttpExchange, header: string): string | null | undefined {
  const value = exchange.header(header);
  return value === undefined ? undefined : (decodeHeader(value) ?? null);
}

function requestsIn(message: Json): WireId[] {
  return Array.isArray(message) ? message.flatMap(requestIn) : requestIn(message);
}

function requestIn(message: Json): WireId[] {
  return isObject(message) && message['method'] !== undefined && isWireId(message['id']) ? [message['id']] : [];
}
