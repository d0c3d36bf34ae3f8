import { isObject, type Json, type JsonObject } from '../../../src/model/json.ts';
import { problemsIn } from '../../scenarios/shapes.ts';
import { foreignIn } from './secret.ts';
import { type Blemish, emptyTally, type Tally } from './tally.ts';

export type Id = string | number;

/** What is wrong with an answer that is well formed; nothing when it is the right one. */
export type Check = (answer: JsonObject) => string | undefined;

export interface Expected {
  readonly method: string;
  readonly revision?: string;
  readonly check?: Check | undefined;
}

/** A request somebody waits for. */
export interface Due extends Expected {
  readonly id: Id;
  /** The answer; `undefined` when none is waited for any more. */
  readonly answer: Promise<JsonObject | undefined>;
  readonly answered: boolean;
}

class Entry implements Due {
  readonly answer: Promise<JsonObject | undefined>;
  answered = false;
  excused = false;
  readonly id: Id;
  readonly method: string;
  readonly revision: string;
  readonly check: Check | undefined;
  settle: (answer: JsonObject | undefined) => void = () => {};

  constructor(id: Id, { method, revision, check }: Expected & { revision: string }) {
    this.id = id;
    this.method = method;
    this.revision = revision;
    this.check = check;
    this.answer = new Promise((resolve) => {
      this.settle = resolve;
    });
  }
}

export interface LedgerOptions {
  readonly name: string;
  readonly secret: string;
  /** Every revision this client speaks, its own first; or `action`. */
  readonly speaks: readonly string[];
  /** The server may go away: refusals that say so are as good as any answer. */
  readonly lossy?: boolean;
  /** Refusals with these codes are as good as any answer. */
  readonly forgives?: readonly string[];
}

const AWAY = ['E_CLOSED', 'E_UNKNOWN_SESSION', 'E_UNKNOWN_TASK', 'E_BUSY', 'E_BAD_STATE'];

const MOST_REMARKS = 20;

/** Keeps account of one client: what it sent, what came back, and what should not have. */
export class Ledger {
  readonly name: string;
  readonly secret: string;
  readonly tally: Tally = emptyTally();
  /** The first blemishes, in words. */
  readonly remarks: string[] = [];
  readonly #speaks: readonly string[];
  readonly #forgiven: ReadonlySet<string>;
  readonly #due = new Map<string, Entry>();
  /** What was answered lately, so that a second answer is known for one. */
  readonly #over = new Set<string>();
  /** What was called off and given up, whose answer and progress may have been on their way. */
  readonly #calledOff = new Set<string>();
  readonly #progress = new Map<string, number>();
  #refusals: Entry[] = [];

  constructor({ name, secret, speaks, lossy = false, forgives = [] }: LedgerOptions) {
    this.#forgiven = new Set([...forgives, ...(lossy ? AWAY : [])]);
    this.name = name;
    this.secret = secret;
    this.#speaks = speaks;
  }

  /** How many requests wait for their answer. */
  get open(): number {
    return this.#due.size + this.#refusals.length;
  }

