import { CAPABILITIES_KEY, CLIENT_KEY, LEVEL_KEY, REVISION_KEY, SUBSCRIPTION_KEY } from '../../dialects/mcp/claim.ts';
import type { AnyRow, QuestionRow, Revision, Row } from '../../dialects/mcp/revision.ts';
import type { ClientCapabilities } from '../../model/capabilities.ts';
import { Fault } from '../../model/fault.ts';
import type { Implementation } from '../../model/items.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { LogLevel, Notice, Question, QuestionKind, WireId } from '../../model/peer.ts';
import type { Answer, Operation, Verb } from '../../model/verbs.ts';
import type { Label, Mirrors } from './link.ts';

/** Who this client says it is, and what it says it can do. */
export interface Self {
  readonly client: Implementation;
  readonly capabilities: ClientCapabilities;
}

/** What rides along with a request besides what it asks. */
export interface Riding {
  readonly progress?: WireId | undefined;
  readonly level?: LogLevel | undefined;
  readonly meta?: JsonObject | undefined;
  /** Answers to what an earlier reply asked, and what it asked to be given back. */
  readonly retry?: Retry | undefined;
  /** Arguments repeated beside the message. */
  readonly mirrored?: Mirrors | undefined;
}

/** A message and what is said beside it. */
export interface Spoken {
  readonly text: string;
  readonly label: Label;
}

export interface Retry {
  readonly answers?: JsonObject;
  readonly state?: string;
}

/** What a reply asks in place of an answer; the questions are still in the words of the wire. */
export interface InputRequired {
  readonly questions: Readonly<Record<string, JsonObject>>;
  readonly state: string | undefined;
}

/** Speaks one revision from the client's side, by reading the rows of its tables the other way. Pure, as a dialect is. */
export interface Speaker {
  readonly revision: Revision;
  has(verb: Verb): boolean;
  /** What is said beside a reply. */
  readonly beside: Label;
  ask(id: WireId, operation: Operation, riding: Riding): Spoken;
  /** What a result asks in place of answering, in revisions where it may. */
  required(result: JsonObject): InputRequired | undefined;
  /** Throws a fault when the result is none of this verb. */
  answer<V extends Verb>(verb: V, result: JsonObject): Answer<V>;
  /** `undefined` when the revision has no word for it. */
  tell(notice: Notice): Spoken | undefined;
  hear(method: string, params: JsonObject): { notice: Notice; subscription: WireId | undefined } | undefined;
  /** The rows that put a question by this method. */
  questions(method: string): readonly QuestionRow<QuestionKind>[];
  /** The reply to a request of the server that is no question, if it is one both sides may make. */
  echo(id: WireId, method: string): string | undefined;
}

/** Builds the speaker of one revision for one client. */
export function createSpeaker(revision: Revision, self: Self): Speaker {
  const rows = new Map(Object.entries(revision.methods).map(([method, row]) => [row.verb, { method, row }]));
  const claim = revision.opens === 'every-request' ? claimOf(revision, self) : {};
  const beside: Label = {
    alone: revision.opens === 'every-request',
    ...(revision.declares ? { revision: revision.id } : {}),
  };
  return {
    revision,
    beside,
    has: (verb) => rows.has(verb),
    ask(id, { verb, ask }, riding) {
      const { method, row } = rows.get(verb) ?? unsayable(revision, verb);
      const params = { ...(row as Row<Verb>).ask.write(ask), ...retryOf(riding.retry) };
      const meta = { ...claim, ...riderOf(revision, riding) };
      const text = JSON.stringify({
        jsonrpc: '2.0',
        id,
        method,
        ...said('params', Object.keys(meta).length === 0 ? params : { ...params, _meta: meta }),
      });
      const label = { ...besideRequest(row, params, beside), id, method, mirrored: riding.mirrored };
      return { text, label };
    },
    required: (result) => (revision.asksBy === 'reply' ? requiredBy(result) : undefined),
    answer<V extends Verb>(verb: V, result: JsonObject): Answer<V> {
      const { method, row } = rows.get(verb) ?? unsayable(revision, verb);
      try {
        return (row as AnyRow & Row<V>).answer.read(result);
      } catch (cause) {
        const { message } = Fault.from(cause);
        throw new Fault('E_BAD_MESSAGE', `The server's answer to "${method}" cannot be used: ${message}`, { cause });
      }
    },
    tell(notice) {
      for (const [method, row] of Object.entries(revision.hears)) {
        if (row.kind !== notice.kind) continue;
        const params = (row as { write(notice: Notice): JsonObject | undefined }).write(notice);
        if (params === undefined) continue;
        const text = JSON.stringify({ jsonrpc: '2.0', method, ...said('params', params) });
        return { text, label: { ...beside, method, ...besideNotice(notice) } };
      }
      return undefined;
    },
    hear: (method, params) => hearNotice(revision, method, params),
    questions: (method) =>
      (Object.values(revision.questions) as QuestionRow<QuestionKind>[]).filter((row) => row.method === method),
    echo(id, method) {
      const row = Object.hasOwn(revision.methods, method) ? revision.methods[method] : undefined;
      return row?.verb === 'ping' ? replyWith(id, row.answer.write({})) : undefined;
    },
  };
}

