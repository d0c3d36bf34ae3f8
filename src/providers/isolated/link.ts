import { Fault } from '../../model/fault.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Limits } from '../../model/limits.ts';
import type { Log } from '../../model/log.ts';
import { type Line, LineReader, Overlong } from '../../rpc/lines.ts';
import { parseMessage } from '../../rpc/parse.ts';
import { Cell, type CellEnd } from '../../sandbox/cell.ts';
import { crashFault, endText, lastWords } from './ending.ts';
import type { Aside, Described, FromCell, ToCell } from './messages.ts';
import { type Order, RemoteCall } from './remote-call.ts';
import { errorOf } from './trouble.ts';

/** What stands around a result in its message. */
const ENVELOPE_BYTES = 4096;
/** Results may be nested as deep as the catalog takes them, plus what stands around them. */
const DEPTH = { depth: 1100 };
/** What a cell may say in a second besides what handlers may tell: questions, answers, works. */
const SPARE_MESSAGES = 1000;

export interface LinkOptions {
  readonly file: string;
  readonly env: readonly string[];
  readonly memoryBytes: number;
  readonly cpuMs: number;
  readonly limits: Limits;
  readonly log: Log;
  /** It can take calls. */
  onReady(link: Link, described: Described): void;
  /** A call is over. */
  onFree(link: Link): void;
  /** It ended; `error` says why it never was ready. */
  onEnd(link: Link, error: Error | undefined): void;
}

type Phase = 'starting' | 'ready' | 'leaving' | 'ended';

/** A cell and the calls in it. */
export class Link {
  readonly #options: LinkOptions;
  readonly #cell: Cell;
  readonly #reader: LineReader;
  readonly #calls = new Map<number, RemoteCall>();
  readonly #startTimer: NodeJS.Timeout;
  #phase: Phase = 'starting';
  #count = 0;
  #failure: Error | undefined;
  #killed: string | undefined;
  /** An error that nobody caught was thrown in it. */
  #spoiled = false;
  #since = 0;
  #messages = 0;

  constructor(options: LinkOptions) {
    const { file, env, memoryBytes, cpuMs, limits, log } = options;
    const { outputBytes, noticesPerSecond, isolatePrintBytes: printBytes, isolatePrintLines: printLines } = limits;
    this.#options = options;
    this.#reader = new LineReader(outputBytes + ENVELOPE_BYTES);
    const program = new URL('./cell-main.js', import.meta.url);
    this.#cell = new Cell({ program, label: file, env, memoryBytes, printBytes, printLines, log });
    this.#cell.channel.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#startTimer = setTimeout(() => this.#kill('it took too long to start'), limits.isolateStartMs);
    this.#send({ kind: 'start', file, owner: process.pid, memoryBytes, cpuMs, outputBytes, noticesPerSecond });
    this.#cell.ref();
    void this.#cell.ended.then((end) => this.#ended(end));
  }

  /** How many calls run in it. */
  get busy(): number {
    return this.#calls.size;
  }

  /** Whether its end was asked for, and cost nobody anything. */
  expected = false;
  /** Since when nothing runs in it. */
  idleSince = performance.now();

  /** Whether it takes calls. */
  get open(): boolean {
    return this.#phase === 'ready';
  }

  /** Whether its module is still being loaded. */
  get starting(): boolean {
    return this.#phase === 'starting';
  }

  run(order: Order): void {
    const id = ++this.#count;
    this.#cell.ref();
    const call: RemoteCall = new RemoteCall({
      id,
      order,
      send: (message) => this.#send(message),
      onAbort: () => queueMicrotask(() => this.#hurry(id)),
    });
    this.#calls.set(id, call);
  }

  /** It takes no more calls, and ends when those in it are over. */
  leave(): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'leaving';
    if (this.busy > 0) return;
    this.#cell.channel.end();
    setTimeout(() => this.#cell.kill(), this.#options.limits.isolateGraceMs).unref();
  }

  /** Ends it now. */
  kill(): void {
    this.#phase = 'leaving';
    this.#cell.kill();
  }

  #hurry(id: number): void {
    const { isolateGraceMs } = this.#options.limits;
    this.#calls.get(id)?.later(isolateGraceMs, () => this.#kill('a call did not end when it was told to'));
  }

