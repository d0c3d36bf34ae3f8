import { randomBytes } from 'node:crypto';
import { failureOf } from '../../dialects/mcp/failing.ts';
import { Fault } from '../../model/fault.ts';
import { FAULTS } from '../../model/fault-codes.ts';
import type { ToolResult } from '../../model/items.ts';
import type { Eventually, JsonObject } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { Log } from '../../model/log.ts';
import type { Question, QuestionAnswer, QuestionKind, WireId } from '../../model/peer.ts';
import type { TaskStatus } from '../../model/tasks.ts';
import { StoreError } from '../../store/store.ts';
import { hear } from '../questions.ts';
import type { LiveTurn, Seat, TaskLink } from '../turn.ts';
import { isOver, moved, type TaskRecord, viewOf } from './record.ts';
import type { TaskShelf } from './shelf.ts';
import type { Waiter } from './waiting.ts';

type AnyAnswer = QuestionAnswer<QuestionKind>;

export interface RunParts {
  readonly id: string;
  readonly key: string;
  readonly shelf: TaskShelf;
  readonly turn: LiveTurn;
  readonly limits: Limits;
  readonly log: Log;
  /** Whoever waits for the result now. */
  waiter(): Waiter | undefined;
}

interface Pending {
  readonly question: Question;
  resolve(answer: AnyAnswer): void;
  reject(fault: Fault): void;
}

