import { AsyncLocalStorage } from 'node:async_hooks';
import type { Check, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../../catalog/provider.ts';
import { Fault } from '../../model/fault.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { CellCall } from './cell-call.ts';
import type { AnyEntry } from './describe.ts';
import type { CellStart, FromCell, ItemRef, Job, ToCell } from './messages.ts';
import { errorOf, troubleOf } from './trouble.ts';

type Find = (ref: ItemRef) => Promise<AnyEntry | undefined>;
type CallMessage = Extract<ToCell, { kind: 'call' }>;

export interface CellWorkOptions extends Pick<CellStart, 'outputBytes' | 'noticesPerSecond'> {
  /** CPU time is counted anew. */
  renew(): void;
  exit(code?: number): never;
  send(message: FromCell): void;
}

/** The calls of one cell, and the errors that belong to none of them. */
export class CellWork {
  readonly #options: CellWorkOptions;
  readonly #calls = new Map<number, CellCall>();
  /** Which call some code belongs to, also after that is over. */
  readonly #origin = new AsyncLocalStorage<number>();
  #find: Find = async () => undefined;

  constructor(options: CellWorkOptions) {
    this.#options = options;
    process.on('uncaughtException', (error) => this.#stray(error));
    process.on('unhandledRejection', (error) => this.#stray(error));
    process.exit = ((code?: number) => this.#leave(code)) as typeof process.exit;
  }

  /** The module is loaded. */
  open(find: Find): void {
    this.#find = find;
    this.#options.renew();
  }

  take(message: Exclude<ToCell, CellStart>): void {
    if (message.kind === 'call') return void this.#run(message);
    const call = this.#calls.get(message.id);
    if (message.kind === 'cancel') call?.abort(errorOf(message.trouble));
    else if (message.kind === 'answer') call?.answer(message.ask, message.value, message.trouble);
    else void this.#origin.run(message.id, () => call?.perform(message.ask));
  }

  async #run({ id, job, facts }: CallMessage): Promise<void> {
    const { noticesPerSecond, send, renew } = this.#options;
    const call = new CellCall({ facts, noticesPerSecond, say: (aside) => send({ ...aside, id }) });
    if (this.#calls.size === 0) renew();
    this.#calls.set(id, call);
    try {
      const value = await this.#origin.run(id, async () => this.#perform(job, call));
      this.#finish(id, value);
    } catch (error) {
      this.#end(id, { kind: 'done', id, trouble: troubleOf(error) });
    }
  }

  async #perform(job: Job, call: CellCall): Promise<Json | undefined> {
    const entry = await this.#find(job);
    if (entry === undefined) {
      throw new TypeError(`Loaded by itself, the module has no ${job.kind} "${job.key}": make it when it is loaded`);
    }
    return job.completes === undefined ? perform(entry, job, call) : complete(entry, job, call);
  }

  #finish(id: number, value: Json | undefined): void {
    const { outputBytes } = this.#options;
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined && Buffer.byteLength(text) > outputBytes) {
      throw new Fault('E_OUTPUT_TOO_LARGE', `The result is too large: at most ${outputBytes} bytes are sent`);
    }
    this.#end(id, { kind: 'done', id, ...(value === undefined ? {} : { value }) });
  }

  #end(id: number, message: FromCell): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    call.over = true;
    this.#calls.delete(id);
    if (this.#calls.size === 0) this.#options.renew();
    this.#options.send(message);
  }

  /** What has gone wrong here may go on being wrong: the server replaces this process. */
  #stray(error: unknown): void {
    const origin = this.#origin.getStore();
    const id = origin !== undefined && this.#calls.has(origin) ? origin : undefined;
    this.#options.send({ kind: 'stray', id, trouble: troubleOf(error) });
  }

  /** Late code of a call that is over must not take another one with it. */
  #leave(code: number | undefined): never {
    const origin = this.#origin.getStore();
    const foreign = origin !== undefined && !this.#calls.has(origin) && this.#calls.size > 0;
    if (!foreign) return this.#options.exit(code);
    throw new Error(`A call that was over tried to exit with ${code ?? 0} while another was under way`);
  }
}

async function perform(entry: AnyEntry, { kind, given, known = {} }: Job, call: CellCall): Promise<Json | undefined> {
  switch (kind) {
    case 'tool':
      return runTool(entry as ToolEntry, given, call);
    case 'resource':
      return plain({ contents: await (entry as ResourceEntry).read(String(given), call) });
    case 'template':
      return plain({ contents: await (entry as TemplateEntry).read(String(given), known, call) });
    case 'prompt':
      return plain(await (entry as PromptEntry).get(given as Record<string, string>, call));
  }
}

async function runTool(entry: ToolEntry, given: Json, call: CellCall): Promise<Json> {
  const { name } = entry.tool;
  const input = await checked(entry.checkInput?.bind(entry), given, (issues) => {
    const data = { name, issues: [...issues] };
    return new Fault('E_BAD_ARGUMENTS', `Invalid arguments for tool "${name}": ${issues.join('; ')}`, { data });
  });
  const result = await entry.run(input, call);
  if (result.failed !== true) {
    await checked(entry.checkOutput?.bind(entry), result.structured, (issues) => {
      const cause = new TypeError(issues.join('; '));
      const message = `Tool "${name}" returned a result that does not fit its output schema`;
      return new Fault('E_BAD_RESULT', message, { cause });
    });
  }
  return plain(result);
}

async function checked(
  check: Check | undefined,
  value: Json | undefined,
  refuse: (issues: readonly string[]) => Fault,
): Promise<unknown> {
  if (check === undefined) return value;
  const verdict = await check(value);
  if (!verdict.ok) throw refuse(verdict.issues);
  return verdict.value;
}

async function complete(entry: AnyEntry, { completes = '', given, known = {} }: Job, call: CellCall): Promise<Json> {
  const completers = 'complete' in entry ? entry.complete : undefined;
  const completer =
    completers !== undefined && Object.hasOwn(completers, completes) ? completers[completes] : undefined;
  return plain((await completer?.(String(given), known, call)) ?? []);
}

/** What an entry gave is JSON already, in a type that does not say so. */
function plain(value: object): Json {
  return value as JsonObject;
}
