import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import type { Writable } from 'node:stream';
import tty from 'node:tty';

// The full guarantee that stdout holds the protocol alone: the program runs in a child whose fd 1 is stderr, and the
// real stdout is a descriptor that only the transport knows. Nothing the child runs or starts can print to the peer.

const PROTOCOL_VARIABLE = 'PARLEY_PROTOCOL_FD';
const PROTOCOL_FD = 3;
const LIFELINE_FD = 4;
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface LaunchOptions {
  readonly env?: NodeJS.ProcessEnv;
}

let adopted = false;

/** Whether this process is the child of a launcher and has not taken its stream yet. */
export function isLaunched(): boolean {
  return process.env[PROTOCOL_VARIABLE] === String(PROTOCOL_FD) && kindOf(PROTOCOL_FD) !== undefined;
}

/** Runs the program `argv` (script first) in a guarded child and resolves to the exit code to mirror. */
export function launchGuarded(argv: readonly string[], { env = process.env }: LaunchOptions = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, ...argv], {
      // The fifth is never written to: the child sees it close when this process dies, however it dies.
      stdio: [0, 2, 2, 1, 'pipe'],
      env: { ...env, [PROTOCOL_VARIABLE]: String(PROTOCOL_FD) },
    });
    const forward = (signal: NodeJS.Signals) => {
      if (!reachesChildAlready(signal)) child.kill(signal);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    // The listeners stay: a signal that comes while this process ends must not change how it ends.
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]));
    });
  });
}

/** A terminal sends these to the whole foreground group, and a second one means "at once". */
function reachesChildAlready(signal: NodeJS.Signals): boolean {
  return signal !== 'SIGTERM' && tty.isatty(0);
}

/** In a launched child, the one stream that reaches the peer; `undefined` elsewhere, and for every call but the first. */
export function protocolOutput(): Writable | undefined {
  const kind = isLaunched() ? kindOf(PROTOCOL_FD) : undefined;
  delete process.env[PROTOCOL_VARIABLE];
  if (kind === undefined) return undefined;
  adopted = true;
  if (kind === 'terminal') return new tty.WriteStream(PROTOCOL_FD);
  if (kind === 'pipe') return new net.Socket({ fd: PROTOCOL_FD, readable: false, writable: true });
  return fs.createWriteStream('', { fd: PROTOCOL_FD, autoClose: false });
}

/** What a descriptor can be written to as; nothing when it is closed or one the engine uses for itself. */
function kindOf(descriptor: number): 'terminal' | 'pipe' | 'file' | undefined {
  if (tty.isatty(descriptor)) return 'terminal';
  try {
    const stats = fs.fstatSync(descriptor);
    if (stats.isFIFO() || stats.isSocket()) return 'pipe';
    return stats.isFile() || stats.isCharacterDevice() ? 'file' : undefined;
  } catch {
    return undefined;
  }
}

/** After `protocolOutput` gave a stream: calls back once when the launcher is gone. Keeps no process alive. */
export function onLauncherGone(listener: () => void): void {
  if (!adopted || kindOf(LIFELINE_FD) !== 'pipe') return;
  const lifeline = new net.Socket({ fd: LIFELINE_FD, readable: true, writable: false });
  lifeline.once('close', listener);
  lifeline.on('error', () => {});
  lifeline.unref();
  lifeline.resume();
}
