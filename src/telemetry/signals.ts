import { Signal } from './signal.ts';

// What happens inside, for metrics and traces. Names of things, never what they hold: no input, no output, no secret.

export interface OperationStarted {
  /** Names the call in the log. */
  readonly call: string;
  readonly verb: string;
  readonly dialect: string;
  /** The tool or prompt as the client named it, cut where it is too long; anything, so no label until looked up. */
  readonly target: string | undefined;
}

export interface OperationEnded extends OperationStarted {
  /** `ok`, `failed` (a tool says so itself), `asked` (the reply is a question), `cancelled`, or a fault code. */
  readonly outcome: string;
  readonly ms: number;
}

export interface ConversationOpened {
  readonly conversation: string;
}

export interface ConversationClosed extends ConversationOpened {
  readonly reason: string;
}

export interface StreamOpened {
  /** What the stream carries: the reply to a request, a session's own events, or an older channel. */
  readonly kind: 'reply' | 'session' | 'listen' | 'legacy';
}

export interface StreamClosed extends StreamOpened {
  readonly ms: number;
}

export interface SessionOpened {
  /** Not the session id: that is a credential. */
  readonly dialect: string;
}

export interface SessionEnded extends SessionOpened {
  readonly reason: 'deleted' | 'expired' | 'evicted' | 'drained';
}

export const operationStarted = new Signal<OperationStarted>('parley:operation:start');
export const operationEnded = new Signal<OperationEnded>('parley:operation:end');
export const conversationOpened = new Signal<ConversationOpened>('parley:conversation:open');
export const conversationClosed = new Signal<ConversationClosed>('parley:conversation:close');
export const streamOpened = new Signal<StreamOpened>('parley:stream:open');
export const streamClosed = new Signal<StreamClosed>('parley:stream:close');
export const sessionOpened = new Signal<SessionOpened>('parley:session:open');
export const sessionEnded = new Signal<SessionEnded>('parley:session:end');
