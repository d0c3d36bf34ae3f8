import { randomBytes } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { Principal } from '../../model/peer.ts';
import { parseMessage } from '../../rpc/parse.ts';
import { refusalText } from '../../rpc/refusal.ts';
import type { Conversation, ConversationOptions } from '../../sessions/conversation.ts';
import type { EventStream, Handler, HttpExchange } from './exchange.ts';
import { accepted, isJson } from './headers.ts';
import type { KeepAlive } from './keep-alive.ts';

export interface LegacySseOptions {
  readonly limits: Limits;
  /** The path messages are posted to, told to the client in the first event. */
  readonly messagesPath: string;
  readonly keepAlive: KeepAlive;
  converse(options: Omit<ConversationOptions, 'name'>): Conversation;
}

interface Channel {
  readonly conversation: Conversation;
  readonly events: EventStream;
  readonly principal: Principal | undefined;
}

const CHANNEL_HEADER = 'x-sse-client-id';
const UNKNOWN = { reason: 'session' };

/**
 * The older transport: the client opens an event stream, is told where to post, and hears every answer on the stream.
 * Also HyperServe's form of it, where stream and posts share the endpoint and a header names the stream.
 */
// spec 2024-11-05 basic/transports#http-with-sse
export class LegacySse {
  readonly #options: LegacySseOptions;
  readonly #channels = new Map<string, Channel>();

  constructor(options: LegacySseOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#channels.size;
  }

  /** `GET /sse`. */
  readonly open: Handler = (exchange) => {
    if (exchange.method !== 'GET') return exchange.reply(405, undefined, { allow: 'GET' });
    this.#open(exchange);
  };

  /** `POST /messages?sessionId=…`. */
  readonly post: Handler = (exchange) => {
    if (exchange.method !== 'POST') return exchange.reply(405, undefined, { allow: 'POST' });
    const id = new URLSearchParams(exchange.query).get('sessionId') ?? '';
    const channel = this.#find(id, exchange.principal);
    if (channel === undefined)
      return exchange.reply(404, refusalText('No such session: open the event stream again', UNKNOWN));
    return this.#take(exchange, channel, 'Accepted');
  };

  /** Takes what is of this transport and came to the endpoint itself; true when it was. */
  take(exchange: HttpExchange): boolean {
    const id = exchange.header(CHANNEL_HEADER);
    if (id !== undefined && exchange.method === 'POST') {
      void this.#takeRouted(exchange, id);
      return true;
    }
    if (exchange.method !== 'GET' || !opensStream(exchange)) return false;
    const channel = this.#open(exchange);
    const greeting = {
      clientId: channel,
      message: `Send requests with the header X-SSE-Client-ID: ${channel}`,
      type: 'connection',
    };
    this.#channels.get(channel)?.events.send({ event: 'connection', data: JSON.stringify(greeting) });
    return true;
  }

  /** Lets every client go after its work in flight. */
  async drain(graceMs: number): Promise<void> {
    const channels = [...this.#channels.values()];
    await Promise.all(channels.map(({ conversation }) => conversation.drain(graceMs)));
    for (const { events } of channels) events.end();
    this.#channels.clear();
  }

  #open(exchange: HttpExchange): string {
    const id = randomBytes(24).toString('base64url');
    const events = exchange.stream();
    const { principal } = exchange;
    const outlet = (text: string): void => events.send({ event: 'message', data: text });
    const conversation = this.#options.converse({ outlet, principal, shared: true });
    this.#channels.set(id, { conversation, events, principal });
    this.#options.keepAlive.add(events);
    exchange.onGone(() => {
      this.#channels.delete(id);
      conversation.close('the client closed its stream');
    });
    events.send({ event: 'endpoint', data: `${this.#options.messagesPath}?sessionId=${id}` });
    return id;
  }

  #find(id: string, principal: Principal | undefined): Channel | undefined {
    const channel = this.#channels.get(id);
    return channel?.principal?.id === principal?.id ? channel : undefined;
  }

  async #takeRouted(exchange: HttpExchange, id: string): Promise<void> {
    const channel = this.#find(id, exchange.principal);
    if (channel === undefined)
      return exchange.reply(400, refusalText('Unknown X-SSE-Client-ID: open the event stream again', UNKNOWN));
    await this.#take(
      exchange,
      channel,
      JSON.stringify({ status: 'accepted', message: 'The answer comes on the event stream' }),
    );
  }

  async #take(exchange: HttpExchange, { conversation, events }: Channel, accepted: string): Promise<void> {
    const { messageBytes, jsonDepth } = this.#options.limits;
    if (!isJson(exchange.header('content-type')))
      return exchange.reply(
        415,
        refusalText('Unsupported media type: send application/json', { reason: 'contentType' }),
      );
    let bytes: Buffer;
    let message: Json;
    try {
      bytes = await exchange.body(messageBytes);
      message = parseMessage(bytes, { depth: jsonDepth });
    } catch (error) {
      const fault = Fault.from(error);
      return exchange.reply(fault.code === 'E_TOO_LARGE' ? 413 : 400, conversation.refuse(fault).text);
    }
    exchange.reply(202, accepted, { 'content-type': accepted.startsWith('{') ? 'application/json' : 'text/plain' });
    conversation.principal = exchange.principal;
    const reply = await conversation.receive(message, bytes.length);
    if (reply !== undefined) events.send({ event: 'message', data: reply.text });
  }
}

function opensStream(exchange: HttpExchange): boolean {
  if (exchange.header('mcp-session-id') !== undefined || exchange.header('mcp-protocol-version') !== undefined)
    return false;
  const accept = exchange.header('accept');
  return accept !== undefined && accepted(accept).events && accept.includes('text/event-stream');
}
