import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LimitName } from '../../../src/model/limits.ts';
import { Probe } from './probe.ts';
import { probesFolder } from './process-facts.ts';

const BUILT = fileURLToPath(new URL('../../..', import.meta.url));
export const NASTY = join(BUILT, 'test', 'chaos', 'nasty.js');
const PRELOAD = pathToFileURL(join(BUILT, 'test', 'chaos', 'load', 'preload.js')).href;
const CLI = join(BUILT, 'src', 'cli', 'parley.js');

export interface ServerOptions {
  readonly args?: readonly string[];
  readonly limits?: Partial<Readonly<Record<LimitName, number>>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** Runs the command under this shell text, with the command as its arguments: `ulimit -f 8; exec "$@"`. */
  readonly shell?: string;
}

/** How the built command is started: with the tools of the suite, smaller limits, and a probe inside. */
export function commandOf(
  command: 'serve' | 'stdio',
  options: ServerOptions,
): { file: string; args: string[]; env: NodeJS.ProcessEnv } {
  const { args = [], limits = {}, env = {}, nodeArgs = [], shell } = options;
  const own = [...nodeArgs, '--import', PRELOAD, CLI, command, '--module', NASTY, ...args];
  const environment = {
    ...process.env,
    NODE_V8_COVERAGE: '',
    PARLEY_LOG_LEVEL: 'warn',
    CHAOS_LIMITS: JSON.stringify(limits),
    CHAOS_PROBES: probesFolder(),
    ...env,
  };
  if (shell === undefined) return { file: process.execPath, args: own, env: environment };
  return { file: 'bash', args: ['-c', shell, 'bash', process.execPath, ...own], env: environment };
}

/** `parley serve`, running. */
export class ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly probe: Probe;
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #text: () => string;

  private constructor(child: ChildProcess, url: string, text: () => string) {
    this.child = child;
    this.url = url;
    this.probe = new Probe(child.pid as number);
    this.#text = text;
    this.exit =
      child.exitCode !== null || child.signalCode !== null
        ? Promise.resolve({ code: child.exitCode, signal: child.signalCode })
        : once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  }

  /** Starts it and waits until clients can connect. */
  static async start(options: ServerOptions & { port?: number } = {}): Promise<ServerProcess> {
    const port = ['--port', String(options.port ?? 0)];
    const { file, args, env } = commandOf('serve', { ...options, args: [...port, ...(options.args ?? [])] });
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
    let text = '';
    let announce: (url: string | undefined) => void = () => {};
    const ready = new Promise<string | undefined>((resolve) => {
      announce = resolve;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-4_000_000);
      const url = /Serving at (\S+)/.exec(text)?.[1];
      if (url !== undefined) announce(url);
    });
    child.once('exit', () => announce(undefined));
    const url = await ready;
    if (url === undefined) throw new Error(`The server did not start: ${text.slice(-2000)}`);
    return new ServerProcess(child, url, () => text);
  }

  /** The end of what it wrote to stderr. */
  get log(): string {
    return this.#text();
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** Numbers from `/metrics`, by name and labels. */
  async metrics(headers: Record<string, string> = {}): Promise<Map<string, number>> {
    const text = await getOnce(`${this.origin}/metrics`, headers);
    const rows = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(rows.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  }

  /** Tells it to end and waits until it has. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.child.kill(signal);
    return this.exit;
  }
}

/** Gets a text over a connection that is closed again. */
function getOnce(url: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = get(url, { agent: false, headers: { connection: 'close', ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('close', () => resolve(text));
    });
    asking.on('error', reject);
  });
}
