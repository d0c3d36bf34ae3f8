import type { QuestionRow } from '../../dialects/mcp/revision.ts';
import type { ClientCapabilities } from '../../model/capabilities.ts';
import { Fault } from '../../model/fault.ts';
import { type Eventually, isObject, type JsonObject } from '../../model/json.ts';
import type { Question, QuestionAnswer, QuestionAsk, QuestionKind, WireId } from '../../model/peer.ts';
import { readQuestion, refuseWith, replyWith, type Speaker } from './speaker.ts';

/** What an answerer may know of the question besides its words. */
export interface Asked {
  /** Fires when the server does not want the answer any more. */
  readonly signal: AbortSignal;
}

/** Whoever answers what a server asks; a kind that is absent cannot be asked. */
export type Answerers = {
  readonly [K in QuestionKind]?: (ask: QuestionAsk<K>, asked: Asked) => Eventually<QuestionAnswer<K>>;
};

/** The capabilities that follow from who is there to answer. */
export function capabilitiesFor({ elicit, elicitUrl, sample, roots }: Answerers): ClientCapabilities {
  const elicitation = {
    ...(elicit === undefined ? {} : { form: {} }),
    ...(elicitUrl === undefined ? {} : { url: {} }),
  };
  return {
    ...(Object.keys(elicitation).length === 0 ? {} : { elicitation }),
    ...(sample === undefined ? {} : { sampling: {} }),
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
  };
}

type AnyAnswerer = (ask: Question['ask'], asked: Asked) => Eventually<QuestionAnswer<QuestionKind>>;

/** Answers the server's questions, in whichever way its revision puts them. */
export class Answering {
  readonly #answerers: Answerers;
  readonly #open = new Map<WireId, AbortController>();

  constructor(answerers: Answerers) {
    this.#answerers = answerers;
  }

  /** The reply to a request of the server; `undefined` when it was withdrawn meanwhile. */
  async reply(
    speaker: Speaker,
    request: { id: WireId; method: string; params: JsonObject },
  ): Promise<string | undefined> {
    const { id, method, params } = request;
    const withdrawn = new AbortController();
    this.#open.set(id, withdrawn);
    try {
      const answer = await this.#answer(speaker.questions(method), params, { method, signal: withdrawn.signal });
      return withdrawn.signal.aborted ? undefined : replyWith(id, answer);
    } catch (error) {
      return withdrawn.signal.aborted ? undefined : refuseWith(id, speaker.revision, speakable(error));
    } finally {
      this.#open.delete(id);
    }
  }

  /** The answers to what a reply asked, by the server's keys. */
  async answers(
    speaker: Speaker,
    questions: Readonly<Record<string, JsonObject>>,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const answers: JsonObject = {};
    // One after the other: a person can look at one question at a time.
    for (const [key, { method, params }] of Object.entries(questions)) {
      signal.throwIfAborted();
      const name = String(method);
      const rows = speaker.questions(name);
      answers[key] = await this.#answer(rows, isObject(params) ? params : {}, { method: name, signal });
    }
    return answers;
  }

  /** The server does not want an answer any more; false when it never asked. */
  withdraw(id: WireId): boolean {
    const open = this.#open.get(id);
    open?.abort(new Fault('E_CLOSED', 'The server withdrew the question'));
    return open !== undefined;
  }

  close(fault: Fault): void {
    for (const open of this.#open.values()) open.abort(fault);
  }

  async #answer(
    rows: readonly QuestionRow<QuestionKind>[],
    params: JsonObject,
    { method, signal }: Asked & { method: string },
  ): Promise<JsonObject> {
    if (!rows.some(({ kind }) => this.#answerers[kind] !== undefined)) {
      throw new Fault('E_UNKNOWN_METHOD', `Method not found: this client cannot be asked "${method}"`);
    }
    const question = readQuestion(rows, params);
    const row = rows.find(({ kind }) => kind === question.kind) as QuestionRow<QuestionKind>;
    const answerer = this.#answerers[question.kind] as AnyAnswerer | undefined;
    // spec 2025-11-25 client/elicitation#error-handling: a mode that was not declared is a wrong parameter
    if (answerer === undefined)
      throw new Fault('E_BAD_PARAMS', `Invalid params: this client has no "${question.kind}"`);
    const answer = await answerer(question.ask, { signal });
    return row.answer.write(question.kind === 'elicit' ? withDefaults(question.ask.schema, answer) : answer);
  }
}

/** A form that is accepted as it stands has its defaults in every field left alone. */
// spec 2025-11-25 client/elicitation#supported-schema-types
function withDefaults<A extends QuestionAnswer<QuestionKind>>({ properties }: JsonObject, answer: A): A {
  if (!('action' in answer) || answer.action !== 'accept' || !isObject(properties)) return answer;
  const presets = Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
  );
  const { content = {} } = answer as QuestionAnswer<'elicit'>;
  return { ...answer, content: { ...Object.fromEntries(presets), ...content } };
}

/** What a server may hear of a failure here: deliberate words, and nothing of foreign errors. */
function speakable(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('E_INTERNAL', 'The client failed to answer', { cause: error });
}
