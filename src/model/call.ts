import type { Eventually, Json, JsonLiteral, JsonObject } from './json.ts';
import type { ElicitedValue, LogLevel, Peer, Principal, QuestionAnswer, SampleRequest } from './peer.ts';

export interface ElicitRequest {
  message: string;
  /** A flat object schema: strings, numbers, booleans and enums. */
  schema: JsonLiteral;
  /** Names the question; needed only when the order of questions differs between runs. */
  key?: string;
}

/** What the user did with a form. */
export type Elicited<Content> =
  | { action: 'accept'; content: Content }
  | { action: 'decline' | 'cancel'; content?: undefined };

export interface ElicitUrlRequest {
  message: string;
  /** Where the user does what must not pass through the client, such as entering a secret. */
  url: string;
  key?: string;
}

/**
 * Questions to the user or the model behind the client.
 *
 * **The replay rule.** A client of a stateless revision is asked in the reply: the handler stops at the question, and
 * when the client comes back with the answer the handler runs again from the top, this time finding the answer.
 * So whatever stands before a question may run more than once. Keep it free of side effects, ask in the same order
 * every time (or give each question a `key`), and wrap what must happen only once in `call.once(key, …)`.
 */
export interface Ask {
  elicit<Content = Record<string, ElicitedValue>>(request: ElicitRequest): Promise<Elicited<Content>>;
  elicitUrl(request: ElicitUrlRequest): Promise<QuestionAnswer<'elicitUrl'>>;
  sample(request: SampleRequest & { key?: string }): Promise<QuestionAnswer<'sample'>>;
  roots(request?: { key?: string }): Promise<QuestionAnswer<'roots'>['roots']>;
}

/** What a handler may know about the request that reached it, and say back before it answers. */
export interface Call {
  /** Names this call in the log. */
  readonly id: string;
  readonly dialect: string;
  readonly peer: Peer;
  readonly principal: Principal | undefined;
  /** Names the session or connection the request came in; absent where a request stands alone. A secret: show it to nobody. */
  readonly session: string | undefined;
  /** What rode in the request's `_meta`, trace keys among it. */
  readonly meta: JsonObject;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Tells the client how far the work is. Values must rise; a value that does not is dropped. */
  progress(done: number, total?: number, message?: string): void;
  /** Sends a log message to the client, if it wants messages of this level. */
  log(level: LogLevel, data: Json, logger?: string): void;
  readonly ask: Ask;
  /** Lets the client hang up during long work and come back for the answer, where it can; elsewhere does nothing. */
  release(): void;
  /** Runs a side effect once per call, however often the handler is replayed; `work` must return JSON. */
  once<T extends Json | undefined>(key: string, work: () => Eventually<T>): Promise<T>;
}
