import { Fault } from '../../model/fault.ts';
import type { Implementation } from '../../model/items.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Notice, Question, QuestionAnswer, QuestionKind, WireId } from '../../model/peer.ts';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import { type Envelope, readEnvelope } from '../../rpc/envelope.ts';
import type { Dialect, Incoming, Rider } from '../dialect.ts';
import { permitQuestion, questionRow } from './asking.ts';
import { badClaim, LEVEL_KEY, REVISION_KEY, readPeer, SUBSCRIPTION_KEY } from './claim.ts';
import { errorOf, failure, isToolFailure } from './failing.ts';
import type { AnyNoticeRow, AnyRow, Codec, Revision } from './revision.ts';
import { SERVER_INFO_KEY } from './rows/lifecycle.ts';
import { readLevel } from './rows/listening.ts';
import { wrong } from './rows/read.ts';

/** Speaks one revision, on behalf of one server, by looking everything up in the revision's tables. */
export function createMcp(revision: Revision, server: Implementation): Dialect {
  const { text, kept } = createWriter(revision, server);
  const ended = (id: WireId): string => reply(id, text({ _meta: { [SUBSCRIPTION_KEY]: id } }));
  const rows = new Map(Object.values(revision.methods).map((row) => [row.verb, row] as const));
  const tells = new Map<Notice['kind'], [string, AnyNoticeRow][]>();
  for (const [method, row] of Object.entries(revision.tells))
    tells.set(row.kind, [...(tells.get(row.kind) ?? []), [method, row]]);

  return {
    name: `mcp/${revision.id}`,
    revision: revision.id,
    opens: revision.opens,
    asksBy: revision.asksBy,
    pushes: revision.pushes,
    batches: revision.batches,
    primes: revision.primes,
    ordered: false,
    mindsBlanks: false,
    read: createReader(revision),
    named: (method) => (Object.hasOwn(revision.methods, method) ? revision.methods[method]?.named : undefined),
    mayAsk: (verb) => rows.get(verb)?.asks === true,
    answer<V extends Verb>(id: WireId, { verb }: Operation<V>, answer: Answer<V>): string {
      const row = rows.get(verb) as AnyRow;
      if (row.ends === true) return ended(id);
      const codec = row.answer as Codec<Answer<V>>;
      const result = row.kept === true ? kept(answer, codec) : text(codec.write(answer));
      return reply(id, result);
    },
    fault(id, trouble) {
      if (id !== undefined && isToolFailure(trouble)) return reply(id, text(failure(trouble)));
      return JSON.stringify({
        jsonrpc: '2.0',
        id: id ?? (revision.unreadableId === 'null' ? null : undefined),
        error: errorOf(revision, trouble),
      });
    },
    tell(notice, subscription) {
      for (const [method, row] of tells.get(notice.kind) ?? []) {
        const params = (row as { write(notice: Notice): JsonObject | undefined }).write(notice);
        if (params !== undefined) return sayNotice(method, params, subscription);
      }
      return undefined;
    },
    permit: (question, peer) => permitQuestion(revision, question, peer),
    ask(id, question) {
      const row = questionRow(revision, question);
      return JSON.stringify({ jsonrpc: '2.0', id, method: row.method, params: row.ask.write(question.ask) });
    },
    heard<K extends QuestionKind>(question: Question<K>, answer: Json | undefined): QuestionAnswer<K> {
      if (!isObject(answer)) throw wrong('inputResponses', 'an object of answers');
      return questionRow(revision, question as Question).answer.read(answer) as QuestionAnswer<K>;
    },
    unanswered(id, questions, state) {
      const inputRequests = Object.fromEntries(
        [...questions].map(([key, question]) => [key, inputRequest(revision, question)]),
      );
      const result = text({ resultType: 'input_required', inputRequests, requestState: state });
      return reply(id, result);
    },
    ended,
  };
}

