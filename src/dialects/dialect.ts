import type { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { LogLevel, Notice, Peer, Question, QuestionAnswer, QuestionKind, WireId } from '../model/peer.ts';
import type { TaskSupport } from '../model/tasks.ts';
import type { Answer, Operation, Verb } from '../model/verbs.ts';
import type { Wire } from '../rpc/framed.ts';

/** What rode along with a request besides what it asks. */
export interface Rider {
  readonly meta: JsonObject;
  /** Where progress goes. */
  readonly progress?: WireId;
  /** Who asks, in dialects where every request says so. */
  readonly peer?: Peer;
  /** The log messages this request wants, in dialects where every request says so. */
  readonly level?: LogLevel;
  /** Why the request cannot be served where what it asks for is offered: its peer did not declare what it needs. */
  readonly lacks?: Fault;
  /** Answers a retry brings, by question key. */
  readonly answers?: JsonObject;
  /** What an earlier reply asked to be given back. */
  readonly state?: string;
}

export type Incoming =
  | { kind: 'call'; id: WireId; operation: Operation; rider: Rider }
  | { kind: 'result'; id: WireId; result: JsonObject }
  | { kind: 'error'; id: WireId | undefined; message: string }
  | { kind: 'notice'; notice: Notice | undefined }
  | { kind: 'refused'; id: WireId | undefined; fault: Fault };

/** A fault about to be told: under which id the log has it, and what was being done. */
export interface Trouble {
  readonly fault: Fault;
  readonly errorId: string;
  readonly verb?: Verb | undefined;
}

/** A call that may be answered with a ticket. */
export interface Deferral {
  readonly name: string;
  /** What its tool says about tasks. */
  readonly support: TaskSupport | undefined;
  /** The call asks for a ticket. */
  readonly wished: boolean;
  readonly peer: Peer;
}

/**
 * A pure translator between one wire vocabulary and the model. Everything it says is wire text, ready to be framed.
 * It owns no socket, timer or session, so every dialect is tested with plain values.
 */
export interface Dialect {
  readonly name: string;
  /** The protocol revision, where the dialect is one. */
  readonly revision?: string;
  /** `handshake`: pinned by its first request. `every-request`: each request names it. `never`: recognised by shape. */
  readonly opens: 'handshake' | 'every-request' | 'never';
  /** `request`: a question is its own message. `reply`: it travels in the answer. `never`: no words for it. */
  readonly asksBy: 'request' | 'reply' | 'never';
  /** Who is told of changes: the whole session, or those who listen. */
  readonly pushes: 'session' | 'listen' | 'never';
  /** Who decides that a call becomes a task. */
  readonly tasksBy: 'client' | 'server' | 'never';
  readonly batches: boolean;
  /** An event stream opens with an event that only has an id. */
  readonly primes: boolean;
  /** Replies must come in the order of the requests. */
  readonly ordered: boolean;
  /** A blank line is a message, and a wrong one. */
  readonly mindsBlanks: boolean;
  /** Longest message in bytes, where the dialect itself sets one. */
  readonly limit?: number;
  read(message: Json): Incoming;
  /** The member of a method's params that names what is asked for, where it is mirrored beside the message. */
  named(method: string): string | undefined;
  /** Whether the operation may end in a question instead of an answer. */
  mayAsk(verb: Verb): boolean;
  /** Whether a call becomes a task; throws a fault when its tool cannot be called this way. */
  defers(call: Deferral): boolean;
  answer<V extends Verb>(id: WireId, operation: Operation<V>, answer: Answer<V>): Wire;
  fault(id: WireId | undefined, trouble: Trouble): string;
  /** `undefined` when the dialect cannot say it. `subscription` tags it for one listener. */
  tell(notice: Notice, subscription?: WireId): string | undefined;
  /** Throws a fault when the dialect or the peer cannot be asked this. */
  permit(question: Question, peer: Peer): void;
  /** `task` names the task the question belongs to. */
  ask(id: WireId, question: Question, task?: string): string;
  /** Reads the peer's answer to a question; throws a fault when it is no answer. */
  heard<K extends QuestionKind>(question: Question<K>, answer: Json | undefined): QuestionAnswer<K>;
  /** The reply that asks instead of answering. */
  unanswered(id: WireId, questions: ReadonlyMap<string, Question>, state: string): string;
  /** The reply that ends a subscription. */
  ended(id: WireId): string;
}