  #kill(why: string): void {
    this.#killed ??= why;
    if (this.#phase === 'ready') this.#phase = 'leaving';
    this.#cell.kill();
  }

  #send(message: ToCell): void {
    if (this.#cell.channel.writable) this.#cell.channel.write(`${JSON.stringify(message)}\n`);
  }

  #read(chunk: Buffer): void {
    this.#reader.push(chunk);
    for (let line = this.#reader.next(); line !== undefined; line = this.#reader.next()) {
      if (this.#phase === 'ended' || this.#killed !== undefined) return;
      if (line instanceof Overlong) this.#tooLong();
      else this.#hear(line);
    }
  }

  #hear(line: Line): void {
    try {
      this.#pace();
      this.#take(parseMessage(line, DEPTH));
    } catch (error) {
      this.#options.log('error', 'An isolated process says what makes no sense', { ...this.#fields, cause: error });
      this.#kill('it said what makes no sense');
    }
  }

  /** Throws when more comes than calls have to say. */
  #pace(): void {
    const now = performance.now();
    if (now - this.#since > 1000) {
      this.#since = now;
      this.#messages = 0;
    }
    const most = this.#options.limits.noticesPerSecond * Math.max(1, this.busy) + SPARE_MESSAGES;
    if (++this.#messages > most) throw new RangeError(`More than ${most} messages came in a second`);
  }

  #tooLong(): void {
    const { outputBytes } = this.#options.limits;
    const fault = new Fault('E_OUTPUT_TOO_LARGE', `The result is too large: at most ${outputBytes} bytes are sent`);
    this.#kill('it said too much at once');
    for (const call of this.#calls.values()) call.fail(fault);
  }

  #take(given: Json): void {
    if (!isObject(given)) throw new TypeError('A message must be an object');
    const message = given as unknown as FromCell;
    switch (message.kind) {
      case 'ready':
        this.#ready(message.described);
        break;
      case 'unready':
        this.#failure = errorOf(message.trouble);
        break;
      case 'stray':
        this.#stray(message);
        break;
      case 'done':
        this.#over(message.id, (call) => call.done(message.value, message.trouble));
        break;
      default:
        this.#calls.get(message.id)?.hear(message as Aside);
    }
  }

  #ready(described: Described): void {
    if (this.#phase !== 'starting') return;
    this.#phase = 'ready';
    clearTimeout(this.#startTimer);
    this.#cell.unref();
    this.#options.onReady(this, described);
  }

  #stray({ id, trouble }: Extract<FromCell, { kind: 'stray' }>): void {
    const cause = errorOf(trouble);
    this.#options.log('error', 'An error was thrown outside any call', { ...this.#fields, error: cause });
    this.#spoiled = true;
    if (this.#phase === 'ready') this.#phase = 'leaving';
    if (id === undefined) {
      this.#rest();
      return;
    }
    this.#over(id, (call) => call.fail(crashFault(call.order.job, { why: 'an error that nobody caught', cause })));
    // Whatever the call still does, nobody needs it any more.
    if (this.busy === 0) this.#kill('an error that nobody caught');
  }

  #over(id: number, settle: (call: RemoteCall) => void): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    settle(call);
    this.#rest();
  }

  #rest(): void {
    if (this.busy > 0) return;
    this.idleSince = performance.now();
    this.#cell.unref();
    if (this.#phase === 'leaving') this.leave();
    else this.#options.onFree(this);
  }

  #ended(end: CellEnd): void {
    const before = this.#phase;
    this.#phase = 'ended';
    clearTimeout(this.#startTimer);
    const text = this.#killed ?? endText(end);
    this.expected = before === 'leaving' && this.#killed === undefined && !this.#spoiled && this.busy === 0;
    const fields = { ...this.#fields, code: end.code, signal: end.signal, excess: end.excess, said: end.said };
    this.#options.log(this.expected ? 'debug' : 'error', `An isolated process ended: ${text}`, fields);
    for (const call of this.#calls.values()) {
      call.fail(crashFault(call.order.job, { why: text, excess: end.excess, cause: lastWords(end) }));
    }
    this.#calls.clear();
    this.#options.onEnd(this, before === 'starting' ? (this.#failure ?? new Error(text)) : undefined);
  }

  get #fields() {
    return { module: this.#options.file, pid: this.#cell.pid };
  }
}
