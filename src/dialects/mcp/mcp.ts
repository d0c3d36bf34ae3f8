import type { Implementation } from '../../model/items.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Notice, Question, QuestionAnswer, QuestionKind, WireId } from '../../model/peer.ts';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import { Framed, KeptText, LONG, textOf, type Wire } from '../../rpc/framed.ts';
import type { Dialect } from '../dialect.ts';
import { permitQuestion, questionRow } from './asking.ts';
import { SUBSCRIPTION_KEY } from './claim.ts';
import { errorOf, failure, isToolFailure } from './failing.ts';
import { createReader } from './reading.ts';
import type { AnyRow, Codec, Revision } from './revision.ts';
import { SERVER_INFO_KEY } from './rows/lifecycle.ts';
import { wrong } from './rows/read.ts';
import { defersCall, relatedTo, taskOf } from './tasking.ts';

/** Speaks one revision, on behalf of one server, by looking everything up in the revision's tables. */
export function createMcp(revision: Revision, server: Implementation): Dialect {
  const writer = createWriter(revision, server);
  return {
    name: `mcp/${revision.id}`,
    revision: revision.id,
    opens: revision.opens,
    asksBy: revision.asksBy,
    pushes: revision.pushes,
    tasksBy: revision.tasksBy,
    batches: revision.batches,
    primes: revision.primes,
    ordered: false,
    mindsBlanks: false,
    read: createReader(revision),
    named: (method) => (Object.hasOwn(revision.methods, method) ? revision.methods[method]?.named : undefined),
    tell: createTelling(revision),
    defers: (call) => defersCall(revision, call),
    ...createAnswering(revision, writer),
    ...createAsking(revision, writer),
  };
}

type Writer = ReturnType<typeof createWriter>;

function createAnswering(
  revision: Revision,
  { say, text, kept }: Writer,
): Pick<Dialect, 'mayAsk' | 'answer' | 'fault' | 'ended'> {
  const rows = new Map(Object.values(revision.methods).map((row) => [row.verb, row] as const));
  const ended = (id: WireId): string => reply(id, text({ _meta: { [SUBSCRIPTION_KEY]: id } }));
  return {
    mayAsk: (verb) => rows.get(verb)?.asks === true,
    answer<V extends Verb>(id: WireId, { verb }: Operation<V>, answer: Answer<V>): Wire {
      const row = rows.get(verb) as AnyRow;
      if (row.ends === true) return ended(id);
      const codec = row.answer as Codec<Answer<V>>;
      const result = row.kept === true ? kept(answer, codec) : say(codec.write(answer));
      if (typeof result === 'string' && result.length < LONG) return reply(id, result);
      const frame = { head: replyHead(id), tail: '}' };
      return result instanceof Framed ? result.within(frame) : new Framed(frame, result);
    },
    fault(id, trouble) {
      if (id !== undefined && isToolFailure(trouble)) return reply(id, text(failure(trouble)));
      const unreadable = revision.unreadableId === 'null' ? null : undefined;
      return JSON.stringify({ jsonrpc: '2.0', id: id ?? unreadable, error: errorOf(revision, trouble) });
    },
    ended,
  };
}

function createAsking(revision: Revision, { text }: Writer): Pick<Dialect, 'permit' | 'ask' | 'heard' | 'unanswered'> {
  const request = (question: Question, task?: string): { method: string; params: JsonObject } => {
    const row = questionRow(revision, question);
    return { method: row.method, params: { ...row.ask.write(question.ask), ...relatedTo(task) } };
  };
  return {
    permit: (question, peer) => permitQuestion(revision, question, peer),
    ask: (id, question, task) => JSON.stringify({ jsonrpc: '2.0', id, ...request(question, task) }),
    heard<K extends QuestionKind>(question: Question<K>, answer: Json | undefined): QuestionAnswer<K> {
      if (!isObject(answer)) throw wrong('inputResponses', 'an object of answers');
      return questionRow(revision, question as Question).answer.read(answer) as QuestionAnswer<K>;
    },
    unanswered(id, questions, state) {
      const inputRequests = Object.fromEntries([...questions].map(([key, question]) => [key, request(question)]));
      return reply(id, text({ resultType: 'input_required', inputRequests, requestState: state }));
    },
  };
}

function createTelling(revision: Revision): Dialect['tell'] {
  const rows = new Map<Notice['kind'], { head: string; write(notice: Notice): JsonObject | undefined }[]>();
  for (const [method, row] of Object.entries(revision.tells)) {
    const write = row.write as (notice: Notice) => JsonObject | undefined;
    const known = rows.get(row.kind) ?? [];
    rows.set(row.kind, [...known, { head: `{"jsonrpc":"2.0","method":${JSON.stringify(method)}`, write }]);
  }
  return (notice, subscription) => {
    for (const { head, write } of rows.get(notice.kind) ?? []) {
      const params = write(notice);
      if (params !== undefined) return sayNotice(head, tagged(params, taskOf(notice), subscription));
    }
    return undefined;
  };
}

function reply(id: WireId, result: string): string {
  return `${replyHead(id)}${result}}`;
}

function replyHead(id: WireId): string {
  return `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":`;
}

/** The params of a notice with what they belong to, which is nothing for nearly all. */
function tagged(params: JsonObject, task: string | undefined, subscription: WireId | undefined): JsonObject {
  if (subscription !== undefined) return { ...params, _meta: { [SUBSCRIPTION_KEY]: subscription } };
  return task === undefined ? params : { ...params, ...relatedTo(task) };
}

function sayNotice(head: string, params: JsonObject): string {
  const said = JSON.stringify(params);
  return said === '{}' ? `${head}}` : `${head},"params":${said}}`;
}

/** Result texts: stamped and signed as the revision wants, and kept for answers that are given many times. */
function createWriter({ stamp, signs }: Revision, server: Implementation) {
  const texts = new WeakMap<object, KeptText | string>();
  const signature: JsonObject = signs ? { [SERVER_INFO_KEY]: server as unknown as JsonObject } : {};
  const plain = !signs && Object.keys(stamp).length === 0;
  // What surrounds a result that says nothing of its own about type and metadata, which is nearly every result.
  const nothing = JSON.stringify({ ...stamp, ...(signs ? { _meta: signature } : {}) });
  const head = `${JSON.stringify(stamp).slice(0, -1)}${Object.keys(stamp).length > 0 ? ',' : ''}`;
  const tail = signs ? `,${JSON.stringify({ _meta: signature }).slice(1)}` : '}';

  function say(wire: JsonObject): Wire {
    if (plain) return JSON.stringify(wire);
    if (wire['_meta'] !== undefined || wire['resultType'] !== undefined) {
      const meta = signs ? { _meta: { ...(wire['_meta'] as JsonObject | undefined), ...signature } } : {};
      return JSON.stringify({ ...stamp, ...wire, ...meta });
    }
    const body = JSON.stringify(wire);
    if (body === '{}') return nothing;
    const inner = body.slice(1, -1);
    return inner.length < LONG ? `${head}${inner}${tail}` : new Framed({ head, tail }, inner);
  }

  const text = (wire: JsonObject): string => textOf(say(wire));

  function kept<T extends object>(answer: T, codec: Codec<T>): KeptText | string {
    const known = texts.get(answer);
    if (known !== undefined) return known;
    const fresh = text(codec.write(answer));
    const worth = fresh.length < LONG ? fresh : new KeptText(fresh);
    texts.set(answer, worth);
    return worth;
  }

  return { say, text, kept };
}
