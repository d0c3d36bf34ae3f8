import type { Job, Turn } from '../core/turn.ts';
import type { Dialect, Rider } from '../dialects/dialect.ts';
import type { Ask } from '../model/call.ts';
import { Fault } from '../model/fault.ts';
import type { Eventually, Json, JsonObject } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import {
  LOG_LEVELS,
  type LogLevel,
  type Notice,
  type Peer,
  type Principal,
  type Question,
  type QuestionAnswer,
  type QuestionKind,
  type WireId,
} from '../model/peer.ts';
import type { Answer, Operation } from '../model/verbs.ts';
import { Asking, type Memory } from './asking.ts';
import type { Questions } from './questions.ts';

/** What a turn needs of the conversation it is part of. */
export interface Seat {
  readonly name: string;
  /** Names the session or connection, where there is one. */
  readonly session: string | undefined;
  readonly limits: Limits;
  readonly principal: Principal | undefined;
  readonly peer: Peer;
  /** The least urgent log message the session wants. */
  readonly level: LogLevel;
  /** The peer cannot be asked, since its answers would find no way back. */
  readonly mute: boolean;
  readonly questions: Questions;
  readonly beside: Turn['beside'];
  /** Resolves when the peer may be asked. */
  ready(): Eventually<void>;
  /** Lets the client of a request go for now; it comes back for the answer. */
  release(about: WireId): void;
  /** Whether a message that belongs to no request would be heard now. */
  readonly reachable: boolean;
  /** Sends a message that belongs to a request, or to none. */
  send(text: string, about?: WireId): void;
  /** Says that somebody may speak to the peer later, until the returned function is called. */
  retain(): () => void;
}

/** A task as the turn inside it sees it. */
export interface TaskLink {
  readonly id: string;
  /** The client hears nothing of the turn any more. */
  readonly silent: boolean;
  readonly over: boolean;
  /** Tells the client something about the work. */
  tell(text: string): void;
  ask(key: string, question: Question): Promise<QuestionAnswer<QuestionKind>>;
}

export interface TurnParts {
  readonly seat: Seat;
  readonly tasks: Deferring | undefined;
  /** Whether the client hears what is logged. */
  readonly logs: boolean;
  readonly dialect: Dialect;
  readonly wireId: WireId;
  readonly operation: Operation;
  readonly rider: Rider;
  readonly memory: Memory | undefined;
  /** Called when the turn ends with questions instead of an answer. */
  onSuspend(questions: ReadonlyMap<string, Question>, memory: Memory): void;
}

/** Makes tasks of calls. */
export interface Deferring {
  defer(job: Job, turn: LiveTurn): Eventually<Answer<'tools.call'>> | undefined;
  /** Lets what is at work finish, for as long as is given, where what came of it can be asked for later. */
  drain(graceMs: number): Promise<void>;
}

let turns = 0;