function reply(id: WireId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

function inputRequest(revision: Revision, question: Question): JsonObject {
  const row = questionRow(revision, question);
  return { method: row.method, params: row.ask.write(question.ask) };
}

function sayNotice(method: string, params: JsonObject, subscription: WireId | undefined): string {
  const tagged = subscription === undefined ? params : { ...params, _meta: { [SUBSCRIPTION_KEY]: subscription } };
  const said = Object.keys(tagged).length === 0 ? {} : { params: tagged };
  return JSON.stringify({ jsonrpc: '2.0', method, ...said });
}

/** Result texts: stamped and signed as the revision wants, and kept for answers that are given many times. */
function createWriter(revision: Revision, server: Implementation) {
  const texts = new WeakMap<object, string>();
  const stamped = Object.keys(revision.stamp).length > 0;
  const signature: JsonObject = { [SERVER_INFO_KEY]: server as unknown as JsonObject };

  function text(wire: JsonObject): string {
    const result = stamped ? { ...revision.stamp, ...wire } : wire;
    if (!revision.signs) return JSON.stringify(result);
    return JSON.stringify({ ...result, _meta: { ...(wire['_meta'] as JsonObject | undefined), ...signature } });
  }

  function kept<T extends object>(answer: T, codec: Codec<T>): string {
    const known = texts.get(answer);
    if (known !== undefined) return known;
    const fresh = text(codec.write(answer));
    texts.set(answer, fresh);
    return fresh;
  }

  return { text, kept };
}

const NO_META: JsonObject = Object.freeze({});
const NO_RIDER: Rider = Object.freeze({ meta: NO_META });

function createReader(revision: Revision): (message: Json) => Incoming {
  const methods = new Map(Object.entries(revision.methods));
  const hears = new Map(Object.entries(revision.hears));
  const readRider = revision.opens === 'every-request' ? readModernRider : readMeta;

  function call({ id, method, params }: Extract<Envelope, { kind: 'request' }>): Incoming {
    const row = methods.get(method);
    if (row === undefined) return refused(id, new Fault('E_UNKNOWN_METHOD', `Method not found: "${method}"`));
    try {
      const operation = { verb: row.verb, ask: row.ask.read(params) } as Operation;
      return { kind: 'call', id, operation, rider: readRider(params) };
    } catch (error) {
      return refused(id, Fault.from(error));
    }
  }

  return (message) => {
    const envelope = readEnvelope(message);
    switch (envelope.kind) {
      case 'request':
        return call(envelope);
      case 'notification':
        return { kind: 'notice', notice: hears.get(envelope.method)?.read(envelope.params) };
      case 'result':
        return { kind: 'result', id: envelope.id, result: envelope.result };
      case 'error':
        return { kind: 'error', id: envelope.id, message: envelope.error.message };
      case 'malformed':
        return refused(envelope.id, envelope.fault);
    }
  };
}

function readMeta(params: JsonObject): Rider {
  const meta = params['_meta'];
  if (meta === undefined) return NO_RIDER;
  if (!isObject(meta)) throw wrong('_meta', 'an object');
  const progress = meta['progressToken'];
  if (progress === undefined) return { meta };
  if (typeof progress !== 'string' && !Number.isSafeInteger(progress)) {
    throw wrong('_meta.progressToken', 'a string or an integer');
  }
  return { meta, progress: progress as WireId };
}

function readModernRider(params: JsonObject): Rider {
  const rider = readMeta(params);
  if (rider === NO_RIDER) throw badClaim([REVISION_KEY]);
  const { inputResponses: answers, requestState: state } = params;
  if (answers !== undefined && !isObject(answers)) throw wrong('inputResponses', 'an object of answers');
  if (state !== undefined && typeof state !== 'string') throw wrong('requestState', 'a string');
  return {
    ...rider,
    peer: readPeer(rider.meta),
    ...(rider.meta[LEVEL_KEY] === undefined ? {} : { level: readLevel(rider.meta, LEVEL_KEY) }),
    ...(answers === undefined ? {} : { answers }),
    ...(state === undefined ? {} : { state }),
  };
}

function refused(id: WireId | undefined, fault: Fault): Incoming {
  return { kind: 'refused', id, fault };
}
