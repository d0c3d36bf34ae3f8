import type { Fault } from '../../model/fault.ts';
import type { Principal } from '../../model/peer.ts';
import type { Framed } from '../../rpc/framed.ts';

/** Headers to send, in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** What a response says; what is framed is written piece by piece where it can be, and not copied. */
export type ReplyBody = string | Buffer | Framed;

/** One server-sent event. Each part is one line on the wire; `data` never holds a newline. */
export interface ServerEvent {
  readonly data: string;
  readonly id?: string;
  readonly event?: string;
  readonly retryMs?: number;
}

/** An open event stream. Writing to one whose reader is gone does nothing. */
export interface EventStream {
  readonly open: boolean;
  send(event: ServerEvent): void;
  /** A line the reader ignores, to keep the connection alive. */
  comment(text: string): void;
  end(): void;
}

/** The event streams that are open at the moment. */
export interface StreamTable {
  /** Streams of all, those that answer a request among them. */
  readonly size: number;
  /** Streams that a principal opened to listen. */
  of(principal: string): number;
  /** Looks again at what is open. */
  sweep(): void;
}

/**
 * One HTTP request and its response, whatever server it came in by: the one thing handlers of this room are written
 * against. Exactly one of `reply` and `stream` is called, once.
 */
export interface HttpExchange {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The query without its question mark; empty when there is none. */
  readonly query: string;
  /** The address of the peer, as far as the server knows it. */
  readonly remote: string;
  /** One object for all requests of a connection, where there is one. */
  readonly connection?: object | undefined;
  /** Set by access control before any handler runs. */
  principal: Principal | undefined;
  /** Set by access control: completes the challenge of a refusal with what nobody else knows. */
  complete?: ((exchange: HttpExchange, headers: Headers) => Headers) | undefined;
  /** Set by access control where a token may be taken back before it ends: whether that of this exchange is good still. */
  good?: (() => boolean) | undefined;
  /** Where open streams are counted, if they are. */
  readonly streams?: StreamTable | undefined;
  /** A request header by its name in lower case; several of one name are joined by a comma. */
  header(name: string): string | undefined;
  /** The whole body; rejects with a fault when it is longer than the limit or comes too slowly. */
  body(limit: number): Promise<Buffer>;
  /**
   * Calls back with the whole body, or with the fault for which there is none, and sees to what that throws. Best for
   * what is answered at once: no promise is made. Absent where there is no such way.
   */
  receive?(limit: number, take: Receiver): void;
  reply(status: number, body?: ReplyBody, headers?: Headers): void;
  stream(headers?: Headers): EventStream;
  /** Calls back when the peer goes away before the response is complete. */
  onGone(listener: () => void): void;
}

/** A whole body. What is ASCII may come as text, whose characters are its bytes. */
export type Body = Buffer | string;

/** Takes the body of an exchange, whose bytes are good only until it returns, or why there is none. */
export type Receiver = (exchange: HttpExchange, body: Body | Fault) => void | Promise<void>;

/** Answers an exchange; what it throws or rejects with becomes an internal error without details. */
export type Handler = (exchange: HttpExchange) => void | Promise<void>;
