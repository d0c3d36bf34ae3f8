import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { Principal } from '../../model/peer.ts';
import { parseMessage } from '../../rpc/parse.ts';
import { refusalText } from '../../rpc/refusal.ts';
import type { Channels, Posted } from '../../sessions/channels.ts';
import type { Conversation } from '../../sessions/conversation.ts';
import type { ConversationOptions } from '../../sessions/conversation-options.ts';
import { faultOf } from '../../sessions/refusals.ts';
import type { EventStream, Handler, HttpExchange } from './exchange.ts';
import { accepted, isJson, isPacked, PACKED } from './headers.ts';
import type { KeepAlive } from './keep-alive.ts';
import { refusalHeaders, statusOf } from './status.ts';

export interface LegacySseOptions {
  readonly limits: Limits;
  /** The path messages are posted to, told to the client in the first event. */
  readonly messagesPath: string;
  readonly keepAlive: KeepAlive;
  /** How messages reach channels that are open on other replicas. */
  readonly channels: Channels;
  converse(options: Omit<ConversationOptions, 'name'>): Conversation;
}

interface Channel {
  readonly conversation: Conversation;
  readonly events: EventStream;
  readonly principal: Principal | undefined;
}

/** A request that brings a message to a channel, and how it is answered. */
interface Posting {
  readonly id: string;
  readonly accepted: string;
  unknown(): void;
}

/** Somebody to speak for a channel that is not here. */
const NOBODY = { outlet: () => {}, mute: true };
const CHANNEL_HEADER = 'x-sse-client-id';
/** Longest time a message that was accepted needs from one replica to another. */
const ON_THE_WAY_MS = 1000;
const UNKNOWN = { reason: 'session' };

/**
 * The older transport: the client opens an event stream, is told where to post, and hears every answer on the stream.
 * Also HyperServe's form of it, where stream and posts share the endpoint and a header names the stream.
 */
// spec 2024-11-05 basic/transports#http-with-sse
export class LegacySse {
  readonly #options: LegacySseOptions;
  readonly #channels = new Map<string, Channel>();
  /** Since when this replica takes no messages any more. */
  #left: number | undefined;

  constructor(options: LegacySseOptions) {
    this.#options = options;
    options.channels.receive(({ id, principal, message, size }) => {
      const channel = this.#find(id, principal);
      if (channel !== undefined) void answer(channel, { principal, message, size });
    });
  }

  get size(): number {
    return this.#channels.size;
  }

  /** `GET /sse`. */
  readonly open: Handler = (exchange) => {
    if (exchange.method !== 'GET') return exchange.reply(405, undefined, { allow: 'GET' });
    return this.#open(exchange, () => {});
  };

  /** `POST /messages?sessionId=…`. */
  readonly post: Handler = (exchange) => {
    if (exchange.method !== 'POST') return exchange.reply(405, undefined, { allow: 'POST' });
    const id = new URLSearchParams(exchange.query).get('sessionId') ?? '';
    const unknown = (): void =>
      exchange.reply(404, refusalText('No such session: open the event stream again', UNKNOWN));
    return this.#take(exchange, { id, accepted: 'Accepted', unknown });
  };

  /** Takes what is of this transport and came to the endpoint itself; false when it is not. */
  take(exchange: HttpExchange): boolean | Promise<void> {
    const id = exchange.header(CHANNEL_HEADER);
    if (id !== undefined && exchange.method === 'POST') return this.#takeRouted(exchange, id);
    if (exchange.method !== 'GET' || !opensStream(exchange)) return false;
    return this.#open(exchange, greet) ?? true;
  }