/** One request being answered. What few handlers use is made when they first touch it. */
export class LiveTurn implements Turn {
  readonly #parts: TurnParts;
  readonly #number = ++turns;
  /** As it was when the request came: a later request may come with other scopes. */
  readonly principal: Principal | undefined;
  #controller: AbortController | undefined;
  #aborted: Fault | undefined;
  /** Withdraws the questions that are still open when nobody can use their answers. */
  #over: AbortController | undefined;
  #asking: Asking | undefined;
  #link: TaskLink | undefined;
  #onRelease: (() => void) | undefined;
  #onAbort: (() => void) | undefined;
  #ended = false;
  #done = Number.NEGATIVE_INFINITY;
  #notices = 0;
  #noticesSince = 0;
  #waiting = 0;
  #waitingSince = 0;
  #waited = 0;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.principal = parts.seat.principal;
  }

  get parts(): TurnParts {
    return this.#parts;
  }

  get id(): string {
    return `${this.#parts.seat.name}.${this.#number}`;
  }

  get dialect(): string {
    return this.#parts.dialect.name;
  }

  get peer(): Peer {
    return this.#parts.rider.peer ?? this.#parts.seat.peer;
  }

  get session(): string | undefined {
    return this.#parts.seat.session;
  }

  get meta(): JsonObject {
    return this.#parts.rider.meta;
  }

  get lacks(): Fault | undefined {
    return this.#parts.rider.lacks;
  }

  get beside(): Turn['beside'] {
    return this.#parts.seat.beside;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  get ask(): Ask {
    return this.#questions;
  }

  progress(done: number, total?: number, message?: string): void {
    const { rider, dialect } = this.#parts;
    // JSON has no word for a number that is not finite.
    if (rider.progress === undefined || !Number.isFinite(done) || done <= this.#done || !this.#mayTell()) return;
    this.#done = done;
    const notice: Extract<Notice, { kind: 'progress' }> = { kind: 'progress', token: rider.progress, done };
    if (total !== undefined && Number.isFinite(total)) notice.total = total;
    if (message !== undefined) notice.message = message;
    if (this.#link !== undefined) notice.task = this.#link.id;
    this.#tell(dialect.tell(notice));
  }

  log(level: LogLevel, data: Json, logger?: string): void {
    const { rider, dialect, seat, logs } = this.#parts;
    if (!logs) return;
    const least = dialect.opens === 'every-request' ? rider.level : seat.level;
    if (least === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least) || !this.#mayTell()) return;
    const said = { level, data: data ?? null, ...(logger === undefined ? {} : { logger }) };
    this.#tell(dialect.tell({ kind: 'log', ...said, ...this.#related }));
  }

  once<T extends Json | undefined>(key: string, work: () => Eventually<T>): Promise<T> {
    return this.#questions.once(key, work);
  }

  release(): void {
    if (this.#onRelease !== undefined) this.#onRelease();
    else if (!this.#ended && this.#link === undefined) this.#parts.seat.release(this.#parts.wireId);
  }

  abort(reason: Fault): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = reason;
    this.#controller?.abort(reason);
    this.#over?.abort(reason);
    this.#onAbort?.();
  }

  onAbort(listener: () => void): void {
    if (this.#aborted === undefined) this.#onAbort = listener;
    else listener();
  }

  waited(): number {
    return this.#waited + (this.#waiting > 0 ? performance.now() - this.#waitingSince : 0);
  }

  /** From here on the peer hears nothing more of this turn, unless it goes on in a task. */
  end(): void {
    if (this.#link !== undefined && !this.#link.over) return;
    this.#ended = true;
    this.#over?.abort(new Fault('E_CLOSED', 'The call is over'));
  }

  defer(job: Job): Eventually<Answer<'tools.call'>> | undefined {
    return this.#parts.tasks?.defer(job, this);
  }

  /** Calls back when the handler lets the client go, in place of what that does otherwise. */
  onRelease(released: () => void): void {
    this.#onRelease = released;
  }

  /** From here on the turn speaks through a task. */
  moveTo(link: TaskLink): void {
    this.#link = link;
    this.#onRelease = undefined;
  }

  get #questions(): Asking {
    if (this.#asking !== undefined) return this.#asking;
    const { dialect, operation, rider, memory } = this.#parts;
    this.#asking = new Asking({
      dialect,
      verb: operation.verb,
      peer: this.peer,
      memory,
      answers: rider.answers,
      put: (question) => this.#put(question),
      hold: (key, question) => (this.#link === undefined ? undefined : this.#wait(this.#link.ask(key, question))),
      suspend: (questions, known) => this.#parts.onSuspend(questions, known),
    });
    return this.#asking;
  }

  async #put(question: Question) {
    const { seat, dialect, wireId } = this.#parts;
    if (seat.mute) throw new Fault('E_CANNOT_ASK', 'Cannot ask the client: it has no session to be asked in');
    if (this.#ended) throw new Fault('E_CLOSED', 'Cannot ask the client: the call is over');
    if (this.#link !== undefined) return this.#wait(this.#link.ask('', question));
    if (this.#aborted !== undefined) throw this.#aborted;
    this.#over ??= new AbortController();
    const { signal } = this.#over;
    const put = async () => {
      await seat.ready();
      signal.throwIfAborted();
      return seat.questions.put(question, { dialect, about: wireId, signal });
    };
    return this.#wait(put());
  }

  async #wait<T>(answer: Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) this.#waitingSince = performance.now();
    try {
      return await answer;
    } finally {
      if (--this.#waiting === 0) this.#waited += performance.now() - this.#waitingSince;
    }
  }

  get #related(): { task?: string } {
    return this.#link === undefined ? {} : { task: this.#link.id };
  }

  #mayTell(): boolean {
    if (this.#ended || this.#aborted !== undefined || this.#link?.silent === true) return false;
    const now = performance.now();
    if (now - this.#noticesSince > 1000) {
      this.#noticesSince = now;
      this.#notices = 0;
    }
    return ++this.#notices <= this.#parts.seat.limits.noticesPerSecond;
  }

  #tell(text: string | undefined): void {
    if (text === undefined) return;
    if (this.#link === undefined) this.#parts.seat.send(text, this.#parts.wireId);
    else this.#link.tell(text);
  }
}
