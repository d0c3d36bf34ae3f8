import { randomBytes } from 'node:crypto';
import type { TaskDesk } from '../core/handlers/tasks.ts';
import type { Job, Turn } from '../core/turn.ts';
import { Fault } from '../model/fault.ts';
import type { Eventually } from '../model/json.ts';
import type { Limits } from '../model/limits.ts';
import type { Log } from '../model/log.ts';
import type { Question, QuestionKind } from '../model/peer.ts';
import type { TaskTicket } from '../model/tasks.ts';
import type { Answer, Ask } from '../model/verbs.ts';
import type { Store } from '../store/store.ts';
import { hear } from './questions.ts';
import { digest } from './seal.ts';
import { pageOf } from './tasks/page.ts';
import { TaskProxy } from './tasks/proxy.ts';
import { answered, isOver, moved, type TaskRecord, taskOf, viewOf } from './tasks/record.ts';
import { TaskRun } from './tasks/run.ts';
import type { Runners } from './tasks/runners.ts';
import { TaskShelf } from './tasks/shelf.ts';
import { Waiting } from './tasks/waiting.ts';
import type { Deferring, LiveTurn } from './turn.ts';
import type { Hub } from './watch.ts';
import { within } from './within.ts';

export interface TasksOptions {
  /** Opened when the first task needs it. */
  store(): Store;
  readonly hub: Hub;
  readonly limits: Limits;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const ID_BYTES = 24;
const ID = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST_TIMER = 2 ** 31 - 1;
/** Longest time the last words of a task may take. */
const LAST_MS = 1000;

/** Every task of one server: started by calls, kept in the store, asked for by those they belong to. */
export class Tasks implements TaskDesk, Deferring {
  readonly #options: TasksOptions;
  readonly #shelf: TaskShelf;
  readonly #runs = new Map<string, TaskRun>();
  readonly #waiting = new Waiting();
  #beat: NodeJS.Timeout | undefined;
  readonly join = (runners: Runners): void => this.#shelf.join(runners);

  constructor(options: TasksOptions) {
    const { store, limits, now = Date.now } = options;
    this.#options = options;
    this.#shelf = new TaskShelf({ store, limits, now });
  }

  /** How many tasks are at work in this process. */
  get running(): number {
    return this.#runs.size;
  }

  defer(job: Job, turn: LiveTurn): Eventually<Answer<'tools.call'>> | undefined {
    const { name, support, wish, startsReleased } = job;
    const { dialect } = turn.parts;
    if (!dialect.defers({ name, support, wished: wish !== undefined, peer: turn.peer })) return undefined;
    return startsReleased && dialect.tasksBy === 'server' ? this.#startReleased(job, turn) : this.#start(job, turn);
  }

