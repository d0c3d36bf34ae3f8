import type { Dialect, Incoming, Rider } from '../dialects/dialect.ts';
import { Fault } from '../model/fault.ts';
import { type Eventually, isObject, type JsonObject } from '../model/json.ts';
import type { Question, WireId } from '../model/peer.ts';
import type { Answer, Operation, Verb } from '../model/verbs.ts';
import { sizeOf, type Wire } from '../rpc/framed.ts';
import type { Memory } from './asking.ts';
import { type Audited, beginAudit, endOf, outcomeOf } from './audited.ts';
import type { House } from './house.ts';
import { faultOf } from './refusals.ts';
import { digest } from './seal.ts';
import { type Reply, tellFault } from './trouble.ts';
import { LiveTurn, type Seat, type TurnParts } from './turn.ts';

export interface ExchangeParts {
  readonly seat: Table;
  readonly dialect: Dialect;
  readonly call: Call;
  /** Names the exchange among those of its conversation. */
  readonly key: WireId;
}

type Call = Extract<Incoming, { kind: 'call' }>;

/** What an exchange needs of its conversation. */
export interface Table extends Seat {
  /** Applies what an answer means to the conversation; false holds the reply back until `finish` is called. */
  effect(dialect: Dialect, call: Call, answer: Answer<Verb>): Eventually<boolean>;
  /** Called once, when an exchange that did not end at once is over. */
  over(key: WireId): void;
}

/**
 * One request and its one reply. Whoever settles it first wins; whatever comes later is dropped. It is what its turn is
 * made of, so that a request takes few objects.
 */
export class Exchange implements TurnParts {
  readonly #house: House;
  readonly #parts: ExchangeParts;
  #turn: LiveTurn | undefined;
  #memory: Memory | undefined;
  #settle: ((reply: Reply | undefined) => void) | undefined;
  #settled: Promise<Reply | undefined> | undefined;
  readonly #audited: Audited | undefined;
  /** How it ended where no fault says so. */
  #outcome = 'ok';

  constructor(house: House, parts: ExchangeParts) {
    this.#house = house;
    this.#parts = parts;
    this.#audited = house.audit === undefined ? undefined : beginAudit(house.audit, parts);
  }

  get seat(): Seat {
    return this.#parts.seat;
  }

  get tasks(): House['tasks'] {
    return this.#house.tasks;
  }

  get logs(): boolean {
    return this.#house.logs;
  }

  get dialect(): Dialect {
    return this.#parts.dialect;
  }

  get wireId(): WireId {
    return this.#parts.call.id;
  }

  get operation(): Operation {
    return this.#parts.call.operation;
  }

  get rider(): Rider {
    return this.#parts.call.rider;
  }

  get memory(): Memory | undefined {
    return this.#memory;
  }

  /** Resolves when the exchange is over, with or without a reply. */
  get settled(): Promise<unknown> {
    return this.#settled ?? Promise.resolve();
  }

  run(): Eventually<Reply | undefined> {
    const { call } = this.#parts;
    try {
      const { state } = call.rider;
      if (state !== undefined) this.#memory = this.#recall(state);
      this.#turn = new LiveTurn(this);
      const answer = this.#house.dispatch(call.operation, this.#turn) as Eventually<Answer<Verb>>;
      if (answer instanceof Promise) return this.#wait(answer);
      const said = this.#effect(answer);
      if (said instanceof Promise) return this.#holdUntil(said, answer);
      return said ? this.#end(this.#say(answer)) : this.#hold();
    } catch (error) {
      return this.#end(this.#fault(faultOf(error)));
    }
  }

