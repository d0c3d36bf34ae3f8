import type { ClientCapabilities } from '../../model/capabilities.ts';
import type { FaultKind } from '../../model/fault.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Notice, QuestionAnswer, QuestionAsk, QuestionKind } from '../../model/peer.ts';
import type { Answer, Ask, Verb } from '../../model/verbs.ts';

/** Both directions of one shape, so that a server and a client share the row. */
export interface Codec<T> {
  /** Throws a fault on a wrong shape. */
  read(wire: JsonObject): T;
  write(value: T): JsonObject;
}

/** What a row can say, as plain data: shown in the golden expansions and the revision matrix. */
export type Says = Readonly<Record<string, Json>>;

export interface Row<V extends Verb> {
  readonly verb: V;
  readonly ask: Codec<Ask<V>>;
  readonly answer: Codec<Answer<V>>;
  /** The same answer object is given many times, so its text is worth keeping. */
  readonly kept?: boolean;
  /** The answer ends a subscription, and names it. */
  readonly ends?: boolean;
  /** The peer may be asked before the answer. */
  readonly asks?: boolean;
  /** The member of the params that names what is asked for, where the revision mirrors it in a header. */
  readonly named?: string;
  /** What a client must declare to ask this, where every request declares something. */
  needs?(ask: Ask<V>): ClientCapabilities | undefined;
  readonly says?: Says;
}
export type AnyRow = { [V in Verb]: Row<V> }[Verb];

export interface QuestionRow<K extends QuestionKind> {
  readonly kind: K;
  readonly method: string;
  readonly ask: Codec<QuestionAsk<K>>;
  readonly answer: Codec<QuestionAnswer<K>>;
  /** The client capabilities a question needs. */
  needs(ask: QuestionAsk<K>): ClientCapabilities;
  /** Why this revision cannot put the question, if it cannot. */
  unsayable?(ask: QuestionAsk<K>): string | undefined;
  readonly says?: Says;
}
export type QuestionRows = { readonly [K in QuestionKind]?: QuestionRow<K> };

type NoticeOf<K extends Notice['kind']> = Extract<Notice, { kind: K }>;
export interface NoticeRow<K extends Notice['kind'] = Notice['kind']> {
  readonly kind: K;
  /** `undefined` when the row is about another notice of the same kind, such as another list. */
  write(notice: NoticeOf<K>): JsonObject | undefined;
  read(wire: JsonObject): NoticeOf<K> | undefined;
  readonly says?: Says;
}
export type AnyNoticeRow = { [K in Notice['kind']]: NoticeRow<K> }[Notice['kind']];

/** A protocol revision as data. Shared code reads these properties and never compares `id`. */
export interface Revision {
  readonly id: string;
  readonly opens: 'handshake' | 'every-request';
  readonly batches: boolean;
  readonly asksBy: 'request' | 'reply';
  readonly pushes: 'session' | 'listen';
  /** Who decides that a call becomes a task: the client in the call, the server for clients that know tasks, or nobody. */
  readonly tasksBy: 'client' | 'server' | 'never';
  /** Clients name the revision in a header once it is agreed. */
  readonly declares: boolean;
  /** An event stream opens with an event that only has an id, so that it can be resumed from the start. */
  readonly primes: boolean;
  /** How an error names a request whose id could not be read. */
  readonly unreadableId: 'null' | 'absent';
  /** Members the revision adds to every result. */
  readonly stamp: JsonObject;
  /** Every result says who gave it. */
  readonly signs: boolean;
  readonly codes: Readonly<Record<FaultKind, number>>;
  /** What a client may ask. */
  readonly methods: Readonly<Record<string, AnyRow>>;
  /** What a server may ask. */
  readonly questions: QuestionRows;
  /** What a server may tell. */
  readonly tells: Readonly<Record<string, AnyNoticeRow>>;
  /** What a client may tell. */
  readonly hears: Readonly<Record<string, AnyNoticeRow>>;
}

type Tables = 'methods' | 'questions' | 'tells' | 'hears';
type Change = Partial<Omit<Revision, Tables>> &
  Partial<Pick<Revision, Tables>> & {
    readonly id: string;
    /** Methods and notices this revision dropped, by name. */
    readonly without?: readonly string[];
  };

/** States a revision as its differences from the one before it. */
export function revise(
  before: Revision,
  { without = [], methods, questions, tells, hears, ...rest }: Change,
): Revision {
  const keep = <T>(table: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(table).filter(([name]) => !without.includes(name)));
  return {
    ...before,
    ...rest,
    methods: { ...keep(before.methods), ...methods },
    questions: { ...before.questions, ...questions },
    tells: { ...keep(before.tells), ...tells },
    hears: { ...keep(before.hears), ...hears },
  };
}
