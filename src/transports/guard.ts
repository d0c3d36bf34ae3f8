import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Writable } from 'node:stream';
import type { Log } from '../model/log.ts';

// Keeps everything but the protocol off the real stdout, from inside the process. What this cannot reach (a child that
// inherits fd 1, native code, a worker that writes to fd 1) needs the launcher, which gives the process another fd 1.

const STDOUT = 1;
const STDERR = 2;
const STDOUT_PATH = /^(?:\/dev\/stdout|\/dev\/fd\/1|\/proc\/(?:self|thread-self|\d+)\/fd\/1)$/;

const TO_DESCRIPTOR = ['write', 'writeSync', 'writev', 'writevSync'] as const;
const TO_FILE = ['writeFile', 'writeFileSync', 'appendFile', 'appendFileSync'] as const;
// Streams open and write through these too.
const OPENING = ['open', 'openSync'] as const;
const PROMISED = ['writeFile', 'appendFile', 'open'] as const;

export interface StdoutGuard {
  /** The real stdout, for the protocol alone. */
  readonly output: Writable;
  /** Gives stdout back to everyone. */
  release(): void;
}

type Holder = Record<string, unknown>;

/** Takes the real stdout for the protocol and sends to stderr whatever else is written to it. */
export function guardStdout({ log }: { readonly log: Log }): StdoutGuard {
  // Both exist from here on: a stream made after the diversion would write through it.
  const { stdout, stderr } = process;
  const output = protocolStream(stdout, stdout.write.bind(stdout), log);
  const patches = new Patches();
  // For those who hold the stream already.
  patches.replace(stdout, 'write', { value: stderr.write.bind(stderr) });
  for (const stream of [stdout, stderr]) patches.replace(stream, 'end', { value: endNothing(stream, stderr) });
  // Whoever asks from now on gets stderr itself, with its descriptor, handle and terminal.
  patches.replace(process, 'stdout', { get: () => stderr });
  const files = fs as unknown as Holder;
  for (const name of [...TO_DESCRIPTOR, ...TO_FILE])
    patches.replace(fs, name, divert(files[name], descriptorElsewhere));
  for (const name of OPENING) patches.replace(fs, name, divert(files[name], pathElsewhere));
  for (const name of PROMISED) patches.replace(fs.promises, name, divert(fs.promises[name], pathElsewhere));
  syncBuiltinESMExports();
  return {
    output,
    release() {
      patches.undo();
      syncBuiltinESMExports();
    },
  };
}

class Patches {
  readonly #undo: (() => void)[] = [];

  replace(holder: object, name: string, to: { value: unknown } | { get: () => unknown }): void {
    const before = Object.getOwnPropertyDescriptor(holder, name);
    const writable = 'value' in to ? { writable: true } : {};
    Object.defineProperty(holder, name, {
      ...to,
      ...writable,
      configurable: true,
      enumerable: before?.enumerable ?? false,
    });
    this.#undo.push(() => {
      if (before === undefined) Reflect.deleteProperty(holder, name);
      else Object.defineProperty(holder, name, before);
    });
  }

  undo(): void {
    for (const restore of this.#undo.splice(0).reverse()) restore();
  }
}

/** Writes through the method stdout had before it was diverted. */
function protocolStream(stdout: NodeJS.WriteStream, write: NodeJS.WriteStream['write'], log: Log): Writable {
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void) {
      write(chunk, encoding, done);
    },
  });
  stdout.on('error', (error) => output.destroy(error));
  stdout.on('close', () => output.destroy());
  output.on('error', (error) => log('debug', 'Cannot write to stdout any more', { error }));
  return output;
}

/** A stream that everyone believes to be theirs must outlive those who end it. */
function endNothing(
  stream: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
): (...input: unknown[]) => NodeJS.WriteStream {
  return (...input) => {
    const [chunk] = input;
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) stderr.write(chunk);
    const done = input.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    return stream;
  };
}

function divert(original: unknown, elsewhere: (target: unknown) => unknown): { value: unknown } {
  const write = original as (...input: unknown[]) => unknown;
  const value = function (this: unknown, target: unknown, ...rest: unknown[]): unknown {
    return Reflect.apply(write, this, [elsewhere(target), ...rest]);
  };
  Object.defineProperty(value, 'name', { value: write.name });
  // What `util.promisify` reads from the original.
  for (const key of Object.getOwnPropertySymbols(write)) {
    Object.defineProperty(value, key, { value: Reflect.get(write, key) as unknown });
  }
  return { value };
}

function descriptorElsewhere(target: unknown): unknown {
  return target === STDOUT || isStdoutPath(target) ? STDERR : target;
}

function pathElsewhere(target: unknown): unknown {
  return isStdoutPath(target) ? '/dev/stderr' : target;
}

function isStdoutPath(target: unknown): boolean {
  if (typeof target === 'string') return STDOUT_PATH.test(target);
  if (target instanceof URL) return target.protocol === 'file:' && STDOUT_PATH.test(target.pathname);
  return target instanceof Uint8Array && target.length < 64 && STDOUT_PATH.test(Buffer.from(target).toString());
}

/** Turns errors nobody caught into log lines, so that one late failure ends no one else's work. */
export function surviveLateErrors(log: Log): () => void {
  const onException = (error: unknown) => log('error', 'An error was thrown outside any call', { error });
  const onRejection = (error: unknown) => log('error', 'A promise was rejected outside any call', { error });
  // Without this, a closed stderr would make each log line of an error the next error.
  const onStderr = () => {};
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
  process.stderr.on('error', onStderr);
  return () => {
    process.off('uncaughtException', onException);
    process.off('unhandledRejection', onRejection);
    process.stderr.off('error', onStderr);
  };
}

/** Keeps served code from ending the process that serves others too: whoever calls `process.exit` fails alone. */
export function guardExit(): () => void {
  const { exit } = process;
  const refuse = (): never => {
    throw new Error('Cannot end the process with process.exit(): it serves others too. SIGTERM ends it in good order');
  };
  process.exit = refuse;
  return () => {
    if (process.exit === refuse) process.exit = exit;
  };
}
