import { isObject, type Json } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { Principal, WireId } from '../../model/peer.ts';
import { isWireId } from '../../rpc/envelope.ts';
import type { ConversationOptions } from '../../sessions/conversation-options.ts';
import type { Session } from '../../sessions/session.ts';
import { mirrored } from './beside.ts';
import type { HttpExchange } from './exchange.ts';
import { accepted } from './headers.ts';
import type { KeepAlive } from './keep-alive.ts';
import { Post, type PostParts } from './post.ts';

/** What the answers to all POSTs share. */
export interface PostRoom {
  readonly limits: Limits;
  readonly keepAlive: KeepAlive;
}

/** What was said, and in which session. */
export interface Told {
  readonly session: Session;
  readonly message: Json;
  /** How long the message is, in bytes. */
  readonly size: number;
}

/** What is to be known of a POST, found out when somebody asks: most are answered before anybody does. */
class Parts implements PostParts {
  readonly exchange: HttpExchange;
  readonly #room: PostRoom;
  readonly #told: Told | undefined;
  #ids: readonly WireId[] | undefined;

  constructor(room: PostRoom, exchange: HttpExchange, told?: Told) {
    this.#room = room;
    this.exchange = exchange;
    this.#told = told;
  }

  get session(): Session | undefined {
    return this.#told?.session;
  }

  get limits(): Limits {
    return this.#room.limits;
  }

  get keepAlive(): KeepAlive {
    return this.#room.keepAlive;
  }

  get streams(): boolean {
    return accepted(this.exchange.header('accept')).events;
  }

  get primes(): boolean {
    return this.session?.conversation.dialect?.primes === true;
  }

  get ids(): readonly WireId[] {
    this.#ids ??= requestsIn(this.#told?.message);
    return this.#ids;
  }
}

/** The answer to requests in a session. */
export function postInSession(room: PostRoom, exchange: HttpExchange, told: Told): Post {
  return new Post(new Parts(room, exchange, told));
}

/** The answer to a request without a session, and how the conversation made for it alone speaks. */
export class LonePost extends Post implements ConversationOptions {
  readonly principal: Principal | undefined;
  readonly beside: ConversationOptions['beside'];
  readonly resumed: ConversationOptions['resumed'];
  readonly mute: boolean;

  /** With a revision, the peer is of the handshake era, and cannot be asked. */
  constructor(room: PostRoom, exchange: HttpExchange, revision?: string) {
    super(new Parts(room, exchange));
    this.principal = exchange.principal;
    this.beside = revision === undefined ? (header) => mirrored(exchange, header) : undefined;
    this.resumed = revision === undefined ? undefined : { revision };
    this.mute = revision !== undefined;
  }

  outlet(text: string): void {
    this.send(text);
  }
}

function requestsIn(message: Json | undefined): WireId[] {
  return Array.isArray(message) ? message.flatMap(requestIn) : requestIn(message);
}

function requestIn(message: Json | undefined): WireId[] {
  return isObject(message) && message['method'] !== undefined && isWireId(message['id']) ? [message['id']] : [];
}