  /** From here on nobody accepts messages for the channels; those that were accepted elsewhere arrive, and are answered. */
  leave(): void {
    if (this.#left !== undefined) return;
    this.#left = performance.now();
    for (const [id, { principal }] of this.#channels) this.#options.channels.forget(id, principal);
  }

  /** Lets every client go after its work in flight. */
  async drain(graceMs: number): Promise<void> {
    this.leave();
    const { channels } = this.#options;
    const waitMs = (this.#left ?? 0) + ON_THE_WAY_MS - performance.now();
    if (channels.shared && this.#channels.size > 0 && waitMs > 0)
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    await Promise.all([...this.#channels.values()].map((channel) => this.#release(channel, graceMs)));
    this.#channels.clear();
  }

  /** Lets one client go as soon as its own work is done, so that it need not wait for that of others. */
  async #release({ conversation, events }: Channel, graceMs: number): Promise<void> {
    await conversation.drain(graceMs);
    events.end();
  }

  #open(exchange: HttpExchange, begin: (events: EventStream, id: string) => void): Promise<void> | undefined {
    const id = this.#options.channels.create(exchange.principal);
    const open = (name: string): void => begin(this.#hold(exchange, name), name);
    if (id instanceof Promise) return id.then(open).catch((error) => this.#fail(exchange, error));
    open(id);
    return undefined;
  }

  #hold(exchange: HttpExchange, id: string): EventStream {
    const events = exchange.stream();
    const { principal } = exchange;
    const outlet = (text: string): void => events.send({ event: 'message', data: text });
    const conversation = this.#options.converse({ outlet, principal, shared: true });
    this.#channels.set(id, { conversation, events, principal });
    this.#options.keepAlive.add(events);
    exchange.onGone(() => {
      this.#channels.delete(id);
      this.#options.channels.forget(id, principal);
      conversation.close('the client closed its stream');
    });
    events.send({ event: 'endpoint', data: `${this.#options.messagesPath}?sessionId=${id}` });
    return events;
  }

  #find(id: string, principal: Principal | undefined): Channel | undefined {
    const channel = this.#channels.get(id);
    return channel?.principal?.id === principal?.id ? channel : undefined;
  }

  #takeRouted(exchange: HttpExchange, id: string): Promise<void> {
    const unknown = (): void =>
      exchange.reply(400, refusalText('Unknown X-SSE-Client-ID: open the event stream again', UNKNOWN));
    const accepted = JSON.stringify({ status: 'accepted', message: 'The answer comes on the event stream' });
    return this.#take(exchange, { id, accepted, unknown });
  }

  async #take(exchange: HttpExchange, { id, accepted, unknown }: Posting): Promise<void> {
    const { principal } = exchange;
    const channel = this.#find(id, principal);
    try {
      if (this.#left !== undefined && channel !== undefined) return unknown();
      if (channel === undefined && !(await this.#options.channels.known(id, principal))) return unknown();
      const read = await this.#read(exchange, channel?.conversation ?? this.#options.converse(NOBODY));
      if (read === undefined) return;
      const posted = { principal, ...read };
      if (channel === undefined && !(await this.#options.channels.send(id, posted))) return unknown();
      exchange.reply(202, accepted, { 'content-type': accepted.startsWith('{') ? 'application/json' : 'text/plain' });
      if (channel !== undefined) await answer(channel, posted);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** The message of a request; `undefined` when it was refused. */
  async #read(exchange: HttpExchange, voice: Conversation): Promise<{ message: Json; size: number } | undefined> {
    const { messageBytes, jsonDepth, jsonKeys } = this.#options.limits;
    const json = isJson(exchange.header('content-type'));
    if (!json || isPacked(exchange)) {
      const reason = { reason: json ? 'contentEncoding' : 'contentType' };
      exchange.reply(415, refusalText(json ? PACKED : 'Unsupported media type: send application/json', reason));
      return undefined;
    }
    try {
      const bytes = await exchange.body(messageBytes);
      return { message: parseMessage(bytes, { depth: jsonDepth, keys: jsonKeys }), size: bytes.length };
    } catch (error) {
      const fault = Fault.from(error);
      exchange.reply(fault.code === 'E_TOO_LARGE' ? 413 : 400, voice.refuse(fault).text);
      return undefined;
    }
  }

  #fail(exchange: HttpExchange, error: unknown): void {
    const fault = faultOf(error);
    if (fault.code === 'E_INTERNAL') throw error;
    const reply = this.#options.converse(NOBODY).refuse(fault);
    exchange.reply(statusOf(reply), reply.text, refusalHeaders(reply));
  }
}

/** Answers a message on the stream of its channel. */
async function answer({ conversation, events }: Channel, { principal, message, size }: Posted): Promise<void> {
  conversation.principal = principal;
  const reply = await conversation.receive(message, size);
  if (reply !== undefined) events.send({ event: 'message', data: reply.text });
}

function greet(events: EventStream, id: string): void {
  const message = `Send requests with the header X-SSE-Client-ID: ${id}`;
  events.send({ event: 'connection', data: JSON.stringify({ clientId: id, message, type: 'connection' }) });
}

function opensStream(exchange: HttpExchange): boolean {
  if (exchange.header('mcp-session-id') !== undefined || exchange.header('mcp-protocol-version') !== undefined)
    return false;
  const accept = exchange.header('accept');
  return accept !== undefined && accepted(accept).events && accept.includes('text/event-stream');
}
