import type { TaskDesk } from '../core/handlers/tasks.ts';
import type { Job, Turn } from '../core/turn.ts';
import type { Eventually } from '../model/json.ts';
import type { Answer, Ask } from '../model/verbs.ts';
import type { Runners } from '../sessions/tasks/runners.ts';
import type { Tasks, TasksOptions } from '../sessions/tasks.ts';
import type { Deferring, LiveTurn } from '../sessions/turn.ts';

/** Tasks that are loaded for the first call that becomes one, or the first question about one. */
export class LateTasks implements TaskDesk, Deferring {
  readonly #options: TasksOptions;
  #runners: Runners | undefined;
  #loading: Promise<Tasks> | undefined;
  #loaded: Tasks | undefined;

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** From here on tasks are run by one replica of several. */
  join(runners: Runners): void {
    this.#runners = runners;
    this.#loaded?.join(runners);
  }

  defer(job: Job, turn: LiveTurn): Eventually<Answer<'tools.call'>> | undefined {
    if (this.#loaded !== undefined) return this.#loaded.defer(job, turn);
    const { name, support, wish } = job;
    if (!turn.parts.dialect.defers({ name, support, wished: wish !== undefined, peer: turn.peer })) return undefined;
    return this.#deferLate(job, turn);
  }

  async get(ask: Ask<'tasks.get'>, turn: Turn): Promise<Answer<'tasks.get'>> {
    return (await this.#load()).get(ask, turn);
  }

  async result(ask: Ask<'tasks.result'>, turn: Turn): Promise<Answer<'tasks.result'>> {
    return (await this.#load()).result(ask, turn);
  }

  async list(ask: Ask<'tasks.list'>, turn: Turn): Promise<Answer<'tasks.list'>> {
    return (await this.#load()).list(ask, turn);
  }

  async cancel(ask: Ask<'tasks.cancel'>, turn: Turn): Promise<Answer<'tasks.cancel'>> {
    return (await this.#load()).cancel(ask, turn);
  }

  async update(ask: Ask<'tasks.update'>, turn: Turn): Promise<Answer<'tasks.update'>> {
    return (await this.#load()).update(ask, turn);
  }

  async known(ids: readonly string[], turn: Turn): Promise<string[]> {
    return (await this.#load()).known(ids, turn);
  }

  async drain(graceMs: number): Promise<void> {
    await (this.#loaded ?? (await this.#loading))?.drain(graceMs);
  }

  /** Ends every task that runs here, at once where there may be one: the process may end with it. */
  async close(): Promise<void> {
    await (this.#loaded ?? (await this.#loading))?.close();
  }

  async #deferLate(job: Job, turn: LiveTurn): Promise<Answer<'tools.call'>> {
    const tasks = await this.#load();
    // Nobody is there any more to take a ticket.
    turn.signal.throwIfAborted();
    return tasks.defer(job, turn) ?? job.run();
  }

  #load(): Promise<Tasks> {
    this.#loading ??= import('../sessions/tasks.ts').then(({ Tasks }) => {
      this.#loaded = new Tasks(this.#options);
      if (this.#runners !== undefined) this.#loaded.join(this.#runners);
      return this.#loaded;
    });
    return this.#loading;
  }
}
