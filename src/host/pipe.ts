import type { Writable } from 'node:stream';
import { guardExit, guardStdout, surviveLateErrors } from '../transports/guard.ts';
import { onLauncherGone, protocolOutput } from '../transports/launched.ts';
import { serveStdio } from '../transports/stdio.ts';
import type { Host } from './host.ts';

export interface PipeOptions {
  /** Opens the host; called after stdout is safe, since it may load code that prints. */
  open(): Promise<Host>;
  /** The process is there to serve: what is served may not end it. */
  readonly keepsRunning?: boolean;
}

/** Time for the last output to leave before handles that foreign code left open stop mattering. */
const LINGER_MS = 200;

/** Serves one client on this process's stdin and stdout until it is gone or the process is told to end. */
export async function servePipe({ open, keepsRunning = false }: PipeOptions): Promise<void> {
  const late: { log: Host['log'] } = { log: (_, message) => process.stderr.write(`${message}\n`) };
  const output = protocolOutput() ?? guardStdout({ log: (...entry) => late.log(...entry) }).output;
  surviveLateErrors((...entry) => late.log(...entry));
  const host = await open();
  late.log = host.log;
  const release = keepsRunning ? guardExit() : () => {};
  await serve(host, output);
  release();
  host.close();
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

async function serve(host: Host, output: Writable): Promise<void> {
  const server = serveStdio({
    input: process.stdin,
    output,
    limits: host.limits,
    log: host.log,
    converse: (outlet) => host.converse({ outlet, shared: true }),
  });
  const stop = (): void => void server.shutdown();
  onLauncherGone(stop);
  process.once('SIGINT', stop).once('SIGTERM', stop).once('SIGHUP', stop);
  await server.closed;
}
