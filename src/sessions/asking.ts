import { randomUUID } from 'node:crypto';
import type { Dialect } from '../dialects/dialect.ts';
import type { Ask, Elicited, ElicitRequest, ElicitUrlRequest } from '../model/call.ts';
import { Fault } from '../model/fault.ts';
import type { Eventually, Json, JsonObject } from '../model/json.ts';
import type { Peer, Question, QuestionAnswer, QuestionKind, SampleRequest } from '../model/peer.ts';
import type { Verb } from '../model/verbs.ts';
import { hear } from './questions.ts';

/** What an earlier round left behind: the answers it got and the work it did. */
export interface Memory extends JsonObject {
  round: number;
  answers: JsonObject;
  done: JsonObject;
}

/** What asking needs to know of the turn it serves. */
export interface Asker {
  readonly dialect: Dialect;
  readonly verb: Verb;
  readonly peer: Peer;
  readonly memory: Memory | undefined;
  /** Answers this round brought. */
  readonly answers: JsonObject | undefined;
  /** Puts a question as a message and waits for its answer. */
  put(question: Question): Promise<QuestionAnswer<QuestionKind>>;
  /** Puts a question where the client looks for it, in revisions that ask in the reply; `undefined`: end the turn. */
  hold(key: string, question: Question): Promise<QuestionAnswer<QuestionKind>> | undefined;
  /** Ends the turn with questions instead of an answer. */
  suspend(questions: ReadonlyMap<string, Question>, memory: Memory): void;
}

/** Stops a handler at a question that travels in the reply; the retry runs the handler again. */
export class Suspended extends Error {
  override readonly name = 'Suspended';
  constructor() {
    super('The call goes on when the client comes back with the answer');
  }
}

/** The questions of one turn, however they travel, and the work it must not do twice. */
export class Asking implements Ask {
  readonly #asker: Asker;
  readonly #answers: JsonObject;
  readonly #done = new Map<string, Promise<Json | undefined>>();
  readonly #results: JsonObject;
  readonly #open = new Map<string, Question>();
  readonly #keys = new Set<string>();
  #count = 0;
  #stop: Promise<never> | undefined;

  constructor(asker: Asker) {
    this.#asker = asker;
    this.#answers = { ...asker.answers, ...asker.memory?.answers };
    this.#results = { ...asker.memory?.done };
  }

  elicit<Content>({ message, schema, key }: ElicitRequest): Promise<Elicited<Content>> {
    return this.#ask({ kind: 'elicit', ask: { message, schema: schema as JsonObject } }, key) as Promise<
      Elicited<Content>
    >;
  }

  elicitUrl({ message, url, key }: ElicitUrlRequest): Promise<QuestionAnswer<'elicitUrl'>> {
    return this.#ask({ kind: 'elicitUrl', ask: { message, url, elicitation: randomUUID() } }, key);
  }

  sample({ key, ...ask }: SampleRequest & { key?: string }): Promise<QuestionAnswer<'sample'>> {
    return this.#ask({ kind: 'sample', ask }, key);
  }

  roots({ key }: { key?: string } = {}): Promise<QuestionAnswer<'roots'>['roots']> {
    return heeded(this.#ask({ kind: 'roots', ask: {} }, key).then(({ roots }) => roots));
  }

  once<T extends Json | undefined>(key: string, work: () => Eventually<T>): Promise<T> {
    if (Object.hasOwn(this.#results, key)) return Promise.resolve(this.#results[key] as T);
    const running = this.#done.get(key);
    if (running !== undefined) return running as Promise<T>;
    const fresh = heeded(
      Promise.resolve()
        .then(work)
        .then((value) => {
          this.#results[key] = value ?? null;
          return value;
        }),
    );
    this.#done.set(key, fresh);
    return fresh;
  }

  #ask<K extends QuestionKind>(question: Question<K>, key: string | undefined): Promise<QuestionAnswer<K>> {
    return heeded(this.#put(question, key));
  }

  async #put<K extends QuestionKind>(question: Question<K>, key: string | undefined): Promise<QuestionAnswer<K>> {
    const { dialect, peer, verb } = this.#asker;
    const name = this.#name(question.kind, key);
    if (dialect.asksBy === 'never' || !dialect.mayAsk(verb)) {
      throw new Fault('E_CANNOT_ASK', `Cannot ask the client: "${dialect.name}" has no questions here`);
    }
    dialect.permit(question as Question, peer);
    if (dialect.asksBy === 'request') return (await this.#asker.put(question as Question)) as QuestionAnswer<K>;
    if (Object.hasOwn(this.#answers, name)) return hear(dialect, question, this.#answers[name]);
    const held = this.#asker.hold(name, question as Question);
    return held === undefined ? this.#askInReply(name, question as Question) : ((await held) as QuestionAnswer<K>);
  }

  #name(kind: QuestionKind, key: string | undefined): string {
    const name = key ?? `${kind}-${++this.#count}`;
    if (this.#keys.has(name)) throw new TypeError(`Cannot ask twice under the key "${name}"`);
    this.#keys.add(name);
    return name;
  }

  // Every question asked in the same breath goes into one reply, so the turn ends a moment later.
  #askInReply(name: string, question: Question): Promise<never> {
    this.#open.set(name, question);
    if (this.#stop === undefined) {
      this.#stop = new Promise<never>((_, reject) =>
        setImmediate(() => void this.#suspend().finally(() => reject(new Suspended()))),
      );
      this.#stop.catch(() => {});
    }
    return this.#stop;
  }

  // Work that has begun is waited for: its result must travel, or the replay would do it again.
  async #suspend(): Promise<void> {
    await Promise.allSettled(this.#done.values());
    const { memory, suspend } = this.#asker;
    const answers = Object.fromEntries(Object.entries(this.#answers).filter(([name]) => this.#keys.has(name)));
    suspend(this.#open, { round: (memory?.round ?? 0) + 1, answers, done: this.#results });
  }
}

/** A promise whose failure is nobody's error while its handler is busy elsewhere, or has left. */
function heeded<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
