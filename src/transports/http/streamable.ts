import { Fault } from '../../model/fault.ts';
import { Few } from '../../model/few.ts';
import type { Eventually, Json } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import { type ParseLimits, parseMessage } from '../../rpc/parse.ts';
import type { Conversation } from '../../sessions/conversation.ts';
import type { ConversationOptions } from '../../sessions/conversation-options.ts';
import type { Door, Said } from '../../sessions/door.ts';
import { faultOf, unknownSession } from '../../sessions/refusals.ts';
import type { Session } from '../../sessions/session.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Reply } from '../../sessions/trouble.ts';
import { Beside, SESSION } from './beside.ts';
import type { Body, Handler, HttpExchange } from './exchange.ts';
import { accepted, isJson, isPacked, PACKED } from './headers.ts';
import type { KeepAlive } from './keep-alive.ts';
import { type Post, sinkOf } from './post.ts';
import { LonePost, postInSession, type Told } from './post-parts.ts';
import { refusalHeaders, statusOf } from './status.ts';
import { whenOver } from './when-over.ts';

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

const EVENTS = 'text/event-stream';

/** The MCP endpoint: every revision that comes over HTTP, on one path. */
export function createStreamable(options: StreamableOptions): Streamable {
  const endpoint = new Endpoint(options);
  return { handler: (exchange) => endpoint.serve(exchange), drain: (graceMs) => endpoint.drain(graceMs) };
}

/** Somebody who wants to go on in a session. */
interface Visit {
  readonly exchange: HttpExchange;
  readonly said: Said;
  go(session: Session): void | Promise<void>;
}

class Endpoint {
  readonly #options: StreamableOptions;
  readonly #parsing: ParseLimits;
  readonly #alone = new Few<Post, Conversation>();

  constructor(options: StreamableOptions) {
    this.#options = options;
    this.#parsing = { depth: options.limits.jsonDepth, keys: options.limits.jsonKeys };
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
    await Promise.all([
      this.#options.sessions.drain(graceMs),
      ...this.#alone.values().map((one) => one.drain(graceMs)),
    ]);
  }

