import type { Ask, Call, Elicited, ElicitRequest, ElicitUrlRequest } from '../../model/call.ts';
import type { Eventually, Json, JsonObject } from '../../model/json.ts';
import type { LogLevel, Peer, Principal, QuestionAnswer, SampleRequest } from '../../model/peer.ts';
import type { Aside, CallFacts, QuestionName } from './messages.ts';
import { errorOf, type Trouble, troubleOf } from './trouble.ts';

export interface CellCallOptions {
  readonly facts: CallFacts;
  readonly noticesPerSecond: number;
  /** Tells the server something about this call. */
  say(aside: Aside): void;
}

interface Waiting {
  resolve(value: Json | undefined): void;
  reject(error: unknown): void;
  /** What is to be done when the server says so. */
  readonly work?: () => Eventually<Json | undefined>;
  /** Why that failed, as it was thrown here. */
  failed?: { readonly error: unknown };
}

/** A call inside a cell: what its handler says and asks goes to the server, which does the rest. */
export class CellCall implements Call, Ask {
  readonly id: string;
  readonly dialect: string;
  readonly peer: Peer;
  readonly principal: Principal | undefined;
  readonly session: string | undefined;
  readonly meta: JsonObject;
  readonly #options: CellCallOptions;
  readonly #controller = new AbortController();
  readonly #waiting = new Map<number, Waiting>();
  #asks = 0;
  #notices = 0;
  #noticesSince = 0;
  /** Set when the handler has answered: nobody listens any more. */
  over = false;

  constructor(options: CellCallOptions) {
    const { id, dialect, peer, principal, session, meta } = options.facts;
    this.#options = options;
    this.id = id;
    this.dialect = dialect;
    this.peer = peer;
    this.principal = principal;
    this.session = session;
    this.meta = meta;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ask(): Ask {
    return this;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  progress(done: number, total?: number, message?: string): void {
    if (!this.#mayTell()) return;
    const rest = { ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) };
    this.#options.say({ kind: 'progress', done, ...rest });
  }

  log(level: LogLevel, data: Json, logger?: string): void {
    if (this.#mayTell()) this.#options.say({ kind: 'log', level, data, ...(logger === undefined ? {} : { logger }) });
  }

  release(): void {
    if (!this.over) this.#options.say({ kind: 'release' });
  }

  elicit<Content>(request: ElicitRequest): Promise<Elicited<Content>> {
    return this.#put('elicit', { ...request }) as Promise<Elicited<Content>>;
  }

  elicitUrl(request: ElicitUrlRequest): Promise<QuestionAnswer<'elicitUrl'>> {
    return this.#put('elicitUrl', { ...request }) as Promise<QuestionAnswer<'elicitUrl'>>;
  }

  sample(request: SampleRequest & { key?: string }): Promise<QuestionAnswer<'sample'>> {
    return this.#put('sample', { ...request }) as Promise<QuestionAnswer<'sample'>>;
  }

  roots(request: { key?: string } = {}): Promise<QuestionAnswer<'roots'>['roots']> {
    return this.#put('roots', { ...request }) as Promise<QuestionAnswer<'roots'>['roots']>;
  }

  once<T extends Json | undefined>(key: string, work: () => Eventually<T>): Promise<T> {
    return this.#wait((ask) => this.#options.say({ kind: 'once', ask, key }), work) as Promise<T>;
  }

  /** The server answers a question, or says what came of a work. */
  answer(ask: number, value: Json | undefined, trouble: Trouble | undefined): void {
    const waiting = this.#waiting.get(ask);
    this.#waiting.delete(ask);
    if (trouble === undefined) waiting?.resolve(value);
    else waiting?.reject(waiting.failed === undefined ? errorOf(trouble) : waiting.failed.error);
  }

  /** The server says that a work is to be done: no earlier round did it. */
  async perform(ask: number): Promise<void> {
    const waiting = this.#waiting.get(ask);
    if (waiting?.work === undefined) return;
    try {
      const value = await waiting.work();
      this.#options.say({ kind: 'performed', ask, ...(value === undefined ? {} : { value }) });
    } catch (error) {
      waiting.failed = { error };
      this.#options.say({ kind: 'performed', ask, trouble: troubleOf(error) });
    }
  }

  #put(question: QuestionName, request: object): Promise<unknown> {
    return this.#wait((ask) => this.#options.say({ kind: 'ask', ask, question, request: request as JsonObject }));
  }

  #wait(say: (ask: number) => void, work?: () => Eventually<Json | undefined>): Promise<unknown> {
    const ask = ++this.#asks;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(ask, { resolve, reject, ...(work === undefined ? {} : { work }) });
      say(ask);
    });
    // A handler that is busy elsewhere, or has left, is not at fault.
    answer.catch(() => {});
    return answer;
  }

  #mayTell(): boolean {
    if (this.over) return false;
    const now = performance.now();
    if (now - this.#noticesSince > 1000) {
      this.#noticesSince = now;
      this.#notices = 0;
    }
    return ++this.#notices <= this.#options.noticesPerSecond;
  }
}
