import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { DRIVER } from './sbcl-driver.ts';

const MARK = '@parley ';
/** Longest line taken from a child: what it may send is bounded inside, this bounds a child gone mad. */
const LINE_CHARS = 16 * 1024 * 1024;

/** Where a program is, looked up as a shell would, or `undefined`. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface ChildOptions {
  readonly program: string;
  /** Keeps the child from the network and from writing files, where it is installed. */
  readonly bubblewrap: string | undefined;
  readonly heapMb: number;
}

/** Sees programs and libraries, and nothing else of this machine. */
const SANDBOX = [
  ['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--uid', '65534', '--gid', '65534'],
  ['--ro-bind', '/usr', '/usr', '--ro-bind-try', '/lib', '/lib', '--ro-bind-try', '/lib64', '/lib64'],
  ['--ro-bind-try', '/bin', '/bin', '--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
  ['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--chdir', '/'],
].flat();

/** One SBCL process. It answers one request at a time, and is killed rather than waited for. */
export class SbclChild {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #folder: string;
  #text = '';
  #cleaned = false;
  #waiting: ((answer: unknown) => void) | undefined;
  ended = false;

  constructor({ program, bubblewrap, heapMb }: ChildOptions) {
    this.#folder = mkdtempSync(join(tmpdir(), 'parley-lisp-'));
    const driver = join(this.#folder, 'driver.lisp');
    writeFileSync(driver, DRIVER);
    const lisp = [
      '--noinform',
      '--dynamic-space-size',
      String(heapMb),
      '--disable-ldb',
      '--end-runtime-options',
      '--no-sysinit',
      '--no-userinit',
      '--disable-debugger',
      '--load',
    ];
    const inside = '/tmp/driver.lisp';
    const [command, args] =
      bubblewrap === undefined
        ? [program, [...lisp, driver]]
        : [
            bubblewrap,
            [
              ...SANDBOX,
              '--ro-bind-try',
              dirname(dirname(program)),
              dirname(dirname(program)),
              '--ro-bind',
              driver,
              inside,
              '--',
              program,
              ...lisp,
              inside,
            ],
          ];
    this.#child = spawn(command, args, { stdio: 'pipe', env: {}, cwd: '/' });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.#child.stderr.resume();
    this.#child.stdin.on('error', () => this.kill());
    this.#child.on('error', () => this.#end());
    this.#child.on('exit', () => this.#end());
    this.#release();
  }

  /** The answer to a request, or `undefined` when the child ended or took too long. */
  ask(request: string, timeMs: number, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve) => {
      const give = (answer: unknown) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        this.#waiting = undefined;
        resolve(answer);
      };
      const stop = () => this.kill();
      const timer = setTimeout(stop, timeMs);
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiting = give;
      if (this.ended || signal?.aborted === true) give(undefined);
      else this.#child.stdin.write(`${request}\n`);
    });
  }

  /** An idle child keeps nobody from ending; a request keeps its timer. */
  #release(): void {
    const { stdin, stdout, stderr } = this.#child;
    this.#child.unref();
    for (const stream of [stdin, stdout, stderr]) if (stream instanceof Socket) stream.unref();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
    this.#end();
  }

  #take(text: string): void {
    this.#text += text;
    if (this.#text.length > LINE_CHARS) this.kill();
    for (let end = this.#text.indexOf('\n'); end !== -1; end = this.#text.indexOf('\n')) {
      const line = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 1);
      if (line.startsWith(MARK)) this.#answer(line.slice(MARK.length));
    }
  }

  /** Whoever answers has read the driver, so its file can go. */
  #answer(text: string): void {
    this.#clean();
    this.#waiting?.(parse(text));
  }

  #clean(): void {
    if (!this.#cleaned) rmSync(this.#folder, { recursive: true, force: true });
    this.#cleaned = true;
  }

  #end(): void {
    this.#clean();
    this.ended = true;
    this.#waiting?.(undefined);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
