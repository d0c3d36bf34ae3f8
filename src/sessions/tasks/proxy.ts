import { randomBytes } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { Log } from '../../model/log.ts';
import type { Question } from '../../model/peer.ts';
import type { LiveTurn } from '../turn.ts';
import { answered, moved, type TaskRecord } from './record.ts';
import type { TaskShelf } from './shelf.ts';

export interface ProxyParts {
  readonly key: string;
  readonly shelf: TaskShelf;
  /** The request that waits for the result: its client is asked. */
  readonly turn: LiveTurn;
  readonly limits: Limits;
  readonly log: Log;
}

const TOKEN_BYTES = 6;
/** In how many parts of its time a claim is renewed. */
const PARTS = 3;

/** Asks the client that waits here what a task wants to know that runs elsewhere, and leaves the answer in the record. */
export class TaskProxy {
  readonly #parts: ProxyParts;
  readonly #token = randomBytes(TOKEN_BYTES).toString('base64url');
  readonly #asking = new Map<string, AbortController>();

  constructor(parts: ProxyParts) {
    this.#parts = parts;
  }

  /** Takes up the questions nobody has taken up, and drops those that do not stand any more. */
  look({ questions, asked = {} }: TaskRecord): void {
    for (const [key, stop] of this.#asking) {
      if (!Object.hasOwn(questions, key)) stop.abort(new Fault('E_CLOSED', 'The question does not stand any more'));
    }
    for (const [key, question] of Object.entries(questions)) {
      if (Object.hasOwn(asked, key) && !this.#asking.has(key)) void this.#ask(key, question);
    }
  }

  /** The client does not wait any more: somebody else may ask. */
  close(): void {
    for (const stop of this.#asking.values()) stop.abort(new Fault('E_CLOSED', 'The client does not wait any more'));
  }

  async #ask(key: string, question: Question): Promise<void> {
    const { shelf, key: task, limits, log } = this.#parts;
    const stop = new AbortController();
    this.#asking.set(key, stop);
    const renewal = setInterval(() => void this.#claim(key).catch(() => {}), Math.max(1, limits.taskLeaseMs / PARTS));
    try {
      if (!(await this.#claim(key))) return;
      const answer = await this.#put(question, stop.signal);
      clearInterval(renewal);
      if (answer === undefined) await this.#release(key);
      else await shelf.change(task, (record, now) => answered(record, { [key]: answer }, now));
    } catch (error) {
      log('error', 'Cannot ask on behalf of a task', { cause: error });
    } finally {
      clearInterval(renewal);
      this.#asking.delete(key);
    }
  }

  /** What the client says; `undefined` when it was not asked to the end. */
  async #put(question: Question, signal: AbortSignal): Promise<JsonObject | undefined> {
    const { seat, dialect, wireId } = this.#parts.turn.parts;
    const task = this.#parts.key.slice(this.#parts.key.lastIndexOf('/') + 1);
    try {
      await seat.ready();
      signal.throwIfAborted();
      return (await seat.questions.put(question, { dialect, about: wireId, signal, task })) as unknown as JsonObject;
    } catch (error) {
      const { code, message } = Fault.from(error);
      return code === 'E_REFUSED' ? { refused: message } : undefined;
    }
  }

  /** Whether the question is to be asked from here; who takes it up keeps it, until it is silent for too long. */
  async #claim(key: string): Promise<boolean> {
    const { shelf, key: task, limits } = this.#parts;
    const claimed = await shelf.change(task, (record, now) => {
      const held = record.asked?.[key];
      if (!Object.hasOwn(record.questions, key)) return undefined;
      if (held !== undefined && held !== null && held.token !== this.#token && held.until > now) return undefined;
      const claim = { token: this.#token, until: now + limits.taskLeaseMs };
      return moved(record, { asked: { ...record.asked, [key]: claim } }, now);
    });
    return claimed !== undefined;
  }

  async #release(key: string): Promise<void> {
    const { shelf, key: task } = this.#parts;
    await shelf.change(task, (record, now) =>
      record.asked?.[key]?.token === this.#token && Object.hasOwn(record.questions, key)
        ? moved(record, { asked: { ...record.asked, [key]: null } }, now)
        : undefined,
    );
  }
}
