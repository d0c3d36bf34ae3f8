import { checkElicited } from '../core/elicited.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { excerpt } from '../model/excerpt.ts';
import { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Question, QuestionAnswer, QuestionKind, WireId } from '../model/peer.ts';

/** Reads an answer and holds it against the form the user was shown. */
export function hear<K extends QuestionKind>(
  dialect: Dialect,
  question: Question<K>,
  answer: Json | undefined,
): QuestionAnswer<K> {
  const heard = dialect.heard(question, answer);
  const { kind, ask } = question as Question;
  if (kind === 'elicit' && 'action' in heard && heard.action === 'accept') {
    checkElicited(ask.schema, (heard as QuestionAnswer<'elicit'>).content);
  }
  return heard;
}

interface Pending {
  readonly dialect: Dialect;
  readonly question: Question;
  readonly task: string | undefined;
  resolve(answer: QuestionAnswer<QuestionKind>): void;
  reject(fault: Fault): void;
}

export interface QuestionsOptions {
  readonly deadlineMs: number;
  /** Begins the id of every question, so that whoever gets an answer knows who asked; a number alone where none is said. */
  readonly mark?: string | undefined;
  /** Where a question goes; `about` is the request it belongs to. */
  send(text: string, about: WireId | undefined): void;
}

/** How a question reaches the peer, and until when it stands. */
export interface QuestionWay {
  readonly dialect: Dialect;
  /** The request it belongs to, if that is not answered yet. */
  readonly about: WireId | undefined;
  readonly signal: AbortSignal;
  /** The task it belongs to. */
  readonly task?: string;
}

/** Questions that travel as messages of their own, and wait for their answers. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #pending = new Map<WireId, Pending>();
  #count = 0;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Puts a question on behalf of a request. The signal withdraws it. */
  put(question: Question, { dialect, about, signal, task }: QuestionWay): Promise<QuestionAnswer<QuestionKind>> {
    const { mark } = this.#options;
    const number = ++this.#count;
    const id = mark === undefined ? number : `${mark}${number}`;
    return new Promise<QuestionAnswer<QuestionKind>>((resolve, reject) => {
      const expire = (): void =>
        this.#withdraw(id, new Fault('E_UNANSWERED', 'The client did not answer in time'), about);
      const withdraw = (): void => this.#withdraw(id, Fault.from(signal.reason), about);
      const timer = setTimeout(expire, this.#options.deadlineMs);
      const settled = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', withdraw);
      };
      signal.addEventListener('abort', withdraw, { once: true });
      this.#pending.set(id, {
        dialect,
        question,
        task,
        resolve: (answer) => {
          settled();
          resolve(answer);
        },
        reject: (fault) => {
          settled();
          reject(fault);
        },
      });
      this.#options.send(dialect.ask(id, question, task), about);
    });
  }

  /** Whether any question waits for its answer. */
  get open(): boolean {
    return this.#pending.size > 0;
  }

  /** Takes an answer; false when nobody waits for it. */
  settle(id: WireId, result: JsonObject): boolean {
    const pending = this.#take(id);
    if (pending === undefined) return false;
    try {
      pending.resolve(hear(pending.dialect, pending.question, result));
    } catch (error) {
      pending.reject(
        new Fault('E_REFUSED', `The client's answer cannot be used: ${Fault.from(error).message}`, { cause: error }),
      );
    }
    return true;
  }

  /** Takes a refusal; false when nobody waits for it. */
  refuse(id: WireId, message: string): boolean {
    const pending = this.#take(id);
    pending?.reject(new Fault('E_REFUSED', `The client refused to answer: ${excerpt(message)}`));
    return pending !== undefined;
  }

  /** Nobody will answer any more. */
  close(fault: Fault): void {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(fault);
  }

  #withdraw(id: WireId, fault: Fault, about: WireId | undefined): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    const { dialect, task } = pending;
    const related = task === undefined ? {} : { task };
    const text = dialect.tell({ kind: 'cancelled', id, reason: fault.message, ...related });
    if (text !== undefined) this.#options.send(text, about);
    pending.reject(fault);
  }

  #take(id: WireId): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}
