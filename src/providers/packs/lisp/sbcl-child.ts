import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { Socket } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import type { Image } from './sbcl-core.ts';

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
  #text = '';
  #waiting: ((answer: unknown) => void) | undefined;
  ended = false;

  constructor(options: ChildOptions, image: Image) {
    const [command, args] = commandOf(options, image);
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
      if (line.startsWith(MARK)) this.#waiting?.(parse(line.slice(MARK.length)));
    }
  }

  #end(): void {
    this.ended = true;
    this.#waiting?.(undefined);
  }
}

/** The command that starts a child from an image, in a sandbox where there is one. */
function commandOf({ program, bubblewrap, heapMb }: ChildOptions, image: Image): [string, string[]] {
  const file = 'core' in image ? image.core : image.driver;
  const inside = bubblewrap === undefined ? file : '/tmp/image';
  const lisp = [
    ...('core' in image ? ['--core', inside] : []),
    ...['--noinform', '--dynamic-space-size', String(heapMb), '--disable-ldb', '--end-runtime-options'],
    ...('core' in image ? [] : ['--no-sysinit', '--no-userinit', '--disable-debugger', '--load', inside]),
  ];
  if (bubblewrap === undefined) return [program, lisp];
  const prefix = dirname(dirname(program));
  const shown = ['--ro-bind-try', prefix, prefix, '--ro-bind', file, inside];
  return [bubblewrap, [...SANDBOX, ...shown, '--', program, ...lisp]];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