/** One task at work in this process: it outlives the request that started it, and what it comes to is on the shelf. */
export class TaskRun implements TaskLink {
  readonly id: string;
  readonly silent: boolean;
  readonly #parts: RunParts;
  readonly #pending = new Map<string, Pending>();
  #created: Promise<void> = Promise.resolve();
  #told: TaskStatus = 'working';
  #open = 0;
  #count = 0;
  #over = false;
  #end: () => void = () => {};
  /** Resolves when nothing of the task is left to do here. */
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });
  #wakes: (() => void)[] = [];

  constructor(parts: RunParts) {
    this.id = parts.id;
    this.#parts = parts;
    // Where questions do not travel as messages of their own, notices of a task do not either.
    this.silent = parts.turn.parts.dialect.asksBy !== 'request';
  }

  get over(): boolean {
    return this.#over;
  }

  /** Nothing the work does shows before the task is kept. */
  startAfter(created: Promise<void>): void {
    this.#created = created;
    created.catch(() => {});
  }

  /** Waits for the work and keeps what came of it. Never rejects. */
  async finish(work: () => Eventually<ToolResult>): Promise<void> {
    const { shelf, key, turn } = this.#parts;
    const keep = (outcome: Partial<TaskRecord>) =>
      shelf.insist(key, (record, now) => moved(record, { ...outcome, questions: {} }, now));
    try {
      const outcome = await this.#outcome(work);
      await this.#created;
      // A result the store cannot hold must not leave the task at work for ever.
      await keep(outcome).catch((error: unknown) => keep(this.#failed(Fault.from(error))));
      await shelf.release(key);
      // Whoever started the task hears of its end, also when the store tells of it too late.
      await this.look();
    } catch (error) {
      this.#report(error);
    } finally {
      this.#over = true;
      this.#drop(new Fault('E_CLOSED', 'Cannot ask the client: the call is over'));
      turn.end();
      this.#end();
    }
  }

  /** Looks at what became of the task elsewhere: it may be cancelled, gone, or have been answered. */
  async look(): Promise<void> {
    const record = await this.#parts.shelf.read(this.#parts.key);
    if (record === undefined || record.status === 'cancelled') {
      this.stop(new Fault('E_CLOSED', record === undefined ? 'The task has expired' : 'The client cancelled the task'));
    }
    if (record === undefined) return;
    this.#hear(record.answers);
    this.#tellStatus(record);
  }

  /** Nobody wants the result any more. */
  stop(reason: Fault): void {
    this.#parts.turn.abort(reason);
    this.#drop(reason);
    this.wake();
  }

  /** Somebody waits now: questions that found no way may go. */
  wake(): void {
    for (const wake of this.#wakes.splice(0)) wake();
  }

  tell(text: string): void {
    const way = this.#way();
    way?.seat.send(text, way.about);
  }

  async ask(key: string, question: Question): Promise<AnyAnswer> {
    this.#parts.turn.signal.throwIfAborted();
    await this.#created;
    return this.silent ? this.#hold(key, question) : this.#put(question);
  }

  async #outcome(work: () => Eventually<ToolResult>): Promise<Partial<TaskRecord>> {
    const { limits, turn } = this.#parts;
    try {
      turn.signal.throwIfAborted();
      const result = await work();
      const bytes = sizeOf(result);
      if (bytes > limits.outputBytes) {
        const reason = `The result is too large: at most ${limits.outputBytes} bytes are kept`;
        throw new Fault('E_OUTPUT_TOO_LARGE', reason);
      }
      return { status: result.failed === true ? 'failed' : 'completed', result };
    } catch (error) {
      return this.#failed(Fault.from(error));
    }
  }

  #drop(reason: Fault): void {
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
  }

  #report(error: unknown): void {
    const closed = error instanceof StoreError && error.trouble === 'closed';
    const severity = closed ? 'debug' : 'error';
    this.#parts.log(severity, 'Cannot keep what came of a task', { task: this.id, cause: error });
  }

  #failed(fault: Fault): Partial<TaskRecord> {
    const { code, message, data, cause } = fault;
    const errorId = randomBytes(6).toString('hex');
    this.#parts.log(fault.kind === 'internal' ? 'error' : 'debug', message, { code, errorId, task: this.id, cause });
    const told = { status: 'failed', remark: message } as const;
    if (FAULTS[code].ofTool) return { ...told, result: failureOf({ fault, errorId }) };
    return { ...told, trouble: { code, message, errorId, ...(data === undefined ? {} : { data }) } };
  }

  /** Leaves the question in the record, where the client finds it. */
  async #hold(key: string, question: Question, asked = false): Promise<AnyAnswer> {
    const { shelf, key: task, limits } = this.#parts;
    const mark = (record: TaskRecord) => (asked ? { asked: { ...record.asked, [key]: null } } : {});
    const answer = new Promise<AnyAnswer>((resolve, reject) => this.#pending.set(key, { question, resolve, reject }));
    const timer = setTimeout(() => void this.#expire(key), limits.askDeadlineMs).unref();
    try {
      answer.catch(() => {});
      const asked = await shelf.insist(task, (record, now) =>
        moved(
          record,
          { status: 'input_required', questions: { ...record.questions, [key]: question }, ...mark(record) },
          now,
        ),
      );
      if (asked === undefined) await this.look();
      return await answer;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(key);
    }
  }

  async #expire(key: string): Promise<void> {
    const { shelf, key: task } = this.#parts;
    await shelf.insist(task, (record, now) => {
      const { [key]: gone, ...questions } = record.questions;
      if (gone === undefined) return undefined;
      const status = Object.keys(questions).length === 0 ? 'working' : 'input_required';
      return moved(record, { status, questions }, now);
    });
    this.#pending.get(key)?.reject(new Fault('E_UNANSWERED', 'The client did not answer in time'));
  }

  #hear(answers: JsonObject): void {
    for (const [key, { question, resolve, reject }] of [...this.#pending]) {
      if (!Object.hasOwn(answers, key)) continue;
      this.#pending.delete(key);
      const refused = (answers[key] as JsonObject | null)?.['refused'];
      if (typeof refused === 'string') {
        reject(new Fault('E_REFUSED', refused));
        continue;
      }
      try {
        resolve(hear(this.#parts.turn.parts.dialect, question as Question<QuestionKind>, answers[key]));
      } catch (error) {
        reject(Fault.from(error));
      }
    }
  }

  /** Sends the question as a message that names the task. */
  async #put(question: Question): Promise<AnyAnswer> {
    const { turn, shelf, key } = this.#parts;
    // Whoever waits for the result may do so elsewhere: it finds the question in the record.
    if (shelf.shared && this.#way() === undefined) return this.#hold(`asked-${++this.#count}`, question, true);
    const { signal } = turn;
    const { dialect } = turn.parts;
    this.#open += 1;
    try {
      await shelf.insist(key, (record, now) =>
        record.status === 'input_required' ? undefined : moved(record, { status: 'input_required' }, now),
      );
      const { seat, about } = await this.#reach(signal);
      await seat.ready();
      return await seat.questions.put(question, { dialect, about, signal, task: this.id });
    } finally {
      this.#open -= 1;
      // Another question may have been put meanwhile.
      await shelf.insist(key, (record, now) =>
        this.#open > 0 ? undefined : moved(record, { status: 'working' }, now),
      );
    }
  }

  /** The way to the client, as soon as there is one. */
  async #reach(signal: AbortSignal): Promise<{ seat: Seat; about: WireId | undefined }> {
    const deadline = performance.now() + this.#parts.limits.askDeadlineMs;
    for (;;) {
      signal.throwIfAborted();
      const way = this.#way();
      if (way !== undefined) return way;
      const left = deadline - performance.now();
      if (left <= 0) throw new Fault('E_UNANSWERED', 'The client did not come for a question in time');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left).unref();
        this.#wakes.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #way(): { seat: Seat; about: WireId | undefined } | undefined {
    const waiter = this.#parts.waiter();
    if (waiter !== undefined) return { seat: waiter.seat, about: waiter.wireId };
    const { seat } = this.#parts.turn.parts;
    return seat.reachable ? { seat, about: undefined } : undefined;
  }

  #tellStatus(record: TaskRecord): void {
    const { turn, limits } = this.#parts;
    const { dialect } = turn.parts;
    if (record.status === this.#told || dialect.pushes !== 'session') return;
    this.#told = record.status;
    const text = dialect.tell({ kind: 'task', view: viewOf(record, limits.taskPollMs) });
    if (text !== undefined && (!this.#over || isOver(record))) this.tell(text);
  }
}

function sizeOf(result: ToolResult): number {
  try {
    return Buffer.byteLength(JSON.stringify(result));
  } catch (cause) {
    throw new Fault('E_BAD_RESULT', 'The result cannot be written as JSON', { cause });
  }
}
