import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { problemsIn } from './shapes.ts';

type Id = string | number;

interface Due {
  readonly id: Id;
  readonly method: string;
  readonly revision: string;
  excused: boolean;
  answer?: JsonObject;
}

const PATIENCE_MS = 5000;
const RECORD = process.env['PARLEY_RECORD'];

/** Keeps count of one connection: what was asked, what was answered, and what came unasked. */
export class Ledger {
  readonly #revision: string;
  readonly #due = new Map<string, Due>();
  readonly #unasked: JsonObject[] = [];
  readonly #refusals: JsonObject[] = [];
  readonly #problems: string[] = [];
  readonly #asked = new Set<Id>();
  readonly #revisions = new Set<string>();
  #wake: (() => void)[] = [];
  /** Every line the server said. */
  readonly lines: string[] = [];

  constructor(revision: string) {
    this.#revision = revision;
    this.#revisions.add(revision);
  }

  expect(id: Id, method: string, revision: string): void {
    this.#revisions.add(revision);
    this.#due.set(keyOf(id), { id, method, revision, excused: false });
  }

  /** No answer will come, and none may. */
  excuse(id: Id): void {
    const due = this.#due.get(keyOf(id));
    if (due !== undefined) due.excused = true;
  }

  enter(line: string): void {
    this.lines.push(line);
    let message: Json;
    try {
      message = JSON.parse(line) as Json;
    } catch {
      this.#problems.push(`not JSON: ${line.slice(0, 200)}`);
      this.#stir();
      return;
    }
    for (const part of [message].flat()) this.#file(part as Json);
    this.#stir();
  }

  /** The answer to a request. */
  async answer(id: Id): Promise<JsonObject> {
    const due = this.#due.get(keyOf(id));
    assert(due !== undefined, `nothing was asked under the id ${JSON.stringify(id)}`);
    await this.#until(() => due.answer !== undefined, `the answer to ${due.method} ${JSON.stringify(id)}`);
    this.#due.delete(keyOf(id));
    return due.answer as JsonObject;
  }

  async next(method?: string): Promise<JsonObject> {
    await this.#until(() => this.#unasked.length > 0, `a message ${method ?? ''}`);
    const message = this.#unasked.shift() as JsonObject;
    if (method !== undefined) assert.equal(message['method'], method, JSON.stringify(message));
    return message;
  }

  async refusal(code: number): Promise<JsonObject> {
    await this.#until(() => this.#refusals.length > 0, `an error ${code} that names no request`);
    const { error } = this.#refusals.shift() as { error: JsonObject };
    assert.equal(error['code'], code, JSON.stringify(error));
    return error;
  }

  /** Lets go of everything that came so far without being taken. */
  forget(): void {
    this.#refusals.length = 0;
    this.#unasked.length = 0;
    for (let at = this.#problems.length - 1; at >= 0; at -= 1)
      if (this.#problems[at]?.startsWith('an answer to nothing')) this.#problems.splice(at, 1);
  }

  /** Takes every notice nobody waits for; questions stay. */
  dropNotices(): void {
    const questions = this.#unasked.filter(({ id }) => id !== undefined);
    this.#unasked.splice(0, this.#unasked.length, ...questions);
  }

  /** Nothing is owed, nothing is left over, and nothing was wrong. */
  assertEmpty(): void {
    assert.deepEqual(this.#problems, []);
    const open = [...this.#due.values()].filter(({ excused, answer }) => !excused && answer === undefined);
    assert.deepEqual(
      open.map(({ id, method }) => ({ id, method })),
      [],
      'requests without an answer',
    );
    assert.deepEqual(this.#unasked, [], 'messages nobody asked for');
    assert.deepEqual(this.#refusals, [], 'errors that name no request');
  }

  #file(message: Json): void {
    if (!isObject(message)) {
      this.#problems.push(`not an object: ${JSON.stringify(message)}`);
      return;
    }
    if (typeof message['method'] === 'string') this.#fileUnasked(message);
    else this.#fileAnswer(message);
  }

  #fileUnasked(message: JsonObject): void {
    if (message['id'] !== undefined) this.#fileQuestion(message['id'] as Id, message);
    this.#check(message, [...this.#revisions]);
    this.#unasked.push(message);
  }

  #fileAnswer(message: JsonObject): void {
    const { id } = message;
    const due = id === undefined || id === null ? undefined : this.#due.get(keyOf(id as Id));
    if (due === undefined) {
      this.#fileRefusal(message);
      return;
    }
    if (due.excused) this.#problems.push(`an answer to a cancelled request: ${JSON.stringify(message)}`);
    if (due.answer !== undefined) this.#problems.push(`a second answer to ${JSON.stringify(due.id)}`);
    due.answer = message;
    this.#check(message, [due.revision], due.method);
  }

  #fileQuestion(id: Id, message: JsonObject): void {
    if (typeof id !== 'string' && !Number.isSafeInteger(id))
      this.#problems.push(`a question with the id ${JSON.stringify(id)}`);
    if (this.#asked.has(id)) this.#problems.push(`a question with a used id: ${JSON.stringify(message)}`);
    this.#asked.add(id);
  }

  #fileRefusal(message: JsonObject): void {
    const { id, error } = message;
    if (error === undefined || (id !== undefined && id !== null)) {
      this.#problems.push(`an answer to nothing: ${JSON.stringify(message)}`);
      return;
    }
    this.#check(message, [...this.#revisions]);
    this.#refusals.push(message);
  }

  #check(message: JsonObject, revisions: readonly string[], method?: string): void {
    const found = revisions.map((revision) => problemsIn(revision, message, method));
    const [revision = this.#revision] = revisions.filter((_, at) => found[at]?.length === 0);
    if (RECORD !== undefined) appendFileSync(RECORD, `${JSON.stringify({ revision, method, message })}\n`);
    if (!found.some((problems) => problems.length === 0)) this.#problems.push(...(found[0] ?? []));
  }

  #stir(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  async #until(done: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!done()) {
      const left = deadline - performance.now();
      assert(left > 0, `waited in vain for ${what}; heard: ${this.lines.slice(-5).join('\n')}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }
}

function keyOf(id: Id): string {
  return `${typeof id}:${id}`;
}