// spec 2025-11-25 basic/transports#protocol-version-header: the handshake comes before the revision is agreed
function besideRequest({ verb, named }: AnyRow, params: JsonObject, beside: Label): Label {
  if (verb === 'hello' && !beside.alone) return { alone: false, step: 'greets' };
  const name = named === undefined ? undefined : params[named];
  return typeof name === 'string' ? { ...beside, name } : beside;
}

function besideNotice(notice: Notice): Partial<Label> {
  if (notice.kind === 'ready') return { step: 'settles' };
  return notice.kind === 'cancelled' ? { cancels: notice.id } : {};
}

/** The reply that carries a result. */
export function replyWith(id: WireId, result: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** The reply that refuses, under the number the revision has for this kind of fault. */
export function refuseWith(id: WireId, { codes }: Revision, fault: Fault): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: codes[fault.kind], message: fault.message } });
}

/** The question a wire request puts, read by the first row that can; throws the last row's fault when none can. */
export function readQuestion(rows: readonly QuestionRow<QuestionKind>[], params: JsonObject): Question {
  let fault: unknown;
  for (const { kind, ask } of rows) {
    try {
      return { kind, ask: ask.read(params) } as Question;
    } catch (error) {
      fault ??= error;
    }
  }
  throw fault;
}

function unsayable({ id }: Revision, verb: Verb): never {
  throw new Fault('E_UNKNOWN_METHOD', `Cannot ask the server: protocol revision ${id} has no "${verb}"`);
}

// spec 2026-07-28 basic/index#_meta
function claimOf({ id }: Revision, { client, capabilities }: Self): JsonObject {
  return { [REVISION_KEY]: id, [CAPABILITIES_KEY]: capabilities, [CLIENT_KEY]: client as unknown as JsonObject };
}

function riderOf({ opens }: Revision, { progress, level, meta }: Riding): JsonObject {
  return {
    ...meta,
    ...(progress === undefined ? {} : { progressToken: progress }),
    ...(level === undefined || opens !== 'every-request' ? {} : { [LEVEL_KEY]: level }),
  };
}

function retryOf(retry: Retry | undefined): JsonObject {
  return {
    ...(retry?.answers === undefined ? {} : { inputResponses: retry.answers }),
    ...(retry?.state === undefined ? {} : { requestState: retry.state }),
  };
}

/** The member, unless it would be an empty object. */
function said(member: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [member]: value };
}

// spec 2026-07-28 basic/utilities/mrtr: an absent type is a complete result, an unknown one is no result at all
function requiredBy(result: JsonObject): InputRequired | undefined {
  const { resultType: type = 'complete', inputRequests: asked, requestState: state } = result;
  if (type === 'complete') return undefined;
  if (type !== 'input_required') throw unusable(`its "resultType" is ${JSON.stringify(type)}`);
  if (state !== undefined && typeof state !== 'string') throw unusable('its "requestState" is no string');
  if (asked === undefined && state === undefined) throw unusable('it asks for input and says neither which nor why');
  if (asked === undefined) return { questions: {}, state };
  if (!isObject(asked) || !Object.values(asked).every(isObject)) throw unusable('its "inputRequests" are no objects');
  return { questions: asked as Record<string, JsonObject>, state };
}

function unusable(reason: string): Fault {
  return new Fault('E_BAD_MESSAGE', `The server's answer cannot be used: ${reason}`);
}

function hearNotice(revision: Revision, method: string, params: JsonObject): ReturnType<Speaker['hear']> {
  const row = Object.hasOwn(revision.tells, method) ? revision.tells[method] : undefined;
  const meta = params['_meta'];
  const subscription = isObject(meta) ? meta[SUBSCRIPTION_KEY] : undefined;
  try {
    const notice = row?.read(params);
    return notice === undefined ? undefined : { notice, subscription: subscription as WireId | undefined };
  } catch {
    // Nobody answers a notice, so nobody can be told it was wrong.
    return undefined;
  }
}