  /** Ends the exchange with this reply. */
  finish(reply: Reply | undefined): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    this.#turn?.end();
    this.#parts.seat.over(this.#parts.key);
    this.#audited?.(endOf(reply, this.#outcome));
    settle(reply);
  }

  /** Ends the exchange without a reply: its peer does not want one any more. */
  cancel(reason: Fault): void {
    this.#turn?.abort(reason);
    this.#outcome = 'cancelled';
    this.finish(undefined);
  }

  /** Ends the exchange with an error. */
  fail(fault: Fault): void {
    this.#turn?.abort(fault);
    this.finish(this.#fault(fault));
  }

  #effect(answer: Answer<Verb>): Eventually<boolean> {
    const { seat, dialect, call } = this.#parts;
    return seat.effect(dialect, call, answer);
  }

  #hold(): Promise<Reply | undefined> {
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    return this.#settled;
  }

  #wait(answer: Promise<Answer<Verb>>): Promise<Reply | undefined> {
    const held = this.#hold();
    answer.then(
      (value) => this.#conclude(value),
      (error) => {
        // What an exchange that is over throws is no fault of it, and must not be logged as one.
        if (this.#settle !== undefined) this.finish(this.#fault(faultOf(error)));
      },
    );
    return held;
  }

  #holdUntil(said: Promise<boolean>, answer: Answer<Verb>): Promise<Reply | undefined> {
    const held = this.#hold();
    void this.#sayWhen(said, answer);
    return held;
  }

  #conclude(answer: Answer<Verb>): void {
    if (this.#settle === undefined) return;
    try {
      const said = this.#effect(answer);
      if (said instanceof Promise) void this.#sayWhen(said, answer);
      else if (said) this.finish(this.#say(answer));
    } catch (error) {
      this.finish(this.#fault(faultOf(error)));
    }
  }

  /** Ends the exchange once what the answer means is kept, or could not be. */
  async #sayWhen(said: Promise<boolean>, answer: Answer<Verb>): Promise<void> {
    try {
      if (await said) this.finish(this.#say(answer));
    } catch (error) {
      if (this.#settle !== undefined) this.finish(this.#fault(faultOf(error)));
    }
  }

  #end(reply: Reply): Reply {
    this.#turn?.end();
    this.#audited?.(endOf(reply, this.#outcome));
    return reply;
  }

  #say(answer: Answer<Verb>): Reply {
    if (this.#audited !== undefined) this.#outcome = outcomeOf(answer);
    const wire = this.#write(answer);
    const { outputBytes } = this.#house.limits;
    if (wire.length * 3 <= outputBytes || sizeOf(wire) <= outputBytes) {
      return typeof wire === 'string' ? { text: wire } : wire;
    }
    return this.#fault(
      new Fault('E_OUTPUT_TOO_LARGE', `The result is too large: at most ${outputBytes} bytes are sent`),
    );
  }

  #write(answer: Answer<Verb>): Wire {
    const { dialect, call } = this.#parts;
    try {
      return dialect.answer(call.id, call.operation, answer);
    } catch (cause) {
      throw cause instanceof Fault
        ? cause
        : new Fault('E_BAD_RESULT', 'The result cannot be written as JSON', { cause });
    }
  }

  #fault(fault: Fault): Reply {
    const { dialect, call } = this.#parts;
    return tellFault(this.#house.log, { dialect, id: call.id, fault, verb: call.operation.verb });
  }

  onSuspend(questions: ReadonlyMap<string, Question>, memory: Memory): void {
    if (this.#settle === undefined) return;
    const { dialect, call } = this.#parts;
    const { stateBytes } = this.#house.limits;
    const state = this.#house.sealer.seal(memory, this.#bound());
    if (state.length > stateBytes) {
      const reason = `The answers so far are too large to carry on: at most ${stateBytes} bytes`;
      this.fail(new Fault('E_OUTPUT_TOO_LARGE', reason));
      return;
    }
    this.#turn?.abort(new Fault('E_CLOSED', 'The call goes on when the client comes back with the answer'));
    this.#outcome = 'asked';
    this.finish({ text: dialect.unanswered(call.id, questions, state) });
  }

  #recall(state: string): Memory {
    const { stateBytes, askRounds } = this.#house.limits;
    if (state.length > stateBytes) throw new Fault('E_BAD_STATE', 'Invalid params: "requestState" is too long');
    const { round, answers, done } = this.#house.sealer.open(state, this.#bound());
    if (typeof round !== 'number' || round >= askRounds) {
      throw new Fault('E_BAD_STATE', `Invalid params: a call may ask in at most ${askRounds} rounds`);
    }
    return { round, answers: objectOf(answers), done: objectOf(done) };
  }

  /** What the sealed state belongs to: this request, for this principal. */
  #bound(): string {
    const { seat, call } = this.#parts;
    const { verb, ask } = call.operation;
    return digest(verb, ask as JsonObject, seat.principal?.id);
  }
}

function objectOf(value: JsonObject[string]): JsonObject {
  return isObject(value) ? value : {};
}