  async get({ id }: Ask<'tasks.get'>, turn: Turn): Promise<Answer<'tasks.get'>> {
    return viewOf(await this.#find(id, turn), this.#options.limits.taskPollMs);
  }

  async result({ id }: Ask<'tasks.result'>, turn: Turn): Promise<Answer<'tasks.result'>> {
    const { result, trouble } = await this.#ending(id, turn as LiveTurn);
    if (result !== undefined) return { id, result };
    if (trouble === undefined)
      throw new Fault('E_TASK_OVER', 'Invalid params: the task was cancelled and has no result');
    const { code, message, data } = trouble;
    throw new Fault(code, message, data === undefined ? {} : { data });
  }

  async list({ cursor }: Ask<'tasks.list'>, turn: Turn): Promise<Answer<'tasks.list'>> {
    const { limits } = this.#options;
    const { session } = originOf(turn);
    // Without a name to go by, a list shows what the same session began, and nothing where there is none.
    const mine = (record: TaskRecord): boolean => turn.principal !== undefined || record.session === session;
    const nameless = turn.principal === undefined && session === undefined;
    const records = nameless ? [] : (await this.#shelf.all(turn.principal)).filter(mine);
    const { page, ...next } = pageOf(records, cursor, limits.pageSize);
    return { tasks: page.map((record) => taskOf(record, limits.taskPollMs)), ...next };
  }

  async cancel({ id, settled }: Ask<'tasks.cancel'>, turn: Turn): Promise<Answer<'tasks.cancel'>> {
    const found = await this.#find(id, turn);
    const key = this.#shelf.keyOf(id, turn.principal);
    const cancelled = await this.#shelf.change(key, (record, now) =>
      moved(record, { status: 'cancelled', remark: 'The client cancelled the task', questions: {} }, now),
    );
    if (cancelled === undefined && settled === 'refuse') {
      throw new Fault('E_TASK_OVER', 'Invalid params: the task is over and cannot be cancelled');
    }
    if (cancelled !== undefined) this.#runs.get(key)?.stop(new Fault('E_CLOSED', 'The client cancelled the task'));
    return taskOf(cancelled ?? found, this.#options.limits.taskPollMs);
  }

  async update({ id, answers }: Ask<'tasks.update'>, turn: Turn): Promise<Answer<'tasks.update'>> {
    const { questions } = await this.#find(id, turn);
    const { dialect } = (turn as LiveTurn).parts;
    for (const [key, question] of Object.entries(questions)) {
      if (Object.hasOwn(answers, key)) hear(dialect, question as Question<QuestionKind>, answers[key]);
    }
    await this.#shelf.change(this.#shelf.keyOf(id, turn.principal), (record, now) => answered(record, answers, now));
    return {};
  }

  async known(ids: readonly string[], turn: Turn): Promise<string[]> {
    const { watchedUris } = this.#options.limits;
    if (ids.length > watchedUris) {
      throw new Fault('E_BUSY', `Too many subscriptions: at most ${watchedUris} tasks may be followed`);
    }
    this.#attend();
    const found = await Promise.all([...new Set(ids)].map((id) => this.#read(id, turn)));
    return found.flatMap((record) => (record === undefined ? [] : [record.id]));
  }

  async drain(graceMs: number): Promise<void> {
    if (this.#runs.size === 0 || !this.#options.store().lasting) return;
    await within(this.#idle(), graceMs);
    for (const run of this.#runs.values()) run.stop(new Fault('E_CLOSED', 'The server is shutting down'));
    await within(this.#idle(), LAST_MS);
  }

  /** Ends every task that runs here. */
  async close(): Promise<void> {
    clearInterval(this.#beat);
    for (const run of this.#runs.values()) run.stop(new Fault('E_CLOSED', 'The server is shutting down'));
    await this.#shelf.close();
  }

  #start(job: Job, turn: LiveTurn): Promise<TaskTicket> {
    const { run, created } = this.#create(job, turn);
    return created.then((ticket) => {
      // The ticket goes out before anything the work has to say.
      setImmediate(() => void run.finish(job.run));
      return ticket;
    });
  }

  /** Runs the handler in its request, until it lets the client go. */
  #startReleased(job: Job, turn: LiveTurn): Promise<Answer<'tools.call'>> {
    return new Promise((resolve, reject) => {
      let released = false;
      turn.onRelease(() => {
        // Nobody is there any more to take a ticket.
        if (turn.signal.aborted) return;
        released = true;
        const { run, created } = this.#create(job, turn);
        created.then(resolve, (fault: Fault) => {
          turn.abort(fault);
          reject(fault);
        });
        void run.finish(() => work);
      });
      const work = Promise.resolve().then(job.run);
      work.then(
        (result) => released || resolve(result),
        (error) => released || reject(error),
      );
    });
  }

  #create({ wish }: Job, turn: LiveTurn): { run: TaskRun; created: Promise<TaskTicket> } {
    const { limits, log, now = Date.now } = this.#options;
    const { principal } = turn;
    const id = randomBytes(ID_BYTES).toString('base64url');
    const key = this.#shelf.keyOf(id, principal);
    const ttlMs = Math.max(Math.min(wish?.ttlMs ?? limits.taskDefaultTtlMs, limits.taskTtlMs), limits.taskPollMs, 1);
    const at = now();
    const record: TaskRecord = {
      id,
      status: 'working',
      created: at,
      updated: at,
      ttlMs,
      ...originOf(turn),
      questions: {},
      answers: {},
    };
    const run = new TaskRun({ id, key, shelf: this.#shelf, turn, limits, log, waiter: () => this.#waiting.first(key) });
    const kept = this.#shelf.create(key, record, principal);
    run.startAfter(kept);
    turn.moveTo(run);
    const release = turn.parts.seat.retain();
    void run.ended.then(release);
    return { run, created: kept.then(() => this.#enter(key, run, record)) };
  }

  #enter(key: string, run: TaskRun, record: TaskRecord): TaskTicket {
    const { limits } = this.#options;
    this.#attend();
    this.#runs.set(key, run);
    const expire = (): void => this.#safely(run.look());
    const timer = setTimeout(expire, Math.min(record.ttlMs + 1, LONGEST_TIMER)).unref();
    void run.ended.then(() => {
      clearTimeout(timer);
      this.#runs.delete(key);
    });
    return { task: taskOf(record, limits.taskPollMs) };
  }

  /** From now on hears of changes, and says that the tasks here are alive. */
  #attend(): void {
    this.#shelf.follow(this.#heard, this.#lookAtAll);
    this.#beat ??= setInterval(
      () => {
        for (const key of this.#runs.keys()) this.#safely(this.#shelf.lease(key));
      },
      Math.max(1, this.#options.limits.taskLeaseMs / 3),
    ).unref();
  }

  readonly #heard = (key: string): void => {
    this.#waiting.wake(key);
    const run = this.#runs.get(key);
    if (run !== undefined) this.#safely(run.look());
    const id = key.slice(key.lastIndexOf('/') + 1);
    if (this.#options.hub.follows(id)) this.#safely(this.#announce(key));
  };

  /** Changes may have been missed: everything that is at work or waited for here is looked at. */
  readonly #lookAtAll = (): void => {
    for (const key of new Set([...this.#runs.keys(), ...this.#waiting.keys()])) this.#heard(key);
  };

  async #announce(key: string): Promise<void> {
    const { hub, limits } = this.#options;
    const record = await this.#shelf.read(key);
    if (record !== undefined) hub.pass({ kind: 'task', view: viewOf(record, limits.taskPollMs) });
  }

  /** The task of that id; to anybody it does not belong to it does not exist. */
  async #find(id: string, turn: Turn): Promise<TaskRecord> {
    const record = await this.#read(id, turn);
    if (record !== undefined) return record;
    throw new Fault('E_UNKNOWN_TASK', 'Invalid params: no task has this id', { data: { taskId: id } });
  }

  async #read(id: string, { principal }: Turn): Promise<TaskRecord | undefined> {
    if (!ID.test(id)) return undefined;
    const key = this.#shelf.keyOf(id, principal);
    return this.#runs.has(key) ? this.#shelf.read(key) : this.#shelf.judge(key);
  }

  /** The task once it is over. Meanwhile its questions go the way of this request. */
  async #ending(id: string, turn: LiveTurn): Promise<TaskRecord> {
    const { limits, log } = this.#options;
    const key = this.#shelf.keyOf(id, turn.principal);
    const proxy = new TaskProxy({ key, shelf: this.#shelf, turn, limits, log });
    this.#attend();
    try {
      for (;;) {
        const record = await this.#changed(id, turn, proxy);
        if (isOver(record)) return record;
      }
    } finally {
      proxy.close();
    }
  }

  /** The task: at once if it is over, else when it may have changed. */
  async #changed(id: string, turn: LiveTurn, proxy: TaskProxy): Promise<TaskRecord> {
    const { limits, now = Date.now } = this.#options;
    const key = this.#shelf.keyOf(id, turn.principal);
    const wait = this.#waiting.open(key, turn);
    try {
      const record = await this.#find(id, turn);
      if (isOver(record)) return record;
      this.#runs.get(key)?.wake();
      proxy.look(record);
      const forget = this.#shelf.onLost(record, () => this.#waiting.wake(key));
      const left = Math.min(limits.taskLeaseMs, record.created + record.ttlMs - now() + 1);
      await wait.changed(Math.max(1, left)).finally(forget);
      return record;
    } finally {
      wait.close();
    }
  }

  #idle(): Promise<unknown> {
    return Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  #safely(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#options.log('error', 'The task store failed', { cause: error }));
  }
}

/** Whose a task is where no principal says so; session ids are secrets, so only a digest is kept. */
function originOf({ principal, session }: Turn): { session?: string } {
  return principal !== undefined || session === undefined ? {} : { session: digest(session) };
}
