import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JsonObject } from '../../../src/model/json.ts';
import { MODERN } from '../../scenarios/revisions.ts';
import { Probe } from './probe.ts';
import { commandOf, type ServerOptions } from './server-process.ts';
import { type Errand, Talker, type TalkerOptions } from './talker.ts';

export interface StdioOptions extends TalkerOptions {
  readonly server?: ServerOptions;
}

/** A client that starts its server and speaks with it over pipes: one revision, and the newest beside it. */
export class StdioTalker extends Talker {
  readonly #options: StdioOptions;
  #child: ChildProcess | undefined;
  #probe: Probe | undefined;
  #rest = '';
  #log = '';
  /** How the server ended. */
  exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }> = Promise.resolve({ code: null, signal: null });

  constructor(options: StdioOptions) {
    super(options, options.revision === 'action' || options.revision === MODERN ? [] : [MODERN]);
    this.#options = options;
  }

  get child(): ChildProcess {
    return this.#child as ChildProcess;
  }

  get probe(): Probe {
    return this.#probe as Probe;
  }

  /** The end of what the server wrote to stderr. */
  get log(): string {
    return this.#log;
  }

  async open(): Promise<void> {
    const { file, args, env } = commandOf('stdio', this.#options.server ?? {});
    const child = spawn(file, args, { stdio: 'pipe', env });
    this.#child = child;
    this.exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    this.#probe = new Probe(child.pid as number, true);
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#hear(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#log = (this.#log + chunk).slice(-1_000_000);
    });
    void this.exit.then(() => {
      if (this.#rest !== '' && !this.lossy) this.ledger.blame('malformed', `half a line: ${this.#rest.slice(0, 80)}`);
      if (this.lossy) this.ledger.forget();
      this.ledger.close();
    });
    if (this.revision === 'action') await this.action('list_actions', {});
    else if (this.modern) await this.request('server/discover');
    else {
      await this.handshake();
      this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    }
  }

  /** Says an action, and waits for what comes of it. */
  async action(type: string, payload: JsonObject, text?: string): Promise<JsonObject | undefined> {
    const id = this.nonce();
    const check = (answer: JsonObject): string | undefined =>
      text === undefined || JSON.stringify(answer).includes(text) ? undefined : `${text} is missing`;
    const due = this.ledger.expect(id, { method: type, check });
    this.line(JSON.stringify({ id, type, ...(type === 'invoke' ? { payload } : {}) }));
    const timer = setTimeout(() => this.ledger.giveUp(due), this.#options.patienceMs ?? 60_000);
    try {
      return await due.answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Bytes as they are, with a line's end. */
  line(text: string | Buffer): boolean {
    const { stdin } = this.child;
    if (stdin === null || stdin.destroyed) return false;
    stdin.write(text);
    return stdin.write('\n');
  }

  post(message: JsonObject): void {
    this.line(JSON.stringify(message));
  }

  protected deliver({ message }: Errand): void {
    this.post(message);
  }

  /** Ends the input; resolves when the server is gone. */
  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.exit;
    this.ledger.close();
  }

  #hear(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) this.take(line);
  }
}
