import { type ChildProcess, spawn } from 'node:child_process';

/** Any JSON-RPC message, read as far as routing needs. */
export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown; readonly _meta?: Record<string, unknown> };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly data?: { readonly code?: string } };
}

/** One HTTP exchange that waits for what the server has to say about a request. */
export interface Waiting {
  readonly request: Message;
  /** Takes a message that belongs to the request; the last one is its response. */
  take(message: Message): void;
}

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** A server on a pipe. What it says goes to the exchange it belongs to, and what belongs to none to `onStray`. */
export class Child {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<string | number, Waiting>();
  #rest = '';
  onStray: (message: Message) => void = () => {};

  constructor(argv: readonly string[]) {
    this.#process = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.stdout?.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
    this.#process.stdin?.on('error', () => {});
  }

  /** Whether a request with this id is being answered. */
  isBusy(id: string | number): boolean {
    return this.#waiting.has(id);
  }

  say(message: unknown): void {
    this.#process.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  ask(id: string | number, waiting: Waiting): void {
    this.#waiting.set(id, waiting);
    this.say(waiting.request);
  }

  /** The one who asked is gone: the server is told, and nobody waits any more. */
  cancel(id: string | number): void {
    const { request } = this.#waiting.get(id) ?? {};
    if (!this.#waiting.delete(id)) return;
    const meta = request?.params?._meta;
    this.say({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, ...(meta === undefined ? {} : { _meta: meta }) },
    });
  }

  close(): void {
    this.#process.stdin?.end();
  }

  #read(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#route(JSON.parse(line) as Message);
  }

  #route(message: Message): void {
    const waiting = message.method === undefined ? this.#answered(message) : this.#concerned(message);
    if (waiting === undefined) this.onStray(message);
    else waiting.take(message);
  }

  #answered({ id }: Message): Waiting | undefined {
    // An error that names no request is about the only one under way.
    const key = id ?? [...this.#waiting.keys()].at(-1);
    if (key === undefined) return undefined;
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return waiting;
  }

  /** A pipe does not say which request a log message or a question belongs to: it is the newest one. */
  #concerned({ method, params }: Message): Waiting | undefined {
    const all = [...this.#waiting.values()];
    const subscription = params?._meta?.[SUBSCRIPTION];
    if (subscription !== undefined) return all.find(({ request }) => request.id === subscription);
    if (method === 'notifications/progress')
      return all.find(({ request }) => request.params?._meta?.['progressToken'] === params?.['progressToken']);
    if (method?.endsWith('/list_changed') === true || method === 'notifications/resources/updated') return undefined;
    return all.findLast(({ request }) => request.method !== 'subscriptions/listen');
  }
}