  #post(exchange: HttpExchange): void | Promise<void> {
    const refusal = this.#unreadable(exchange);
    if (refusal !== undefined) {
      const { text } = this.#options.door.refuse(refusal.fault, new Beside(exchange));
      return exchange.reply(refusal.status, text);
    }
    const { messageBytes } = this.#options.limits;
    if (exchange.receive === undefined) {
      return exchange.body(messageBytes).then(
        (bytes) => this.#take(exchange, bytes),
        (error: unknown) => this.#take(exchange, Fault.from(error)),
      );
    }
    // Whoever is counted is waited for; for all others nobody needs a promise.
    if (exchange.principal === undefined) return exchange.receive(messageBytes, this.#take);
    return new Promise((resolve, reject) => {
      exchange.receive?.(messageBytes, (_, body) => {
        try {
          resolve(this.#take(exchange, body));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Takes a body, or why there is none. One function for all exchanges, so that none is made for each. */
  readonly #take = (exchange: HttpExchange, body: Body | Fault): void | Promise<void> => {
    const said = new Beside(exchange);
    let message: Json;
    try {
      if (body instanceof Fault) throw body;
      message = parseMessage(body, this.#parsing);
    } catch (error) {
      return this.#reply(exchange, this.#options.door.refuse(Fault.from(error), said));
    }
    return this.#sort(exchange, message, { said, size: body.length });
  };

  #sort(exchange: HttpExchange, message: Json, { said, size }: { said: Said; size: number }): void | Promise<void> {
    const verdict = this.#options.door.sort(message, said);
    switch (verdict.how) {
      case 'alone':
        return this.#answerAlone(exchange, message, size);
      case 'opening':
        return this.#openSession(exchange, message, said);
      case 'session':
        return this.#inSession(exchange, said, (session) =>
          this.#answerInSession(exchange, { session, message, size }),
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
    const post = new LonePost(this.#options, exchange);
    const conversation = this.#options.converse(post);
    const reply = conversation.receive(message, size);
    if (!(reply instanceof Promise)) return post.finish(reply);
    this.#alone.add(post, conversation);
    exchange.onGone(() => conversation.close('the client went away'));
    const over = (): void => void this.#alone.delete(post);
    return whenOver(() => reply.then((said) => post.finish(said)), over);
  }

  #openSession(exchange: HttpExchange, message: Json, said: Said): void | Promise<void> {
    const failed = (error: unknown): void => this.#reply(exchange, this.#options.door.refuse(faultOf(error), said));
    try {
      const session = this.#options.sessions.open(exchange.principal);
      const reply = session.conversation.receive(message);
      const kept = reply instanceof Promise ? reply.then(() => this.#keep(session)) : this.#keep(session);
      if (!(kept instanceof Promise)) return this.#welcome(exchange, session, reply as Reply | undefined);
      return Promise.all([reply, kept])
        .then(([answer]) => this.#welcome(exchange, session, answer))
        .catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #keep(session: Session): Eventually<void> {
    return session.conversation.dialect === undefined ? undefined : this.#options.sessions.keep(session);
  }

  #welcome(exchange: HttpExchange, { id, conversation }: Session, reply: Reply | undefined): void {
    const opened = conversation.dialect !== undefined;
    exchange.reply(statusOf(reply), reply?.text, opened ? { [SESSION]: id } : {});
  }

  /** Goes on in the session the exchange names; a header that contradicts it is refused. */
  #inSession(exchange: HttpExchange, said: Said, go: Visit['go']): void | Promise<void> {
    const visit = { exchange, said, go };
    try {
      const found = this.#options.sessions.find(exchange.header(SESSION) ?? '', exchange.principal);
      const entered =
        found instanceof Promise ? found.then((session) => this.#enter(visit, session)) : this.#enter(visit, found);
      return entered instanceof Promise ? entered.catch((error) => this.#fail(visit, error)) : entered;
    } catch (error) {
      this.#fail(visit, error);
    }
  }

  #enter({ exchange, said, go }: Visit, session: Session | undefined): void | Promise<void> {
    const { door } = this.#options;
    if (session === undefined) return this.#reply(exchange, door.refuse(unknownSession(), said));
    const { revision } = said;
    if (revision === undefined || door.knows(revision)) return go(session);
    return this.#reply(exchange, door.refuseRevision(revision));
  }

  #fail({ exchange, said }: Visit, error: unknown): void {
    const fault = faultOf(error);
    if (fault.code === 'E_INTERNAL') throw error;
    this.#reply(exchange, this.#options.door.refuse(fault, said));
  }

  #answerInSession(exchange: HttpExchange, told: Told): void | Promise<void> {
    const { conversation, routes } = told.session;
    const post = postInSession(this.#options, exchange, told);
    conversation.principal = exchange.principal;
    const reply = routes.taking(post, () => conversation.receive(told.message, told.size));
    if (!(reply instanceof Promise)) return post.finish(reply);
    const { ids } = post;
    routes.add(ids, post);
    post.expectWait();
    const over = (): void => routes.remove(ids, post);
    return whenOver(() => reply.then((said) => post.finish(said)), over);
  }

  async #answerSessionless(exchange: HttpExchange, message: Json, revision: string): Promise<void> {
    const post = new LonePost(this.#options, exchange, revision);
    await post.finish(await this.#options.converse(post).receive(message));
  }

  #get(exchange: HttpExchange): void | Promise<void> {
    const said = new Beside(exchange);
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
    const said = new Beside(exchange);
    if (!said.session) return exchange.reply(405, undefined, { allow: 'POST' });
    return this.#inSession(exchange, said, async (session) => {
      await this.#options.sessions.end(session, 'deleted');
      exchange.reply(204);
    });
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