  expect(id: Id, expected: Expected): Due {
    const entry = new Entry(id, { revision: this.#speaks[0] ?? '', ...expected });
    this.tally.sent += 1;
    this.#over.delete(keyOf(id));
    this.#due.set(keyOf(id), entry);
    return entry;
  }

  /** One error that names no request must come. */
  expectRefusal(): Due {
    const entry = new Entry('', { method: 'nothing', revision: this.#speaks[0] ?? '' });
    this.tally.sent += 1;
    this.#refusals.push(entry);
    return entry;
  }

  /** An answer may still come, and none has to. */
  excuse(id: Id): void {
    const entry = this.#due.get(keyOf(id));
    if (entry !== undefined) entry.excused = true;
  }

  /** Nobody waits for this any more: it is lost, unless it was excused. */
  giveUp(due: Due, reason = 'no answer in time'): void {
    const entry = due as Entry;
    if (entry.answered) return;
    this.#refusals = this.#refusals.filter((one) => one !== entry);
    if (this.#due.get(keyOf(entry.id)) === entry) this.#close(entry);
    entry.answered = true;
    if (entry.excused) {
      this.tally.excused += 1;
      remember(this.#calledOff, keyOf(entry.id));
    } else this.blame('lost', `${entry.method} ${JSON.stringify(entry.id)}: ${reason}`);
    entry.settle(undefined);
  }

  /** Bytes that are no message, such as headers: only searched for what is not this client's. */
  scan(text: string): void {
    for (const secret of foreignIn(text, this.secret)) this.blame('crossed', `heard ${secret}`);
  }

  /** One message as it came; returns what is in it, requests and notifications of the server among it. */
  hear(text: string): JsonObject[] {
    this.scan(text);
    let message: Json;
    try {
      message = JSON.parse(text) as Json;
    } catch {
      this.blame('malformed', `not JSON: ${text.slice(0, 120)}`);
      return [];
    }
    const parts = Array.isArray(message) ? message : [message];
    return parts.filter((part): part is JsonObject => {
      if (isObject(part)) this.#file(part);
      else this.blame('malformed', `not an object: ${text.slice(0, 120)}`);
      return isObject(part);
    });
  }

  blame(blemish: Blemish, remark: string): void {
    this.tally[blemish] += 1;
    if (this.remarks.length < MOST_REMARKS) this.remarks.push(`${this.name}: ${blemish}: ${remark}`);
  }

  /** Whether a refusal is one that the faults of this run may cause. */
  forgives({ error }: JsonObject): boolean {
    const data = isObject(error) ? error['data'] : undefined;
    return isObject(data) && this.#forgiven.has(String(data['code']));
  }

  /** Lets go of whatever is still open: the one who answers was killed. */
  forget(): void {
    for (const entry of [...this.#due.values(), ...this.#refusals]) entry.excused = true;
  }

  /** Gives up whatever is still open. */
  close(): Tally {
    for (const entry of [...this.#due.values(), ...this.#refusals]) this.giveUp(entry);
    return this.tally;
  }

  #file(message: JsonObject): void {
    if (typeof message['method'] === 'string') this.#fileTold(message);
    else this.#fileAnswer(message);
  }

  #fileTold(message: JsonObject): void {
    this.#judge(message, this.#speaks);
    const { method, params } = message as { method: string; params?: JsonObject };
    if (method !== 'notifications/progress' || params === undefined) return;
    const token = String(params['progressToken']);
    const before = this.#progress.get(token);
    if (before === undefined) {
      if (!this.#calledOff.has(token)) this.blame('disordered', `progress of nothing under way: ${token}`);
      return;
    }
    if (Number(params['progress']) <= before) this.blame('disordered', `progress of ${token} went back`);
    this.#progress.set(token, Number(params['progress']));
  }

  /** From here on progress may be told under this token, until `id` is answered. */
  expectProgress(token: string): void {
    this.#progress.set(token, Number.NEGATIVE_INFINITY);
  }

  endProgress(token: string, due: Due): void {
    this.#progress.delete(token);
    if ((due as Entry).excused) remember(this.#calledOff, token);
  }

  #fileAnswer(message: JsonObject): void {
    const { id } = message;
    const entry = id === undefined || id === null ? this.#refusals.shift() : this.#due.get(keyOf(id as Id));
    if (entry === undefined) this.#fileUnexpected(message);
    else this.#settle(entry, message);
  }

  #settle(entry: Entry, message: JsonObject): void {
    if (entry.id !== '') this.#close(entry);
    entry.answered = true;
    this.tally.answered += 1;
    this.#judge(message, entry.id === '' ? this.#speaks : [entry.revision], entry.method);
    // A request that was called off may end in any way.
    const wrong = entry.excused || this.forgives(message) ? undefined : entry.check?.(message);
    if (wrong !== undefined) this.blame('wrong', `${entry.method} ${JSON.stringify(entry.id)}: ${wrong}`);
    entry.settle(message);
  }

  #fileUnexpected(message: JsonObject): void {
    const key = keyOf((message['id'] ?? '') as Id);
    if (this.#calledOff.delete(key)) return;
    const text = JSON.stringify(message).slice(0, 160);
    this.blame(this.#over.has(key) ? 'doubled' : 'wrong', `an answer to nothing: ${text}`);
  }

  #judge(message: JsonObject, revisions: readonly string[], method?: string): void {
    if (this.#speaks[0] === 'action') {
      if (!isActionReply(message)) this.blame('malformed', 'an action must be answered with data or with an error');
      return;
    }
    const found = revisions.map((revision) => problemsIn(revision, message, method));
    if (found.some((problems) => problems.length === 0)) return;
    this.blame('malformed', `${found[0]?.[0]} in ${JSON.stringify(message).slice(0, 160)}`);
  }

  #close(entry: Entry): void {
    this.#due.delete(keyOf(entry.id));
    remember(this.#over, keyOf(entry.id));
  }
}

/** Keeps the latest; the oldest makes room. */
function remember(kept: Set<string>, key: string): void {
  kept.add(key);
  if (kept.size > 10_000) kept.delete(kept.values().next().value as string);
}

function isActionReply({ ok, data, error }: JsonObject): boolean {
  return ok === true ? data !== undefined && error === undefined : ok === false && typeof error === 'string';
}

function keyOf(id: Id): string {
  return `${typeof id}:${id}`;
}
