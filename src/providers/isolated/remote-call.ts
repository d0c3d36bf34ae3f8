import type { Call } from '../../model/call.ts';
import type { Eventually, Json, JsonObject } from '../../model/json.ts';
import { LOG_LEVELS } from '../../model/peer.ts';
import type { Aside, CallFacts, Job, QuestionName, ToCell } from './messages.ts';
import { errorOf, type Trouble, troubleOf } from './trouble.ts';

/** Something to be done in a cell, and who waits for it. */
export interface Order {
  readonly job: Job;
  readonly call: Call;
  resolve(value: Json | undefined): void;
  reject(error: unknown): void;
}

export interface RemoteCallOptions {
  readonly id: number;
  readonly order: Order;
  send(message: ToCell): void;
  /** The call was cancelled: called once. */
  onAbort(): void;
}

interface Performing {
  resolve(value: Json | undefined): void;
  reject(error: unknown): void;
}

/** A call that runs in a cell, seen from the server: it passes on what the handler says and asks, and what is answered. */
export class RemoteCall {
  readonly #options: RemoteCallOptions;
  readonly #performing = new Map<number, Performing>();
  /** Why the handler was stopped at a question, which is no fault. */
  #stopped: { readonly error: unknown } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settled = false;

  constructor(options: RemoteCallOptions) {
    this.#options = options;
    const { id, order, send } = options;
    send({ kind: 'call', id, job: order.job, facts: factsOf(order.call) });
    order.call.signal.addEventListener('abort', this.#abort, { once: true });
    if (order.call.signal.aborted) this.#abort();
  }

  get order(): Order {
    return this.#options.order;
  }

  /** Calls back after a time, unless the call is over by then. */
  later(ms: number, then: () => void): void {
    this.#timer = setTimeout(then, ms);
  }

  /** The handler says or asks something. Throws for what no handler of ours says. */
  hear(aside: Aside): void {
    const { call } = this.order;
    switch (aside.kind) {
      case 'progress':
        call.progress(aside.done, aside.total, aside.message);
        break;
      case 'log':
        if (!LOG_LEVELS.includes(aside.level)) throw new TypeError('There is no such log level');
        call.log(aside.level, aside.data, aside.logger);
        break;
      case 'release':
        call.release();
        break;
      case 'ask':
        this.#answer(aside.ask, () => this.#ask(aside.question, aside.request));
        break;
      case 'once':
        this.#answer(aside.ask, () => call.once(String(aside.key), () => this.#perform(aside.ask)));
        break;
      case 'performed':
        this.#performed(aside);
        break;
      default:
        throw new TypeError('There is no such message');
    }
  }

  done(value: Json | undefined, trouble: Trouble | undefined): void {
    if (trouble === undefined) this.#settle(() => this.order.resolve(value));
    else this.fail(errorOf(trouble));
  }

  fail(error: unknown): void {
    const { signal } = this.order.call;
    const reason = this.#stopped?.error ?? (signal.aborted ? signal.reason : error);
    this.#settle(() => this.order.reject(reason));
  }

  #settle(settle: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.order.call.signal.removeEventListener('abort', this.#abort);
    for (const { reject } of this.#performing.values()) reject(new Error('The process is gone'));
    settle();
  }

  readonly #abort = (): void => {
    const { id, order, send, onAbort } = this.#options;
    send({ kind: 'cancel', id, trouble: troubleOf(order.call.signal.reason) });
    onAbort();
  };

  #ask(question: QuestionName, request: JsonObject): Promise<Json | undefined> {
    const { ask } = this.order.call;
    const asked: Promise<unknown> = Object.hasOwn(QUESTIONS, question)
      ? ask[question](request as never)
      : Promise.reject(new TypeError('There is no such question'));
    return asked as Promise<Json | undefined>;
  }

  #answer(ask: number, work: () => Eventually<Json | undefined>): void {
    const { id, send } = this.#options;
    const say = (said: { value?: Json | undefined; trouble?: Trouble }): void => {
      if (!this.#settled) send({ kind: 'answer', id, ask, ...said });
    };
    Promise.resolve()
      .then(work)
      .then(
        (value) => say({ value }),
        (error: unknown) => {
          if (error instanceof Error && error.name === 'Suspended') this.#stopped = { error };
          say({ trouble: troubleOf(error) });
        },
      );
  }

  #perform(ask: number): Promise<Json | undefined> {
    const { id, send } = this.#options;
    return new Promise((resolve, reject) => {
      this.#performing.set(ask, { resolve, reject });
      send({ kind: 'perform', id, ask });
    });
  }

  #performed({ ask, value, trouble }: Extract<Aside, { kind: 'performed' }>): void {
    const waiting = this.#performing.get(ask);
    this.#performing.delete(ask);
    if (trouble === undefined) waiting?.resolve(value);
    else waiting?.reject(errorOf(trouble));
  }
}

const QUESTIONS: Readonly<Record<QuestionName, true>> = { elicit: true, elicitUrl: true, sample: true, roots: true };

function factsOf({ id, dialect, peer, principal, session, meta }: Call): CallFacts {
  return { id, dialect, peer, principal, session, meta };
}
